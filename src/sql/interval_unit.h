// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "sql/ast_expr.h"

namespace keepone::ast {

// The unit called `word`, singular or plural, whatever its case.
std::optional<IntervalUnit> FindIntervalUnit(std::string_view word);

// "YEAR", "QUARTER", ...
std::string_view IntervalUnitText(IntervalUnit unit);

}  // namespace keepone::ast
