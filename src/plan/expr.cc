// SPDX-License-Identifier: Apache-2.0
#include "plan/expr.h"

#include <algorithm>
#include <utility>

#include <arrow/compare.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/check.h"
#include "base/error.h"

namespace keepone {

ExprPtr MakeColumnExpr(ColumnId column, std::string name, TypePtr type, SourceSpan span) {
  Expr expr{};
  expr.kind = ExprKind::kColumn;
  expr.type = std::move(type);
  expr.span = span;
  expr.column = column;
  expr.name = std::move(name);
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr MakeLiteralExpr(std::shared_ptr<arrow::Scalar> value, SourceSpan span) {
  Expr expr{};
  expr.kind = ExprKind::kLiteral;
  expr.type = value->type;
  expr.span = span;
  expr.literal = std::move(value);
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr MakeCallExpr(std::shared_ptr<const BoundScalarFunction> function,
                     std::vector<ExprPtr> children, SourceSpan span) {
  Expr expr{};
  expr.kind = ExprKind::kCall;
  expr.type = function->result_type;
  expr.span = span;
  expr.function = std::move(function);
  expr.children = std::move(children);
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr MakeCastExpr(ExprPtr child, TypePtr type, bool try_cast, SourceSpan span) {
  if (child->type->Equals(*type)) {
    return child;
  }
  Expr expr{};
  expr.kind = ExprKind::kCast;
  expr.type = std::move(type);
  expr.span = span;
  expr.children.push_back(std::move(child));
  expr.try_cast = try_cast;
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr MakeCaseExpr(std::vector<ExprPtr> children, TypePtr type, SourceSpan span) {
  Expr expr{};
  expr.kind = ExprKind::kCase;
  expr.type = std::move(type);
  expr.span = span;
  expr.children = std::move(children);
  return std::make_shared<const Expr>(std::move(expr));
}

arrow::Result<ExprPtr> MakeFunctionCall(std::string_view function, std::vector<ExprPtr> children,
                                        SourceSpan span) {
  std::vector<ScalarArgument> arguments;
  for (const ExprPtr& child : children) {
    arguments.push_back({child->type, child->literal, ""});
  }
  auto bound = BindScalarFunction(function, arguments);
  if (!bound.ok()) {
    return span.length > 0 ? WithSpan(bound.status(), ErrorKind::kBind, span) : bound.status();
  }
  const std::vector<TypePtr>& types = (*bound)->argument_types;
  KEEPONE_CHECK(types.size() == children.size(), function);
  for (size_t i = 0; i < children.size(); ++i) {
    children[i] = MakeCastExpr(children[i], types[i], /*try_cast=*/false, children[i]->span);
  }
  return MakeCallExpr(*std::move(bound), std::move(children), span);
}

namespace {

bool SameFunction(const BoundScalarFunction& left, const BoundScalarFunction& right) {
  return left.name == right.name && left.deterministic && right.deterministic &&
         left.result_type->Equals(*right.result_type) &&
         std::equal(left.argument_types.begin(), left.argument_types.end(),
                    right.argument_types.begin(), right.argument_types.end(),
                    [](const TypePtr& a, const TypePtr& b) { return a->Equals(*b); });
}

}  // namespace

bool Equals(const Expr& left, const Expr& right) {
  if (left.kind != right.kind || !left.type->Equals(*right.type) ||
      left.children.size() != right.children.size()) {
    return false;
  }
  switch (left.kind) {
    case ExprKind::kColumn:
      return left.column == right.column;
    case ExprKind::kLiteral:
      return left.literal->Equals(
          *right.literal,
          arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false));
    case ExprKind::kCall:
      if (!SameFunction(*left.function, *right.function)) {
        return false;
      }
      break;
    case ExprKind::kCast:
      if (left.try_cast != right.try_cast) {
        return false;
      }
      break;
    case ExprKind::kCase:
      break;
  }
  return std::equal(left.children.begin(), left.children.end(), right.children.begin(),
                    [](const ExprPtr& a, const ExprPtr& b) { return Equals(*a, *b); });
}

void CollectColumns(const Expr& expr, std::unordered_set<ColumnId>* columns) {
  if (expr.kind == ExprKind::kColumn) {
    columns->insert(expr.column);
  }
  for (const ExprPtr& child : expr.children) {
    CollectColumns(*child, columns);
  }
}

bool IsDeterministic(const Expr& expr) {
  if (expr.kind == ExprKind::kCall && !expr.function->deterministic) {
    return false;
  }
  return std::all_of(expr.children.begin(), expr.children.end(),
                     [](const ExprPtr& child) { return IsDeterministic(*child); });
}

bool IsLiteral(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral;
}

ExprPtr ReplaceColumns(const ExprPtr& expr, const std::function<ExprPtr(const Expr&)>& replace) {
  if (expr->kind == ExprKind::kColumn) {
    ExprPtr replacement = replace(*expr);
    return replacement != nullptr ? replacement : expr;
  }
  std::vector<ExprPtr> children;
  bool changed = false;
  for (const ExprPtr& child : expr->children) {
    children.push_back(ReplaceColumns(child, replace));
    changed = changed || children.back() != child;
  }
  if (!changed) {
    return expr;
  }
  Expr copy = *expr;
  copy.children = std::move(children);
  return std::make_shared<const Expr>(std::move(copy));
}

namespace {

void AddConjuncts(const ExprPtr& expr, std::vector<ExprPtr>* conjuncts) {
  if (expr->kind == ExprKind::kCall && expr->function->name == "and") {
    for (const ExprPtr& child : expr->children) {
      AddConjuncts(child, conjuncts);
    }
    return;
  }
  const bool is_true = IsLiteral(*expr) && expr->literal->is_valid &&
                       expr->type->id() == arrow::Type::BOOL &&
                       static_cast<const arrow::BooleanScalar&>(*expr->literal).value;
  if (!is_true) {
    conjuncts->push_back(expr);
  }
}

}  // namespace

std::vector<ExprPtr> SplitConjuncts(const ExprPtr& expr) {
  std::vector<ExprPtr> conjuncts;
  AddConjuncts(expr, &conjuncts);
  return conjuncts;
}

arrow::Result<ExprPtr> JoinConjuncts(std::vector<ExprPtr> conjuncts) {
  if (conjuncts.empty()) {
    return MakeLiteralExpr(std::make_shared<arrow::BooleanScalar>(true));
  }
  ExprPtr joined = std::move(conjuncts[0]);
  for (size_t i = 1; i < conjuncts.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(joined,
                          MakeFunctionCall("and", {std::move(joined), std::move(conjuncts[i])}));
  }
  return joined;
}

}  // namespace keepone
