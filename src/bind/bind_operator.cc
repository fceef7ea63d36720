// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "function/cast.h"

namespace keepone {
namespace {

// The function that an operator stands for.
std::string_view FunctionOf(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::kAdd:
      return "add";
    case ast::BinaryOp::kSubtract:
      return "subtract";
    case ast::BinaryOp::kMultiply:
      return "multiply";
    case ast::BinaryOp::kDivide:
      return "divide";
    case ast::BinaryOp::kIntegerDivide:
      return "integer_divide";
    case ast::BinaryOp::kModulo:
      return "modulo";
    case ast::BinaryOp::kPower:
      return "power";
    case ast::BinaryOp::kConcat:
      return "concat";
    case ast::BinaryOp::kBitAnd:
      return "bit_and";
    case ast::BinaryOp::kBitOr:
      return "bit_or";
    case ast::BinaryOp::kShiftLeft:
      return "shift_left";
    case ast::BinaryOp::kShiftRight:
      return "shift_right";
    case ast::BinaryOp::kEqual:
      return "equal";
    case ast::BinaryOp::kNotEqual:
      return "not_equal";
    case ast::BinaryOp::kLess:
      return "less";
    case ast::BinaryOp::kLessOrEqual:
      return "less_equal";
    case ast::BinaryOp::kGreater:
      return "greater";
    case ast::BinaryOp::kGreaterOrEqual:
      return "greater_equal";
    case ast::BinaryOp::kIsDistinctFrom:
      return "is_distinct_from";
    case ast::BinaryOp::kIsNotDistinctFrom:
      return "is_not_distinct_from";
    case ast::BinaryOp::kArrow:
      return "json_extract";
    case ast::BinaryOp::kDoubleArrow:
      break;
  }
  return "json_extract_string";
}

bool IsComparison(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::kEqual:
    case ast::BinaryOp::kNotEqual:
    case ast::BinaryOp::kLess:
    case ast::BinaryOp::kLessOrEqual:
    case ast::BinaryOp::kGreater:
    case ast::BinaryOp::kGreaterOrEqual:
    case ast::BinaryOp::kIsDistinctFrom:
    case ast::BinaryOp::kIsNotDistinctFrom:
      return true;
    default:
      return false;
  }
}

struct LikeFunction {
  std::string_view function;
  std::string_view text;
};

LikeFunction FunctionOf(ast::LikeOp op) {
  switch (op) {
    case ast::LikeOp::kLike:
      return {"like", "LIKE"};
    case ast::LikeOp::kILike:
      return {"ilike", "ILIKE"};
    case ast::LikeOp::kSimilarTo:
      return {"similar_to", "SIMILAR TO"};
    case ast::LikeOp::kGlob:
      return {"glob", "GLOB"};
    case ast::LikeOp::kRegex:
      return {"regexp_matches", "~"};
    case ast::LikeOp::kRegexIgnoreCase:
      break;
  }
  return {"regexp_matches", "~*"};
}

}  // namespace

arrow::Result<ExprPtr> ExprBinder::MakeOperatorCall(std::string_view function,
                                                    std::string_view text,
                                                    std::vector<ExprPtr> operands,
                                                    SourceSpan span) {
  if (!IsScalarFunction(function)) {
    return UnsupportedError(context_->Place(span), "the operator ", text);
  }
  return MakeScalarCall(context_, function, std::move(operands), span);
}

arrow::Result<ExprPtr> ExprBinder::Negated(ExprPtr expr, bool negated, SourceSpan span) {
  if (!negated) {
    return expr;
  }
  return MakeScalarCall(context_, "not", {std::move(expr)}, span);
}

