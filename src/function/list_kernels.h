// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/array.h>
#include <arrow/result.h>

#include "function/scalar_row.h"

namespace keepone {

// The lists of an array of any list kind, or the entries of maps, as ranges of one array of values.
class ListReader {
 public:
  // REQUIRES: `array` is of a list kind or a map, and outlives this.
  explicit ListReader(const arrow::Array& array);
  int64_t Begin(int64_t row) const;
  int64_t Length(int64_t row) const;
  const std::shared_ptr<arrow::Array>& values() const { return values_; }

 private:
  const arrow::Array& array_;
  std::shared_ptr<arrow::Array> values_;
};

// LIST arrays whose list i holds the next lengths[i] of `values`; a length of -1 is NULL.
arrow::Result<std::shared_ptr<arrow::Array>> BuildLists(
    arrow::MemoryPool* pool, const TypePtr& type, const std::vector<int64_t>& lengths,
    const std::shared_ptr<arrow::Array>& values);

// Functions that take lists beside texts under one name.
arrow::Result<std::optional<ScalarResolution>> ResolveListConcat(ScalarArguments arguments);
arrow::Result<std::optional<ScalarResolution>> ResolveListContains(ScalarArguments arguments);
arrow::Result<std::optional<ScalarResolution>> ResolveListLength(ScalarArguments arguments);

}  // namespace keepone
