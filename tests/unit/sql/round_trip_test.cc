// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "keepone/error.h"
#include "sql/lexer.h"
#include "sql/parser.h"
#include "sql/print.h"
#include "sql/printer.h"
#include "tests/unit/sql/corpus.h"

namespace keepone {
namespace {

std::string PrintAllParentheses(const ast::Statement& statement) {
  ast::Printer printer(ast::Parentheses::kAll);
  printer.PrintStatement(statement);
  return std::move(printer).Finish();
}

// Whether `sql` is read; if it is, its printed text must be a fixed point, and the printed text of
// each statement one statement.
bool ParsesStably(std::string_view sql) {
  const auto statements = ParseStatements(sql);
  if (!statements.ok()) {
    EXPECT_NE(GetErrorDetail(statements.status()), nullptr) << statements.status().ToString();
    EXPECT_NE(GetErrorKind(statements.status()), ErrorKind::kInternal);
    return false;
  }
  for (const ast::StatementPtr& statement : *statements) {
    const std::string printed = Print(*statement);
    const auto again = ParseStatements(printed);
    EXPECT_TRUE(again.ok()) << sql << "\nprinted: " << printed << "\n"
                            << FormatError(again.status(), printed);
    if (again.ok()) {
      EXPECT_EQ(again->size(), 1U) << printed;
      EXPECT_EQ(Print(*again->front()), printed) << sql;
      EXPECT_EQ(PrintAllParentheses(*again->front()), PrintAllParentheses(*statement)) << sql;
    }
  }
  return true;
}

std::string Repeat(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) {
    result += text;
  }
  return result;
}

TEST(RoundTrip, CorpusIsStable) {
  for (const std::string_view sql : SqlCorpus()) {
    EXPECT_TRUE(ParsesStably(sql)) << FormatError(ParseStatements(sql).status(), sql);
  }
}

TEST(RoundTrip, EveryPrefixIsReadOrRefused) {
  for (const std::string_view sql : SqlCorpus()) {
    for (size_t length = 0; length < sql.size(); ++length) {
      ParsesStably(sql.substr(0, length));
    }
  }
}

TEST(RoundTrip, EverySuffixIsReadOrRefused) {
  for (const std::string_view sql : SqlCorpus()) {
    for (size_t offset = 0; offset < sql.size(); offset += 3) {
      ParsesStably(sql.substr(offset));
    }
  }
}

// Statements with tokens left out, doubled, swapped, or taken from another statement.
TEST(RoundTrip, MutatedStatementsAreStable) {
  std::mt19937 random(20240601);
  const auto below = [&](size_t bound) { return static_cast<size_t>(random()) % bound; };
  std::vector<std::vector<std::string>> corpus;
  for (const std::string_view sql : SqlCorpus()) {
    const auto tokens = ast::Tokenize(sql);
    ASSERT_TRUE(tokens.ok());
    std::vector<std::string> texts;
    for (const ast::Token& token : *tokens) {
      texts.emplace_back(sql.substr(static_cast<size_t>(token.span.offset),
                                    static_cast<size_t>(token.span.length)));
    }
    corpus.push_back(std::move(texts));
  }
  int read = 0;
  for (int round = 0; round < 6000; ++round) {
    std::vector<std::string> tokens = corpus[below(corpus.size())];
    for (size_t change = 0; change <= below(3); ++change) {
      const size_t place = below(tokens.size());
      const std::vector<std::string>& other = corpus[below(corpus.size())];
      switch (below(4)) {
        case 0:
          tokens[place].clear();
          break;
        case 1:
          tokens[place] = other[below(other.size())];
          break;
        case 2:
          std::swap(tokens[place], tokens[below(tokens.size())]);
          break;
        default:
          tokens.insert(tokens.begin() + static_cast<int64_t>(place), other[below(other.size())]);
      }
    }
    std::string sql;
    for (const std::string& token : tokens) {
      sql += token + " ";
    }
    read += ParsesStably(sql) ? 1 : 0;
  }
  // The mutations are worth something only if many of them are still SQL.
  EXPECT_GT(read, 600);
}

TEST(RoundTrip, MutatedBytesAreReadOrRefused) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string sql(SqlCorpus()[random() % SqlCorpus().size()]);
    for (int change = 0; change < 2; ++change) {
      sql[random() % sql.size()] = static_cast<char>(random() & 0xFF);
    }
    ParsesStably(sql);
  }
}

