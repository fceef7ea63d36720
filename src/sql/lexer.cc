// SPDX-License-Identifier: Apache-2.0
#include "sql/lexer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "sql/utf8.h"

namespace keepone::ast {

namespace {

// Longest first: the first that fits is taken.
constexpr std::array<std::string_view, 25> kLongSymbols = {
    "!~~*", "->>", "!~~", "~~*", "!~*", "->", "::", ":=", "=>", "<=", ">=", "<>", "!=",
    "==",   "||",  "<<",  ">>",  "//",  "**", "~~", "!~", "~*", "^@", "&&", "..",
};
constexpr std::string_view kBrackets = "()[]{},;";  // Never a part of a longer symbol.
constexpr std::string_view kShortSymbols = ":.+-*/%^&|~=<>!@#";
constexpr size_t kShownBytesMax = 40;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsWordPart(char c) {
  return IsWordStart(c) || IsDigit(c) || c == '$';
}

// -1 when `c` is no hexadecimal digit.
int HexValue(char c) {
  if (IsDigit(c)) {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return c - 'A' + 10;
  }
  return -1;
}

// Blanks that come along with text copied from pages and documents.
bool IsWideSpace(uint32_t code_point) {
  return code_point == 0x85 || code_point == 0xA0 || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200B) || code_point == 0x2028 ||
         code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F ||
         code_point == 0x3000 || code_point == 0xFEFF;
}

bool IsTypographicQuote(uint32_t code_point) {
  return (code_point >= 0x2018 && code_point <= 0x201F) || code_point == 0xB4;
}

class Lexer {
 public:
  explicit Lexer(std::string_view sql) : sql_(sql) {}

  arrow::Result<std::vector<Token>> Run();

 private:
  char At(size_t offset) const { return offset < sql_.size() ? sql_[offset] : '\0'; }
  bool StartsWith(std::string_view text) const {
    return sql_.substr(position_, text.size()) == text;
  }
  SourceSpan SpanFrom(size_t begin) const { return SpanOf(begin, position_); }
  static SourceSpan SpanOf(size_t begin, size_t end) {
    return {static_cast<int64_t>(begin), static_cast<int64_t>(end - begin)};
  }
  void Add(TokenKind kind, std::string text, size_t begin) {
    tokens_.push_back({kind, std::move(text), SpanFrom(begin)});
  }

  arrow::Status SkipBlank();
  arrow::Status SkipBlockComment();
  arrow::Status Next();
  // Reads up to the closing `quote`, where a doubled one stands for itself.
  // REQUIRES: the opening quote stands at `position_`.
  arrow::Result<std::string> ReadQuoted(char quote, std::string_view what, size_t begin);
  arrow::Status ReadQuotedIdentifier();
  arrow::Status ReadEscapedString();
  // REQUIRES: a backslash stands at `position_`.
  arrow::Status ReadEscape(std::string* text);
  arrow::Status ReadBlob();
  arrow::Status ReadNumber();
  void SkipDigits();
  arrow::Status ReadDollar();
  arrow::Status ReadWord();
  arrow::Status ReadSymbol();

  std::string_view sql_;
  size_t position_ = 0;
  std::vector<Token> tokens_;
};

arrow::Result<std::vector<Token>> Lexer::Run() {
  const int64_t invalid = FindInvalidUtf8(sql_);
  if (invalid >= 0) {
    return SyntaxError({invalid, 1}, "the statement is not valid UTF-8");
  }
  while (true) {
    ARROW_RETURN_NOT_OK(SkipBlank());
    if (position_ >= sql_.size()) {
      Add(TokenKind::kEnd, "", position_);
      return std::move(tokens_);
    }
    ARROW_RETURN_NOT_OK(Next());
  }
}

arrow::Status Lexer::SkipBlank() {
  while (position_ < sql_.size()) {
    const char c = sql_[position_];
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      ++position_;
    } else if (StartsWith("--")) {
      position_ = std::min(sql_.find('\n', position_), sql_.size());
    } else if (StartsWith("/*")) {
      ARROW_RETURN_NOT_OK(SkipBlockComment());
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      const DecodedCharacter character = DecodeUtf8(sql_.substr(position_));
      if (!IsWideSpace(character.code_point)) {
        break;
      }
      position_ += static_cast<size_t>(character.length_bytes);
    } else {
      break;
    }
  }
  return arrow::Status::OK();
}

