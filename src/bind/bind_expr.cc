// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "bind/sort_order.h"
#include "sql/print.h"

namespace keepone {

arrow::Result<ExprPtr> ExprBinder::Bind(const ast::Expr& expr, const ExprScope& scope) {
  const SourceSpan place = context_->Place(expr.span);
  switch (expr.kind) {
    case ast::ExprKind::kLiteral:
      return BindLiteral(expr.As<ast::LiteralExpr>());
    case ast::ExprKind::kInterval:
      return BindInterval(expr.As<ast::IntervalExpr>(), scope);
    case ast::ExprKind::kTypedLiteral:
      return BindTypedLiteral(expr.As<ast::TypedLiteralExpr>());
    case ast::ExprKind::kColumn:
      return BindColumn(expr.As<ast::ColumnExpr>(), scope);
    case ast::ExprKind::kStar:
      return BindError(place, "* is only allowed as a whole column of SELECT and in count(*)");
    case ast::ExprKind::kParameter:
      return WithHint(UnsupportedError(place, "parameters"), "write the value into the statement");
    case ast::ExprKind::kList:
      return BindList(expr.As<ast::ListExpr>(), scope);
    case ast::ExprKind::kStruct:
      return BindStruct(expr.As<ast::StructExpr>(), scope);
    case ast::ExprKind::kMap:
      return BindMap(expr.As<ast::MapExpr>(), scope);
    case ast::ExprKind::kRow:
      return BindRow(expr.As<ast::RowExpr>(), scope);
    case ast::ExprKind::kField:
      return BindField(expr.As<ast::FieldExpr>(), scope);
    case ast::ExprKind::kSubscript:
      return BindSubscript(expr.As<ast::SubscriptExpr>(), scope);
    case ast::ExprKind::kSlice:
      return BindSlice(expr.As<ast::SliceExpr>(), scope);
    case ast::ExprKind::kUnary:
      return BindUnary(expr.As<ast::UnaryExpr>(), scope);
    case ast::ExprKind::kBinary:
      return BindBinary(expr.As<ast::BinaryExpr>(), scope);
    case ast::ExprKind::kLogic:
      return BindLogic(expr.As<ast::LogicExpr>(), scope);
    case ast::ExprKind::kIs:
      return BindIs(expr.As<ast::IsExpr>(), scope);
    case ast::ExprKind::kBetween:
      return BindBetween(expr.As<ast::BetweenExpr>(), scope);
    case ast::ExprKind::kInList:
      return BindInList(expr.As<ast::InListExpr>(), scope);
    case ast::ExprKind::kInQuery:
      return WithHint(UnsupportedError(place, "IN with a subquery in this place"),
                      "it can be a condition of WHERE, alone or joined to others by AND");
    case ast::ExprKind::kLike:
      return BindLike(expr.As<ast::LikeExpr>(), scope);
    case ast::ExprKind::kQuantified:
      return BindQuantified(expr.As<ast::QuantifiedExpr>(), scope);
    case ast::ExprKind::kCase:
      return BindCase(expr.As<ast::CaseExpr>(), scope);
    case ast::ExprKind::kCast:
      return BindCast(expr.As<ast::CastExpr>(), scope);
    case ast::ExprKind::kCall:
      return BindCall(expr.As<ast::CallExpr>(), scope);
    case ast::ExprKind::kLambda:
      return UnsupportedError(place, "lambda functions");
    case ast::ExprKind::kExists:
      return WithHint(UnsupportedError(place, "EXISTS with a subquery in this place"),
                      "it can be a condition of WHERE, alone or joined to others by AND");
    case ast::ExprKind::kScalarQuery:
      break;
  }
  return WithHint(UnsupportedError(place, "a subquery as a value"), "a subquery can stand in FROM");
}

arrow::Result<std::vector<ExprPtr>> ExprBinder::BindAll(const std::vector<ast::ExprPtr>& exprs,
                                                        const ExprScope& scope) {
  std::vector<ExprPtr> bound;
  for (const ast::ExprPtr& expr : exprs) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr each, Bind(*expr, scope));
    bound.push_back(std::move(each));
  }
  return bound;
}

arrow::Result<ExprPtr> ExprBinder::BindCondition(const ast::Expr& expr, const ExprScope& scope,
                                                 std::string_view construct) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr bound, Bind(expr, scope));
  return AsCondition(context_, bound, construct);
}

arrow::Result<SortExpr> ExprBinder::BindSortExpr(const ast::OrderItem& item,
                                                 const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr expr, Bind(*item.expr, scope));
  const KeyOrder order = ResolveOrder(item.order, context_->options.null_order);
  return SortExpr{std::move(expr), order.descending, order.nulls_first};
}

std::string ExprBinder::OutputName(const ast::Expr& expr, const Expr& bound) const {
  if (const auto* column = expr.If<ast::ColumnExpr>()) {
    // A column keeps the spelling that it has in its table.
    const ast::Identifier& last = column->path.back();
    return bound.kind == ExprKind::kColumn && EqualNames(bound.name, last.text) ? bound.name
                                                                                : last.text;
  }
  if (const auto* field = expr.If<ast::FieldExpr>()) {
    return field->name.text;
  }
  return Print(expr);
}

KeyOrder ResolveOrder(const ast::SortOrder& order, NullOrder null_order) {
  const bool descending = order.direction == ast::SortDirection::kDescending;
  if (order.nulls != ast::NullPlacement::kDefault) {
    return {descending, order.nulls == ast::NullPlacement::kFirst};
  }
  switch (null_order) {
    case NullOrder::kLast:
      return {descending, false};
    case NullOrder::kFirst:
      return {descending, true};
    case NullOrder::kMax:
      return {descending, descending};
    case NullOrder::kMin:
      break;
  }
  return {descending, !descending};
}

}  // namespace keepone
