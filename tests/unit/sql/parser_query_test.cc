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
  const auto statements = ParseStatements(sql);
  if (!statements.ok()) {
    return FormatError(statements.status(), "");
  }
  return statements->size() == 1 ? Print(*statements->front()) : "not one statement";
}

TEST(ParseQuery, SelectItems) {
  EXPECT_EQ(Reprint("select a, b c, d as e, f 'g', h as \"I\""),
            "SELECT a, b AS c, d AS e, f AS \"g\", h AS \"I\"");
  EXPECT_EQ(Reprint("select all a"), "SELECT a");
  EXPECT_EQ(Reprint("select distinct a"), "SELECT DISTINCT a");
  EXPECT_EQ(Reprint("select distinct on (a, b) * from t"), "SELECT DISTINCT ON (a, b) * FROM t");
  EXPECT_EQ(Reprint("select *, t.*, s.t.* from t"), "SELECT *, t.*, s.t.* FROM t");
  EXPECT_EQ(Reprint("select * exclude a, * exclude (a, t.b), * except (c) from t"),
            "SELECT * EXCLUDE (a), * EXCLUDE (a, t.b), * EXCLUDE (c) FROM t");
  EXPECT_EQ(Reprint("select * replace (a + 1 as a) rename (b as c) from t"),
            "SELECT * REPLACE (a + 1 AS a) RENAME (b AS c) FROM t");
  EXPECT_EQ(Reprint("select * except (select 1)"), "SELECT * EXCEPT SELECT 1");
}

TEST(ParseQuery, FromFirst) {
  EXPECT_EQ(Reprint("from t"), "SELECT * FROM t");
  EXPECT_EQ(Reprint("from t select a where b"), "SELECT a FROM t WHERE b");
  EXPECT_EQ(Reprint("from t where b order by c"), "SELECT * FROM t WHERE b ORDER BY c");
  EXPECT_EQ(Reprint("table s.t"), "SELECT * FROM s.t");
}

TEST(ParseQuery, Tables) {
  EXPECT_EQ(Reprint("select * from s.t x, 'a.parquet' as y(a, b)"),
            "SELECT * FROM s.t AS x, 'a.parquet' AS y(a, b)");
  EXPECT_EQ(Reprint("select * from ['a', 'b'] c"), "SELECT * FROM ['a', 'b'] AS c");
  EXPECT_EQ(Reprint("select * from ['a']"), "SELECT * FROM 'a'");
  EXPECT_EQ(Reprint("select * from read_csv('a', header = true, names => ['x'], d := 1)"),
            "SELECT * FROM read_csv('a', header => TRUE, names => ['x'], d => 1)");
  EXPECT_EQ(Reprint("select * from f((a = 1))"), "SELECT * FROM f((a = 1))");
  EXPECT_EQ(Reprint("select * from (values (1, 2), (3, 4)) t(a, b)"),
            "SELECT * FROM (VALUES (1, 2), (3, 4)) AS t(a, b)");
  EXPECT_EQ(Reprint("select * from values (1) as t"), "SELECT * FROM (VALUES (1)) AS t");
  EXPECT_EQ(Reprint("select * from t, lateral (select 1) u, lateral f(t.a) v"),
            "SELECT * FROM t, LATERAL (SELECT 1) AS u, LATERAL f(t.a) AS v");
  EXPECT_EQ(Reprint("select * from unnest([1]) with ordinality as u(a, i)"),
            "SELECT * FROM unnest([1]) WITH ORDINALITY AS u(a, i)");
  EXPECT_EQ(Reprint("select * from ((select 1) union select 2) t"),
            "SELECT * FROM (SELECT 1 UNION SELECT 2) AS t");
  EXPECT_EQ(Reprint("select * from ((select 1) a cross join b)"),
            "SELECT * FROM (SELECT 1) AS a CROSS JOIN b");
}

TEST(ParseQuery, Joins) {
  EXPECT_EQ(Reprint("select * from a inner join b on a.x = b.x left outer join c using (x, y)"),
            "SELECT * FROM a JOIN b ON a.x = b.x LEFT JOIN c USING (x, y)");
  EXPECT_EQ(Reprint("select * from a natural right join b full join c on true cross join d"),
            "SELECT * FROM a NATURAL RIGHT JOIN b FULL JOIN c ON TRUE CROSS JOIN d");
  EXPECT_EQ(Reprint("select * from a semi join b using (x) left anti join c using (x)"),
            "SELECT * FROM a SEMI JOIN b USING (x) ANTI JOIN c USING (x)");
  EXPECT_EQ(Reprint("select * from (a join b using (x)) join (c join d using (y)) using (z)"),
            "SELECT * FROM a JOIN b USING (x) JOIN (c JOIN d USING (y)) USING (z)");
  EXPECT_EQ(Reprint("select * from (a cross join b) as c"), "SELECT * FROM (a CROSS JOIN b) AS c");
}