arrow::Status Lexer::SkipBlockComment() {
  const size_t begin = position_;
  int64_t open = 0;
  while (position_ < sql_.size()) {
    if (StartsWith("/*")) {
      ++open;
      position_ += 2;
    } else if (StartsWith("*/")) {
      position_ += 2;
      if (--open == 0) {
        return arrow::Status::OK();
      }
    } else {
      ++position_;
    }
  }
  return SyntaxError(SpanOf(begin, begin + 2), "the comment has no end; */ is missing");
}

arrow::Status Lexer::Next() {
  const size_t begin = position_;
  const char c = sql_[begin];
  const char next = At(begin + 1);
  if (c == '\'') {
    ARROW_ASSIGN_OR_RAISE(std::string text, ReadQuoted('\'', "string", begin));
    Add(TokenKind::kString, std::move(text), begin);
    return arrow::Status::OK();
  }
  if (c == '"') {
    return ReadQuotedIdentifier();
  }
  if ((c == 'e' || c == 'E') && next == '\'') {
    return ReadEscapedString();
  }
  if ((c == 'x' || c == 'X') && next == '\'') {
    return ReadBlob();
  }
  if (IsDigit(c) || (c == '.' && IsDigit(next))) {
    return ReadNumber();
  }
  if (c == '$') {
    return ReadDollar();
  }
  if (c == '?') {
    ++position_;
    Add(TokenKind::kParameter, "", begin);
    return arrow::Status::OK();
  }
  return IsWordStart(c) ? ReadWord() : ReadSymbol();
}

arrow::Result<std::string> Lexer::ReadQuoted(char quote, std::string_view what, size_t begin) {
  std::string text;
  ++position_;
  while (true) {
    const size_t end = sql_.find(quote, position_);
    if (end == std::string_view::npos) {
      return SyntaxError(SpanOf(begin, begin + 1), "the ", what, " that begins here has no end; ",
                         quote, " is missing");
    }
    text += sql_.substr(position_, end - position_);
    position_ = end + 1;
    if (At(position_) != quote) {
      return text;
    }
    text += quote;
    ++position_;
  }
}

arrow::Status Lexer::ReadQuotedIdentifier() {
  const size_t begin = position_;
  ARROW_ASSIGN_OR_RAISE(std::string text, ReadQuoted('"', "quoted name", begin));
  Add(TokenKind::kQuotedIdentifier, std::move(text), begin);
  return arrow::Status::OK();
}

arrow::Status Lexer::ReadEscapedString() {
  const size_t begin = position_;
  std::string text;
  position_ += 2;
  while (position_ < sql_.size()) {
    const char c = sql_[position_];
    if (c == '\\') {
      ARROW_RETURN_NOT_OK(ReadEscape(&text));
      continue;
    }
    ++position_;
    if (c == '\'') {
      if (At(position_) != '\'') {
        if (FindInvalidUtf8(text) >= 0) {
          return SyntaxError(SpanFrom(begin), "the escapes of this string give no valid UTF-8");
        }
        Add(TokenKind::kString, std::move(text), begin);
        return arrow::Status::OK();
      }
      ++position_;
    }
    text += c;
  }
  return SyntaxError(SpanOf(begin, begin + 2),
                     "the string that begins here has no end; ' is missing");
}

