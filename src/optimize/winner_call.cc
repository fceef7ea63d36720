// SPDX-License-Identifier: Apache-2.0
#include "optimize/winner_call.h"

#include <algorithm>
#include <utility>

#include <arrow/scalar.h>

#include "function/aggregate_function.h"
#include "plan/row_nodes.h"

namespace keepone {

bool SameWinner(const AggregateCall& left, const AggregateCall& right) {
  return left.nth == right.nth && SameOrderedRows(left, right);
}

bool SameOrderedRows(const AggregateCall& left, const AggregateCall& right) {
  const auto covers = [](const std::vector<ColumnId>& all, const std::vector<ColumnId>& some) {
    return std::all_of(some.begin(), some.end(), [&all](ColumnId id) {
      return std::find(all.begin(), all.end(), id) != all.end();
    });
  };
  return left.order == right.order && left.ties_to_last == right.ties_to_last &&
         left.filter == right.filter && covers(left.required, right.required) &&
         covers(right.required, left.required);
}

arrow::Result<EligibleOrder> MakeEligibleOrder(NodePtr input, const AggregateCall& call,
                                               ColumnIdGenerator* ids) {
  EligibleOrder result;
  result.input = std::move(input);
  result.order = call.order;
  if (!call.filter.has_value() && call.required.empty()) {
    return result;
  }
  const bool order_decides =
      !call.filter.has_value() && !call.order.empty() && !call.order[0].nulls_first &&
      std::all_of(call.required.begin(), call.required.end(),
                  [&call](ColumnId id) { return id == call.order[0].column; });
  if (order_decides) {
    const Column column = PassedColumn(*result.input, call.order[0].column);
    ARROW_ASSIGN_OR_RAISE(
        result.condition,
        MakeFunctionCall("is_not_null", {MakeColumnExpr(column.id, column.name, column.type)}));
    result.condition_column = column.id;
    return result;
  }
  std::vector<ExprPtr> conjuncts;
  if (call.filter.has_value()) {
    const Column column = PassedColumn(*result.input, *call.filter);
    conjuncts.push_back(MakeColumnExpr(column.id, column.name, column.type));
  }
  for (ColumnId id : call.required) {
    const Column column = PassedColumn(*result.input, id);
    ARROW_ASSIGN_OR_RAISE(
        ExprPtr is_there,
        MakeFunctionCall("is_not_null", {MakeColumnExpr(column.id, column.name, column.type)}));
    conjuncts.push_back(std::move(is_there));
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr eligible, JoinConjuncts(std::move(conjuncts)));
  std::vector<ProjectNode::Item> items;
  for (const Column& column : result.input->columns()) {
    items.push_back(ProjectNode::Pass(column));
  }
  const ColumnId id = ids->Next();
  const std::string name = "eligible";
  result.condition = MakeColumnExpr(id, name, eligible->type);
  result.condition_column = id;
  items.push_back({id, name, std::move(eligible)});
  result.input = ProjectNode::Make(std::move(result.input), std::move(items));
  // NULL is not TRUE, and descending NULLs last puts both behind it.
  result.order.insert(result.order.begin(),
                      SortKey{id, /*descending=*/true, /*nulls_first=*/false});
  return result;
}

ExprPtr WinnerValue(const ExprPtr& condition, const Column& value) {
  ExprPtr column = MakeColumnExpr(value.id, value.name, value.type);
  if (condition == nullptr) {
    return column;
  }
  return MakeCaseExpr(
      {condition, std::move(column), MakeLiteralExpr(arrow::MakeNullScalar(value.type))},
      value.type);
}

arrow::Result<AggregateCall> MakeWinnerCall(const Column& column, ColumnId id,
                                            std::vector<SortKey> order, bool ties_to_last) {
  AggregateCall call;
  const ScalarArgument argument{column.type, nullptr, ""};
  ARROW_ASSIGN_OR_RAISE(call.function, BindAggregateFunction("first_value", {&argument, 1}));
  call.id = id;
  call.name = column.name;
  call.spelling = "first_value(" + column.name + ")";
  call.arguments = {column.id};
  call.order = std::move(order);
  call.ties_to_last = ties_to_last;
  return call;
}

}  // namespace keepone
