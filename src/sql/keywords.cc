// SPDX-License-Identifier: Apache-2.0
#include "sql/keywords.h"

#include <algorithm>
#include <array>

namespace keepone::ast {

namespace {

constexpr std::array<std::string_view, 34> kReserved = {
    "ALL",     "AND",    "AS",   "BETWEEN", "CASE",   "CREATE", "DISTINCT", "ELSE",      "END",
    "EXCEPT",  "FALSE",  "FROM", "GROUP",   "HAVING", "ILIKE",  "IN",       "INTERSECT", "INTO",
    "IS",      "JOIN",   "LIKE", "LIMIT",   "NOT",    "NULL",   "ON",       "OR",        "ORDER",
    "QUALIFY", "SELECT", "THEN", "TRUE",    "UNION",  "WHEN",   "WHERE",
};

constexpr std::array<std::string_view, 34> kReservedAsBareAlias = {
    "ANTI",    "ASC",         "ASOF",    "AT",        "COLLATE", "CROSS",  "DESC",
    "FETCH",   "FILTER",      "FOR",     "FULL",      "GLOB",    "IGNORE", "INNER",
    "ISNULL",  "LATERAL",     "LEFT",    "NATURAL",   "NOTNULL", "NULLS",  "OFFSET",
    "OVER",    "POSITIONAL",  "RESPECT", "RETURNING", "RIGHT",   "SEMI",   "SET",
    "SIMILAR", "TABLESAMPLE", "TO",      "USING",     "WINDOW",  "WITH",
};

char Upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

template <size_t size>
bool Contains(const std::array<std::string_view, size>& keywords, std::string_view word) {
  return std::any_of(keywords.begin(), keywords.end(),
                     [&](std::string_view keyword) { return EqualsKeyword(word, keyword); });
}

}  // namespace

bool EqualsKeyword(std::string_view word, std::string_view keyword) {
  return word.size() == keyword.size() && std::equal(word.begin(), word.end(), keyword.begin(),
                                                     [](char a, char b) { return Upper(a) == b; });
}

bool IsReservedWord(std::string_view word) {
  return Contains(kReserved, word);
}

bool IsReservedAsBareAlias(std::string_view word) {
  return IsReservedWord(word) || Contains(kReservedAsBareAlias, word);
}

const std::vector<std::string>& ClauseKeywords() {
  static const std::vector<std::string> kKeywords = {
      "FROM",   "WHERE", "GROUP", "HAVING",    "WINDOW",  "QUALIFY",   "ORDER", "LIMIT",
      "OFFSET", "UNION", "FETCH", "INTERSECT", "EXCEPT",  "JOIN",      "LEFT",  "RIGHT",
      "INNER",  "CROSS", "USING", "FULL",      "NATURAL", "PARTITION",
  };
  return kKeywords;
}

}  // namespace keepone::ast