arrow::Status Lexer::ReadEscape(std::string* text) {
  constexpr std::string_view kLetters = "bfnrt";
  constexpr std::string_view kControls = "\b\f\n\r\t";
  const size_t begin = position_;
  const char c = At(begin + 1);
  position_ = std::min(begin + 2, sql_.size());
  const size_t letter = kLetters.find(c);
  if (c != '\0' && letter != std::string_view::npos) {
    *text += kControls[letter];
    return arrow::Status::OK();
  }
  if (c >= '0' && c <= '7') {
    int value = c - '0';
    for (int i = 0; i < 2 && At(position_) >= '0' && At(position_) <= '7'; ++i) {
      value = value * 8 + (At(position_++) - '0');
    }
    *text += static_cast<char>(static_cast<unsigned char>(value & 0xFF));
    return arrow::Status::OK();
  }
  if (c != 'x' && c != 'u' && c != 'U') {
    // A backslash before any other character stands for that character.
    position_ = begin + 1;
    const DecodedCharacter character = DecodeUtf8(sql_.substr(position_));
    *text += sql_.substr(position_, static_cast<size_t>(character.length_bytes));
    position_ += static_cast<size_t>(character.length_bytes);
    return arrow::Status::OK();
  }
  const int digits_max = c == 'x' ? 2 : (c == 'u' ? 4 : 8);
  const int digits_min = c == 'x' ? 1 : digits_max;
  uint32_t value = 0;
  int digits = 0;
  while (digits < digits_max && HexValue(At(position_)) >= 0) {
    value = value * 16 + static_cast<uint32_t>(HexValue(At(position_++)));
    ++digits;
  }
  if (digits >= digits_min && c == 'x') {
    *text += static_cast<char>(static_cast<unsigned char>(value));
    return arrow::Status::OK();
  }
  if (digits < digits_min || !AppendUtf8(value, text)) {
    return SyntaxError(SpanFrom(begin), "bad escape \"", sql_.substr(begin, position_ - begin),
                       "\" in a string");
  }
  return arrow::Status::OK();
}

arrow::Status Lexer::ReadBlob() {
  const size_t begin = position_;
  ++position_;
  ARROW_ASSIGN_OR_RAISE(const std::string digits, ReadQuoted('\'', "string", begin));
  std::string bytes;
  if (digits.size() % 2 != 0) {
    return SyntaxError(SpanFrom(begin), "a binary string needs an even number of digits");
  }
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = HexValue(digits[i]);
    const int low = HexValue(digits[i + 1]);
    if (high < 0 || low < 0) {
      return SyntaxError(SpanFrom(begin), "a binary string holds hexadecimal digits only");
    }
    bytes += static_cast<char>(static_cast<unsigned char>(high * 16 + low));
  }
  Add(TokenKind::kBlob, std::move(bytes), begin);
  return arrow::Status::OK();
}

void Lexer::SkipDigits() {
  // 1_000_000: a single _ between two digits.
  while (IsDigit(At(position_)) ||
         (At(position_) == '_' && IsDigit(At(position_ - 1)) && IsDigit(At(position_ + 1)))) {
    ++position_;
  }
}

arrow::Status Lexer::ReadNumber() {
  const size_t begin = position_;
  TokenKind kind = TokenKind::kInteger;
  if (At(position_) != '.') {
    SkipDigits();
  }
  if (At(position_) == '.' && At(position_ + 1) != '.') {
    kind = TokenKind::kDecimal;
    ++position_;
    if (IsDigit(At(position_))) {
      SkipDigits();
    }
  }
  if (At(position_) == 'e' || At(position_) == 'E') {
    const bool has_sign = At(position_ + 1) == '+' || At(position_ + 1) == '-';
    const size_t exponent = position_ + (has_sign ? 2 : 1);
    if (IsDigit(At(exponent))) {
      kind = TokenKind::kFloat;
      position_ = exponent;
      SkipDigits();
    }
  }
  if (IsWordPart(At(position_)) || (kind != TokenKind::kInteger && At(position_) == '.')) {
    while (IsWordPart(At(position_)) || At(position_) == '.') {
      ++position_;
    }
    return WithHint(
        SyntaxError(SpanFrom(begin), "bad number \"",
                    sql_.substr(begin, std::min(position_ - begin, kShownBytesMax)), "\""),
        "a name that begins with a digit takes double quotes, text single quotes");
  }
  std::string text(sql_.substr(begin, position_ - begin));
  std::erase(text, '_');
  Add(kind, std::move(text), begin);
  return arrow::Status::OK();
}

