// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "base/letter_case.h"
#include "function/accumulators.h"
#include "function/aggregate_function.h"
#include "function/arrow_call.h"
#include "function/scalar_row.h"
#include "function/unplaced_error.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using Bound = std::optional<BoundAggregateFunction>;

// One aggregate function. `resolve` gives nothing when the types do not fit.
struct AggregateRow {
  std::string name;
  std::vector<std::string> aliases;
  std::string signature;
  std::string text;
  std::function<Bound(ScalarArguments)> resolve;
};

Bound Accumulate(std::vector<TypePtr> arguments, TypePtr result,
                 std::function<AccumulatorResult(QueryContext*)> make) {
  BoundAggregateFunction function;
  function.argument_types = std::move(arguments);
  function.result_type = std::move(result);
  function.make_accumulator = std::move(make);
  return function;
}

Bound ResolveCount(ScalarArguments arguments) {
  if (arguments.size() > 1) {
    return std::nullopt;
  }
  const CountedRows counted = arguments.empty() ? CountedRows::kAll : CountedRows::kNotNull;
  std::vector<TypePtr> types;
  if (!arguments.empty()) {
    types.push_back(PlainType(arguments[0].type));
  }
  Bound function = Accumulate(std::move(types), arrow::int64(), [counted](QueryContext* context) {
    return MakeCountAccumulator(context, counted);
  });
  function->counts = true;
  return function;
}

Bound ResolveCountIf(ScalarArguments arguments) {
  if (arguments.size() != 1 || !ConvertsTo(arguments[0], *arrow::boolean())) {
    return std::nullopt;
  }
  Bound function = Accumulate({arrow::boolean()}, arrow::int64(), [](QueryContext* context) {
    return MakeCountAccumulator(context, CountedRows::kTrue);
  });
  function->counts = true;
  return function;
}

// What numbers are summed as: INT64, DOUBLE or a decimal.
TypePtr SummedType(const ScalarArgument& argument) {
  const TypePtr type = PlainType(argument.type);
  if (type->id() == arrow::Type::NA) {
    return arrow::int64();
  }
  if (type->id() == arrow::Type::UINT64) {
    return arrow::decimal128(20, 0);
  }
  if (arrow::is_integer(type->id())) {
    return arrow::int64();
  }
  if (arrow::is_floating(type->id())) {
    return arrow::float64();
  }
  return arrow::is_decimal(type->id()) ? DecimalOf(DecimalShapeOf(*type)) : nullptr;
}

Bound ResolveSum(ScalarArguments arguments, SumForm form) {
  const TypePtr type = arguments.size() == 1 ? SummedType(arguments[0]) : nullptr;
  if (type == nullptr) {
    return std::nullopt;
  }
  TypePtr result = type;
  if (form == SumForm::kAverage) {
    result = arrow::float64();
  } else if (type->id() == arrow::Type::DECIMAL128) {
    result = arrow::decimal128(38, DecimalShapeOf(*type).scale);
  } else if (type->id() == arrow::Type::DECIMAL256) {
    result = arrow::decimal256(76, DecimalShapeOf(*type).scale);
  }
  return Accumulate({type}, result, [=](QueryContext* context) {
    return MakeSumAccumulator(context, form, type, result);
  });
}

Bound ResolveExtreme(ScalarArguments arguments, ExtremeForm form) {
  if (arguments.size() != 1) {
    return std::nullopt;
  }
  TypePtr type = PlainType(arguments[0].type);
  if (type->id() == arrow::Type::NA) {
    type = arrow::int32();
  }
  return Accumulate({type}, type, [=](QueryContext* context) {
    return MakeExtremeAccumulator(context, form, type);
  });
}

Bound ResolveTruth(ScalarArguments arguments, TruthForm form) {
  if (arguments.size() != 1 || !ConvertsTo(arguments[0], *arrow::boolean())) {
    return std::nullopt;
  }
  return Accumulate({arrow::boolean()}, arrow::boolean(),
                    [form](QueryContext* context) { return MakeTruthAccumulator(context, form); });
}

Bound ResolveMoment(ScalarArguments arguments, MomentForm form) {
  if (arguments.size() != 1 || SummedType(arguments[0]) == nullptr) {
    return std::nullopt;
  }
  return Accumulate({arrow::float64()}, arrow::float64(),
                    [form](QueryContext* context) { return MakeMomentAccumulator(context, form); });
}

Bound ResolveCollect(ScalarArguments arguments) {
  if (arguments.size() != 1) {
    return std::nullopt;
  }
  BoundAggregateFunction function;
  function.kind = AggregateKind::kCollect;
  function.argument_types = {arguments[0].type};
  function.result_type = arrow::list(arguments[0].type);
  return function;
}

