// SPDX-License-Identifier: Apache-2.0
#include "lower/lower_expression.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace keepone {

arrow::Result<int> ColumnPosition(const std::vector<ColumnId>& columns, ColumnId id) {
  const auto found = std::find(columns.begin(), columns.end(), id);
  if (found == columns.end()) {
    return InternalError("column #", id.value, " is not given by the input");
  }
  return static_cast<int>(found - columns.begin());
}

arrow::Result<ExpressionPtr> LowerExpression(const Expr& expr,
                                             const std::vector<ColumnId>& columns) {
  std::vector<ExpressionPtr> children;
  for (const ExprPtr& child : expr.children) {
    ARROW_ASSIGN_OR_RAISE(ExpressionPtr lowered, LowerExpression(*child, columns));
    children.push_back(std::move(lowered));
  }
  switch (expr.kind) {
    case ExprKind::kColumn: {
      ARROW_ASSIGN_OR_RAISE(const int position, ColumnPosition(columns, expr.column));
      return MakeColumnExpression(position, expr.type);
    }
    case ExprKind::kLiteral:
      return MakeLiteralExpression(expr.literal);
    case ExprKind::kCall:
      if (children.size() > 1 && (expr.function->name == "and" || expr.function->name == "or")) {
        return MakeLogicExpression(expr.function, std::move(children));
      }
      return MakeCallExpression(expr.function, std::move(children));
    case ExprKind::kCast:
      return MakeCastExpression(std::move(children[0]), expr.type, expr.try_cast);
    case ExprKind::kCase:
      return MakeCaseExpression(std::move(children), expr.type);
  }
  return InternalError("unknown kind of expression");
}

}  // namespace keepone
