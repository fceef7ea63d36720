// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "function/group_accumulator.h"
#include "function/scalar_function.h"

namespace keepone {

// How an aggregate function is computed.
enum class AggregateKind {
  kAccumulate,  // by a GroupAccumulator: count, sum, min, max, avg, ...
  kWinner,   // the value in one row: first_value, last_value, nth_value, max_by, min_by, any_value
  kCollect,  // the values of all rows as a list, or of the first ones: array_agg, max_by(x, y, n)
};

// What a winner function means in terms of one: the row that comes first under an order.
struct WinnerMeaning {
  enum class Order {
    kCallOrder,          // ORDER BY of the call; without one, input order
    kCallOrderReversed,  // the last row under it; ties go to the last row (last_value)
    kSecondAscending,    // by the second argument, then a third (min_by)
    kSecondDescending,   // by the second argument, then a third, both descending (max_by)
  };
  Order order = Order::kCallOrder;
  bool ignores_null_values = false;  // whatever the call says (any_value)
};

// An aggregate function resolved for the types of its arguments.
struct BoundAggregateFunction {
  std::string name;  // the canonical one
  AggregateKind kind = AggregateKind::kAccumulate;
  std::vector<TypePtr> argument_types;  // the caller casts the arguments to these
  TypePtr result_type;
  WinnerMeaning winner;  // of kWinner, and of a kCollect that takes the rows in its order
  // The last argument may be no value of a row but a number, the same for all rows and at least 1:
  // the place of the winning row (nth_value), or of how many rows the values are (max_by(x, y, n)).
  // The caller reads it and takes it away.
  enum class RowCount { kNone, kNth, kLimit };
  RowCount row_count = RowCount::kNone;
  // Of kAccumulate.
  std::function<arrow::Result<std::unique_ptr<GroupAccumulator>>(QueryContext*)> make_accumulator;
  // The answer over no rows at all is NULL, or 0 for count.
  bool counts = false;
};

// Resolves `name` (any alias, any case). count() and count(*) have no arguments.
// Errors are bind errors without a place.
arrow::Result<std::shared_ptr<const BoundAggregateFunction>> BindAggregateFunction(
    std::string_view name, std::span<const ScalarArgument> arguments);

bool IsAggregateFunction(std::string_view name);

std::vector<FunctionDoc> AggregateFunctionDocs();

}  // namespace keepone
