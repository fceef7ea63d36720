// SPDX-License-Identifier: Apache-2.0
#include "bind/bind_context.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/check.h"
#include "base/error.h"
#include "bind/scope.h"
#include "function/cast.h"

namespace keepone {
namespace {

// An expression that is held twice has at most this many parts.
constexpr int64_t kRepeatedPartsMax = 4096;

bool IsText(const arrow::DataType& type) {
  return arrow::is_string(type.id()) || type.id() == arrow::Type::STRING_VIEW;
}

bool IsIntegerLiteral(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && expr.type->id() == arrow::Type::INT64 &&
         expr.literal->is_valid;
}

// Whether the whole number is a value of the type.
bool Fits(int64_t value, const arrow::DataType& type) {
  if (arrow::is_decimal(type.id())) {
    const auto& decimal = arrow::internal::checked_cast<const arrow::DecimalType&>(type);
    const int32_t digits = decimal.precision() - decimal.scale();
    return digits >= 19 ||
           (digits >= 0 && std::abs(static_cast<double>(value)) < std::pow(10.0, digits) - 0.5);
  }
  if (!arrow::is_integer(type.id())) {
    return false;
  }
  const int bits = type.bit_width();
  if (arrow::is_unsigned_integer(type.id())) {
    return value >= 0 && (bits == 64 || value < (int64_t{1} << bits));
  }
  return bits == 64 || (value >= -(int64_t{1} << (bits - 1)) && value < (int64_t{1} << (bits - 1)));
}

// Counts parts up to `max`.
void CountParts(const Expr& expr, int64_t max, int64_t* count) {
  if (++*count > max) {
    return;
  }
  for (const ExprPtr& child : expr.children) {
    CountParts(*child, max, count);
  }
}

// The type that all expressions meet in, or nullptr. Literals that adapt give way to the others.
TypePtr FindMeetingType(const std::vector<ExprPtr>& exprs) {
  TypePtr type;
  for (const ExprPtr& expr : exprs) {
    if (IsTextLiteral(*expr) || IsIntegerLiteral(*expr)) {
      continue;
    }
    type = type == nullptr ? expr->type : CommonType(type, expr->type);
    if (type == nullptr) {
      return nullptr;
    }
  }
  for (const ExprPtr& expr : exprs) {
    if (!IsIntegerLiteral(*expr)) {
      continue;
    }
    const int64_t value =
        arrow::internal::checked_cast<const arrow::Int64Scalar&>(*expr->literal).value;
    if (type != nullptr && Fits(value, *type)) {
      continue;
    }
    type = type == nullptr ? expr->type : CommonType(type, expr->type);
    if (type == nullptr) {
      return nullptr;
    }
  }
  const bool has_text = std::any_of(exprs.begin(), exprs.end(),
                                    [](const ExprPtr& expr) { return IsTextLiteral(*expr); });
  if (has_text && (type == nullptr || type->id() == arrow::Type::NA)) {
    return arrow::utf8();
  }
  return type;
}

arrow::Result<std::shared_ptr<arrow::Scalar>> ToScalar(const arrow::Datum& datum) {
  if (datum.is_scalar()) {
    return datum.scalar();
  }
  KEEPONE_CHECK(datum.is_array() && datum.length() == 1);
  return datum.make_array()->GetScalar(0);
}

// Types of which one may hold some of the other's values exactly, and where a comparison in the
// one is then the same as in the other.
bool MayNarrow(const arrow::DataType& literal, const arrow::DataType& other) {
  if (literal.id() == arrow::Type::DOUBLE) {
    return other.id() == arrow::Type::FLOAT;
  }
  if (literal.id() != arrow::Type::TIMESTAMP) {
    return false;
  }
  const std::string& zone =
      arrow::internal::checked_cast<const arrow::TimestampType&>(literal).timezone();
  if (other.id() == arrow::Type::TIMESTAMP) {
    return arrow::internal::checked_cast<const arrow::TimestampType&>(other).timezone() == zone;
  }
  return zone.empty() && arrow::is_date(other.id());
}

// The literal as a value of `type`, or nullptr where something of it would be lost. A comparison
// then leaves the column as it is, so that statistics of files can be held against it.
arrow::Result<ExprPtr> NarrowedLiteral(BindContext* context, const ExprPtr& literal,
                                       const TypePtr& type) {
  if (!literal->literal->is_valid || literal->type->Equals(*type) ||
      !MayNarrow(*literal->type, *type)) {
    return nullptr;
  }
  const auto narrow = CastDatum(&context->constants, literal->literal, type, /*try_cast=*/true);
  if (!narrow.ok()) {
    return nullptr;
  }
  const auto back = CastDatum(&context->constants, *narrow, literal->type, /*try_cast=*/true);
  if (!back.ok()) {
    return nullptr;
  }
  ARROW_ASSIGN_OR_RAISE(const auto value, ToScalar(*narrow));
  ARROW_ASSIGN_OR_RAISE(const auto again, ToScalar(*back));
  return again->Equals(*literal->literal) ? MakeLiteralExpr(value, literal->span) : nullptr;
}

}  // namespace

bool IsTextLiteral(const Expr& expr) {
  return expr.kind == ExprKind::kLiteral && expr.literal->is_valid && IsText(*expr.type);
}

arrow::Result<ExprPtr> ConvertTo(BindContext* context, const ExprPtr& expr, const TypePtr& type,
                                 bool try_cast) {
  if (expr->type->Equals(*type)) {
    return expr;
  }
  if (!CanCast(*expr->type, *type)) {
    return BindError(expr->span, "cannot cast type ", SqlTypeName(*expr->type), " to ",
                     SqlTypeName(*type));
  }
  if (!IsLiteral(*expr)) {
    return MakeCastExpr(expr, type, try_cast, expr->span);
  }
  const auto value = CastDatum(&context->constants, expr->literal, type, try_cast);
  if (!value.ok()) {
    return BindError(expr->span, value.status().message());
  }
  ARROW_ASSIGN_OR_RAISE(auto scalar, ToScalar(*value));
  return MakeLiteralExpr(std::move(scalar), expr->span);
}

arrow::Result<ExprPtr> MakeScalarCall(BindContext* context, std::string_view name,
                                      std::vector<ExprPtr> arguments, SourceSpan span,
                                      const std::vector<std::string>& names) {
  std::vector<ScalarArgument> described;
  for (size_t i = 0; i < arguments.size(); ++i) {
    described.push_back(
        {arguments[i]->type, arguments[i]->literal, names.empty() ? std::string() : names[i]});
  }
  const SourceSpan place = context->Place(span);
  auto function = BindScalarFunction(name, described);
  if (!function.ok()) {
    return WithSpan(function.status(), ErrorKind::kBind, place);
  }
  const std::vector<TypePtr>& types = (*function)->argument_types;
  KEEPONE_CHECK(types.size() == arguments.size(), name);
  for (size_t i = 0; i < arguments.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(arguments[i], ConvertTo(context, arguments[i], types[i]));
  }
  return MakeCallExpr(*std::move(function), std::move(arguments), place);
}

arrow::Status Unify(BindContext* context, std::vector<ExprPtr>* exprs, std::string_view construct) {
  const TypePtr type = FindMeetingType(*exprs);
  if (type == nullptr) {
    for (size_t i = 1; i < exprs->size(); ++i) {
      const Expr& first = *exprs->front();
      const Expr& other = *(*exprs)[i];
      if (FindMeetingType({exprs->front(), (*exprs)[i]}) == nullptr) {
        return BindError(other.span, construct, " types ", SqlTypeName(*first.type), " and ",
                         SqlTypeName(*other.type), " cannot be matched");
      }
    }
    return BindError(exprs->front()->span, construct, " types cannot be matched");
  }
  for (ExprPtr& expr : *exprs) {
    ARROW_ASSIGN_OR_RAISE(expr, ConvertTo(context, expr, type));
  }
  return arrow::Status::OK();
}

arrow::Result<ExprPtr> MakeComparison(BindContext* context, std::string_view function, ExprPtr left,
                                      ExprPtr right, SourceSpan span) {
  // Where there is no common type, the function's own resolver says what is wrong.
  if ((IsLiteral(*left) != IsLiteral(*right)) && FindMeetingType({left, right}) != nullptr) {
    ExprPtr& literal = IsLiteral(*left) ? left : right;
    const TypePtr& other = IsLiteral(*left) ? right->type : left->type;
    ARROW_ASSIGN_OR_RAISE(ExprPtr narrowed, NarrowedLiteral(context, literal, other));
    if (narrowed != nullptr) {
      literal = std::move(narrowed);
    } else if (IsTextLiteral(*literal) || IsIntegerLiteral(*literal)) {
      std::vector<ExprPtr> both = {left, right};
      ARROW_RETURN_NOT_OK(Unify(context, &both, "comparison"));
      left = both[0];
      right = both[1];
    }
  }
  return MakeScalarCall(context, function, {std::move(left), std::move(right)}, span);
}

arrow::Result<ExprPtr> MakeConnective(BindContext* context, std::string_view function,
                                      std::vector<ExprPtr> operands, SourceSpan span) {
  while (operands.size() > 1) {
    std::vector<ExprPtr> joined;
    for (size_t i = 0; i + 1 < operands.size(); i += 2) {
      ARROW_ASSIGN_OR_RAISE(
          ExprPtr pair, MakeScalarCall(context, function, {operands[i], operands[i + 1]}, span));
      joined.push_back(std::move(pair));
    }
    if (operands.size() % 2 == 1) {
      joined.push_back(operands.back());
    }
    operands = std::move(joined);
  }
  return operands[0];
}

arrow::Result<ExprPtr> AsCondition(BindContext* context, const ExprPtr& expr,
                                   std::string_view construct) {
  if (expr->type->id() == arrow::Type::BOOL) {
    return expr;
  }
  if (expr->type->id() == arrow::Type::NA || IsTextLiteral(*expr)) {
    return ConvertTo(context, expr, arrow::boolean());
  }
  return BindError(expr->span, "argument of ", construct, " must be type boolean, not type ",
                   SqlTypeName(*expr->type));
}

arrow::Status CheckRepeatable(const Expr& expr, std::string_view construct) {
  int64_t parts = 0;
  CountParts(expr, kRepeatedPartsMax, &parts);
  if (parts > kRepeatedPartsMax) {
    return UnsupportedError(expr.span, "the operand of ", construct,
                            " is too large: it has more than ", kRepeatedPartsMax, " parts");
  }
  if (!IsDeterministic(expr)) {
    return WithHint(UnsupportedError(expr.span, construct, " over ", ToString(expr),
                                     ", which gives another value each time it is computed"),
                    "compute it in a subquery and use its column");
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Scalar>> EvaluateConstant(BindContext* context,
                                                               const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return expr.literal;
    case ExprKind::kColumn:
      return BindError(expr.span, "column ", Quoted(expr.name), " is not constant");
    case ExprKind::kCast: {
      ARROW_ASSIGN_OR_RAISE(auto value, EvaluateConstant(context, *expr.children[0]));
      ARROW_ASSIGN_OR_RAISE(
          auto datum, CastDatum(&context->constants, std::move(value), expr.type, expr.try_cast));
      return ToScalar(datum);
    }
    case ExprKind::kCall: {
      std::vector<arrow::Datum> arguments;
      for (const ExprPtr& child : expr.children) {
        ARROW_ASSIGN_OR_RAISE(auto value, EvaluateConstant(context, *child));
        arguments.emplace_back(std::move(value));
      }
      const ScalarCall call{&context->constants, 1, 0};
      ARROW_ASSIGN_OR_RAISE(auto datum, expr.function->run(call, arguments));
      return ToScalar(datum);
    }
    case ExprKind::kCase:
      break;
  }
  for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
    ARROW_ASSIGN_OR_RAISE(auto condition, EvaluateConstant(context, *expr.children[i]));
    if (condition->is_valid &&
        arrow::internal::checked_cast<const arrow::BooleanScalar&>(*condition).value) {
      return EvaluateConstant(context, *expr.children[i + 1]);
    }
  }
  return EvaluateConstant(context, *expr.children.back());
}

arrow::Result<ExprPtr> ReplaceParts(
    const ExprPtr& expr, const std::function<arrow::Result<ExprPtr>(const ExprPtr&)>& replace) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr replacement, replace(expr));
  if (replacement != nullptr) {
    return replacement;
  }
  std::vector<ExprPtr> children;
  bool changed = false;
  for (const ExprPtr& child : expr->children) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr replaced, ReplaceParts(child, replace));
    changed = changed || replaced != child;
    children.push_back(std::move(replaced));
  }
  if (!changed) {
    return expr;
  }
  Expr copy = *expr;
  copy.children = std::move(children);
  return std::make_shared<const Expr>(std::move(copy));
}

}  // namespace keepone
