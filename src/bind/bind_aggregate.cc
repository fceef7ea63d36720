// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/check.h"
#include "base/error.h"
#include "bind/expr_binder.h"
#include "bind/row_count.h"
#include "function/cast.h"

namespace keepone {
namespace {

bool IsStar(const ast::Expr& expr) {
  return expr.kind == ast::ExprKind::kStar;
}

// The row that comes last under the order comes first under this one.
std::vector<SortExpr> Reversed(std::vector<SortExpr> order) {
  for (SortExpr& key : order) {
    key.descending = !key.descending;
    key.nulls_first = !key.nulls_first;
  }
  return order;
}

}  // namespace

arrow::Result<ExprPtr> ExprBinder::BindAggregate(const ast::CallExpr& call,
                                                 const ExprScope& scope) {
  const SourceSpan place = context_->Place(call.span);
  if (scope.in_aggregate) {
    return BindError(place, "aggregate function calls cannot be nested");
  }
  if (!scope.aggregates || scope.calls == nullptr) {
    return BindError(place, "aggregate functions are not allowed in ", scope.clause);
  }
  ExprScope arguments;
  arguments.clause = scope.clause;
  arguments.columns = scope.columns;
  arguments.calls = scope.calls;
  arguments.in_aggregate = true;
  arguments.pattern = scope.pattern;
  ARROW_ASSIGN_OR_RAISE(AggregateExpr aggregate,
                        ResolveAggregate(call, arguments, /*window_order=*/nullptr));
  return AddAggregate(scope.calls, std::move(aggregate), context_->ids, place);
}

arrow::Result<std::vector<ExprPtr>> ExprBinder::BindAggregateArguments(const ast::CallExpr& call,
                                                                       const ExprScope& scope) {
  std::vector<ExprPtr> arguments;
  const std::string& name = call.name[0].text;
  for (const ast::Argument& argument : call.arguments) {
    if (argument.name.has_value()) {
      return BindError(context_->Place(argument.name->span), "function ", name,
                       " has no named arguments");
    }
    if (IsStar(*argument.value)) {
      const auto& star = argument.value->As<ast::StarExpr>();
      const bool plain = star.qualifier.empty() && star.exclude.empty() && star.replace.empty() &&
                         star.rename.empty();
      if (!EqualNames(name, "count") || !plain || call.arguments.size() != 1) {
        return WithHint(BindError(context_->Place(star.span), "function ", name, " takes no *"),
                        "the name of a table stands for its whole row");
      }
      if (call.distinct) {
        return BindError(context_->Place(star.span), "count(DISTINCT *) has no one value to count");
      }
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*argument.value, scope));
    arguments.push_back(std::move(value));
  }
  return arguments;
}

arrow::Status ExprBinder::ResolveOrderBy(const ast::CallExpr& call, const ExprScope& scope,
                                         std::vector<SortExpr>* order) {
  for (const std::vector<ast::OrderItem>* items : {&call.order_by, &call.within_group}) {
    for (const ast::OrderItem& item : *items) {
      ARROW_ASSIGN_OR_RAISE(SortExpr key, BindSortExpr(item, scope));
      if (!IsLiteral(*key.expr)) {
        order->push_back(std::move(key));
      }
    }
  }
  return arrow::Status::OK();
}

arrow::Status ExprBinder::FindAggregate(const ast::CallExpr& call, const ExprScope& scope,
                                        std::vector<ExprPtr>* arguments, AggregateExpr* out) {
  const SourceSpan place = context_->Place(call.span);
  std::string name = call.name[0].text;
  if (call.having.has_value()) {
    if (!EqualNames(name, "any_value") || arguments->size() != 1) {
      return BindError(place, "HAVING ", call.having->max ? "MAX" : "MIN",
                       " stands only in any_value(x HAVING ..)");
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr by, Bind(*call.having->expr, scope));
    arguments->push_back(std::move(by));
    name = call.having->max ? "max_by" : "min_by";
  }
  if (arguments->size() == 3 || (EqualNames(name, "nth_value") && !arguments->empty())) {
    // Where the function may want a number of rows, it may be written as an expression.
    ARROW_ASSIGN_OR_RAISE(arguments->back(), FoldConstant(context_, arguments->back()));
  }
  std::vector<ScalarArgument> described;
  for (const ExprPtr& argument : *arguments) {
    described.push_back({argument->type, argument->literal, ""});
  }
  auto function = BindAggregateFunction(name, described);
  if (!function.ok()) {
    return WithSpan(function.status(), ErrorKind::kBind, place);
  }
  out->function = *function;
  const std::vector<TypePtr>& types = out->function->argument_types;
  KEEPONE_CHECK(types.size() == arguments->size(), name);
  for (size_t i = 0; i < types.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE((*arguments)[i], ConvertTo(context_, (*arguments)[i], types[i]));
  }
  return TakeRowCount(call, arguments, out);
}

arrow::Status ExprBinder::TakeRowCount(const ast::CallExpr& call, std::vector<ExprPtr>* arguments,
                                       AggregateExpr* out) const {
  using RowCount = BoundAggregateFunction::RowCount;
  const RowCount row_count = out->function->row_count;
  if (call.limit != nullptr) {
    const SourceSpan place = context_->Place(call.limit->span);
    if (out->function->kind != AggregateKind::kCollect || row_count != RowCount::kNone) {
      return BindError(place, "LIMIT stands only in array_agg(x ORDER BY .. LIMIT n)");
    }
    ARROW_ASSIGN_OR_RAISE(out->limit, BindRowCount(context_, *call.limit, "LIMIT"));
    return out->limit == 0 ? BindError(place, "LIMIT in ", call.name[0].text, " must be at least 1")
                           : arrow::Status::OK();
  }
  if (row_count == RowCount::kNone) {
    return arrow::Status::OK();
  }
  const ExprPtr number = std::move(arguments->back());
  arguments->pop_back();
  const SourceSpan place = context_->Place(call.arguments.back().value->span);
  const std::string_view name = call.name[0].text;
  if (!IsLiteral(*number)) {
    return BindError(place, "the number of the row in ", name, " must be a constant");
  }
  const auto& value = arrow::internal::checked_cast<const arrow::Int64Scalar&>(*number->literal);
  if (!value.is_valid || value.value < 1) {
    return BindError(
        place, row_count == RowCount::kNth ? "the number of the row in " : "the number of rows in ",
        name, " must be at least 1");
  }
  if (row_count == RowCount::kNth) {
    out->nth = value.value;
  } else {
    out->limit = value.value;
  }
  return arrow::Status::OK();
}

