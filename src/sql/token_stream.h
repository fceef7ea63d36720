// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "sql/ast_node.h"
#include "sql/token.h"

namespace keepone::ast {

// A place in the tokens of a statement, and what could have stood there, for error messages.
//
// Peek... only look. Take... move on past what they name, and note it as possible when it is not
// there. Expect... fail when it is not there. Keywords are given in capitals.
class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens);

  const Token& Peek(size_t ahead = 0) const;
  bool PeekKeyword(std::string_view keyword, size_t ahead = 0) const;
  bool PeekSymbol(std::string_view symbol, size_t ahead = 0) const;
  // A quoted name or a word that is not reserved.
  bool PeekName(size_t ahead = 0) const;
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd; }
  size_t index() const { return index_; }
  // The token that closes the parenthesis, bracket or brace `ahead`, counted like `ahead`; nothing
  // when none does.
  std::optional<size_t> PeekClosing(size_t ahead = 0) const;

  // Moves on by one token, which is returned. The end is never passed.
  const Token& Take();
  bool TakeKeyword(std::string_view keyword);
  // All of the keywords or none.
  bool TakeKeywords(std::initializer_list<std::string_view> keywords);
  bool TakeSymbol(std::string_view symbol);
  arrow::Status ExpectKeyword(std::string_view keyword);
  arrow::Status ExpectSymbol(std::string_view symbol);
  // `what` it is, for the message: "a table name".
  arrow::Result<Identifier> ExpectName(std::string_view what);
  // Reserved words are names too: after a dot or AS.
  arrow::Result<Identifier> ExpectAnyName(std::string_view what);
  arrow::Result<std::string> ExpectString(std::string_view what, SourceSpan* span);

  // Notes that `what` could stand here, too.
  void Expecting(std::string_view what);
  // Notes that the token just taken may be a misspelt keyword rather than an alias.
  void NoteBareAlias() { bare_alias_index_ = static_cast<int64_t>(index_) - 1; }
  // The error that the token here is none of what could stand here.
  arrow::Status Unexpected() const;

  // From `begin` to the end of the token taken last.
  SourceSpan SpanSince(SourceSpan begin) const;

 private:
  std::string HintAtUnexpected() const;
  std::string UnquotedPath() const;
  // Whether the token at `index` is the keyword.
  bool IsKeywordAt(size_t index, std::string_view keyword) const;

  std::vector<Token> tokens_;
  std::vector<int64_t>
      closing_;  // For an opening token the index of the closing one, else below 0.
  size_t index_ = 0;
  int64_t bare_alias_index_ = -1;
  std::vector<std::string_view> expected_;  // At `index_`, in the order noted.
};

Identifier MakeIdentifier(const Token& token);

}  // namespace keepone::ast