Bound ResolveWinner(ScalarArguments arguments, WinnerMeaning meaning) {
  const bool by_second = meaning.order == WinnerMeaning::Order::kSecondAscending ||
                         meaning.order == WinnerMeaning::Order::kSecondDescending;
  const size_t least = by_second ? 2 : 1;
  if (arguments.size() < least || arguments.size() > (by_second ? 3U : 1U)) {
    return std::nullopt;
  }
  BoundAggregateFunction function;
  function.kind = AggregateKind::kWinner;
  for (const ScalarArgument& argument : arguments) {
    function.argument_types.push_back(argument.type);
  }
  function.result_type = arguments[0].type;
  function.winner = meaning;
  // A constant third argument says how many rows are wanted, another one decides between equals.
  if (arguments.size() > least && arguments[least].literal != nullptr) {
    if (!arrow::is_integer(arguments[least].type->id())) {
      return std::nullopt;
    }
    function.kind = AggregateKind::kCollect;
    function.argument_types[least] = arrow::int64();
    function.result_type = arrow::list(arguments[0].type);
    function.row_count = BoundAggregateFunction::RowCount::kLimit;
  }
  return function;
}

Bound ResolveNth(ScalarArguments arguments) {
  if (arguments.size() != 2 || !arrow::is_integer(arguments[1].type->id())) {
    return std::nullopt;
  }
  BoundAggregateFunction function;
  function.kind = AggregateKind::kWinner;
  function.argument_types = {arguments[0].type, arrow::int64()};
  function.result_type = arguments[0].type;
  function.row_count = BoundAggregateFunction::RowCount::kNth;
  return function;
}

std::vector<AggregateRow> NumberRows() {
  const auto sum = [](SumForm form) {
    return [form](ScalarArguments arguments) { return ResolveSum(arguments, form); };
  };
  const auto extreme = [](ExtremeForm form) {
    return [form](ScalarArguments arguments) { return ResolveExtreme(arguments, form); };
  };
  const auto truth = [](TruthForm form) {
    return [form](ScalarArguments arguments) { return ResolveTruth(arguments, form); };
  };
  const auto moment = [](MomentForm form) {
    return [form](ScalarArguments arguments) { return ResolveMoment(arguments, form); };
  };
  return {
      {"count",
       {},
       "count(*) -> BIGINT; count(ANY) -> BIGINT",
       "the rows, or those whose value is not NULL",
       ResolveCount},
      {"count_if",
       {"countif"},
       "count_if(BOOLEAN) -> BIGINT",
       "the rows whose value is TRUE",
       ResolveCountIf},
      {"sum",
       {},
       "sum(NUMBER) -> NUMBER",
       "the sum: BIGINT of integers, DECIMAL(38,s) of decimals, DOUBLE of floats, exact whatever "
       "the order of rows",
       sum(SumForm::kSum)},
      {"avg", {"mean"}, "avg(NUMBER) -> DOUBLE", "the average", sum(SumForm::kAverage)},
      {"min", {}, "min(ANY) -> ANY", "the smallest value", extreme(ExtremeForm::kMin)},
      {"max",
       {},
       "max(ANY) -> ANY",
       "the largest value; NaN is above every number",
       extreme(ExtremeForm::kMax)},
      {"bool_and",
       {"every", "logical_and"},
       "bool_and(BOOLEAN) -> BOOLEAN",
       "whether all values are TRUE",
       truth(TruthForm::kAnd)},
      {"bool_or",
       {"logical_or"},
       "bool_or(BOOLEAN) -> BOOLEAN",
       "whether one value is TRUE",
       truth(TruthForm::kOr)},
      {"var_samp",
       {"variance"},
       "var_samp(NUMBER) -> DOUBLE",
       "the variance of a sample",
       moment({false, true})},
      {"var_pop",
       {},
       "var_pop(NUMBER) -> DOUBLE",
       "the variance of a population",
       moment({false, false})},
      {"stddev_samp",
       {"stddev", "std"},
       "stddev_samp(NUMBER) -> DOUBLE",
       "the standard deviation of a sample",
       moment({true, true})},
      {"stddev_pop",
       {},
       "stddev_pop(NUMBER) -> DOUBLE",
       "the standard deviation of a population",
       moment({true, false})},
  };
}

