// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type.h>

#include "function/scalar_function.h"

namespace keepone {

// Texts read as values of `type` (no nested one), white space around them allowed.
// A text that is none is NULL when `try_cast`, else a data error that quotes it.
arrow::Result<std::shared_ptr<arrow::Array>> ParseTexts(QueryContext* context,
                                                        const arrow::StringArray& texts,
                                                        const TypePtr& type, bool try_cast);

// Whether ParseTexts knows the type.
bool IsParsedFromText(const arrow::DataType& type);

// "1 year 2 months 3 days 04:05:06.7" and the like; false when it is none.
bool ParseInterval(std::string_view text, arrow::MonthDayNanoIntervalType::MonthDayNanos* out);

}  // namespace keepone
