// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/compute/api.h>
#include <arrow/type.h>

#include "function/arrow_call.h"
#include "function/scalar_row.h"

namespace keepone {

namespace {

using arrow::Datum;
using Resolved = arrow::Result<std::optional<ScalarResolution>>;

// Joins any number of arguments by a kernel of two.
ScalarKernel Fold(std::string kernel) {
  return [kernel = std::move(kernel)](const ScalarCall& call,
                                      const std::vector<Datum>& values) -> arrow::Result<Datum> {
    Datum joined = values[0];
    for (size_t i = 1; i < values.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(joined, CallArrow(call.context, kernel, {joined, values[i]}));
    }
    return joined;
  };
}

ScalarResolver AnyType(std::string kernel) {
  return [kernel = std::move(kernel)](ScalarArguments arguments) -> Resolved {
    if (arguments.size() != 1) {
      return std::nullopt;
    }
    ScalarResolution resolution;
    resolution.argument_types = {arguments[0].type};
    resolution.result_type = arrow::boolean();
    resolution.run = ArrowKernel(kernel);
    return resolution;
  };
}

// x IS [NOT] TRUE, x IS [NOT] FALSE: never NULL.
ScalarKernel IsTruth(bool truth, bool negated) {
  return [=](const ScalarCall& call, const std::vector<Datum>& values) -> arrow::Result<Datum> {
    Datum value = values[0];
    if (!truth) {
      ARROW_ASSIGN_OR_RAISE(value, CallArrow(call.context, "invert", {value}));
    }
    ARROW_ASSIGN_OR_RAISE(value, CallArrow(call.context, "coalesce", {value, Datum(false)}));
    return negated ? CallArrow(call.context, "invert", {value}) : value;
  };
}

ScalarRow TruthRow(const std::string& name, const std::string& text, bool truth, bool negated) {
  return {name,
          {},
          name + "(BOOLEAN) -> BOOLEAN",
          text + "; never NULL",
          Overloads({{{arrow::boolean()}, arrow::boolean(), IsTruth(truth, negated)}})};
}

}  // namespace

std::vector<ScalarRow> BooleanRows() {
  const TypePtr boolean = arrow::boolean();
  return {
      {"and",
       {},
       "and(BOOLEAN, ...) -> BOOLEAN",
       "a AND b: FALSE when one is FALSE",
       Overloads({{{boolean}, boolean, Fold("and_kleene"), true}})},
      {"or",
       {},
       "or(BOOLEAN, ...) -> BOOLEAN",
       "a OR b: TRUE when one is TRUE",
       Overloads({{{boolean}, boolean, Fold("or_kleene"), true}})},
      {"not",
       {},
       "not(BOOLEAN) -> BOOLEAN",
       "NOT a",
       Overloads({{{boolean}, boolean, ArrowKernel("invert")}})},
      {"is_null",
       {"isnull"},
       "is_null(ANY) -> BOOLEAN",
       "whether the value is NULL",
       AnyType("is_null")},
      {"is_not_null",
       {"notnull", "is_valid"},
       "is_not_null(ANY) -> BOOLEAN",
       "whether the value is not NULL",
       AnyType("is_valid")},
      TruthRow("is_true", "a IS TRUE", true, false),
      TruthRow("is_not_true", "a IS NOT TRUE", true, true),
      TruthRow("is_false", "a IS FALSE", false, false),
      TruthRow("is_not_false", "a IS NOT FALSE", false, true),
  };
}

}  // namespace keepone