TEST(ParseQuery, Clauses) {
  EXPECT_EQ(Reprint("select a from t where b group by 1, a having c window w as (order by a), v as "
                    "(w) qualify d order by a asc, 2 desc nulls first limit 10 offset 5"),
            "SELECT a FROM t WHERE b GROUP BY 1, a HAVING c WINDOW w AS (ORDER BY a), v AS (w) "
            "QUALIFY d ORDER BY a ASC, 2 DESC NULLS FIRST LIMIT 10 OFFSET 5");
  EXPECT_EQ(Reprint("select a from t qualify d window w as ()"),
            "SELECT a FROM t WINDOW w AS () QUALIFY d");
  EXPECT_EQ(Reprint("select a from t group by all order by all desc nulls last"),
            "SELECT a FROM t GROUP BY ALL ORDER BY ALL DESC NULLS LAST");
}

TEST(ParseQuery, Limits) {
  EXPECT_EQ(Reprint("from t offset 1 rows limit 2"), "SELECT * FROM t LIMIT 2 OFFSET 1");
  EXPECT_EQ(Reprint("from t limit all"), "SELECT * FROM t");
  EXPECT_EQ(Reprint("from t offset 3 fetch first 2 rows only"), "SELECT * FROM t LIMIT 2 OFFSET 3");
  EXPECT_EQ(Reprint("from t fetch next row only"), "SELECT * FROM t LIMIT 1");
  EXPECT_EQ(Reprint("from t order by a offset 1 fetch first 2 rows with ties"),
            "SELECT * FROM t ORDER BY a OFFSET 1 FETCH FIRST 2 ROWS WITH TIES");
  EXPECT_EQ(Reprint("from t limit 1 by k"), "SELECT * FROM t LIMIT 1 BY k");
  EXPECT_EQ(Reprint("from t order by a limit 1 offset 2 by k, j limit 3 offset 4"),
            "SELECT * FROM t ORDER BY a LIMIT 1 OFFSET 2 BY k, j LIMIT 3 OFFSET 4");
}

TEST(ParseQuery, SetOperations) {
  EXPECT_EQ(Reprint("select 1 union all select 2 intersect select 3"),
            "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3");
  EXPECT_EQ(Reprint("(select 1 union select 2) intersect all select 3"),
            "(SELECT 1 UNION SELECT 2) INTERSECT ALL SELECT 3");
  EXPECT_EQ(Reprint("(select 1) except (select 2 except distinct select 3)"),
            "SELECT 1 EXCEPT (SELECT 2 EXCEPT SELECT 3)");
  EXPECT_EQ(Reprint("select 1 union all by name select 2 union by name select 3"),
            "SELECT 1 UNION ALL BY NAME SELECT 2 UNION BY NAME SELECT 3");
  EXPECT_EQ(Reprint("(select 1 limit 1) union (select 2 order by 1) limit 2"),
            "(SELECT 1 LIMIT 1) UNION (SELECT 2 ORDER BY 1) LIMIT 2");
  EXPECT_EQ(Reprint("((select 1 limit 1))"), "SELECT 1 LIMIT 1");
  EXPECT_EQ(Reprint("(select 1 limit 1) limit 2"), "(SELECT 1 LIMIT 1) LIMIT 2");
  EXPECT_EQ(Reprint("values (1), (2) union values (3)"), "VALUES (1), (2) UNION VALUES (3)");
}

TEST(ParseQuery, CommonTables) {
  EXPECT_EQ(Reprint("with a as (select 1), b(x) as materialized (from a) from b"),
            "WITH a AS (SELECT 1), b(x) AS MATERIALIZED (SELECT * FROM a) SELECT * FROM b");
  EXPECT_EQ(Reprint("with recursive a as not materialized (select 1) from a"),
            "WITH RECURSIVE a AS NOT MATERIALIZED (SELECT 1) SELECT * FROM a");
  EXPECT_EQ(Reprint("select (with a as (select 1) from a)"),
            "SELECT (WITH a AS (SELECT 1) SELECT * FROM a)");
}

TEST(ParseQuery, KeywordsAsNames) {
  EXPECT_EQ(
      Reprint("select offset, values, date, filter, first, desc as asc, a as select from row "
              "order by desc desc"),
      "SELECT offset, values, date, filter, first, desc AS asc, a AS select FROM row ORDER BY "
      "desc DESC");
  EXPECT_EQ(Reprint("select left(a, 1), a.order from window"),
            "SELECT left(a, 1), a.order FROM window");
}

TEST(ParseQuery, IdentifiersKeepSpellingAndQuotes) {
  const auto statements = ParseStatements("SELECT Ab, \"cD\" FROM t");
  ASSERT_TRUE(statements.ok());
  const auto& query = *statements->front()->As<ast::QueryStatement>().query;
  const auto& items = query.body->As<ast::SelectBody>().items;
  const ast::Identifier& plain = items[0].expr->As<ast::ColumnExpr>().path[0];
  const ast::Identifier& quoted = items[1].expr->As<ast::ColumnExpr>().path[0];
  EXPECT_EQ(plain.text, "Ab");
  EXPECT_FALSE(plain.quoted);
  EXPECT_EQ(quoted.text, "cD");
  EXPECT_TRUE(quoted.quoted);
  EXPECT_EQ(quoted.span.offset, 11);
  EXPECT_EQ(quoted.span.length, 4);
}

}  // namespace
}  // namespace keepone
