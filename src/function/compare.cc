// SPDX-License-Identifier: Apache-2.0
#include "function/compare.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>

#include "column/key_encoder.h"
#include "function/operand.h"

namespace keepone {

namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

const char* KernelName(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return "equal";
    case Comparison::kNotEqual:
      return "not_equal";
    case Comparison::kLess:
      return "less";
    case Comparison::kLessEqual:
      return "less_equal";
    case Comparison::kGreater:
      return "greater";
    case Comparison::kGreaterEqual:
      break;
  }
  return "greater_equal";
}

bool HasArrowKernel(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::FIXED_SIZE_BINARY:
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return true;
    default:
      return arrow::is_integer(type.id());
  }
}

bool Holds(Comparison comparison, int order) {
  switch (comparison) {
    case Comparison::kEqual:
      return order == 0;
    case Comparison::kNotEqual:
      return order != 0;
    case Comparison::kLess:
      return order < 0;
    case Comparison::kLessEqual:
      return order <= 0;
    case Comparison::kGreater:
      return order > 0;
    case Comparison::kGreaterEqual:
      break;
  }
  return order >= 0;
}

template <typename Float>
int CompareFloats(Float left, Float right) {
  if (std::isnan(left) || std::isnan(right)) {
    return static_cast<int>(std::isnan(left)) - static_cast<int>(std::isnan(right));
  }
  return static_cast<int>(left > right) - static_cast<int>(left < right);
}

// `order(row)` compares the two values of a row that are not NULL.
template <typename Order>
arrow::Result<ArrayPtr> CompareRows(Comparison comparison, const Operands& operands, Order order) {
  arrow::BooleanBuilder builder(operands.pool());
  ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
  for (int64_t row = 0; row < operands.length(); ++row) {
    if (operands.AnyNull(row)) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(Holds(comparison, order(row)));
    }
  }
  return builder.Finish();
}

template <typename ArrayType>
arrow::Result<ArrayPtr> CompareFloatColumns(Comparison comparison, const Operands& operands) {
  const auto left = operands.At<ArrayType>(0);
  const auto right = operands.At<ArrayType>(1);
  return CompareRows(comparison, operands,
                     [&](int64_t row) { return CompareFloats(left.Value(row), right.Value(row)); });
}

arrow::Result<EncodedKeys> EncodeColumn(const ArrayPtr& array, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto encoder,
                        KeyEncoder::Make({KeyField{array->type(), false, false}}));
  EncodedKeys keys(pool);
  ARROW_RETURN_NOT_OK(encoder->Encode({array}, &keys));
  return keys;
}

// By the bytes of their keys, whose order is that of the values.
arrow::Result<ArrayPtr> CompareEncoded(Comparison comparison, const Operands& operands) {
  const auto left = operands.At<arrow::Array>(0);
  const auto right = operands.At<arrow::Array>(1);
  ARROW_ASSIGN_OR_RAISE(const EncodedKeys left_keys,
                        EncodeColumn(operands.array(0), operands.pool()));
  ARROW_ASSIGN_OR_RAISE(const EncodedKeys right_keys,
                        EncodeColumn(operands.array(1), operands.pool()));
  return CompareRows(comparison, operands, [&](int64_t row) {
    return left_keys[left.Position(row)].compare(right_keys[right.Position(row)]);
  });
}

}  // namespace

arrow::Result<arrow::Datum> CompareDatums(QueryContext* context, Comparison comparison,
                                          const arrow::Datum& left, const arrow::Datum& right,
                                          int64_t row_count) {
  const arrow::DataType& type = *left.type();
  if (HasArrowKernel(type)) {
    return CallArrow(context, KernelName(comparison), {left, right});
  }
  const auto kernel = RowWise(
      [comparison, &type](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
        switch (type.id()) {
          case arrow::Type::NA:
            return arrow::MakeArrayOfNull(arrow::boolean(), operands.length(), operands.pool());
          case arrow::Type::FLOAT:
            return CompareFloatColumns<arrow::FloatArray>(comparison, operands);
          case arrow::Type::DOUBLE:
            return CompareFloatColumns<arrow::DoubleArray>(comparison, operands);
          default:
            return CompareEncoded(comparison, operands);
        }
      });
  return kernel(ScalarCall{context, row_count, 0}, {left, right});
}

arrow::Result<arrow::Datum> NotDistinct(QueryContext* context, const arrow::Datum& left,
                                        const arrow::Datum& right, int64_t row_count) {
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum equal,
                        CompareDatums(context, Comparison::kEqual, left, right, row_count));
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum left_null, CallArrow(context, "is_null", {left}));
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum right_null, CallArrow(context, "is_null", {right}));
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum both_null,
                        CallArrow(context, "and", {left_null, right_null}));
  return CallArrow(context, "coalesce", {equal, both_null});
}

}  // namespace keepone
