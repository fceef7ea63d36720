// SPDX-License-Identifier: Apache-2.0
#include "sql/lexer.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace keepone::ast {
namespace {

// Kind and text of each token but the end, as "word:a symbol:.".
std::string Describe(std::string_view sql) {
  const auto tokens = Tokenize(sql);
  if (!tokens.ok()) {
    return "error: " + tokens.status().message();
  }
  std::string text;
  for (const Token& token : *tokens) {
    static const std::vector<std::string> kKinds = {
        "word", "quoted", "integer", "decimal", "float", "string", "blob", "parameter", "symbol"};
    if (token.kind == TokenKind::kEnd) {
      break;
    }
    text += (text.empty() ? "" : " ") + kKinds[static_cast<size_t>(token.kind)] + ":" + token.text;
  }
  return text;
}

TEST(Lexer, Words) {
  EXPECT_EQ(Describe("SELECT a_1 _b $c d$e"), "word:SELECT word:a_1 word:_b parameter:c word:d$e");
  EXPECT_EQ(Describe("größe 日本"), "word:größe word:日本");
  EXPECT_EQ(Describe("\"A \"\"b\"\"\""), "quoted:A \"b\"");
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(Describe("0 12 1.5 .5 5. 1e10 1.5E-3 .5e+2"),
            "integer:0 integer:12 decimal:1.5 decimal:.5 decimal:5. float:1e10 float:1.5E-3 "
            "float:.5e+2");
  EXPECT_EQ(Describe("1_000_000"), "integer:1000000");
  EXPECT_EQ(Describe("1+2-3"), "integer:1 symbol:+ integer:2 symbol:- integer:3");
  EXPECT_EQ(Describe("1a"), "error: bad number \"1a\"");
  EXPECT_EQ(Describe("1__0"), "error: bad number \"1__0\"");
  EXPECT_EQ(Describe("1e"), "error: bad number \"1e\"");
  EXPECT_EQ(Describe("1.2.3"), "error: bad number \"1.2.3\"");
  const std::string many(100000, '9');
  EXPECT_EQ(Describe(many), "integer:" + many);
}

TEST(Lexer, Strings) {
  EXPECT_EQ(Describe("'it''s' ''"), "string:it's string:");
  EXPECT_EQ(Describe("'a\\n'"), "string:a\\n");
  EXPECT_EQ(Describe("E'a\\n\\t\\'\\\\\\u00e9\\U0001F600\\x41\\101\\q'''"),
            "string:a\n\t'\\é😀AAq'");
  EXPECT_EQ(Describe("$$a 'b'$$ $t$ $$ $t$"), "string:a 'b' string: $$ ");
  EXPECT_EQ(Describe("X'00fF'"), std::string("blob:") + '\0' + '\xFF');
  EXPECT_EQ(Describe("x''"), "blob:");
  EXPECT_EQ(Describe("e'x' e"), "string:x word:e");
}

TEST(Lexer, BadStrings) {
  EXPECT_EQ(Describe("'a"), "error: the string that begins here has no end; ' is missing");
  EXPECT_EQ(Describe("'a''"), "error: the string that begins here has no end; ' is missing");
  EXPECT_EQ(Describe("E'a\\'"), "error: the string that begins here has no end; ' is missing");
  EXPECT_EQ(Describe("E'a\\"), "error: the string that begins here has no end; ' is missing");
  EXPECT_EQ(Describe("\"a"), "error: the quoted name that begins here has no end; \" is missing");
  EXPECT_EQ(Describe("$t$a"), "error: the string that begins here has no end; $t$ is missing");
  EXPECT_EQ(Describe("E'\\u12'"), "error: bad escape \"\\u12\" in a string");
  EXPECT_EQ(Describe("E'\\ud800'"), "error: bad escape \"\\ud800\" in a string");
  EXPECT_EQ(Describe("E'\\xff'"), "error: the escapes of this string give no valid UTF-8");
  EXPECT_EQ(Describe("X'0'"), "error: a binary string needs an even number of digits");
  EXPECT_EQ(Describe("X'0g'"), "error: a binary string holds hexadecimal digits only");
}

TEST(Lexer, Symbols) {
  EXPECT_EQ(Describe("a->>b->c::d:=e=>f"),
            "word:a symbol:->> word:b symbol:-> word:c symbol::: word:d symbol::= word:e symbol:=> "
            "word:f");
  EXPECT_EQ(Describe("<=<>!=!~*~~**//"),
            "symbol:<= symbol:<> symbol:!= symbol:!~* symbol:~~* symbol:* symbol://");
  EXPECT_EQ(Describe("? $1 $name"), "parameter: parameter:1 parameter:name");
  EXPECT_EQ(Describe("$"), "error: unexpected \"$\"");
  EXPECT_EQ(Describe("a \\ b"), "error: unexpected \"\\\"");
}

TEST(Lexer, CommentsAndBlanks) {
  EXPECT_EQ(Describe("a -- b\n c /* d /* e */ f */ g --"), "word:a word:c word:g");
  EXPECT_EQ(Describe("a\xC2\xA0"
                     "b\xEF\xBB\xBF\xE3\x80\x80"
                     "c\r\n\t\v\fd"),
            "word:a word:b word:c word:d");
  EXPECT_EQ(Describe("a /* b /* c */"), "error: the comment has no end; */ is missing");
  EXPECT_EQ(Describe("a-- b"), "word:a");
  EXPECT_EQ(Describe(""), "");
}

TEST(Lexer, HostileBytes) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(Describe("a \xFF b"), "error: the statement is not valid UTF-8");
  EXPECT_EQ(Describe("a \xE2\x82"), "error: the statement is not valid UTF-8");
  EXPECT_EQ(Describe("\xC0\x80"), "error: the statement is not valid UTF-8");
  EXPECT_EQ(Describe("\xED\xA0\x80"), "error: the statement is not valid UTF-8");
  EXPECT_EQ(Describe("a\0b"sv), "error: unexpected control character with the code 0");
  EXPECT_EQ(Describe("'a\0b'"sv), std::string("string:a\0b", 10));
  EXPECT_EQ(Describe("\x01"), "error: unexpected control character with the code 1");
  EXPECT_EQ(Describe("`a`"), "error: unexpected \"`\"");
  EXPECT_EQ(Describe("‘a’"), "error: unexpected typographic quote");
}

TEST(Lexer, SpansAreByteRanges) {
  const auto tokens = Tokenize("größe = 'x''y' ");
  ASSERT_TRUE(tokens.ok());
  ASSERT_EQ(tokens->size(), 4U);
  EXPECT_EQ((*tokens)[0].span.offset, 0);
  EXPECT_EQ((*tokens)[0].span.length, 7);
  EXPECT_EQ((*tokens)[1].span.offset, 8);
  EXPECT_EQ((*tokens)[2].span.offset, 10);
  EXPECT_EQ((*tokens)[2].span.length, 6);
  EXPECT_EQ((*tokens)[3].span.offset, 17);
  EXPECT_EQ((*tokens)[3].span.length, 0);
}

}  // namespace
}  // namespace keepone::ast
