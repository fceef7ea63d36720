// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "sql/token.h"

namespace keepone::ast {

// Splits `sql` into tokens, without comments and white space; the last one is kEnd. A syntax error
// when the text is not UTF-8, when a string, a quoted name or a comment has no end, and for
// malformed numbers, escapes and characters that SQL has no use for.
arrow::Result<std::vector<Token>> Tokenize(std::string_view sql);

}  // namespace keepone::ast
