// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/datum.h>
#include <arrow/result.h>

#include "function/scalar_function.h"

namespace keepone {

enum class Comparison { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

// Compares two datums of one type, row by row; NULL where one of them is NULL.
// NaN equals NaN and is above every number, -0.0 equals 0.0; text and binary compare by bytes;
// nested values by their parts, where NULLs are equal and above every value.
// `row_count` is the length of the arrays among the two. Gives a scalar for two scalars.
arrow::Result<arrow::Datum> CompareDatums(QueryContext* context, Comparison comparison,
                                          const arrow::Datum& left, const arrow::Datum& right,
                                          int64_t row_count);

// TRUE where both are equal or both NULL; never NULL.
arrow::Result<arrow::Datum> NotDistinct(QueryContext* context, const arrow::Datum& left,
                                        const arrow::Datum& right, int64_t row_count);

}  // namespace keepone
