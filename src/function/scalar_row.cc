// SPDX-License-Identifier: Apache-2.0
#include "function/scalar_row.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/compute/api.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/text_parse.h"
#include "function/value_class.h"

namespace keepone {

bool IsTextLiteral(const ScalarArgument& argument) {
  return argument.literal != nullptr && IsTextType(*argument.type);
}

std::optional<std::string> LiteralText(const ScalarArgument& argument) {
  if (!IsTextLiteral(argument) || !argument.literal->is_valid) {
    return std::nullopt;
  }
  return argument.literal->ToString();
}

std::optional<int64_t> LiteralInteger(const ScalarArgument& argument) {
  if (argument.literal == nullptr || !argument.literal->is_valid ||
      !arrow::is_integer(argument.type->id())) {
    return std::nullopt;
  }
  const arrow::Result<arrow::Datum> cast =
      CastDatum(nullptr, argument.literal, arrow::int64(), false);
  if (!cast.ok()) {
    return std::nullopt;
  }
  return cast->scalar_as<arrow::Int64Scalar>().value;
}

bool ConvertsTo(const ScalarArgument& argument, const arrow::DataType& to) {
  if (argument.type->id() == arrow::Type::NA) {
    return true;
  }
  const TypePtr plain = PlainType(argument.type);
  const arrow::DataType& from = *plain;
  if (from.Equals(to)) {
    return true;
  }
  if (IsTextLiteral(argument) && IsParsedFromText(to)) {
    return true;
  }
  if (IsTextType(from) && IsTextType(to)) {
    return true;
  }
  if (IsBlobType(from) && IsBlobType(to)) {
    return to.id() != arrow::Type::FIXED_SIZE_BINARY;
  }
  if (arrow::is_integer(from.id()) && arrow::is_integer(to.id())) {
    return true;  // a value that does not fit is an error when it comes
  }
  if (IsNumberType(from) && arrow::is_floating(to.id())) {
    return true;
  }
  if (arrow::is_integer(from.id()) && arrow::is_decimal(to.id())) {
    return true;
  }
  if (arrow::is_date(from.id()) && to.id() == arrow::Type::TIMESTAMP) {
    return true;
  }
  if (from.id() == arrow::Type::TIMESTAMP && to.id() == arrow::Type::TIMESTAMP) {
    return true;
  }
  return IsIntervalType(from) && to.id() == arrow::Type::INTERVAL_MONTH_DAY_NANO;
}

TypePtr MeetingType(ScalarArguments arguments) {
  TypePtr common = arrow::null();
  bool text_literals = false;
  for (const ScalarArgument& argument : arguments) {
    if (IsTextLiteral(argument)) {
      text_literals = true;
      continue;
    }
    common = CommonType(common, argument.type);
    if (common == nullptr) {
      return nullptr;
    }
  }
  common = PlainType(common);
  if (!text_literals) {
    return common;
  }
  if (common->id() == arrow::Type::NA) {
    return arrow::utf8();
  }
  const bool takes_text = IsTextType(*common) || IsBlobType(*common) || IsParsedFromText(*common);
  return takes_text ? common : nullptr;
}

ScalarKernel ArrowKernel(std::string kernel,
                         std::shared_ptr<arrow::compute::FunctionOptions> options) {
  return [kernel = std::move(kernel), options = std::move(options)](
             const ScalarCall& call, const std::vector<arrow::Datum>& arguments) {
    return CallArrow(call.context, kernel, arguments, options.get());
  };
}

std::string SqlTypeNames(ScalarArguments arguments) {
  std::string names;
  for (const ScalarArgument& argument : arguments) {
    names += (names.empty() ? "" : ", ") + SqlTypeName(*argument.type);
  }
  return names;
}

namespace {

const TypePtr& ParameterAt(const ScalarOverload& overload, size_t index) {
  return overload.parameters[std::min(index, overload.parameters.size() - 1)];
}

bool CountFits(const ScalarOverload& overload, size_t count) {
  return overload.repeats_last ? count >= overload.parameters.size()
                               : count == overload.parameters.size();
}

// How many arguments have the parameter's own type, or nothing when one does not fit.
std::optional<size_t> ExactMatches(const ScalarOverload& overload, ScalarArguments arguments) {
  if (!CountFits(overload, arguments.size())) {
    return std::nullopt;
  }
  size_t exact = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TypePtr& parameter = ParameterAt(overload, i);
    if (!ConvertsTo(arguments[i], *parameter)) {
      return std::nullopt;
    }
    exact += PlainType(arguments[i].type)->Equals(*parameter) ? 1U : 0U;
  }
  return exact;
}

}  // namespace

ScalarResolver Overloads(std::vector<ScalarOverload> overloads) {
  return [overloads = std::move(overloads)](
             ScalarArguments arguments) -> arrow::Result<std::optional<ScalarResolution>> {
    const ScalarOverload* best = nullptr;
    size_t best_exact = 0;
    for (const ScalarOverload& overload : overloads) {
      const std::optional<size_t> exact = ExactMatches(overload, arguments);
      if (exact.has_value() && (best == nullptr || *exact > best_exact)) {
        best = &overload;
        best_exact = *exact;
      }
    }
    if (best == nullptr) {
      return std::nullopt;
    }
    ScalarResolution resolution;
    for (size_t i = 0; i < arguments.size(); ++i) {
      resolution.argument_types.push_back(ParameterAt(*best, i));
    }
    resolution.result_type = best->result;
    resolution.run = best->run;
    return resolution;
  };
}

}  // namespace keepone
