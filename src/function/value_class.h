// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/type_fwd.h>

namespace keepone {

// Classes of types that behave alike in SQL.
bool IsNumberType(const arrow::DataType& type);    // integers, floats, decimals
bool IsTextType(const arrow::DataType& type);      // of any offset width, views
bool IsBlobType(const arrow::DataType& type);      // binary of any kind
bool IsListType(const arrow::DataType& type);      // all list kinds, no map
bool IsIntervalType(const arrow::DataType& type);  // intervals and durations

// Digits in all and digits after the point; those that hold every value for an integer type.
struct DecimalShape {
  int32_t precision;
  int32_t scale;
};
// REQUIRES: `type` is an integer or a decimal.
DecimalShape DecimalShapeOf(const arrow::DataType& type);
// The narrowest of decimal128 and decimal256, or nullptr beyond 76 digits.
std::shared_ptr<arrow::DataType> DecimalOf(DecimalShape shape);

// The field of the name; an exact match wins over one without regard to case; -1 for none.
int FieldIndexByName(const arrow::DataType& struct_type, const std::string& name);

}  // namespace keepone