arrow::Result<AggregateExpr> ExprBinder::ResolveAggregate(
    const ast::CallExpr& call, const ExprScope& scope, const std::vector<SortExpr>* window_order) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> arguments, BindAggregateArguments(call, scope));
  AggregateExpr out;
  ARROW_RETURN_NOT_OK(FindAggregate(call, scope, &arguments, &out));
  out.spelling = Spelling(call, scope);
  out.name = out.spelling;
  out.distinct = call.distinct;
  std::vector<SortExpr> order;
  ARROW_RETURN_NOT_OK(ResolveOrderBy(call, scope, &order));
  if (call.filter != nullptr) {
    ARROW_ASSIGN_OR_RAISE(out.filter, BindCondition(*call.filter, scope, "FILTER"));
  }
  const bool takes_window_order = out.function->kind == AggregateKind::kWinner ||
                                  (out.function->kind == AggregateKind::kCollect && !out.distinct);
  if (window_order != nullptr && order.empty() && takes_window_order) {
    order = *window_order;
  }
  switch (out.function->kind) {
    case AggregateKind::kWinner:
      ARROW_RETURN_NOT_OK(ResolveWinner(call, std::move(arguments), std::move(order), &out));
      return out;
    case AggregateKind::kAccumulate:
      // Its answer does not depend on the order of the rows.
      ARROW_RETURN_NOT_OK(CheckAccumulated(call, !arguments.empty()));
      out.arguments = std::move(arguments);
      return out;
    case AggregateKind::kCollect:
      ARROW_RETURN_NOT_OK(ResolveCollect(call, std::move(arguments), std::move(order), &out));
      return out;
  }
  return out;
}

arrow::Status ExprBinder::ResolveCollect(const ast::CallExpr& call, std::vector<ExprPtr> arguments,
                                         std::vector<SortExpr> order, AggregateExpr* out) {
  const SourceSpan place = context_->Place(call.span);
  if (out->function->row_count == BoundAggregateFunction::RowCount::kLimit) {
    if (out->distinct) {
      return UnsupportedError(place, "DISTINCT in ", call.name[0].text, " with a number of rows");
    }
    return ResolveWinner(call, std::move(arguments), std::move(order), out);
  }
  if (call.nulls == ast::NullTreatment::kIgnore) {
    out->required = arguments;
  }
  if (out->distinct && std::any_of(order.begin(), order.end(), [&](const SortExpr& key) {
        return !Equals(*key.expr, *arguments[0]);
      })) {
    return BindError(place,
                     "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument "
                     "list");
  }
  out->arguments = std::move(arguments);
  out->order = std::move(order);
  return arrow::Status::OK();
}

arrow::Status ExprBinder::CheckAccumulated(const ast::CallExpr& call, bool has_value) const {
  const SourceSpan place = context_->Place(call.span);
  const std::string& name = call.name[0].text;
  if (!call.within_group.empty()) {
    return UnsupportedError(place, name, " with WITHIN GROUP");
  }
  if (call.nulls == ast::NullTreatment::kRespect && has_value) {
    return BindError(place, "RESPECT NULLS specified, but ", name, " always ignores NULLs");
  }
  if (call.nulls != ast::NullTreatment::kDefault && !has_value) {
    return BindError(place, call.nulls == ast::NullTreatment::kIgnore ? "IGNORE" : "RESPECT",
                     " NULLS specified, but ", name, "(*) counts rows");
  }
  return arrow::Status::OK();
}

arrow::Status ExprBinder::ResolveWinner(const ast::CallExpr& call, std::vector<ExprPtr> arguments,
                                        std::vector<SortExpr> order, AggregateExpr* out) {
  out->distinct = false;  // The winner of the rows is the winner of their distinct values.
  const WinnerMeaning& meaning = out->function->winner;
  switch (meaning.order) {
    case WinnerMeaning::Order::kCallOrder:
      out->order = std::move(order);
      break;
    case WinnerMeaning::Order::kCallOrderReversed:
      out->order = Reversed(std::move(order));
      out->ties_to_last = true;
      break;
    case WinnerMeaning::Order::kSecondAscending:
    case WinnerMeaning::Order::kSecondDescending:
      // An ORDER BY of the call decides between rows that are equal there.
      out->required.push_back(arguments[1]);
      for (size_t i = 1; i < arguments.size(); ++i) {
        out->order.push_back(
            {arguments[i], meaning.order == WinnerMeaning::Order::kSecondDescending, false});
      }
      out->order.insert(out->order.end(), order.begin(), order.end());
      break;
  }
  const bool ignores_nulls =
      call.nulls == ast::NullTreatment::kIgnore ||
      (meaning.ignores_null_values && call.nulls != ast::NullTreatment::kRespect);
  if (ignores_nulls) {
    out->required.push_back(arguments[0]);
  }
  out->arguments = {arguments[0]};
  return arrow::Status::OK();
}

}  // namespace keepone
