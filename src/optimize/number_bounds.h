// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/column_id.h"
#include "plan/expr.h"

namespace keepone {

// The whole numbers that a condition leaves of an INT64 column; none when low > high.
struct NumberBounds {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
  // The condition says no more than this.
  bool exact = true;
};

// The bounds that `conjunct` sets to `column`: comparisons with an INT64 literal, a DOUBLE literal
// when the column was widened for it, and IN with a list of INT64 literals (not exact).
// Nothing when it is none of these. REQUIRES: literals stand on the right (fold_constants).
std::optional<NumberBounds> FindNumberBounds(const Expr& conjunct, ColumnId column);

}  // namespace keepone
