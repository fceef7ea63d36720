// SPDX-License-Identifier: Apache-2.0
#include "plan/can_fail.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

namespace keepone {
namespace {

constexpr std::array<std::string_view, 22> kNeverFail = {"and",         "or",
                                                         "not",         "equal",
                                                         "not_equal",   "less",
                                                         "less_equal",  "greater",
                                                         "between",     "greater_equal",
                                                         "in_list",     "is_distinct_from",
                                                         "is_null",     "is_not_distinct_from",
                                                         "is_nan",      "is_not_null",
                                                         "is_inf",      "is_finite",
                                                         "greatest",    "least",
                                                         "struct_pack", "struct_extract"};

// The decimal digits that hold every value of an integer type.
int32_t DigitsOf(const arrow::DataType& type) {
  switch (type.bit_width()) {
    case 8:
      return 3;
    case 16:
      return 5;
    case 32:
      return 10;
    default:
      return arrow::is_signed_integer(type.id()) ? 19 : 20;
  }
}

bool IntegerFits(const arrow::DataType& from, const arrow::DataType& to) {
  if (arrow::is_floating(to.id())) {
    return to.id() == arrow::Type::DOUBLE;
  }
  if (arrow::is_decimal(to.id())) {
    const auto& decimal = arrow::internal::checked_cast<const arrow::DecimalType&>(to);
    return decimal.precision() - decimal.scale() >= DigitsOf(from);
  }
  if (!arrow::is_integer(to.id())) {
    return false;
  }
  const bool same_sign = arrow::is_signed_integer(from.id()) == arrow::is_signed_integer(to.id());
  return same_sign ? to.bit_width() >= from.bit_width()
                   : arrow::is_signed_integer(to.id()) && to.bit_width() > from.bit_width();
}

bool DecimalFits(const arrow::DataType& from, const arrow::DataType& to) {
  if (!arrow::is_decimal(to.id())) {
    return to.id() == arrow::Type::DOUBLE;
  }
  const auto& narrow = arrow::internal::checked_cast<const arrow::DecimalType&>(from);
  const auto& wide = arrow::internal::checked_cast<const arrow::DecimalType&>(to);
  return wide.scale() >= narrow.scale() &&
         wide.precision() - wide.scale() >= narrow.precision() - narrow.scale();
}

// Whether every value of `from` has one in `to`.
bool CastFits(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.id() == arrow::Type::NA) {
    return true;
  }
  if (arrow::is_integer(from.id())) {
    return IntegerFits(from, to);
  }
  if (arrow::is_decimal(from.id())) {
    return DecimalFits(from, to);
  }
  return arrow::is_floating(from.id()) && to.id() == arrow::Type::DOUBLE;
}

bool NodeCanFail(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kColumn:
    case ExprKind::kLiteral:
    case ExprKind::kCase:
      return false;
    case ExprKind::kCast:
      return !expr.try_cast && !CastFits(*expr.children[0]->type, *expr.type);
    case ExprKind::kCall:
      break;
  }
  // An ESCAPE may be no single character.
  if (expr.function->name == "like" || expr.function->name == "ilike") {
    return expr.children.size() > 2;
  }
  return std::find(kNeverFail.begin(), kNeverFail.end(), expr.function->name) == kNeverFail.end();
}

}  // namespace

bool CanFail(const Expr& expr) {
  return NodeCanFail(expr) || std::any_of(expr.children.begin(), expr.children.end(),
                                          [](const ExprPtr& child) { return CanFail(*child); });
}

}  // namespace keepone