arrow::Status Lexer::ReadDollar() {
  const size_t begin = position_;
  ++position_;
  if (IsDigit(At(position_))) {
    while (IsDigit(At(position_))) {
      ++position_;
    }
    Add(TokenKind::kParameter, std::string(sql_.substr(begin + 1, position_ - begin - 1)), begin);
    return arrow::Status::OK();
  }
  while (IsWordPart(At(position_)) && At(position_) != '$') {
    ++position_;
  }
  if (At(position_) == '$') {
    ++position_;
    const std::string_view tag = sql_.substr(begin, position_ - begin);
    const size_t end = sql_.find(tag, position_);
    if (end == std::string_view::npos) {
      return SyntaxError(SpanFrom(begin), "the string that begins here has no end; ", tag,
                         " is missing");
    }
    std::string text(sql_.substr(position_, end - position_));
    position_ = end + tag.size();
    Add(TokenKind::kString, std::move(text), begin);
    return arrow::Status::OK();
  }
  if (position_ == begin + 1) {
    return SyntaxError(SpanFrom(begin), "unexpected \"$\"");
  }
  Add(TokenKind::kParameter, std::string(sql_.substr(begin + 1, position_ - begin - 1)), begin);
  return arrow::Status::OK();
}

arrow::Status Lexer::ReadWord() {
  const size_t begin = position_;
  while (IsWordPart(At(position_))) {
    if (static_cast<unsigned char>(sql_[position_]) < 0x80) {
      ++position_;
      continue;
    }
    const DecodedCharacter character = DecodeUtf8(sql_.substr(position_));
    if (IsWideSpace(character.code_point)) {
      break;
    }
    if (IsTypographicQuote(character.code_point)) {
      position_ += static_cast<size_t>(character.length_bytes);
      return WithHint(
          SyntaxError(SpanOf(position_ - static_cast<size_t>(character.length_bytes), position_),
                      "unexpected typographic quote"),
          "text takes 'single quotes', names take \"double quotes\"");
    }
    position_ += static_cast<size_t>(character.length_bytes);
  }
  Add(TokenKind::kWord, std::string(sql_.substr(begin, position_ - begin)), begin);
  return arrow::Status::OK();
}

arrow::Status Lexer::ReadSymbol() {
  const size_t begin = position_;
  const char c = sql_[begin];
  if (kBrackets.find(c) != std::string_view::npos) {
    ++position_;
    Add(TokenKind::kSymbol, std::string(1, c), begin);
    return arrow::Status::OK();
  }
  const auto* const symbol = std::find_if(kLongSymbols.begin(), kLongSymbols.end(),
                                          [&](std::string_view text) { return StartsWith(text); });
  if (symbol != kLongSymbols.end()) {
    position_ += symbol->size();
    Add(TokenKind::kSymbol, std::string(*symbol), begin);
    return arrow::Status::OK();
  }
  ++position_;
  if (c != '\0' && kShortSymbols.find(c) != std::string_view::npos) {
    Add(TokenKind::kSymbol, std::string(1, c), begin);
    return arrow::Status::OK();
  }
  if (c == '`') {
    return WithHint(SyntaxError(SpanFrom(begin), "unexpected \"`\""),
                    "names take \"double quotes\"");
  }
  if (static_cast<unsigned char>(c) < 0x20 || c == '\x7F') {
    return SyntaxError(SpanFrom(begin), "unexpected control character with the code ",
                       static_cast<int>(static_cast<unsigned char>(c)));
  }
  return SyntaxError(SpanFrom(begin), "unexpected \"", c, "\"");
}

}  // namespace

arrow::Result<std::vector<Token>> Tokenize(std::string_view sql) {
  return Lexer(sql).Run();
}

}  // namespace keepone::ast
