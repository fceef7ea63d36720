// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace keepone {

// The named arguments of read_json(..) and its like, for the reader to take by name. Names are in
// lower case. Used by one thread.
class ReaderOptions {
 public:
  using Values = std::map<std::string, std::shared_ptr<arrow::Scalar>>;

  ReaderOptions() = default;
  // `columns` are those of `columns => {name: 'TYPE', ..}`, whose types the binder has read.
  explicit ReaderOptions(Values values, std::optional<arrow::FieldVector> columns = {})
      : values_(std::move(values)), columns_(std::move(columns)) {}

  bool empty() const { return values_.empty() && !columns_.has_value(); }

  // The value of an option, or nothing when it is not given. A value of another type, or NULL, is a
  // bind error that quotes the option.
  arrow::Result<std::optional<bool>> TakeBool(const std::string& name);
  arrow::Result<std::optional<int64_t>> TakeInteger(const std::string& name);
  arrow::Result<std::optional<std::string>> TakeText(const std::string& name);
  // A text, or a list of texts.
  arrow::Result<std::optional<std::vector<std::string>>> TakeTexts(const std::string& name);
  // The columns that the statement fixes, in its order.
  std::optional<arrow::FieldVector> TakeColumns();

  // A bind error that quotes the first option that nobody took, with the nearest name of those that
  // were asked for as a hint. `reader` is "read_json".
  arrow::Status CheckAllTaken(const std::string& reader) const;

  // Those not taken yet, for tests: "header=true; columns=a BIGINT, b VARCHAR".
  std::string ToString() const;

 private:
  // Nullptr when it is not given.
  std::shared_ptr<arrow::Scalar> Take(const std::string& name);

  Values values_;
  std::optional<arrow::FieldVector> columns_;
  std::set<std::string> asked_;
};

}  // namespace keepone
