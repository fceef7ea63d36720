// SPDX-License-Identifier: Apache-2.0
#include "optimize/number_bounds.h"

#include <algorithm>
#include <cmath>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "optimize/rewrite.h"

namespace keepone {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr NumberBounds kNone{1, 0, true};

NumberBounds Below(int64_t value) {
  return value == kLowest ? kNone : NumberBounds{kLowest, value - 1, true};
}
NumberBounds Above(int64_t value) {
  return value == kHighest ? kNone : NumberBounds{value + 1, kHighest, true};
}

std::optional<NumberBounds> Compare(const std::string& function, int64_t value) {
  if (function == "equal" || function == "is_not_distinct_from") {
    return NumberBounds{value, value, true};
  }
  if (function == "less") {
    return Below(value);
  }
  if (function == "less_equal") {
    return NumberBounds{kLowest, value, true};
  }
  if (function == "greater") {
    return Above(value);
  }
  if (function == "greater_equal") {
    return NumberBounds{value, kHighest, true};
  }
  return std::nullopt;
}

std::optional<NumberBounds> CompareDouble(const std::string& function, double value) {
  // Beyond this a DOUBLE no longer tells neighbouring whole numbers apart.
  constexpr double kExactMax = 9007199254740991.0;
  if (!(std::fabs(value) <= kExactMax)) {
    return std::nullopt;
  }
  const auto floor = static_cast<int64_t>(std::floor(value));
  const bool is_whole = std::floor(value) == value;
  if (is_whole) {
    return Compare(function, floor);
  }
  if (function == "equal" || function == "is_not_distinct_from") {
    return kNone;
  }
  // Between two whole numbers, less and less or equal are the same.
  return Compare(function == "less"            ? "less_equal"
                 : function == "greater_equal" ? "greater"
                                               : function,
                 floor);
}

std::optional<NumberBounds> InList(const Expr& conjunct) {
  NumberBounds bounds{kHighest, kLowest, false};
  for (size_t i = 1; i < conjunct.children.size(); ++i) {
    const std::optional<int64_t> value = Int64Value(*conjunct.children[i]);
    if (!value.has_value()) {
      return std::nullopt;
    }
    bounds.low = std::min(bounds.low, *value);
    bounds.high = std::max(bounds.high, *value);
  }
  return bounds;
}

}  // namespace

std::optional<NumberBounds> FindNumberBounds(const Expr& conjunct, ColumnId column) {
  if (conjunct.kind != ExprKind::kCall || conjunct.children.size() < 2) {
    return std::nullopt;
  }
  const Expr& left = *conjunct.children[0];
  if (IsColumn(left, column)) {
    if (IsCall(conjunct, "in_list")) {
      return InList(conjunct);
    }
    const std::optional<int64_t> value = Int64Value(*conjunct.children[1]);
    return value.has_value() ? Compare(conjunct.function->name, *value) : std::nullopt;
  }
  const bool is_widened = left.kind == ExprKind::kCast && IsColumn(*left.children[0], column) &&
                          left.type->id() == arrow::Type::DOUBLE;
  const Expr& right = *conjunct.children[1];
  if (is_widened && IsLiteral(right) && right.literal->is_valid &&
      right.type->id() == arrow::Type::DOUBLE) {
    return CompareDouble(conjunct.function->name,
                         static_cast<const arrow::DoubleScalar&>(*right.literal).value);
  }
  return std::nullopt;
}

}  // namespace keepone
