// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/datum.h>
#include <arrow/type_traits.h>
#include <arrow/util/checked_cast.h>

#include "function/arrow_call.h"
#include "function/scalar_function.h"

namespace keepone {

// One argument of a kernel that goes row by row: a scalar looks like an array that repeats it.
template <typename ArrayType>
class Operand {
 public:
  // REQUIRES: `array` has the type ArrayType, outlives this and holds one value when `step` is 0.
  Operand(const arrow::Array& array, int64_t step)
      : typed_(arrow::internal::checked_cast<const ArrayType*>(&array)), step_(step) {}

  bool IsNull(int64_t row) const { return typed_->IsNull(row * step_); }
  auto Value(int64_t row) const { return typed_->GetView(row * step_); }
  int64_t Position(int64_t row) const { return row * step_; }
  const ArrayType& array() const { return *typed_; }

 private:
  const ArrayType* typed_;
  int64_t step_;
};

// The arguments of a row-wise kernel.
class Operands {
 public:
  static arrow::Result<Operands> Make(const ScalarCall& call,
                                      const std::vector<arrow::Datum>& arguments) {
    Operands out;
    out.pool_ = PoolOf(call.context);
    out.length_ = 1;
    for (const arrow::Datum& argument : arguments) {
      const bool is_scalar = argument.is_scalar();
      ARROW_ASSIGN_OR_RAISE(auto array, DatumToArray(call.context, argument, 1));
      out.arrays_.emplace_back(std::move(array), is_scalar ? 0 : 1);
      if (!is_scalar) {
        out.length_ = call.row_count;
        out.all_scalars_ = false;
      }
    }
    return out;
  }

  template <typename ArrayType>
  Operand<ArrayType> At(size_t index) const {
    return Operand<ArrayType>(*arrays_[index].first, arrays_[index].second);
  }
  // Whether one of the arguments is NULL in the row.
  bool AnyNull(int64_t row) const {
    for (const auto& [array, step] : arrays_) {
      if (array->IsNull(row * step)) {
        return true;
      }
    }
    return false;
  }
  const std::shared_ptr<arrow::Array>& array(size_t index) const { return arrays_[index].first; }
  size_t size() const { return arrays_.size(); }
  int64_t length() const { return length_; }
  bool all_scalars() const { return all_scalars_; }
  arrow::MemoryPool* pool() const { return pool_; }

 private:
  std::vector<std::pair<std::shared_ptr<arrow::Array>, int64_t>> arrays_;
  arrow::MemoryPool* pool_ = nullptr;
  int64_t length_ = 1;
  bool all_scalars_ = true;
};

using RowKernel =
    std::function<arrow::Result<std::shared_ptr<arrow::Array>>(const ScalarCall&, const Operands&)>;

// A kernel from one that gives an array of operands.length() values.
inline auto RowWise(RowKernel kernel) {
  return [kernel = std::move(kernel)](
             const ScalarCall& call,
             const std::vector<arrow::Datum>& arguments) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const Operands operands, Operands::Make(call, arguments));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> array, kernel(call, operands));
    if (operands.all_scalars()) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Scalar> scalar, array->GetScalar(0));
      return arrow::Datum(std::move(scalar));
    }
    return arrow::Datum(std::move(array));
  };
}

}  // namespace keepone
