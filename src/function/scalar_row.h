// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/compute/type_fwd.h>

#include "function/scalar_function.h"

namespace keepone {

using ScalarArguments = std::span<const ScalarArgument>;
using ScalarKernel =
    std::function<arrow::Result<arrow::Datum>(const ScalarCall&, const std::vector<arrow::Datum>&)>;

// What a resolver found out.
struct ScalarResolution {
  std::vector<TypePtr> argument_types;
  TypePtr result_type;
  ScalarKernel run;
  bool deterministic = true;
};

// Gives nothing when the types do not fit: the caller then says so in one voice.
using ScalarResolver =
    std::function<arrow::Result<std::optional<ScalarResolution>>(ScalarArguments)>;

// One scalar function.
struct ScalarRow {
  std::string name;                  // the canonical one, lower case
  std::vector<std::string> aliases;  // lower case; also operators as they are written
  std::string signature;             // for the reference
  std::string text;                  // for the reference
  ScalarResolver resolve;
};

// The rows by topic; scalar_table.cc puts them together.
std::vector<ScalarRow> ArithmeticRows();
std::vector<ScalarRow> BooleanRows();
std::vector<ScalarRow> ComparisonRows();
std::vector<ScalarRow> DateTimeRows();
std::vector<ScalarRow> ExtractRows();
std::vector<ScalarRow> ListRows();
std::vector<ScalarRow> MathRows();
std::vector<ScalarRow> PatternRows();
std::vector<ScalarRow> StructRows();
std::vector<ScalarRow> SystemRows();
std::vector<ScalarRow> TextEditRows();
std::vector<ScalarRow> TextRows();

// One way to call a function: parameters of fixed types.
struct ScalarOverload {
  std::vector<TypePtr> parameters;
  TypePtr result;
  ScalarKernel run;
  bool repeats_last = false;  // the last parameter may come any number of times, at least once
};

// Takes the first overload that fits without a cast, else the first that fits with implicit ones.
ScalarResolver Overloads(std::vector<ScalarOverload> overloads);

// Whether a value of the type may stand where `to` is wanted, without the user asking for a cast:
// NULL and literals of text for anything that has a text form, wider numbers for narrower ones,
// dates for timestamps, dictionaries and views for their values.
bool ConvertsTo(const ScalarArgument& argument, const arrow::DataType& to);

// The type that all arguments are cast to where they meet (comparison, lists, CASE): literals of
// text take the others' type. nullptr when there is none; utf8 when all are literals of text.
TypePtr MeetingType(ScalarArguments arguments);

// Dictionaries to their values, views to plain text, extensions to their storage.
TypePtr PlainType(const TypePtr& type);

// A kernel that is one of Arrow's, with fixed options.
ScalarKernel ArrowKernel(std::string kernel,
                         std::shared_ptr<arrow::compute::FunctionOptions> options = nullptr);

bool IsTextLiteral(const ScalarArgument& argument);
// The literal's text, or nothing when the argument is no literal or NULL.
std::optional<std::string> LiteralText(const ScalarArgument& argument);
std::optional<int64_t> LiteralInteger(const ScalarArgument& argument);

// "upper" takes no (BIGINT), told in SQL names.
std::string SqlTypeNames(ScalarArguments arguments);

}  // namespace keepone
