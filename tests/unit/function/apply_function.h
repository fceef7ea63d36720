// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/json/from_string.h>
#include <arrow/scalar.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/query_context.h"
#include "column/value_text.h"
#include "function/cast.h"
#include "function/scalar_function.h"

namespace keepone {

inline QueryContext* TestContext() {
  static QueryContext context{QueryContext::Options{}};
  return &context;
}

// An array of the JSON values, with two rows sliced off at either side so that it has an offset.
inline std::shared_ptr<arrow::Array> Column(const TypePtr& type, const std::string& json) {
  auto array = arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
  auto nulls = arrow::MakeArrayOfNull(type, 2).ValueOrDie();
  return arrow::Concatenate({nulls, array, nulls}).ValueOrDie()->Slice(2, array->length());
}

// A literal; texts are written as they are.
inline arrow::Datum Text(std::string text) {
  return {std::make_shared<arrow::StringScalar>(std::move(text))};
}
inline arrow::Datum Number(int64_t value) {
  return {std::make_shared<arrow::Int64Scalar>(value)};
}
inline arrow::Datum Real(double value) {
  return {std::make_shared<arrow::DoubleScalar>(value)};
}
inline arrow::Datum Null() {
  return {std::make_shared<arrow::NullScalar>()};
}
// A literal of a type from its text.
inline arrow::Datum Value(const TypePtr& type, const std::string& text) {
  return CastDatum(TestContext(), Text(text), type, false).ValueOrDie();
}

inline std::string Show(const arrow::Datum& datum) {
  const auto array = datum.is_scalar() ? arrow::MakeArrayFromScalar(*datum.scalar(), 1).ValueOrDie()
                                       : datum.make_array();
  EXPECT_TRUE(array->ValidateFull().ok()) << array->ValidateFull().ToString();
  const auto text = MakeValueText(array, TextStyle::kPlain).ValueOrDie();
  std::string out;
  for (int64_t row = 0; row < array->length(); ++row) {
    out += row == 0 ? "" : " | ";
    if (text->IsNull(row)) {
      out += "NULL";
    }
    text->Append(row, &out);
  }
  return out;
}

// Resolves, casts and runs as the binder and the evaluator do; the values joined by " | ", or the
// error's message and hint.
inline std::string Apply(std::string_view name, const std::vector<arrow::Datum>& values,
                         std::string* type_name = nullptr) {
  std::vector<ScalarArgument> arguments;
  int64_t row_count = 1;
  for (const arrow::Datum& value : values) {
    arguments.push_back({value.type(), value.is_scalar() ? value.scalar() : nullptr, ""});
    row_count = value.is_array() ? value.length() : row_count;
  }
  const auto bound = BindScalarFunction(name, arguments);
  if (!bound.ok()) {
    return FormatError(bound.status(), "");
  }
  const BoundScalarFunction& function = **bound;
  EXPECT_EQ(function.argument_types.size(), values.size());
  std::vector<arrow::Datum> cast;
  for (size_t i = 0; i < values.size(); ++i) {
    auto value = CastDatum(TestContext(), values[i], function.argument_types[i], false);
    if (!value.ok()) {
      return FormatError(value.status(), "");
    }
    cast.push_back(*value);
  }
  const auto answer = function.run(ScalarCall{TestContext(), row_count, 0}, cast);
  if (!answer.ok()) {
    return FormatError(answer.status(), "");
  }
  EXPECT_TRUE(answer->type()->Equals(*function.result_type))
      << name << ": " << answer->type()->ToString() << " is not "
      << function.result_type->ToString();
  if (type_name != nullptr) {
    *type_name = SqlTypeName(*function.result_type);
  }
  return Show(*answer);
}

}  // namespace keepone
