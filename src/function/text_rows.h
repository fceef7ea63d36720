// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>

#include "function/operand.h"
#include "function/scalar_row.h"

namespace keepone {

// The arguments of one row of a function of texts (VARCHAR) and integers (BIGINT).
class TextRow {
 public:
  explicit TextRow(const Operands& operands) : operands_(operands) {}
  void MoveTo(int64_t row) { row_ = row; }
  std::string_view Text(size_t index) const {
    return operands_.At<arrow::StringArray>(index).Value(row_);
  }
  int64_t Integer(size_t index) const { return operands_.At<arrow::Int64Array>(index).Value(row_); }
  size_t size() const { return operands_.size(); }
  bool IsNull(size_t index) const { return operands_.At<arrow::Array>(index).IsNull(row_); }

 private:
  const Operands& operands_;
  int64_t row_ = 0;
};

// A kernel whose answer is the text that `append` writes; NULL where an argument is NULL.
inline ScalarKernel TextKernel(std::function<arrow::Status(const TextRow&, std::string*)> append) {
  return RowWise([append = std::move(append)](
                     const ScalarCall&,
                     const Operands& operands) -> arrow::Result<std::shared_ptr<arrow::Array>> {
    arrow::StringBuilder builder(operands.pool());
    ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
    TextRow row(operands);
    std::string text;
    for (int64_t i = 0; i < operands.length(); ++i) {
      if (operands.AnyNull(i)) {
        ARROW_RETURN_NOT_OK(builder.AppendNull());
        continue;
      }
      row.MoveTo(i);
      text.clear();
      ARROW_RETURN_NOT_OK(append(row, &text));
      ARROW_RETURN_NOT_OK(builder.Append(text));
    }
    return builder.Finish();
  });
}

// The same with an answer of a fixed width: Builder is arrow::Int64Builder, arrow::BooleanBuilder.
template <typename Builder, typename Compute>
ScalarKernel ValueKernel(Compute compute) {
  return RowWise(
      [compute](const ScalarCall&,
                const Operands& operands) -> arrow::Result<std::shared_ptr<arrow::Array>> {
        Builder builder(operands.pool());
        ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
        TextRow row(operands);
        for (int64_t i = 0; i < operands.length(); ++i) {
          if (operands.AnyNull(i)) {
            builder.UnsafeAppendNull();
            continue;
          }
          row.MoveTo(i);
          builder.UnsafeAppend(compute(row));
        }
        return builder.Finish();
      });
}

// Code points of UTF-8; of other bytes the ones that do not continue a code point.
int64_t CodePoints(std::string_view text);
// Where code point `index` begins, or the end of the text.
size_t ByteOfCodePoint(std::string_view text, int64_t index);

// The code points [begin, end) of the text, both from 0 and cut to what there is.
std::string_view CodePointRange(std::string_view text, int64_t begin, int64_t end);

}  // namespace keepone
