// SPDX-License-Identifier: Apache-2.0
#include "sql/token_stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "sql/keywords.h"

namespace keepone::ast {

namespace {

constexpr size_t kListedMax = 6;            // More alternatives than this are no help.
constexpr size_t kShownTokenBytesMax = 40;  // Of a token.
constexpr size_t kMisspeltBytesMin = 3;

// For the index of a closing token.
constexpr int64_t kNoBracket = -1;
constexpr int64_t kNotClosed = -2;

// Reserved words that hardly anybody means as a name.
bool IsConnectingWord(std::string_view word) {
  constexpr std::array<std::string_view, 12> kWords = {
      "AND", "AS", "ELSE", "FROM", "HAVING", "IN", "IS", "ON", "OR", "THEN", "WHEN", "WHERE",
  };
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view keyword) { return EqualsKeyword(word, keyword); });
}

std::vector<int64_t> MatchBrackets(const std::vector<Token>& tokens) {
  constexpr std::string_view kOpening = "([{";
  constexpr std::string_view kClosing = ")]}";
  std::vector<int64_t> closing(tokens.size(), kNoBracket);
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind != TokenKind::kSymbol || token.text.size() != 1) {
      continue;
    }
    if (kOpening.find(token.text[0]) != std::string_view::npos) {
      open.push_back(i);
      closing[i] = kNotClosed;
    }
    const size_t bracket = kClosing.find(token.text[0]);
    if (bracket != std::string_view::npos && !open.empty() &&
        tokens[open.back()].text[0] == kOpening[bracket]) {
      closing[open.back()] = static_cast<int64_t>(i);
      open.pop_back();
    }
  }
  return closing;
}

std::string Shortened(const std::string& text) {
  if (text.size() <= kShownTokenBytesMax) {
    return text;
  }
  size_t end = kShownTokenBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end) + "...";
}

std::string DescribeToken(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "end of the statement";
    case TokenKind::kString:
      return "string '" + Shortened(token.text) + "'";
    case TokenKind::kBlob:
      return "a binary string";
    case TokenKind::kParameter:
      return token.text.empty() ? "\"?\"" : "\"$" + Shortened(token.text) + "\"";
    default:
      return "\"" + Shortened(token.text) + "\"";
  }
}

// A, B or ",".
std::string JoinAlternatives(const std::vector<std::string_view>& alternatives) {
  std::string text;
  for (size_t i = 0; i < alternatives.size(); ++i) {
    if (i > 0) {
      text += i + 1 == alternatives.size() ? " or " : ", ";
    }
    const bool is_symbol =
        std::string_view("()[]{},;:=").find(alternatives[i][0]) != std::string_view::npos;
    text += is_symbol ? "\"" + std::string(alternatives[i]) + "\"" : std::string(alternatives[i]);
  }
  return text;
}

std::string ToUpper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

// The keyword that `token` may have been meant as, or an empty string.
std::string NearestKeyword(const Token& token, const std::vector<std::string>& keywords) {
  if (token.kind != TokenKind::kWord || token.text.size() < kMisspeltBytesMin ||
      token.text.size() > kShownTokenBytesMax) {
    return "";
  }
  const std::string nearest = NearestName(token.text, keywords);
  return nearest == ToUpper(token.text) ? "" : nearest;
}

arrow::Status Misspelt(const Token& token, const std::string& keyword) {
  return WithHint(SyntaxError(token.span, "unexpected \"", token.text, "\"; expected ", keyword),
                  "did you mean " + keyword + "?");
}

}  // namespace

TokenStream::TokenStream(std::vector<Token> tokens)
    : tokens_(std::move(tokens)), closing_(MatchBrackets(tokens_)) {}

const Token& TokenStream::Peek(size_t ahead) const {
  return tokens_[std::min(index_ + ahead, tokens_.size() - 1)];
}

bool TokenStream::PeekKeyword(std::string_view keyword, size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kWord && EqualsKeyword(token.text, keyword);
}

bool TokenStream::PeekSymbol(std::string_view symbol, size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kSymbol && token.text == symbol;
}

bool TokenStream::PeekName(size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kQuotedIdentifier ||
         (token.kind == TokenKind::kWord && !IsReservedWord(token.text));
}

std::optional<size_t> TokenStream::PeekClosing(size_t ahead) const {
  const size_t opening = index_ + ahead;
  if (opening >= tokens_.size() || closing_[opening] < 0) {
    return std::nullopt;
  }
  return static_cast<size_t>(closing_[opening]) - index_;
}

const Token& TokenStream::Take() {
  const Token& token = Peek();
  if (!AtEnd()) {
    ++index_;
    expected_.clear();
  }
  return token;
}

bool TokenStream::TakeKeyword(std::string_view keyword) {
  if (PeekKeyword(keyword)) {
    Take();
    return true;
  }
  Expecting(keyword);
  return false;
}

bool TokenStream::TakeKeywords(std::initializer_list<std::string_view> keywords) {
  size_t ahead = 0;
  for (const std::string_view keyword : keywords) {
    if (!PeekKeyword(keyword, ahead++)) {
      Expecting(*keywords.begin());
      return false;
    }
  }
  for (size_t i = 0; i < keywords.size(); ++i) {
    Take();
  }
  return true;
}

bool TokenStream::TakeSymbol(std::string_view symbol) {
  if (PeekSymbol(symbol)) {
    Take();
    return true;
  }
  Expecting(symbol);
  return false;
}

