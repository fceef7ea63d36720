// SPDX-License-Identifier: Apache-2.0
#include "sql/interval_unit.h"

#include <array>

#include "sql/keywords.h"

namespace keepone::ast {

namespace {

// In the order of IntervalUnit.
constexpr std::array<std::string_view, 10> kUnits = {
    "YEAR", "QUARTER", "MONTH",  "WEEK",        "DAY",
    "HOUR", "MINUTE",  "SECOND", "MILLISECOND", "MICROSECOND",
};

}  // namespace

std::optional<IntervalUnit> FindIntervalUnit(std::string_view word) {
  for (size_t i = 0; i < kUnits.size(); ++i) {
    const bool is_plural =
        word.size() == kUnits[i].size() + 1 && (word.back() == 's' || word.back() == 'S');
    if (EqualsKeyword(is_plural ? word.substr(0, kUnits[i].size()) : word, kUnits[i])) {
      return static_cast<IntervalUnit>(i);
    }
  }
  return std::nullopt;
}

std::string_view IntervalUnitText(IntervalUnit unit) {
  return kUnits[static_cast<size_t>(unit)];
}

}  // namespace keepone::ast
