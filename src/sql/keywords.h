// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace keepone::ast {

// Whether `word` is the keyword `keyword`, which is given in capitals.
bool EqualsKeyword(std::string_view word, std::string_view keyword);

// Whether `word` needs double quotes wherever it is a name that stands alone: SELECT, FROM, ...
// Most keywords do not: they are told by their place.
bool IsReservedWord(std::string_view word);

// Whether `word` cannot be an alias without AS, since it may stand right after an expression or a
// table as a keyword. Every reserved word is one.
bool IsReservedAsBareAlias(std::string_view word);

// The keywords that begin a clause or a join, for hints at misspelt ones.
const std::vector<std::string>& ClauseKeywords();

}  // namespace keepone::ast