arrow::Status TokenStream::ExpectKeyword(std::string_view keyword) {
  return TakeKeyword(keyword) ? arrow::Status::OK() : Unexpected();
}

arrow::Status TokenStream::ExpectSymbol(std::string_view symbol) {
  return TakeSymbol(symbol) ? arrow::Status::OK() : Unexpected();
}

arrow::Result<Identifier> TokenStream::ExpectName(std::string_view what) {
  if (!PeekName()) {
    Expecting(what);
    return Unexpected();
  }
  return MakeIdentifier(Take());
}

arrow::Result<Identifier> TokenStream::ExpectAnyName(std::string_view what) {
  const TokenKind kind = Peek().kind;
  if (kind != TokenKind::kWord && kind != TokenKind::kQuotedIdentifier) {
    Expecting(what);
    return Unexpected();
  }
  return MakeIdentifier(Take());
}

arrow::Result<std::string> TokenStream::ExpectString(std::string_view what, SourceSpan* span) {
  if (Peek().kind != TokenKind::kString) {
    Expecting(what);
    return Unexpected();
  }
  *span = Peek().span;
  return Take().text;
}

void TokenStream::Expecting(std::string_view what) {
  if (std::find(expected_.begin(), expected_.end(), what) == expected_.end()) {
    expected_.push_back(what);
  }
}

arrow::Status TokenStream::Unexpected() const {
  const Token& token = Peek();
  if (bare_alias_index_ >= 0 && static_cast<size_t>(bare_alias_index_) + 1 == index_) {
    const Token& alias = tokens_[static_cast<size_t>(bare_alias_index_)];
    const std::string keyword = NearestKeyword(alias, ClauseKeywords());
    if (!keyword.empty()) {
      return Misspelt(alias, keyword);
    }
  }
  const std::vector<std::string> expected(expected_.begin(), expected_.end());
  const std::string keyword = NearestKeyword(token, expected);
  if (!keyword.empty()) {
    return Misspelt(token, keyword);
  }
  std::string message = "unexpected " + DescribeToken(token);
  if (!expected_.empty() && expected_.size() <= kListedMax) {
    message += "; expected " + JoinAlternatives(expected_);
  }
  const arrow::Status status = SyntaxError(token.span, message);
  const std::string hint = HintAtUnexpected();
  return hint.empty() ? status : WithHint(status, hint);
}

// The text without blanks around the token here, where it looks like a path in FROM.
std::string TokenStream::UnquotedPath() const {
  const auto touches = [this](size_t i) {
    const SourceSpan left = tokens_[i].span;
    return left.offset + left.length == tokens_[i + 1].span.offset;
  };
  size_t first = index_;
  while (first > 0 && touches(first - 1) && tokens_[first - 1].text != "(") {
    --first;
  }
  const bool in_from =
      first > 0 && (IsKeywordAt(first - 1, "FROM") || IsKeywordAt(first - 1, "JOIN"));
  std::string path;
  for (size_t i = first; in_from && tokens_[i].kind != TokenKind::kEnd; ++i) {
    if (tokens_[i].kind == TokenKind::kString || tokens_[i].text == ")" || tokens_[i].text == ",") {
      break;
    }
    path += tokens_[i].text;
    if (!touches(i)) {
      break;
    }
  }
  return path.find('/') == std::string::npos ? "" : path;
}

bool TokenStream::IsKeywordAt(size_t index, std::string_view keyword) const {
  const Token& token = tokens_[index];
  return token.kind == TokenKind::kWord && EqualsKeyword(token.text, keyword);
}

std::string TokenStream::HintAtUnexpected() const {
  const Token& token = Peek();
  const std::string path = UnquotedPath();
  if (!path.empty()) {
    return "a file stands between single quotes: '" + path + "'";
  }
  const bool wants_name =
      std::any_of(expected_.begin(), expected_.end(), [](std::string_view what) {
        return what.ends_with(" name") || what == "an alias" || what == "an expression";
      });
  if (token.kind == TokenKind::kWord && wants_name && IsReservedWord(token.text)) {
    if (IsConnectingWord(token.text) || PeekKeyword("BY", 1)) {
      const bool after_comma = index_ > 0 && tokens_[index_ - 1].text == "," &&
                               tokens_[index_ - 1].kind == TokenKind::kSymbol;
      return after_comma ? "is there a comma too many?" : "";
    }
    return "to use it as a name, write \"" + token.text + "\" in double quotes";
  }
  if (token.kind == TokenKind::kEnd) {
    for (size_t i = index_; i-- > 0;) {
      if (closing_[i] == kNotClosed) {
        return "\"" + tokens_[i].text + "\" is not closed";
      }
    }
  }
  if (PeekSymbol(")") &&
      std::find(closing_.begin(), closing_.end(), static_cast<int64_t>(index_)) == closing_.end()) {
    return "no \"(\" belongs to it";
  }
  if (PeekSymbol("&&")) {
    return "did you mean AND?";
  }
  return "";
}

SourceSpan TokenStream::SpanSince(SourceSpan begin) const {
  const SourceSpan last = tokens_[index_ == 0 ? 0 : index_ - 1].span;
  return {begin.offset, last.offset + last.length - begin.offset};
}

Identifier MakeIdentifier(const Token& token) {
  return {token.text, token.kind == TokenKind::kQuotedIdentifier, token.span};
}

}  // namespace keepone::ast