std::vector<AggregateRow> RowRows() {
  using Order = WinnerMeaning::Order;
  const auto winner = [](WinnerMeaning meaning) {
    return [meaning](ScalarArguments arguments) { return ResolveWinner(arguments, meaning); };
  };
  return {
      {"first_value",
       {"first"},
       "first_value(ANY [ORDER BY ...]) -> ANY",
       "the value in the first row, even NULL",
       winner({Order::kCallOrder, false})},
      {"last_value",
       {"last"},
       "last_value(ANY [ORDER BY ...]) -> ANY",
       "the value in the last row, even NULL",
       winner({Order::kCallOrderReversed, false})},
      {"nth_value",
       {},
       "nth_value(ANY, BIGINT n [ORDER BY ...]) -> ANY",
       "the value in the n-th row, counted from 1, even NULL; NULL where there are fewer rows",
       ResolveNth},
      {"any_value",
       {"arbitrary"},
       "any_value(ANY [HAVING MAX|MIN ANY]) -> ANY",
       "the first value that is not NULL; with HAVING that of max_by or min_by",
       winner({Order::kCallOrder, true})},
      {"max_by",
       {"arg_max", "argmax"},
       "max_by(ANY x, ANY y [, ANY z]) -> ANY; max_by(ANY x, ANY y, BIGINT n) -> ANY[]",
       "x in the row with the largest y, and of equal ones with the largest z; or of the n rows "
       "with "
       "the largest y, n being a constant; rows whose y is NULL do not count",
       winner({Order::kSecondDescending, false})},
      {"min_by",
       {"arg_min", "argmin"},
       "min_by(ANY x, ANY y [, ANY z]) -> ANY; min_by(ANY x, ANY y, BIGINT n) -> ANY[]",
       "x in the row with the smallest y, and of equal ones with the smallest z; or of the n rows "
       "with the smallest y, n being a constant; rows whose y is NULL do not count",
       winner({Order::kSecondAscending, false})},
      {"array_agg",
       {"list", "collect_list"},
       "array_agg(ANY [ORDER BY ...] [LIMIT n]) -> ANY[]",
       "the values of all rows, or of the first n, as a list",
       ResolveCollect},
  };
}

const std::vector<AggregateRow>& Rows() {
  static const std::vector<AggregateRow> rows = [] {
    std::vector<AggregateRow> all = NumberRows();
    std::vector<AggregateRow> more = RowRows();
    std::move(more.begin(), more.end(), std::back_inserter(all));
    return all;
  }();
  return rows;
}

const AggregateRow* FindRow(const std::string& name) {
  for (const AggregateRow& row : Rows()) {
    if (row.name == name ||
        std::find(row.aliases.begin(), row.aliases.end(), name) != row.aliases.end()) {
      return &row;
    }
  }
  return nullptr;
}

// Its answer depends on the order of the rows, which an accumulator does not see.
bool IsStringAggregate(const std::string& name) {
  return name == "string_agg" || name == "group_concat" || name == "listagg";
}

}  // namespace

arrow::Result<std::shared_ptr<const BoundAggregateFunction>> BindAggregateFunction(
    std::string_view name, std::span<const ScalarArgument> arguments) {
  ARROW_RETURN_NOT_OK(PrepareArrowKernels());
  const std::string lower = LowerCase(name);
  if (IsStringAggregate(lower)) {
    return WithHint(UnplacedUnsupportedError("aggregate function \"", lower, "\" is not supported"),
                    "write array_to_string(array_agg(x ORDER BY y), ', ')");
  }
  const AggregateRow* row = FindRow(lower);
  if (row == nullptr) {
    const arrow::Status status =
        UnplacedBindError("aggregate function \"", name, "\" does not exist");
    std::vector<std::string> names;
    for (const AggregateRow& known : Rows()) {
      names.push_back(known.name);
      names.insert(names.end(), known.aliases.begin(), known.aliases.end());
    }
    const std::string nearest = NearestName(name, names);
    return nearest.empty() ? status : WithHint(status, "the nearest function is " + nearest);
  }
  Bound function = row->resolve(arguments);
  if (!function.has_value()) {
    return WithHint(UnplacedBindError("no aggregate function \"", lower, "\" takes (",
                                      SqlTypeNames(arguments), ")"),
                    "it is " + row->signature);
  }
  function->name = row->name;
  return std::make_shared<const BoundAggregateFunction>(std::move(*function));
}

bool IsAggregateFunction(std::string_view name) {
  const std::string lower = LowerCase(name);
  return FindRow(lower) != nullptr || IsStringAggregate(lower);
}

std::vector<FunctionDoc> AggregateFunctionDocs() {
  std::vector<FunctionDoc> docs;
  for (const AggregateRow& row : Rows()) {
    std::string also;
    for (const std::string& alias : row.aliases) {
      also += (also.empty() ? "" : ", ") + alias;
    }
    docs.push_back(
        {row.name, row.signature, also.empty() ? row.text : row.text + " (also: " + also + ")"});
  }
  return docs;
}

}  // namespace keepone
