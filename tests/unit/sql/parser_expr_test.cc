// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "keepone/error.h"
#include "sql/parser.h"
#include "sql/print.h"

namespace keepone {
namespace {

std::string Reprint(std::string_view sql) {
  const auto expr = ParseExpression(sql);
  return expr.ok() ? Print(**expr) : FormatError(expr.status(), "");
}

TEST(ParseExpression, Precedence) {
  EXPECT_EQ(Reprint("((1 + 2)) * 3 - (4 * 5)"), "(1 + 2) * 3 - 4 * 5");
  EXPECT_EQ(Reprint("1 - (2 - 3) - 4"), "1 - (2 - 3) - 4");
  EXPECT_EQ(Reprint("(1 - 2) - 3"), "1 - 2 - 3");
  EXPECT_EQ(Reprint("2 ^ (3 ^ 2)"), "2 ^ (3 ^ 2)");
  EXPECT_EQ(Reprint("-(2 ^ 2)"), "-(2 ^ 2)");
  EXPECT_EQ(Reprint("(-2) ^ 2"), "-2 ^ 2");
  EXPECT_EQ(Reprint("- - 1"), "-(-1)");
  EXPECT_EQ(Reprint("a ** 2"), "a ^ 2");
  EXPECT_EQ(Reprint("a = b OR c AND NOT d"), "a = b OR c AND NOT d");
  EXPECT_EQ(Reprint("(a OR b) AND (c OR d)"), "(a OR b) AND (c OR d)");
  EXPECT_EQ(Reprint("a AND (b AND c) AND d"), "a AND b AND c AND d");
  EXPECT_EQ(Reprint("NOT (a = b)"), "NOT a = b");
  EXPECT_EQ(Reprint("(NOT a) = b"), "(NOT a) = b");
  EXPECT_EQ(Reprint("a || b + c"), "a || b + c");
  EXPECT_EQ(Reprint("(a || b) + c"), "(a || b) + c");
  EXPECT_EQ(Reprint("a == b"), "a = b");
  EXPECT_EQ(Reprint("a != b"), "a <> b");
  EXPECT_EQ(Reprint("-a::INT"), "-CAST(a AS INT)");
  EXPECT_EQ(Reprint("(a IS NULL) = b"), "(a IS NULL) = b");
  EXPECT_EQ(Reprint("a = b IS NULL"), "a = b IS NULL");
}

TEST(ParseExpression, Predicates) {
  EXPECT_EQ(Reprint("a isnull"), "a IS NULL");
  EXPECT_EQ(Reprint("a notnull"), "a IS NOT NULL");
  EXPECT_EQ(Reprint("a is not unknown"), "a IS NOT UNKNOWN");
  EXPECT_EQ(Reprint("a is distinct from b"), "a IS DISTINCT FROM b");
  EXPECT_EQ(Reprint("a is not distinct from b"), "a IS NOT DISTINCT FROM b");
  EXPECT_EQ(Reprint("a between 1 and 2 and b"), "a BETWEEN 1 AND 2 AND b");
  EXPECT_EQ(Reprint("a not between symmetric 1 + 1 and (b or c)"),
            "a NOT BETWEEN SYMMETRIC 1 + 1 AND (b OR c)");
  EXPECT_EQ(Reprint("a in (1)"), "a IN (1)");
  EXPECT_EQ(Reprint("a not in (select 1)"), "a NOT IN (SELECT 1)");
  EXPECT_EQ(Reprint("(a, b) in ((1, 2))"), "(a, b) IN ((1, 2))");
  EXPECT_EQ(Reprint("a like b escape '!'"), "a LIKE b ESCAPE '!'");
  EXPECT_EQ(Reprint("a not ilike b || '%'"), "a NOT ILIKE b || '%'");
  EXPECT_EQ(Reprint("a similar to 'x'"), "a SIMILAR TO 'x'");
  EXPECT_EQ(Reprint("a !~* 'x'"), "a !~* 'x'");
  EXPECT_EQ(Reprint("a !~~ 'x'"), "a NOT LIKE 'x'");
  EXPECT_EQ(Reprint("a = any (select 1)"), "a = ANY (SELECT 1)");
  EXPECT_EQ(Reprint("a > some ([1])"), "a > ANY ([1])");
  EXPECT_EQ(Reprint("exists (from t)"), "EXISTS (SELECT * FROM t)");
}

TEST(ParseExpression, Literals) {
  EXPECT_EQ(Reprint("null"), "NULL");
  EXPECT_EQ(Reprint("True"), "TRUE");
  EXPECT_EQ(Reprint("340282366920938463463374607431768211456"),
            "340282366920938463463374607431768211456");
  EXPECT_EQ(Reprint("1_0.5_0"), "10.50");
  EXPECT_EQ(Reprint("E'it\\'s'"), "'it''s'");
  EXPECT_EQ(Reprint("x'0aFF'"), "X'0AFF'");
  EXPECT_EQ(Reprint("date '2024-01-01'"), "date '2024-01-01'");
  EXPECT_EQ(Reprint("timestamp with time zone 'x'"), "timestamp with time zone 'x'");
  EXPECT_EQ(Reprint("interval '1 day'"), "INTERVAL '1 day'");
  EXPECT_EQ(Reprint("interval 2 days"), "INTERVAL 2 DAY");
  EXPECT_EQ(Reprint("interval '2' day"), "INTERVAL '2' DAY");
  EXPECT_EQ(Reprint("interval -2 hour"), "INTERVAL (-2) HOUR");
  EXPECT_EQ(Reprint("interval (a + 1) year"), "INTERVAL (a + 1) YEAR");
  EXPECT_EQ(Reprint("interval - 1"), "interval - 1");
  EXPECT_EQ(Reprint("[1, [], {a: 1, 'b c': 2}]"), "[1, [], {a: 1, 'b c': 2}]");
  EXPECT_EQ(Reprint("map {'a': 1}"), "MAP {'a': 1}");
  EXPECT_EQ(Reprint("row(1)"), "ROW(1)");
  EXPECT_EQ(Reprint("row(1, 2)"), "(1, 2)");
}

TEST(ParseExpression, NamesAndAccess) {
  EXPECT_EQ(Reprint("a.b.\"C\""), "a.b.\"C\"");
  EXPECT_EQ(Reprint("(a).b"), "(a).b");
  EXPECT_EQ(Reprint("a.select.from"), "a.select.from");
  EXPECT_EQ(Reprint("a[1][2:3].b"), "a[1][2:3].b");
  EXPECT_EQ(Reprint("a[:]"), "a[:]");
  EXPECT_EQ(Reprint("a[:-1]"), "a[:-1]");
  EXPECT_EQ(Reprint("a[1:-:2]"), "a[1:-:2]");
  EXPECT_EQ(Reprint("(f(x) over w)[1]"), "(f(x) OVER w)[1]");
  EXPECT_EQ(Reprint("offset + values"), "offset + values");
}

TEST(ParseExpression, SpecialCallForms) {
  EXPECT_EQ(Reprint("extract(year from d)"), "date_part('year', d)");
  EXPECT_EQ(Reprint("substring(s from 2 for 3)"), "substring(s, 2, 3)");
  EXPECT_EQ(Reprint("substring(s for 3)"), "substring(s, 1, 3)");
  EXPECT_EQ(Reprint("position('a' in s)"), "strpos(s, 'a')");
  EXPECT_EQ(Reprint("trim(leading 'x' from s)"), "ltrim(s, 'x')");
  EXPECT_EQ(Reprint("trim(trailing from s)"), "rtrim(s)");
  EXPECT_EQ(Reprint("trim(both from s)"), "trim(s)");
  EXPECT_EQ(Reprint("trim(s)"), "trim(s)");
  EXPECT_EQ(Reprint("d at time zone 'UTC'"), "timezone('UTC', d)");
  EXPECT_EQ(Reprint("current_date"), "current_date()");
}

TEST(ParseExpression, Calls) {
  EXPECT_EQ(Reprint("count(*)"), "count(*)");
  EXPECT_EQ(Reprint("f(distinct a, b order by c desc nulls last limit 2)"),
            "f(DISTINCT a, b ORDER BY c DESC NULLS LAST LIMIT 2)");
  EXPECT_EQ(Reprint("f(a ignore nulls order by b) filter (where c)"),
            "f(a ORDER BY b) IGNORE NULLS FILTER (WHERE c)");
  EXPECT_EQ(Reprint("any_value(a having max b)"), "any_value(a HAVING MAX b)");
  EXPECT_EQ(Reprint("f(0.5) within group (order by a)"), "f(0.5) WITHIN GROUP (ORDER BY a)");
  EXPECT_EQ(Reprint("f(a := 1, b => 2)"), "f(a => 1, b => 2)");
  EXPECT_EQ(Reprint("f(x -> x + 1)"), "f(lambda x: x + 1)");
  EXPECT_EQ(Reprint("f((x, y) -> x = y)"), "f(lambda x, y: x = y)");
  EXPECT_EQ(Reprint("f(j -> 'a' = 1)"), "f((j -> 'a' = 1))");
  EXPECT_EQ(Reprint("j -> k ->> 'l'"), "j -> k ->> 'l'");
}

TEST(ParseExpression, Windows) {
  EXPECT_EQ(Reprint("f() over ()"), "f() OVER ()");
  EXPECT_EQ(Reprint("f() over w"), "f() OVER w");
  EXPECT_EQ(Reprint("f() over (w partition by a, b order by c rows 1 preceding)"),
            "f() OVER (w PARTITION BY a, b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)");
  EXPECT_EQ(Reprint("f() over (range between interval 1 day preceding and unbounded following "
                    "exclude current row)"),
            "f() OVER (RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE "
            "CURRENT ROW)");
  EXPECT_EQ(Reprint("lag(a) ignore nulls over (order by b)"),
            "lag(a) IGNORE NULLS OVER (ORDER BY b)");
}

TEST(ParseExpression, CaseAndCast) {
  EXPECT_EQ(Reprint("case when a then 1 else 2 end"), "CASE WHEN a THEN 1 ELSE 2 END");
  EXPECT_EQ(Reprint("case a when 1 then 2 when 3 then 4 end"),
            "CASE a WHEN 1 THEN 2 WHEN 3 THEN 4 END");
  EXPECT_EQ(Reprint("try_cast(a as decimal(10, 2))"), "TRY_CAST(a AS decimal(10, 2))");
  EXPECT_EQ(Reprint("a::timestamp(3) with time zone"), "CAST(a AS timestamp(3) with time zone)");
  EXPECT_EQ(Reprint("a::double precision[]"), "CAST(a AS double precision[])");
  EXPECT_EQ(Reprint("a::struct(a int, b list(int))[3]"), "CAST(a AS STRUCT(a int, b int[])[3])");
  EXPECT_EQ(Reprint("a::map(text, int array)"), "CAST(a AS MAP(text, int[]))");
}

TEST(ParseExpression, QueriesInParentheses) {
  EXPECT_EQ(Reprint("(select 1)"), "(SELECT 1)");
  EXPECT_EQ(Reprint("((select 1))"), "(SELECT 1)");
  EXPECT_EQ(Reprint("((select 1) + 1)"), "(SELECT 1) + 1");
  EXPECT_EQ(Reprint("((select 1) union (select 2))"), "(SELECT 1 UNION SELECT 2)");
  EXPECT_EQ(Reprint("((select 1 limit 1), 2)"), "((SELECT 1 LIMIT 1), 2)");
}

TEST(ParseExpression, SpansCoverTheTextOfEachNode) {
  const std::string sql = "f(a + (b * 2))";
  const auto expr = ParseExpression(sql);
  ASSERT_TRUE(expr.ok());
  const auto text = [&](SourceSpan span) {
    return sql.substr(static_cast<size_t>(span.offset), static_cast<size_t>(span.length));
  };
  EXPECT_EQ(text((*expr)->span), sql);
  const auto& sum = (*expr)->As<ast::CallExpr>().arguments[0].value->As<ast::BinaryExpr>();
  EXPECT_EQ(text(sum.span), "a + (b * 2)");
  EXPECT_EQ(text(sum.left->span), "a");
  EXPECT_EQ(text(sum.right->span), "(b * 2)");
}

TEST(ParseExpression, TakesNothingButAnExpression) {
  EXPECT_EQ(Reprint("a b"), "syntax error: unexpected \"b\"; expected the end of the expression");
  EXPECT_EQ(Reprint(""), "syntax error: unexpected end of the statement; expected an expression");
  EXPECT_EQ(Reprint("*"), "syntax error: unexpected \"*\"; expected an expression");
}

}  // namespace
}  // namespace keepone
