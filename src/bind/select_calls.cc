// SPDX-License-Identifier: Apache-2.0
#include "bind/select_calls.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <arrow/type.h>

namespace keepone {
namespace {

bool SameExpr(const ExprPtr& left, const ExprPtr& right) {
  if (left == nullptr || right == nullptr) {
    return left == right;
  }
  return Equals(*left, *right);
}

bool SameExprs(const std::vector<ExprPtr>& left, const std::vector<ExprPtr>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), SameExpr);
}

bool SameOrder(const std::vector<SortExpr>& left, const std::vector<SortExpr>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const SortExpr& a, const SortExpr& b) {
                      return a.descending == b.descending && a.nulls_first == b.nulls_first &&
                             Equals(*a.expr, *b.expr);
                    });
}

bool SameAggregate(const AggregateExpr& left, const AggregateExpr& right) {
  return left.function->name == right.function->name &&
         left.function->result_type->Equals(*right.function->result_type) &&
         left.distinct == right.distinct && left.ties_to_last == right.ties_to_last &&
         left.nth == right.nth && left.limit == right.limit &&
         SameExprs(left.arguments, right.arguments) && SameOrder(left.order, right.order) &&
         SameExpr(left.filter, right.filter) && SameExprs(left.required, right.required);
}

bool SameWindow(const WindowExpr& left, const WindowExpr& right) {
  return left.kind == right.kind && SameExprs(left.partition, right.partition) &&
         SameOrder(left.order, right.order) && SameExprs(left.arguments, right.arguments) &&
         left.offset == right.offset && left.ignores_nulls == right.ignores_nulls &&
         left.to_row == right.to_row &&
         (left.kind != WindowCall::Kind::kAggregate ||
          SameAggregate(left.aggregate, right.aggregate));
}

template <typename Calls>
bool Reads(const Expr& expr, const Calls& calls) {
  std::unordered_set<ColumnId> columns;
  CollectColumns(expr, &columns);
  return std::any_of(calls.begin(), calls.end(),
                     [&](const auto& call) { return columns.count(call.id) > 0; });
}

}  // namespace

ExprPtr AddAggregate(SelectCalls* calls, AggregateExpr aggregate, ColumnIdGenerator* ids,
                     SourceSpan span) {
  const auto same =
      std::find_if(calls->aggregates.begin(), calls->aggregates.end(),
                   [&](const AggregateExpr& each) { return SameAggregate(each, aggregate); });
  if (same != calls->aggregates.end()) {
    return MakeColumnExpr(same->id, same->spelling, same->function->result_type, span);
  }
  aggregate.id = ids->Next();
  ExprPtr column =
      MakeColumnExpr(aggregate.id, aggregate.spelling, aggregate.function->result_type, span);
  calls->aggregates.push_back(std::move(aggregate));
  return column;
}

ExprPtr AddWindow(SelectCalls* calls, WindowExpr window, ColumnIdGenerator* ids, SourceSpan span) {
  const auto same = std::find_if(calls->windows.begin(), calls->windows.end(),
                                 [&](const WindowExpr& each) { return SameWindow(each, window); });
  if (same != calls->windows.end()) {
    return MakeColumnExpr(same->id, same->name, same->type, span);
  }
  window.id = ids->Next();
  window.aggregate.id = window.id;
  ExprPtr column = MakeColumnExpr(window.id, window.name, window.type, span);
  calls->windows.push_back(std::move(window));
  return column;
}

ExprPtr AddUnnest(SelectCalls* calls, UnnestExpr unnest, ColumnIdGenerator* ids, SourceSpan span) {
  const auto same =
      std::find_if(calls->unnests.begin(), calls->unnests.end(),
                   [&](const UnnestExpr& each) { return SameExpr(each.list, unnest.list); });
  if (same != calls->unnests.end()) {
    return MakeColumnExpr(same->id, same->name, same->type, span);
  }
  unnest.id = ids->Next();
  ExprPtr column = MakeColumnExpr(unnest.id, unnest.name, unnest.type, span);
  calls->unnests.push_back(std::move(unnest));
  return column;
}

bool ReadsAggregate(const Expr& expr, const SelectCalls& calls) {
  return Reads(expr, calls.aggregates);
}

bool ReadsWindow(const Expr& expr, const SelectCalls& calls) {
  return Reads(expr, calls.windows);
}

bool ReadsUnnest(const Expr& expr, const SelectCalls& calls) {
  return Reads(expr, calls.unnests);
}

}  // namespace keepone
