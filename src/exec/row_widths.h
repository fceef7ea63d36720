// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

namespace keepone {

// The bytes of single rows of a batch, to bound what is put together of rows that may come many
// times. Immutable.
class RowWidths {
 public:
  // Takes time per row only where a column's rows differ in bytes. Keeps the batch's columns.
  explicit RowWidths(const arrow::RecordBatch& batch);

  // Of one row; the average where rows differ little or hold little.
  double Of(int64_t row) const;
  // Whether all rows have one width.
  bool is_constant() const { return measured_.empty(); }

 private:
  double bytes_ = 0;  // of the columns that are not measured
  std::vector<std::shared_ptr<arrow::ArrayData>> measured_;
};

}  // namespace keepone
