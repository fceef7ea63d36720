// SPDX-License-Identifier: Apache-2.0
#include "bind/row_count.h"

#include <memory>
#include <unordered_set>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "function/cast.h"

namespace keepone {

arrow::Result<std::optional<int64_t>> BindRowCount(BindContext* context, const ast::Expr& expr,
                                                   std::string_view clause) {
  ExprBinder binder(context);
  ExprScope scope;
  scope.clause = clause;
  ARROW_ASSIGN_OR_RAISE(const ExprPtr bound, binder.Bind(expr, scope));
  const SourceSpan place = context->Place(expr.span);
  const auto value = EvaluateConstant(context, *bound);
  if (!value.ok()) {
    return WithSpan(value.status(), ErrorKind::kBind, place);
  }
  if (!(*value)->is_valid) {
    return std::nullopt;
  }
  const arrow::Type::type id = (*value)->type->id();
  if (!arrow::is_integer(id) && !arrow::is_decimal(id)) {
    return BindError(place, clause, " must be a whole number, not of type ",
                     SqlTypeName(*(*value)->type));
  }
  const auto number = CastDatum(&context->constants, *value, arrow::int64(), /*try_cast=*/false);
  if (!number.ok()) {
    return BindError(place, clause, " is too large");
  }
  const int64_t rows =
      arrow::internal::checked_cast<const arrow::Int64Scalar&>(*number->scalar()).value;
  if (rows < 0) {
    return BindError(place, clause, " must not be negative");
  }
  return rows;
}

arrow::Result<ExprPtr> FoldConstant(BindContext* context, const ExprPtr& expr) {
  std::unordered_set<ColumnId> columns;
  CollectColumns(*expr, &columns);
  if (IsLiteral(*expr) || !columns.empty() || !IsDeterministic(*expr)) {
    return expr;
  }
  auto value = EvaluateConstant(context, *expr);
  if (!value.ok()) {
    return WithSpan(value.status(), ErrorKind::kBind, expr->span);
  }
  return MakeLiteralExpr(std::move(*value), expr->span);
}

}  // namespace keepone
