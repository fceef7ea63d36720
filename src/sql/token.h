// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "keepone/error.h"

namespace keepone::ast {

enum class TokenKind {
  kWord,              // text as written: a name or a keyword, only its place tells
  kQuotedIdentifier,  // text without quotes
  kInteger,           // text is digits
  kDecimal,           // text is digits with a point
  kFloat,             // text is a number with an exponent
  kString,            // text is the value, valid UTF-8
  kBlob,              // text is the bytes
  kParameter,         // text is empty for ?, else what follows the $
  kSymbol,            // text is the operator or the punctuation mark
  kEnd,               // the end of the text; always the last token, and only there
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  SourceSpan span;
};

}  // namespace keepone::ast
