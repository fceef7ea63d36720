// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <arrow/type_fwd.h>

namespace keepone {

// At least one type of every kind, nested ones included.
std::vector<std::shared_ptr<arrow::DataType>> AllTypes();

// An array with few different values, among them the odd ones of the type (NaNs of several
// payloads, -0.0, least and greatest, empty and long strings, strings with zero bytes), sliced
// with an offset, children too. One value in four is NULL if `with_nulls`.
std::shared_ptr<arrow::Array> RandomArray(const std::shared_ptr<arrow::DataType>& type,
                                          int64_t length, bool with_nulls, std::mt19937* random);

// Whether the value is NULL, for unions, dictionaries and run ends too.
bool IsNullValue(const arrow::Array& array, int64_t row);

// The order of two values that are not NULL, found value by value: < 0, 0 or > 0.
int CompareValues(const arrow::Array& a, int64_t row_a, const arrow::Array& b, int64_t row_b);

}  // namespace keepone
