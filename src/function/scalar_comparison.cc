// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/compute/api.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/compare.h"
#include "function/scalar_row.h"
#include "function/unplaced_error.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::Datum;
using Resolved = arrow::Result<std::optional<ScalarResolution>>;

// All arguments as one type that has an order.
std::optional<ScalarResolution> OneType(ScalarArguments arguments, size_t count_min) {
  const TypePtr type = arguments.size() < count_min ? nullptr : MeetingType(arguments);
  if (type == nullptr) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types.assign(arguments.size(), type);
  resolution.result_type = type;
  return resolution;
}

ScalarResolver Compare(Comparison comparison) {
  return [comparison](ScalarArguments arguments) -> Resolved {
    std::optional<ScalarResolution> resolution =
        arguments.size() == 2 ? OneType(arguments, 2) : std::nullopt;
    if (resolution.has_value()) {
      resolution->result_type = arrow::boolean();
      resolution->run = [comparison](const ScalarCall& call, const std::vector<Datum>& values) {
        return CompareDatums(call.context, comparison, values[0], values[1], call.row_count);
      };
    }
    return resolution;
  };
}

ScalarResolver CompareDistinct(bool distinct) {
  return [distinct](ScalarArguments arguments) -> Resolved {
    std::optional<ScalarResolution> resolution =
        arguments.size() == 2 ? OneType(arguments, 2) : std::nullopt;
    if (resolution.has_value()) {
      resolution->result_type = arrow::boolean();
      resolution->run = [distinct](const ScalarCall& call,
                                   const std::vector<Datum>& values) -> arrow::Result<Datum> {
        ARROW_ASSIGN_OR_RAISE(const Datum same,
                              NotDistinct(call.context, values[0], values[1], call.row_count));
        return distinct ? CallArrow(call.context, "invert", {same}) : same;
      };
    }
    return resolution;
  };
}

// x = a OR x = b OR ..., by the rules of NULL.
arrow::Result<Datum> InByEquality(const ScalarCall& call, const std::vector<Datum>& values) {
  Datum found;
  for (size_t i = 1; i < values.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const Datum equal, CompareDatums(call.context, Comparison::kEqual,
                                                           values[0], values[i], call.row_count));
    if (i == 1) {
      found = equal;
    } else {
      ARROW_ASSIGN_OR_RAISE(found, CallArrow(call.context, "or_kleene", {found, equal}));
    }
  }
  return found;
}

// By a hash set of the items, which are scalars of a type that Arrow hashes as we compare.
arrow::Result<Datum> InBySet(const ScalarCall& call, const std::vector<Datum>& values) {
  ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(values[0].type(), PoolOf(call.context)));
  bool has_null = false;
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i].scalar()->is_valid) {
      ARROW_RETURN_NOT_OK(builder->AppendScalar(*values[i].scalar()));
    } else {
      has_null = true;
    }
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> set, builder->Finish());
  const arrow::compute::SetLookupOptions options(set);
  ARROW_ASSIGN_OR_RAISE(Datum found, CallArrow(call.context, "is_in", {values[0]}, &options));
  const Datum unknown(std::make_shared<arrow::BooleanScalar>());
  ARROW_ASSIGN_OR_RAISE(const Datum is_null, CallArrow(call.context, "is_null", {values[0]}));
  ARROW_ASSIGN_OR_RAISE(found, CallArrow(call.context, "if_else", {is_null, unknown, found}));
  return has_null ? CallArrow(call.context, "or_kleene", {found, unknown}) : found;
}

constexpr size_t kEqualityItemsMax = 4;

Resolved ResolveIn(ScalarArguments arguments) {
  std::optional<ScalarResolution> resolution = OneType(arguments, 2);
  if (!resolution.has_value()) {
    return resolution;
  }
  const TypePtr type = resolution->result_type;
  const bool hashed = arrow::is_integer(type->id()) || IsTextType(*type) ||
                      arrow::is_date(type->id()) || type->id() == arrow::Type::TIMESTAMP;
  resolution->result_type = arrow::boolean();
  resolution->run = [hashed](const ScalarCall& call, const std::vector<Datum>& values) {
    bool by_set = hashed && values.size() > kEqualityItemsMax && values[0].is_array();
    for (size_t i = 1; i < values.size(); ++i) {
      by_set = by_set && values[i].is_scalar();
    }
    return by_set ? InBySet(call, values) : InByEquality(call, values);
  };
  return resolution;
}

