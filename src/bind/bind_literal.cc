// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "function/cast.h"

namespace keepone {
namespace {

constexpr int32_t kDecimal128DigitsMax = 38;

std::string_view UnitName(ast::IntervalUnit unit) {
  switch (unit) {
    case ast::IntervalUnit::kYear:
      return "year";
    case ast::IntervalUnit::kQuarter:
      return "quarter";
    case ast::IntervalUnit::kMonth:
      return "month";
    case ast::IntervalUnit::kWeek:
      return "week";
    case ast::IntervalUnit::kDay:
      return "day";
    case ast::IntervalUnit::kHour:
      return "hour";
    case ast::IntervalUnit::kMinute:
      return "minute";
    case ast::IntervalUnit::kSecond:
      return "second";
    case ast::IntervalUnit::kMillisecond:
      return "millisecond";
    case ast::IntervalUnit::kMicrosecond:
      break;
  }
  return "microsecond";
}

// A whole number beyond 64 bits.
arrow::Result<std::shared_ptr<arrow::Scalar>> MakeDecimalScalar(std::string_view text) {
  arrow::Decimal256 value;
  int32_t precision = 0;
  int32_t scale = 0;
  ARROW_RETURN_NOT_OK(arrow::Decimal256::FromString(text, &value, &precision, &scale));
  if (precision > kDecimal128DigitsMax) {
    ARROW_ASSIGN_OR_RAISE(auto type, arrow::Decimal256Type::Make(precision, scale));
    return std::make_shared<arrow::Decimal256Scalar>(value, std::move(type));
  }
  arrow::Decimal128 narrow;
  ARROW_RETURN_NOT_OK(arrow::Decimal128::FromString(text, &narrow, &precision, &scale));
  ARROW_ASSIGN_OR_RAISE(auto type, arrow::Decimal128Type::Make(precision, scale));
  return std::make_shared<arrow::Decimal128Scalar>(narrow, std::move(type));
}

}  // namespace

arrow::Result<ExprPtr> ExprBinder::BindNumber(std::string_view text, ast::LiteralKind kind,
                                              SourceSpan span) {
  const SourceSpan place = context_->Place(span);
  const char* end = text.data() + text.size();
  if (kind == ast::LiteralKind::kInteger) {
    int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
      return MakeLiteralExpr(std::make_shared<arrow::Int64Scalar>(value), place);
    }
    auto decimal = MakeDecimalScalar(text);
    if (!decimal.ok()) {
      return BindError(place, "number ", text, " has too many digits");
    }
    return MakeLiteralExpr(*std::move(decimal), place);
  }
  double value = 0;
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) {
    return BindError(place, Quoted(text), " is out of range for type double precision");
  }
  return MakeLiteralExpr(std::make_shared<arrow::DoubleScalar>(value), place);
}

arrow::Result<ExprPtr> ExprBinder::BindLiteral(const ast::LiteralExpr& expr) {
  const SourceSpan place = context_->Place(expr.span);
  switch (expr.literal) {
    case ast::LiteralKind::kNull:
      return MakeLiteralExpr(std::make_shared<arrow::NullScalar>(), place);
    case ast::LiteralKind::kBoolean:
      return MakeLiteralExpr(std::make_shared<arrow::BooleanScalar>(expr.text == "true"), place);
    case ast::LiteralKind::kInteger:
    case ast::LiteralKind::kDecimal:
    case ast::LiteralKind::kFloat:
      return BindNumber(expr.text, expr.literal, expr.span);
    case ast::LiteralKind::kString:
      return MakeLiteralExpr(std::make_shared<arrow::StringScalar>(expr.text), place);
    case ast::LiteralKind::kBlob:
      break;
  }
  return MakeLiteralExpr(
      std::make_shared<arrow::BinaryScalar>(arrow::Buffer::FromString(expr.text)), place);
}

arrow::Result<ExprPtr> ExprBinder::ParseLiteral(const std::string& text, const TypePtr& type,
                                                SourceSpan span, SourceSpan text_span) {
  const ExprPtr literal =
      MakeLiteralExpr(std::make_shared<arrow::StringScalar>(text), context_->Place(text_span));
  ARROW_ASSIGN_OR_RAISE(ExprPtr converted, ConvertTo(context_, literal, type));
  return MakeLiteralExpr(converted->literal, context_->Place(span));
}

arrow::Result<ExprPtr> ExprBinder::BindTypedLiteral(const ast::TypedLiteralExpr& expr) {
  ARROW_ASSIGN_OR_RAISE(const TypePtr type, ResolveType(expr.type));
  return ParseLiteral(expr.text, type, expr.span, expr.text_span);
}

arrow::Result<ExprPtr> ExprBinder::BindInterval(const ast::IntervalExpr& expr,
                                                const ExprScope& scope) {
  const TypePtr type = arrow::month_day_nano_interval();
  const std::string unit = expr.unit.has_value() ? " " + std::string(UnitName(*expr.unit)) : "";
  ARROW_ASSIGN_OR_RAISE(const ExprPtr value, Bind(*expr.value, scope));
  if (IsLiteral(*value) && value->literal->is_valid) {
    return ParseLiteral(value->literal->ToString() + unit, type, expr.span, expr.value->span);
  }
  ARROW_ASSIGN_OR_RAISE(const ExprPtr one, ParseLiteral("1" + unit, type, expr.span, expr.span));
  return MakeOperatorCall("multiply", "INTERVAL (..)", {one, value}, expr.span);
}

}  // namespace keepone
