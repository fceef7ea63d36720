// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/datum.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/sql_type_name.h"  // IWYU pragma: export

namespace keepone {

// Casts every value. A value that does not fit (overflow, text that is no number, a fraction that
// would be lost where SQL does not round) is a data error that quotes it, or NULL when `try_cast`.
// Gives a scalar for a scalar. Nested types are cast value by value, structs field by field by
// name.
arrow::Result<arrow::Datum> CastDatum(QueryContext* context, const arrow::Datum& value,
                                      const std::shared_ptr<arrow::DataType>& type, bool try_cast);

// Whether the pair can be cast at all.
bool CanCast(const arrow::DataType& from, const arrow::DataType& to);

// The type that both convert to without being asked to (UNION, CASE, comparison, IN, lists):
// NULL gives way to any type, integers widen, integer and decimal give decimal, any number and
// double give double, dates widen to timestamps, dictionaries to their values, views to plain
// text, literals of text to what they meet (the caller decides that); nested types by their
// children. Nothing when there is none.
std::shared_ptr<arrow::DataType> CommonType(const std::shared_ptr<arrow::DataType>& left,
                                            const std::shared_ptr<arrow::DataType>& right);

// The type of an SQL type name in any of its spellings, any case ("int4", "DECIMAL" with {10, 2},
// "timestamp with time zone"), nested types excepted. A bind error without a place names the
// nearest type for an unknown name and says which arguments are taken.
arrow::Result<std::shared_ptr<arrow::DataType>> TypeFromSqlName(std::string_view name,
                                                                std::span<const int64_t> arguments);

}  // namespace keepone