ScalarResolver Extreme(Comparison keeps) {
  return [keeps](ScalarArguments arguments) -> Resolved {
    std::optional<ScalarResolution> resolution = OneType(arguments, 1);
    if (resolution.has_value()) {
      resolution->run = [keeps](const ScalarCall& call,
                                const std::vector<Datum>& values) -> arrow::Result<Datum> {
        Datum best = values[0];
        for (size_t i = 1; i < values.size(); ++i) {
          ARROW_ASSIGN_OR_RAISE(const Datum keep, CompareDatums(call.context, keeps, best,
                                                                values[i], call.row_count));
          ARROW_ASSIGN_OR_RAISE(const Datum no_other,
                                CallArrow(call.context, "is_null", {values[i]}));
          ARROW_ASSIGN_OR_RAISE(const Datum stays,
                                CallArrow(call.context, "coalesce", {keep, no_other}));
          ARROW_ASSIGN_OR_RAISE(best, CallArrow(call.context, "if_else", {stays, best, values[i]}));
        }
        return best;
      };
    }
    return resolution;
  };
}

// low <= x AND x <= high
Resolved ResolveBetween(ScalarArguments arguments) {
  std::optional<ScalarResolution> resolution =
      arguments.size() == 3 ? OneType(arguments, 3) : std::nullopt;
  if (resolution.has_value()) {
    resolution->result_type = arrow::boolean();
    resolution->run = [](const ScalarCall& call,
                         const std::vector<Datum>& values) -> arrow::Result<Datum> {
      ARROW_ASSIGN_OR_RAISE(const Datum above,
                            CompareDatums(call.context, Comparison::kGreaterEqual, values[0],
                                          values[1], call.row_count));
      ARROW_ASSIGN_OR_RAISE(const Datum below, CompareDatums(call.context, Comparison::kLessEqual,
                                                             values[0], values[2], call.row_count));
      return CallArrow(call.context, "and_kleene", {above, below});
    };
  }
  return resolution;
}

}  // namespace

std::vector<ScalarRow> ComparisonRows() {
  return {
      {"equal",
       {"=", "=="},
       "equal(ANY, ANY) -> BOOLEAN",
       "a = b; NaN equals NaN, -0.0 equals 0.0",
       Compare(Comparison::kEqual)},
      {"not_equal",
       {"<>", "!="},
       "not_equal(ANY, ANY) -> BOOLEAN",
       "a <> b",
       Compare(Comparison::kNotEqual)},
      {"less",
       {"<"},
       "less(ANY, ANY) -> BOOLEAN",
       "a < b; NaN is above every number",
       Compare(Comparison::kLess)},
      {"less_equal",
       {"<="},
       "less_equal(ANY, ANY) -> BOOLEAN",
       "a <= b",
       Compare(Comparison::kLessEqual)},
      {"greater", {">"}, "greater(ANY, ANY) -> BOOLEAN", "a > b", Compare(Comparison::kGreater)},
      {"greater_equal",
       {">="},
       "greater_equal(ANY, ANY) -> BOOLEAN",
       "a >= b",
       Compare(Comparison::kGreaterEqual)},
      {"is_distinct_from",
       {},
       "is_distinct_from(ANY, ANY) -> BOOLEAN",
       "a <> b where NULL is a value like others; never NULL",
       CompareDistinct(true)},
      {"is_not_distinct_from",
       {"<=>"},
       "is_not_distinct_from(ANY, ANY) -> BOOLEAN",
       "a = b where NULL is a value like others; never NULL",
       CompareDistinct(false)},
      {"between",
       {},
       "between(ANY, ANY, ANY) -> BOOLEAN",
       "low <= x AND x <= high",
       ResolveBetween},
      {"in_list", {}, "in_list(ANY, ANY, ...) -> BOOLEAN", "x IN (a, b, ...)", ResolveIn},
      {"greatest",
       {},
       "greatest(ANY, ...) -> ANY",
       "the largest argument that is not NULL",
       Extreme(Comparison::kGreaterEqual)},
      {"least",
       {},
       "least(ANY, ...) -> ANY",
       "the smallest argument that is not NULL",
       Extreme(Comparison::kLessEqual)},
  };
}

}  // namespace keepone