arrow::Result<ExprPtr> ExprBinder::BindUnary(const ast::UnaryExpr& expr, const ExprScope& scope) {
  const auto* literal = expr.operand->If<ast::LiteralExpr>();
  const bool is_number = literal != nullptr && (literal->literal == ast::LiteralKind::kInteger ||
                                                literal->literal == ast::LiteralKind::kDecimal ||
                                                literal->literal == ast::LiteralKind::kFloat);
  if (expr.op == ast::UnaryOp::kNegate && is_number) {
    return BindNumber("-" + literal->text, literal->literal, expr.span);
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*expr.operand, scope));
  switch (expr.op) {
    case ast::UnaryOp::kNegate:
      return MakeScalarCall(context_, "negate", {std::move(operand)}, expr.span);
    case ast::UnaryOp::kPlus: {
      // A sign that changes nothing; the call says whether the operand can have one.
      ARROW_RETURN_NOT_OK(MakeScalarCall(context_, "unary_plus", {operand}, expr.span));
      return operand;
    }
    case ast::UnaryOp::kNot: {
      ARROW_ASSIGN_OR_RAISE(operand, AsCondition(context_, operand, "NOT"));
      return MakeScalarCall(context_, "not", {std::move(operand)}, expr.span);
    }
    case ast::UnaryOp::kBitNot:
      break;
  }
  return MakeOperatorCall("bit_not", "~", {std::move(operand)}, expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindBinary(const ast::BinaryExpr& expr, const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr left, Bind(*expr.left, scope));
  ARROW_ASSIGN_OR_RAISE(ExprPtr right, Bind(*expr.right, scope));
  const std::string_view function = FunctionOf(expr.op);
  if (IsComparison(expr.op)) {
    return MakeComparison(context_, function, std::move(left), std::move(right), expr.span);
  }
  return MakeOperatorCall(function, ast::BinaryOpText(expr.op), {std::move(left), std::move(right)},
                          expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindLogic(const ast::LogicExpr& expr, const ExprScope& scope) {
  const bool is_and = expr.op == ast::LogicOp::kAnd;
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> operands, BindAll(expr.operands, scope));
  for (ExprPtr& operand : operands) {
    ARROW_ASSIGN_OR_RAISE(operand, AsCondition(context_, operand, is_and ? "AND" : "OR"));
  }
  return MakeConnective(context_, is_and ? "and" : "or", std::move(operands), expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindIs(const ast::IsExpr& expr, const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*expr.operand, scope));
  if (expr.test == ast::IsTest::kNull) {
    return MakeScalarCall(context_, expr.negated ? "is_not_null" : "is_null", {std::move(operand)},
                          expr.span);
  }
  const std::string_view construct = expr.test == ast::IsTest::kTrue    ? "IS TRUE"
                                     : expr.test == ast::IsTest::kFalse ? "IS FALSE"
                                                                        : "IS UNKNOWN";
  ARROW_ASSIGN_OR_RAISE(operand, AsCondition(context_, operand, construct));
  if (expr.test == ast::IsTest::kUnknown) {
    return MakeScalarCall(context_, expr.negated ? "is_not_null" : "is_null", {std::move(operand)},
                          expr.span);
  }
  ExprPtr value =
      MakeLiteralExpr(std::make_shared<arrow::BooleanScalar>(expr.test == ast::IsTest::kTrue),
                      context_->Place(expr.span));
  return MakeScalarCall(context_, expr.negated ? "is_distinct_from" : "is_not_distinct_from",
                        {std::move(operand), std::move(value)}, expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindBetween(const ast::BetweenExpr& expr,
                                               const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(const ExprPtr operand, Bind(*expr.operand, scope));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr lower, Bind(*expr.lower, scope));
  ARROW_ASSIGN_OR_RAISE(const ExprPtr upper, Bind(*expr.upper, scope));
  if (!IsDeterministic(*operand) && !expr.symmetric) {
    // The function computes its operand once.
    ARROW_ASSIGN_OR_RAISE(ExprPtr once,
                          MakeScalarCall(context_, "between", {operand, lower, upper}, expr.span));
    return Negated(std::move(once), expr.negated, expr.span);
  }
  ARROW_RETURN_NOT_OK(CheckRepeatable(*operand, "BETWEEN"));
  const auto within = [&](const ExprPtr& low, const ExprPtr& high) -> arrow::Result<ExprPtr> {
    ARROW_ASSIGN_OR_RAISE(ExprPtr above,
                          MakeComparison(context_, "greater_equal", operand, low, expr.span));
    ARROW_ASSIGN_OR_RAISE(ExprPtr below,
                          MakeComparison(context_, "less_equal", operand, high, expr.span));
    return MakeScalarCall(context_, "and", {std::move(above), std::move(below)}, expr.span);
  };
  ARROW_ASSIGN_OR_RAISE(ExprPtr result, within(lower, upper));
  if (expr.symmetric) {
    ARROW_RETURN_NOT_OK(CheckRepeatable(*lower, "BETWEEN SYMMETRIC"));
    ARROW_RETURN_NOT_OK(CheckRepeatable(*upper, "BETWEEN SYMMETRIC"));
    ARROW_ASSIGN_OR_RAISE(ExprPtr swapped, within(upper, lower));
    ARROW_ASSIGN_OR_RAISE(
        result, MakeScalarCall(context_, "or", {std::move(result), std::move(swapped)}, expr.span));
  }
  return Negated(std::move(result), expr.negated, expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindInList(const ast::InListExpr& expr, const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> members, BindAll(expr.elements, scope));
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*expr.operand, scope));
  members.insert(members.begin(), std::move(operand));
  ARROW_RETURN_NOT_OK(Unify(context_, &members, "IN"));
  const bool constant = std::all_of(members.begin() + 1, members.end(),
                                    [](const ExprPtr& member) { return IsLiteral(*member); });
  if (constant) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr result,
                          MakeScalarCall(context_, "in_list", std::move(members), expr.span));
    return Negated(std::move(result), expr.negated, expr.span);
  }
  if (members.size() > 2) {
    ARROW_RETURN_NOT_OK(CheckRepeatable(*members[0], "IN"));
  }
  std::vector<ExprPtr> comparisons;
  for (size_t i = 1; i < members.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr equal,
                          MakeScalarCall(context_, "equal", {members[0], members[i]}, expr.span));
    comparisons.push_back(std::move(equal));
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr result,
                        MakeConnective(context_, "or", std::move(comparisons), expr.span));
  return Negated(std::move(result), expr.negated, expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindLike(const ast::LikeExpr& expr, const ExprScope& scope) {
  const LikeFunction like = FunctionOf(expr.op);
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*expr.operand, scope));
  ARROW_ASSIGN_OR_RAISE(ExprPtr pattern, Bind(*expr.pattern, scope));
  std::vector<ExprPtr> arguments = {std::move(operand), std::move(pattern)};
  if (expr.escape != nullptr) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr escape, Bind(*expr.escape, scope));
    arguments.push_back(std::move(escape));
  }
  if (expr.op == ast::LikeOp::kRegexIgnoreCase) {
    arguments.push_back(
        MakeLiteralExpr(std::make_shared<arrow::StringScalar>("i"), context_->Place(expr.span)));
  }
  ARROW_ASSIGN_OR_RAISE(
      ExprPtr result, MakeOperatorCall(like.function, like.text, std::move(arguments), expr.span));
  return Negated(std::move(result), expr.negated, expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindQuantified(const ast::QuantifiedExpr& expr,
                                                  const ExprScope& scope) {
  const std::string_view name = expr.quantifier == ast::Quantifier::kAny ? "ANY" : "ALL";
  const SourceSpan place = context_->Place(expr.span);
  if (expr.query != nullptr) {
    return UnsupportedError(place, "a subquery in ", name, " (..)");
  }
  if (expr.op != ast::BinaryOp::kEqual || expr.quantifier != ast::Quantifier::kAny ||
      !IsScalarFunction("list_contains")) {
    return WithHint(UnsupportedError(place, ast::BinaryOpText(expr.op), " ", name, " (list)"),
                    "value = ANY (list) works, and so does value IN (a, b)");
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*expr.operand, scope));
  ARROW_ASSIGN_OR_RAISE(ExprPtr list, Bind(*expr.list, scope));
  return MakeScalarCall(context_, "list_contains", {std::move(list), std::move(operand)},
                        expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindCase(const ast::CaseExpr& expr, const ExprScope& scope) {
  ExprPtr operand;
  if (expr.operand != nullptr) {
    ARROW_ASSIGN_OR_RAISE(operand, Bind(*expr.operand, scope));
    ARROW_RETURN_NOT_OK(CheckRepeatable(*operand, "CASE"));
  }
  std::vector<ExprPtr> conditions;
  std::vector<ExprPtr> values;
  for (const ast::CaseWhen& when : expr.whens) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr condition, Bind(*when.condition, scope));
    if (operand != nullptr) {
      ARROW_ASSIGN_OR_RAISE(condition, MakeComparison(context_, "equal", operand,
                                                      std::move(condition), when.condition->span));
    } else {
      ARROW_ASSIGN_OR_RAISE(condition, AsCondition(context_, condition, "CASE/WHEN"));
    }
    conditions.push_back(std::move(condition));
    ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*when.result, scope));
    values.push_back(std::move(value));
  }
  if (expr.otherwise != nullptr) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*expr.otherwise, scope));
    values.push_back(std::move(value));
  } else {
    values.push_back(
        MakeLiteralExpr(std::make_shared<arrow::NullScalar>(), context_->Place(expr.span)));
  }
  return MakeCase(std::move(conditions), std::move(values), expr.span);
}

arrow::Result<ExprPtr> ExprBinder::MakeCase(std::vector<ExprPtr> conditions,
                                            std::vector<ExprPtr> values, SourceSpan span) {
  ARROW_RETURN_NOT_OK(Unify(context_, &values, "CASE"));
  TypePtr type = values[0]->type;
  std::vector<ExprPtr> children;
  for (size_t i = 0; i < conditions.size(); ++i) {
    children.push_back(std::move(conditions[i]));
    children.push_back(std::move(values[i]));
  }
  children.push_back(std::move(values.back()));
  return MakeCaseExpr(std::move(children), std::move(type), context_->Place(span));
}

arrow::Result<ExprPtr> ExprBinder::BindCast(const ast::CastExpr& expr, const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*expr.operand, scope));
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, ResolveType(expr.type));
  if (!CanCast(*operand->type, *type)) {
    return BindError(context_->Place(expr.span), "cannot cast type ", SqlTypeName(*operand->type),
                     " to ", SqlTypeName(*type));
  }
  return ConvertTo(context_, operand, type, expr.try_cast);
}

}  // namespace keepone