TEST(RoundTrip, DeepNestingIsRefused) {
  constexpr int kDeep = 20000;
  const std::vector<std::string> statements = {
      "SELECT " + Repeat("(", kDeep) + "1" + Repeat(")", kDeep),
      "SELECT " + Repeat("(", kDeep),
      "SELECT " + Repeat("((SELECT 1) + ", kDeep),
      "SELECT " + Repeat("[", kDeep),
      "SELECT " + Repeat("f(", kDeep) + Repeat(")", kDeep),
      "SELECT " + Repeat("- ", kDeep) + "1",
      "SELECT " + Repeat("NOT ", kDeep) + "a",
      "SELECT 1" + Repeat(" + 1", kDeep),
      "SELECT a" + Repeat("[1]", kDeep),
      "SELECT a" + Repeat("::INT", kDeep),
      "SELECT f()" + Repeat(".a", kDeep),
      "SELECT a" + Repeat(" IS NULL", kDeep),
      "SELECT a::" + Repeat("LIST(", kDeep),
      "SELECT a::INT" + Repeat("[]", kDeep),
      "SELECT " + Repeat("CASE WHEN ", kDeep),
      Repeat("(", kDeep) + "SELECT 1" + Repeat(")", kDeep),
      Repeat("SELECT * FROM (", kDeep) + "SELECT 1" + Repeat(")", kDeep),
      "SELECT * FROM " + Repeat("(", kDeep) + "a" + Repeat(")", kDeep),
      "SELECT * FROM a" + Repeat(" CROSS JOIN a", kDeep),
      "SELECT 1" + Repeat(" UNION SELECT 1", kDeep),
      Repeat("EXPLAIN ", kDeep) + "SELECT 1",
      Repeat("WITH a AS (", kDeep),
  };
  for (const std::string& sql : statements) {
    const auto result = ParseStatements(sql);
    ASSERT_FALSE(result.ok()) << sql.substr(0, 40);
    EXPECT_EQ(GetErrorKind(result.status()), ErrorKind::kSyntax);
  }
}

TEST(RoundTrip, NestingWithinTheBoundIsReadAndPrinted) {
  constexpr int kDeep = 390;
  EXPECT_TRUE(ParsesStably("SELECT " + Repeat("(", kDeep) + "1" + Repeat(")", kDeep)));
  EXPECT_TRUE(ParsesStably("SELECT " + Repeat("f(", kDeep) + Repeat(")", kDeep)));
  EXPECT_TRUE(ParsesStably("SELECT 1" + Repeat(" + 1", kDeep)));
  EXPECT_TRUE(ParsesStably("SELECT a" + Repeat("[1]", kDeep)));
  EXPECT_TRUE(ParsesStably("SELECT 1" + Repeat(" UNION SELECT 1", kDeep)));
  EXPECT_TRUE(
      ParsesStably(Repeat("SELECT * FROM (", kDeep / 3) + "SELECT 1" + Repeat(")", kDeep / 3)));
}

TEST(RoundTrip, LongListsAreNoNesting) {
  constexpr int kLong = 5000;
  EXPECT_TRUE(ParsesStably("SELECT 1" + Repeat(", 1", kLong)));
  EXPECT_TRUE(ParsesStably("SELECT a" + Repeat(" OR a", kLong)));
  EXPECT_TRUE(ParsesStably("SELECT a" + Repeat(" AND (a)", kLong)));
  EXPECT_TRUE(ParsesStably("VALUES (1)" + Repeat(", (1)", kLong)));
  EXPECT_TRUE(ParsesStably("SELECT a" + Repeat(".a", kLong)));
  EXPECT_TRUE(ParsesStably(Repeat(";", kLong)));
}

TEST(RoundTrip, BalancedChainsCannotAddUpToADeepTree) {
  // Each parenthesis holds a chain of its own on the left: depth adds up along the left side.
  std::string sql = "1";
  for (int i = 0; i < 50; ++i) {
    sql = "(" + sql + ")" + Repeat(" + 1", 20);
  }
  const auto result = ParseExpression(sql);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(), "the statement is nested more than 400 levels deep");
}

}  // namespace
}  // namespace keepone
