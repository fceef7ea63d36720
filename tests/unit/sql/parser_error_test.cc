// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "keepone/error.h"
#include "sql/parser.h"

namespace keepone {
namespace {

// The error of `sql` as a user reads it.
std::string ErrorOf(std::string_view sql) {
  const auto statements = ParseStatements(sql);
  return statements.ok() ? "no error" : FormatError(statements.status(), sql);
}

TEST(ParseError, NearMisses) {
  EXPECT_EQ(ErrorOf("SELCT 1"),
            "syntax error: unexpected \"SELCT\"; expected SELECT\n"
            "  SELCT 1\n"
            "  ^^^^^\n"
            "hint: did you mean SELECT?");
  EXPECT_EQ(ErrorOf("SELECT a FORM t"),
            "syntax error: unexpected \"FORM\"; expected FROM\n"
            "  SELECT a FORM t\n"
            "           ^^^^\n"
            "hint: did you mean FROM?");
  EXPECT_EQ(ErrorOf("SELECT * FORM t"),
            "syntax error: unexpected \"FORM\"; expected FROM\n"
            "  SELECT * FORM t\n"
            "           ^^^^\n"
            "hint: did you mean FROM?");
  EXPECT_EQ(ErrorOf("SELECT * FROM t WERE x = 1"),
            "syntax error: unexpected \"WERE\"; expected WHERE\n"
            "  SELECT * FROM t WERE x = 1\n"
            "                  ^^^^\n"
            "hint: did you mean WHERE?");
  EXPECT_EQ(ErrorOf("SELECT * FROM t ORDR BY x"),
            "syntax error: unexpected \"ORDR\"; expected ORDER\n"
            "  SELECT * FROM t ORDR BY x\n"
            "                  ^^^^\n"
            "hint: did you mean ORDER?");
  EXPECT_EQ(ErrorOf("SELECT row_number() OVER (PARTITON BY k) FROM t"),
            "syntax error: unexpected \"PARTITON\"; expected PARTITION\n"
            "  SELECT row_number() OVER (PARTITON BY k) FROM t\n"
            "                            ^^^^^^^^\n"
            "hint: did you mean PARTITION?");
  EXPECT_EQ(ErrorOf("SELECT a FROM t; SELECT b FORM u"),
            "syntax error: unexpected \"FORM\"; expected FROM\n"
            "  SELECT a FROM t; SELECT b FORM u\n"
            "                            ^^^^\n"
            "hint: did you mean FROM?");
  EXPECT_EQ(ErrorOf("SELECT a && b"),
            "syntax error: unexpected \"&&\"\n"
            "  SELECT a && b\n"
            "           ^^\n"
            "hint: did you mean AND?");
  EXPECT_EQ(ErrorOf("SELECT a FROM t LIMIT 1, 2"),
            "syntax error: unexpected \",\"\n"
            "  SELECT a FROM t LIMIT 1, 2\n"
            "                         ^\n"
            "hint: write LIMIT count OFFSET start");
}

TEST(ParseError, UnfinishedText) {
  EXPECT_EQ(ErrorOf("SELECT 'abc FROM t"),
            "syntax error: the string that begins here has no end; ' is missing\n"
            "  SELECT 'abc FROM t\n"
            "         ^");
  EXPECT_EQ(ErrorOf("SELECT \"abc FROM t"),
            "syntax error: the quoted name that begins here has no end; \" is missing\n"
            "  SELECT \"abc FROM t\n"
            "         ^");
  EXPECT_EQ(ErrorOf("SELECT /* a FROM t"),
            "syntax error: the comment has no end; */ is missing\n"
            "  SELECT /* a FROM t\n"
            "         ^^");
  EXPECT_EQ(ErrorOf("SELECT $$abc"),
            "syntax error: the string that begins here has no end; $$ is missing\n"
            "  SELECT $$abc\n"
            "         ^^");
  EXPECT_EQ(ErrorOf("SELECT 1a FROM t"),
            "syntax error: bad number \"1a\"\n"
            "  SELECT 1a FROM t\n"
            "         ^^\n"
            "hint: a name that begins with a digit takes double quotes, text single quotes");
  EXPECT_EQ(ErrorOf("SELECT 1.2.3"),
            "syntax error: bad number \"1.2.3\"\n"
            "  SELECT 1.2.3\n"
            "         ^^^^^\n"
            "hint: a name that begins with a digit takes double quotes, text single quotes");
  EXPECT_EQ(ErrorOf("SELECT `a` FROM t"),
            "syntax error: unexpected \"`\"\n"
            "  SELECT `a` FROM t\n"
            "         ^\n"
            "hint: names take \"double quotes\"");
  EXPECT_EQ(ErrorOf("SELECT ‘a’ FROM t"),
            "syntax error: unexpected typographic quote\n"
            "  SELECT ‘a’ FROM t\n"
            "         ^\n"
            "hint: text takes 'single quotes', names take \"double quotes\"");
  EXPECT_EQ(ErrorOf("SELECT E'\\u00zz'"),
            "syntax error: bad escape \"\\u00\" in a string\n"
            "  SELECT E'\\u00zz'\n"
            "           ^^^^");
  EXPECT_EQ(ErrorOf("SELECT X'0g'"),
            "syntax error: a binary string holds hexadecimal digits only\n"
            "  SELECT X'0g'\n"
            "         ^^^^^");
}

TEST(ParseError, MissingParts) {
  EXPECT_EQ(ErrorOf("SELECT a FROM"),
            "syntax error: unexpected end of the statement; expected a table name, a file name in "
            "quotes or \"(\"\n"
            "  SELECT a FROM\n"
            "               ^");
  EXPECT_EQ(ErrorOf("SELECT FROM t"),
            "syntax error: unexpected \"FROM\"; expected an expression\n"
            "  SELECT FROM t\n"
            "         ^^^^");
  EXPECT_EQ(ErrorOf("SELECT a, FROM t"),
            "syntax error: unexpected \"FROM\"; expected an expression\n"
            "  SELECT a, FROM t\n"
            "            ^^^^\n"
            "hint: is there a comma too many?");
  EXPECT_EQ(ErrorOf("SELECT a FROM t WHERE"),
            "syntax error: unexpected end of the statement; expected an expression\n"
            "  SELECT a FROM t WHERE\n"
            "                       ^");
  EXPECT_EQ(ErrorOf("SELECT (a FROM t"),
            "syntax error: unexpected \"FROM\"; expected \",\" or \")\"\n"
            "  SELECT (a FROM t\n"
            "            ^^^^");
  EXPECT_EQ(ErrorOf("SELECT a FROM (SELECT b FROM t"),
            "syntax error: unexpected end of the statement\n"
            "  SELECT a FROM (SELECT b FROM t\n"
            "                                ^\n"
            "hint: \"(\" is not closed");
  EXPECT_EQ(ErrorOf("SELECT a) FROM t"),
            "syntax error: unexpected \")\"\n"
            "  SELECT a) FROM t\n"
            "          ^\n"
            "hint: no \"(\" belongs to it");
  EXPECT_EQ(ErrorOf("SELECT a AS FROM t"),
            "syntax error: unexpected \"FROM\"; expected an alias\n"
            "  SELECT a AS FROM t\n"
            "              ^^^^");
  EXPECT_EQ(ErrorOf("SELECT CASE END"),
            "syntax error: unexpected \"END\"; expected WHEN or an expression\n"
            "  SELECT CASE END\n"
            "              ^^^\n"
            "hint: to use it as a name, write \"END\" in double quotes");
  EXPECT_EQ(ErrorOf("SELECT CASE WHEN a 1 END"),
            "syntax error: unexpected \"1\"; expected THEN\n"
            "  SELECT CASE WHEN a 1 END\n"
            "                     ^");
  EXPECT_EQ(ErrorOf("SELECT CAST(a INTEGER)"),
            "syntax error: unexpected \"INTEGER\"; expected AS\n"
            "  SELECT CAST(a INTEGER)\n"
            "                ^^^^^^^");
  EXPECT_EQ(ErrorOf("SELECT a FROM t JOIN u"),
            "syntax error: unexpected end of the statement; expected AS, USING or ON\n"
            "  SELECT a FROM t JOIN u\n"
            "                        ^");
  EXPECT_EQ(ErrorOf("SELECT a FROM t LEFT u"),
            "syntax error: unexpected \"u\"; expected OUTER or JOIN\n"
            "  SELECT a FROM t LEFT u\n"
            "                       ^");
  EXPECT_EQ(ErrorOf("SELECT t."),
            "syntax error: unexpected end of the statement; expected a column name\n"
            "  SELECT t.\n"
            "           ^");
  EXPECT_EQ(ErrorOf("WITH a AS SELECT 1"),
            "syntax error: unexpected \"SELECT\"; expected MATERIALIZED or \"(\"\n"
            "  WITH a AS SELECT 1\n"
            "            ^^^^^^");
  EXPECT_EQ(ErrorOf("VALUES ()"),
            "syntax error: unexpected \")\"; expected an expression\n"
            "  VALUES ()\n"
            "          ^");
  EXPECT_EQ(ErrorOf("EXPLAIN"),
            "syntax error: unexpected end of the statement\n"
            "  EXPLAIN\n"
            "         ^");
  EXPECT_EQ(ErrorOf("COPY t TO x"),
            "syntax error: unexpected \"x\"; expected a file name in quotes\n"
            "  COPY t TO x\n"
            "            ^");
  EXPECT_EQ(ErrorOf("CREATE TABLE t"),
            "syntax error: unexpected end of the statement; expected \"(\" or AS\n"
            "  CREATE TABLE t\n"
            "                ^");
  EXPECT_EQ(ErrorOf("CREATE TABLE t (a)"),
            "syntax error: column \"a\" needs a type\n"
            "  CREATE TABLE t (a)\n"
            "                  ^");
}

TEST(ParseError, WrongParts) {
  EXPECT_EQ(ErrorOf("SELECT a b c FROM t"),
            "syntax error: unexpected \"c\"\n"
            "  SELECT a b c FROM t\n"
            "             ^");
  EXPECT_EQ(ErrorOf("SELECT a FROM t WHERE x 5"),
            "syntax error: unexpected \"5\"\n"
            "  SELECT a FROM t WHERE x 5\n"
            "                          ^");
  EXPECT_EQ(
      ErrorOf("SELECT a FROM order"),
      "syntax error: unexpected \"order\"; expected a table name, a file name in quotes or \"(\"\n"
      "  SELECT a FROM order\n"
      "                ^^^^^\n"
      "hint: to use it as a name, write \"order\" in double quotes");
  EXPECT_EQ(ErrorOf("SELECT order FROM t"),
            "syntax error: unexpected \"order\"; expected an expression\n"
            "  SELECT order FROM t\n"
            "         ^^^^^\n"
            "hint: to use it as a name, write \"order\" in double quotes");
  EXPECT_EQ(ErrorOf("SELECT a IS 5"),
            "syntax error: unexpected \"5\"; expected NOT, NULL, TRUE, FALSE, UNKNOWN or DISTINCT\n"
            "  SELECT a IS 5\n"
            "              ^");
  EXPECT_EQ(ErrorOf("SELECT a BETWEEN 1 OR 2"),
            "syntax error: unexpected \"OR\"; expected AND\n"
            "  SELECT a BETWEEN 1 OR 2\n"
            "                     ^^");
  EXPECT_EQ(ErrorOf("SELECT row_number() OVER (PARTITION k) FROM t"),
            "syntax error: unexpected \"k\"; expected BY\n"
            "  SELECT row_number() OVER (PARTITION k) FROM t\n"
            "                                      ^");
  EXPECT_EQ(ErrorOf("SELECT sum(x) OVER (ROWS 1) FROM t"),
            "syntax error: unexpected \")\"; expected PRECEDING or FOLLOWING\n"
            "  SELECT sum(x) OVER (ROWS 1) FROM t\n"
            "                            ^");
  EXPECT_EQ(ErrorOf("SELECT a::DECIMAL(99999999999999999999)"),
            "syntax error: the number in this type is too large\n"
            "  SELECT a::DECIMAL(99999999999999999999)\n"
            "                    ^^^^^^^^^^^^^^^^^^^^");
  EXPECT_EQ(ErrorOf("SELECT a[] FROM t"),
            "syntax error: unexpected \"]\"; expected an index\n"
            "  SELECT a[] FROM t\n"
            "           ^");
  EXPECT_EQ(ErrorOf("SELECT f(x y)"),
            "syntax error: unexpected \"y\"; expected \",\", HAVING, ORDER, LIMIT or \")\"\n"
            "  SELECT f(x y)\n"
            "             ^");
  EXPECT_EQ(ErrorOf("SELECT a FROM t WHERE a = 'x' 'y'"),
            "syntax error: unexpected string 'y'\n"
            "  SELECT a FROM t WHERE a = 'x' 'y'\n"
            "                                ^^^");
  EXPECT_EQ(ErrorOf("SELECT DISTINCT ON k FROM t"),
            "syntax error: unexpected \"k\"; expected \"(\"\n"
            "  SELECT DISTINCT ON k FROM t\n"
            "                     ^");
  EXPECT_EQ(ErrorOf("SELECT a FROM t LIMIT 1 LIMIT 2"),
            "syntax error: a second LIMIT\n"
            "  SELECT a FROM t LIMIT 1 LIMIT 2\n"
            "                          ^^^^^");
  EXPECT_EQ(ErrorOf("DROP t"),
            "syntax error: unexpected \"t\"; expected VIEW or TABLE\n"
            "  DROP t\n"
            "       ^");
  EXPECT_EQ(ErrorOf("SET x 5"),
            "syntax error: unexpected \"5\"; expected \"=\" or TO\n"
            "  SET x 5\n"
            "        ^");
  EXPECT_EQ(ErrorOf("SET memory_limit = 1GB"),
            "syntax error: bad number \"1GB\"\n"
            "  SET memory_limit = 1GB\n"
            "                     ^^^\n"
            "hint: a name that begins with a digit takes double quotes, text single quotes");
  EXPECT_EQ(ErrorOf("EXPLAIN EXPLAIN SELECT 1"),
            "syntax error: unexpected \"EXPLAIN\"; expected ANALYZE or the statement to explain\n"
            "  EXPLAIN EXPLAIN SELECT 1\n"
            "          ^^^^^^^");
}

TEST(ParseError, Unsupported) {
  EXPECT_EQ(ErrorOf("UPDATE t SET a = 1"),
            "unsupported error: UPDATE is not supported\n"
            "  UPDATE t SET a = 1\n"
            "  ^^^^^^");
  EXPECT_EQ(ErrorOf("CREATE INDEX i ON t (a)"),
            "unsupported error: CREATE INDEX is not supported\n"
            "  CREATE INDEX i ON t (a)\n"
            "         ^^^^^\n"
            "hint: tables and views can be created");
  EXPECT_EQ(ErrorOf("CREATE TABLE t (a INT PRIMARY KEY)"),
            "unsupported error: the constraint PRIMARY is not supported\n"
            "  CREATE TABLE t (a INT PRIMARY KEY)\n"
            "                        ^^^^^^^");
  EXPECT_EQ(
      ErrorOf("COPY t FROM 'x'"),
      "unsupported error: COPY .. FROM is not supported\n"
      "  COPY t FROM 'x'\n"
      "         ^^^^\n"
      "hint: read the file with INSERT INTO .. FROM 'file' or CREATE TABLE .. AS FROM 'file'");
  EXPECT_EQ(ErrorOf("SELECT a FROM t GROUP BY ROLLUP (a)"),
            "unsupported error: GROUP BY ROLLUP is not supported\n"
            "  SELECT a FROM t GROUP BY ROLLUP (a)\n"
            "                           ^^^^^^");
  EXPECT_EQ(ErrorOf("SELECT a FROM t GROUP BY GROUPING SETS ((a))"),
            "unsupported error: GROUPING SETS is not supported\n"
            "  SELECT a FROM t GROUP BY GROUPING SETS ((a))\n"
            "                           ^^^^^^^^");
  EXPECT_EQ(ErrorOf("SELECT a FROM t ASOF JOIN u USING (a)"),
            "unsupported error: ASOF JOIN is not supported\n"
            "  SELECT a FROM t ASOF JOIN u USING (a)\n"
            "                  ^^^^");
  EXPECT_EQ(ErrorOf("SELECT INTERVAL '1-2' YEAR TO MONTH"),
            "unsupported error: an interval of two units is not supported; write INTERVAL '1 year "
            "2 months'\n"
            "  SELECT INTERVAL '1-2' YEAR TO MONTH\n"
            "                             ^^");
}

TEST(ParseError, LaterLinesAndWideCharacters) {
  EXPECT_EQ(ErrorOf("SELECT 'größe',\n\t'ä' b c"),
            "syntax error: unexpected \"c\"\n"
            "   'ä' b c\n"
            "         ^");
}

TEST(ParseError, LongTokensAreCutAtACharacter) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += "ä";
  }
  const auto statements = ParseStatements("SELECT 1 + 2 3" + std::string(" '") + text + "'");
  EXPECT_EQ(statements.status().message(), "unexpected \"3\"");
  const auto other = ParseStatements("DROP '" + text + "'");
  EXPECT_EQ(other.status().message(),
            "unexpected string '" + text.substr(0, 40) + "...'; expected VIEW or TABLE");
}

TEST(ParseError, DepthIsNamed) {
  const auto statements = ParseStatements("SELECT " + std::string(1000, '('));
  EXPECT_EQ(statements.status().message(), "the statement is nested more than 400 levels deep");
  EXPECT_EQ(GetErrorKind(statements.status()), ErrorKind::kSyntax);
}

}  // namespace
}  // namespace keepone
