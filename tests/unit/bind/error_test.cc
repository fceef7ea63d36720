// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/bind/bind_fixture.h"

namespace keepone {
namespace {

struct Case {
  std::string sql;
  std::string error;
};

TEST(BindError, Names) {
  const Case cases[] = {
      {"SELECT DISTINCT ON (sku) sku, prise FROM items ORDER BY sku, ts DESC",
       "bind: column \"prise\" does not exist @ prise | items has a column \"price\""},
      {"SELECT items.prise FROM items",
       "bind: column items.prise does not exist @ items.prise | items has a column \"price\""},
      {"SELECT it.price FROM items",
       "bind: missing FROM-clause entry for table \"it\" @ it.price | items has the columns "
       "\"sku\", \"price\", \"ts\""},
      {"SELECT zzz FROM items",
       "bind: column \"zzz\" does not exist @ zzz | items has the columns \"sku\", \"price\", "
       "\"ts\""},
      {"SELECT \"active\" FROM t",
       "bind: column \"active\" does not exist @ \"active\" | text stands between single "
       "quotes: 'active'; t has the columns \"k\", \"ts\", \"v\", \"x\", \"b\""},
      {"SELECT x FROM itms",
       "bind: table \"itms\" does not exist @ itms | there is a table \"items\""},
      {"SELECT x FROM \"x.parquet\"",
       "bind: table \"x.parquet\" does not exist @ \"x.parquet\" | a file stands between "
       "single quotes: 'x.parquet'"},
      {"SELECT x FROM x.parquet",
       "bind: table \"x.parquet\" does not exist @ x.parquet | a file stands between single "
       "quotes: 'x.parquet'"},
      {"SELECT x FROM s.items",
       "bind: table \"s.items\" does not exist @ s.items | tables have no schema here: write "
       "only \"items\""},
      {"SELECT a FROM t WHERE k > 1",
       "bind: column \"a\" does not exist @ a | t has a column \"k\""},
      {"SELECT k AS key FROM t WHERE key > 1",
       "bind: column \"key\" does not exist @ key | WHERE is computed before the select list, "
       "where \"key\" is made; repeat the expression, or select from a subquery"},
      {"SELECT sum(x) OVER w FROM t", "bind: window \"w\" does not exist @ w"},
      {"SELECT k FROM t ORDER BY 3",
       "bind: ORDER BY position 3 is not in select list, which has 1 column @ 3"},
      {"SELECT k FROM t ORDER BY 0",
       "bind: ORDER BY position 0 is not in select list, which has 1 column @ 0"},
      {"SELECT k FROM t ORDER BY -1",
       "bind: ORDER BY position -1 is not in select list, which has 1 column @ -1"},
      {"SELECT k FROM t GROUP BY 2",
       "bind: GROUP BY position 2 is not in select list, which has 1 column @ 2"},
      {"SELECT k AS a, x AS a FROM t ORDER BY a",
       "bind: ORDER BY \"a\" is ambiguous: it could be \"a\" (column 1) or \"a\" (column 2) of "
       "the select list @ a"},
      {"SELECT DISTINCT k FROM t ORDER BY x",
       "bind: for SELECT DISTINCT, ORDER BY expressions must appear in select list @ x"},
      {"SELECT k FROM t LIMIT k",
       "bind: column \"k\" does not exist @ k | LIMIT cannot read columns"},
      {"SELECT * FROM rang(3)", "bind: table function rang does not exist @ rang"},
      {"SELECT * FROM read_parqet('a')",
       "bind: table function read_parqet does not exist @ read_parqet | there is a table "
       "function read_parquet"},
      {"SELECT * FROM read_parquet(3)",
       "bind: read_parquet: a file is a text in single quotes @ 3"},
      {"SELECT * FROM read_parquet('a', x = 1, X = 2)", "bind: option \"X\" is given twice @ X"},
      {"SELECT * FROM read_parquet()",
       "bind: read_parquet needs a file or a list of files @ read_parquet()"},
      {"SELECT * FROM 'missing.parquet'",
       "data: missing.parquet: no such file @ 'missing.parquet'"},
      {"SELECT * FROM broken",
       "bind: in view \"broken\": column \"prise\" does not exist @ broken | items has a "
       "column \"price\""},
      {"WITH r AS (SELECT nope FROM t) SELECT 1",
       "bind: column \"nope\" does not exist @ nope | t has the columns \"k\", \"ts\", \"v\", "
       "\"x\", \"b\""},
      {"WITH r(a, b) AS (SELECT 1) SELECT * FROM r",
       "bind: table \"r\" has 1 columns available but 2 columns specified @ r"},
      {"SELECT * FROM (SELECT 1) AS q(a, b)",
       "bind: table \"q\" has 1 columns available but 2 columns specified @ (SELECT 1) AS q(a, "
       "b)"},
      {"SELECT *", "bind: SELECT * with no tables specified is not valid @ *"},
      {"SELECT z.* FROM t", "bind: missing FROM-clause entry for table \"z\" @ z"},
      {"SELECT k.* FROM t", "bind: k.* needs a table or a struct, not type BIGINT @ k.*"},
      {"SELECT * EXCLUDE (zz) FROM t", "bind: column \"zz\" in EXCLUDE list does not exist @ zz"},
      {"SELECT * EXCLUDE (kk) FROM items",
       "bind: column \"kk\" in EXCLUDE list does not exist @ kk"},
      {"SELECT * EXCLUDE (sku, price, ts) FROM items",
       "bind: * is empty after EXCLUDE @ * EXCLUDE (sku, price, ts)"},
      {"SELECT * REPLACE (1 AS zz) FROM t",
       "bind: column \"zz\" in REPLACE list does not exist @ zz"},
      {"SELECT * RENAME (zz AS y) FROM t",
       "bind: column \"zz\" in RENAME list does not exist @ zz"},
      {"SELECT nofunc(k) FROM t",
       "bind: function \"nofunc\" does not exist @ nofunc(k) | the nearest function is round"},
      {"SELECT a.uper(v) FROM t", "bind: function a.uper does not exist @ a.uper"},
      {"SELECT uper(v) FROM t",
       "bind: function \"uper\" does not exist @ uper(v) | the nearest function is upper"},
      {"SELECT array_agg(DISTINCT v ORDER BY ts) FROM t",
       "bind: in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list "
       "@ array_agg(DISTINCT v ORDER BY ts)"},
      {"SELECT CAST(1 AS INTEGR)",
       "bind: type \"INTEGR\" does not exist @ INTEGR | the nearest type is INTEGER"},
      {"SELECT s.c FROM nested",
       "bind: field \"c\" does not exist in s @ c | it has a field \"a\""},
      {"SELECT s.aa FROM nested",
       "bind: field \"aa\" does not exist in s @ aa | it has a field \"a\""},
      {"SELECT k[1] FROM t",
       "bind: cannot subscript type BIGINT because it is no list, struct or map @ k[1]"},
      {"VALUES (1, 2), (3)", "bind: VALUES lists must all be the same length @ 3"},
      {"VALUES (k)", "bind: column \"k\" does not exist @ k | VALUES cannot read columns"},
      {"VALUES (1) ORDER BY col",
       "bind: column \"col\" does not exist @ col | the input has only the column \"column1\""},
      {"SELECT DISTINCT ON (zz) k FROM t",
       "bind: column \"zz\" does not exist @ zz | t has the columns \"k\", \"ts\", \"v\", "
       "\"x\", \"b\""},
      {"SELECT k FROM t LIMIT 1 BY zz",
       "bind: column \"zz\" does not exist @ zz | t has the columns \"k\", \"ts\", \"v\", "
       "\"x\", \"b\""},
      {"SELECT k FROM t AS a(k, k)",
       "bind: column reference \"k\" is ambiguous: it could be \"a.k\" (column 1) or \"a.k\" "
       "(column 2) @ k"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(ErrorOf(each.sql), each.error) << each.sql;
  }
}

TEST(BindError, Grouping) {
  const Case cases[] = {
      {"SELECT k FROM t WHERE count(*) > 1",
       "bind: aggregate functions are not allowed in WHERE @ count(*)"},
      {"SELECT k FROM t WHERE row_number() OVER () = 1",
       "bind: window functions are not allowed in WHERE @ row_number() OVER ()"},
      {"SELECT k FROM t GROUP BY count(*)",
       "bind: aggregate functions are not allowed in GROUP BY @ count(*)"},
      {"SELECT k, x FROM t GROUP BY k",
       "bind: column \"x\" must appear in the GROUP BY clause or be used in an aggregate "
       "function @ x"},
      {"SELECT * FROM t GROUP BY k",
       "bind: column \"ts\" must appear in the GROUP BY clause or be used in an aggregate "
       "function @ *"},
      {"SELECT k FROM t GROUP BY k ORDER BY x",
       "bind: column \"x\" must appear in the GROUP BY clause or be used in an aggregate "
       "function @ x"},
      {"SELECT sum(count(*)) FROM t", "bind: aggregate function calls cannot be nested @ count(*)"},
      {"SELECT sum(row_number() OVER ()) FROM t",
       "bind: aggregate function calls cannot contain window function calls @ row_number() "
       "OVER ()"},
      {"SELECT rank() OVER (ORDER BY row_number() OVER ()) FROM t",
       "bind: window function calls cannot be nested @ row_number() OVER ()"},
      {"SELECT k FROM t HAVING row_number() OVER () > 1",
       "bind: window functions are not allowed in HAVING @ row_number() OVER ()"},
      {"SELECT row_number() FROM t",
       "bind: window function row_number requires an OVER clause @ row_number"},
      {"SELECT row_number(ORDER BY ts) OVER (PARTITION BY k) FROM t",
       "bind: ORDER BY inside of row_number() is not the order of its window @ ts | write "
       "row_number() OVER (PARTITION BY .. ORDER BY ..)"},
      {"SELECT row_number(k) OVER () FROM t",
       "bind: row_number takes nothing between its parentheses @ row_number(k) OVER ()"},
      {"SELECT rank() FILTER (WHERE b) OVER (ORDER BY ts) FROM t",
       "bind: rank takes no DISTINCT, FILTER, HAVING, LIMIT or WITHIN GROUP @ rank() FILTER (WHERE "
       "b) OVER (ORDER BY ts)"},
      {"SELECT cume_dist() IGNORE NULLS OVER (ORDER BY ts) FROM t",
       "bind: cume_dist reads no values, so it takes no IGNORE or RESPECT NULLS @ cume_dist() "
       "IGNORE NULLS OVER (ORDER BY ts)"},
      {"SELECT lag() OVER (ORDER BY ts) FROM t",
       "bind: lag takes one to three arguments @ lag() OVER (ORDER BY ts) | it is lag(value [, "
       "offset [, default]])"},
      {"SELECT lag(x, k) OVER (ORDER BY ts) FROM t",
       "bind: the offset of lag must be a constant whole number @ k"},
      {"SELECT lead(x, 1, v) OVER (ORDER BY ts) FROM t",
       "bind: lead types DOUBLE and VARCHAR cannot be matched @ v"},
      {"SELECT ntile(0) OVER (ORDER BY ts) FROM t",
       "bind: the number of buckets must be at least 1 @ 0"},
      {"SELECT ntile() OVER (ORDER BY ts) FROM t",
       "bind: ntile takes one argument, the number of buckets @ ntile() OVER (ORDER BY ts)"},
      {"SELECT lag(x) FROM t", "bind: window function lag requires an OVER clause @ lag"},
      {"SELECT upper(v) OVER () FROM t",
       "bind: OVER specified, but upper is not a window function nor an aggregate function @ "
       "upper(v) OVER ()"},
      {"SELECT upper(DISTINCT v) FROM t",
       "bind: DISTINCT specified, but upper is not an aggregate function @ upper"},
      {"SELECT upper(v) FILTER (WHERE b) FROM t",
       "bind: FILTER specified, but upper is not an aggregate function @ upper"},
      {"SELECT sum(x) OVER (ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
       "unsupported: this window frame @ ROWS BETWEEN 1 PRECEDING AND CURRENT ROW | frames go from "
       "UNBOUNDED PRECEDING to CURRENT ROW or UNBOUNDED FOLLOWING"},
      {"SELECT array_agg(x) OVER (ORDER BY ts) FROM t",
       "unsupported: array_agg over a frame that ends at the current row @ array_agg(x) OVER "
       "(ORDER BY ts) | ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING covers the "
       "whole partition"},
      {"SELECT sum(x) OVER (w PARTITION BY k) FROM t WINDOW w AS (ORDER BY ts)",
       "bind: cannot override PARTITION BY clause of window \"w\" @ w"},
      {"SELECT sum(x) OVER (w ORDER BY k) FROM t WINDOW w AS (ORDER BY ts)",
       "bind: cannot override ORDER BY clause of window \"w\" @ w"},
      {"SELECT sum(*) FROM t",
       "bind: function sum takes no * @ * | the name of a table stands for its whole row"},
      {"SELECT count(DISTINCT *) FROM t", "bind: count(DISTINCT *) has no one value to count @ *"},
      {"SELECT max_by(v, ts, 0) FROM t",
       "bind: the number of rows in max_by must be at least 1 @ 0"},
      {"SELECT max_by(v, ts, 1.5) FROM t",
       "bind: no aggregate function \"max_by\" takes (VARCHAR, BIGINT, DOUBLE) @ max_by(v, ts, "
       "1.5) "
       "| it is max_by(ANY x, ANY y [, ANY z]) -> ANY; max_by(ANY x, ANY y, BIGINT n) -> ANY[]"},
      {"SELECT max_by(DISTINCT v, ts, 3) FROM t",
       "unsupported: DISTINCT in max_by with a number of rows @ max_by(DISTINCT v, ts, 3)"},
      {"SELECT nth_value(v, k) FROM t",
       "bind: the number of the row in nth_value must be a constant @ k"},
      {"SELECT nth_value(v, 0 ORDER BY ts) FROM t",
       "bind: the number of the row in nth_value must be at least 1 @ 0"},
      {"SELECT nth_value(v) FROM t",
       "bind: no aggregate function \"nth_value\" takes (VARCHAR) @ nth_value(v) | it is "
       "nth_value(ANY, BIGINT n [ORDER BY ...]) -> ANY"},
      {"SELECT sum(x LIMIT 3) FROM t",
       "bind: LIMIT stands only in array_agg(x ORDER BY .. LIMIT n) @ 3"},
      {"SELECT array_agg(x LIMIT 0) FROM t", "bind: LIMIT in array_agg must be at least 1 @ 0"},
      {"SELECT k FROM t WHERE COLUMNS(*) > 1",
       "bind: COLUMNS(..) stands only in a select list, not in WHERE @ COLUMNS(*)"},
      {"SELECT max(COLUMNS(*)) AS m FROM t",
       "bind: an alias names one column, but COLUMNS(*) stands for 5 @ m"},
      {"SELECT max_by(COLUMNS(*), COLUMNS(t.*)) FROM t",
       "bind: COLUMNS(t.*) stands beside COLUMNS(*) in one expression, but they must be the same @ "
       "COLUMNS(t.*)"},
      {"SELECT COLUMNS('k') FROM t",
       "unsupported: COLUMNS of anything but * @ COLUMNS('k') | write COLUMNS(*) or COLUMNS(* "
       "EXCLUDE (a, b))"},
      {"SELECT max(v HAVING MAX ts) FROM t",
       "bind: HAVING MAX stands only in any_value(x HAVING ..) @ max(v HAVING MAX ts)"},
      {"SELECT sum(x) RESPECT NULLS FROM t",
       "bind: RESPECT NULLS specified, but sum always ignores NULLs @ sum(x) RESPECT NULLS"},
      {"SELECT count(*) IGNORE NULLS FROM t",
       "bind: IGNORE NULLS specified, but count(*) counts rows @ count(*) IGNORE NULLS"},
      {"SELECT max_by(v) FROM t",
       "bind: no aggregate function \"max_by\" takes (VARCHAR) @ max_by(v) | it is max_by(ANY "
       "x, ANY y [, ANY z]) -> ANY; max_by(ANY x, ANY y, BIGINT n) -> ANY[]"},
      {"SELECT k FROM t ORDER BY count(*)",
       "bind: column \"k\" must appear in the GROUP BY clause or be used in an aggregate "
       "function @ k"},
      {"VALUES (1) ORDER BY count(*)",
       "bind: aggregate functions are not allowed in ORDER BY @ count(*)"},
      {"SELECT k FROM t WHERE max(ts) OVER (PARTITION BY k) = ts",
       "bind: window functions are not allowed in WHERE @ max(ts) OVER (PARTITION BY k)"},
      {"SELECT k FROM t GROUP BY ROLLUP(k)",
       "unsupported: GROUP BY ROLLUP is not supported @ ROLLUP"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(ErrorOf(each.sql), each.error) << each.sql;
  }
}

TEST(BindError, OrderAndLimit) {
  const Case cases[] = {
      {"SELECT k FROM t ORDER BY 'k'", "bind: non-integer constant in ORDER BY @ 'k'"},
      {"SELECT k FROM t LIMIT -1", "bind: LIMIT must not be negative @ -1"},
      {"SELECT k FROM t LIMIT 1.5", "bind: LIMIT must be a whole number, not of type DOUBLE @ 1.5"},
      {"SELECT k FROM t LIMIT 'a'",
       "bind: LIMIT must be a whole number, not of type VARCHAR @ 'a'"},
      {"SELECT k FROM t LIMIT 99999999999999999999",
       "bind: LIMIT is too large @ 99999999999999999999"},
      {"SELECT k FROM t OFFSET -1", "bind: OFFSET must not be negative @ -1"},
      {"SELECT k FROM t FETCH FIRST 3 ROWS WITH TIES",
       "bind: WITH TIES cannot be specified without ORDER BY clause @ 3"},
      {"SELECT array_agg(v ORDER BY ts LIMIT -3) FROM t", "bind: LIMIT must not be negative @ -3"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(ErrorOf(each.sql), each.error) << each.sql;
  }
}

TEST(BindError, Rest) {
  const Case cases[] = {
      {"SELECT * FROM UNNEST(1)", "bind: UNNEST takes lists and maps, not BIGINT @ 1"},
      {"SELECT k FROM t WHERE unnest([1]) = k",
       "bind: unnest(..) is not allowed in WHERE @ unnest([1]) | unnest the list in FROM: FROM t, "
       "UNNEST(t.list) AS element"},
      {"SELECT k, x FROM t INTERSECT SELECT k FROM t",
       "bind: each INTERSECT query must have the same number of columns; there are 2 and 1 @ "
       "SELECT k FROM t"},
      {"SELECT v FROM t EXCEPT SELECT k FROM t",
       "bind: EXCEPT types VARCHAR and BIGINT cannot be matched @ SELECT k FROM t"},
      {"SELECT k, x FROM t UNION ALL SELECT k FROM t",
       "bind: each UNION query must have the same number of columns; there are 2 and 1 @ "
       "SELECT k FROM t"},
      {"SELECT v FROM t UNION ALL SELECT k FROM t",
       "bind: UNION types VARCHAR and BIGINT cannot be matched @ SELECT k FROM t"},
      {"SELECT k, k FROM t UNION ALL BY NAME SELECT k FROM t",
       "bind: UNION BY NAME over a query with two columns \"k\" @ SELECT k, k FROM t UNION ALL "
       "BY NAME SELECT k FROM t"},
      {"WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r", "unsupported: WITH RECURSIVE @ r"},
      {"WITH r AS (SELECT random() AS x) SELECT * FROM r UNION ALL SELECT * FROM r",
       "unsupported: a second use of \"r\", whose rows are not the same each time @ r | CREATE "
       "TABLE .. AS keeps the rows"},
      {"WITH r AS (SELECT 1), R AS (SELECT 2) SELECT * FROM r",
       "bind: WITH query name \"R\" specified more than once @ R"},
      {"SELECT upper(*) FROM t",
       "bind: * is only allowed as a whole column of SELECT and in count(*) @ *"},
      {"SELECT k = ANY (SELECT 1) FROM t",
       "unsupported: a subquery in ANY (..) @ k = ANY (SELECT 1)"},
      {"SELECT k IN (SELECT 1) FROM t",
       "unsupported: IN with a subquery in this place @ k IN (SELECT 1) | it can be a condition of "
       "WHERE, alone or joined to others by AND"},
      {"SELECT EXISTS (SELECT 1) FROM t",
       "unsupported: EXISTS with a subquery in this place @ EXISTS (SELECT 1) | it can be a "
       "condition "
       "of WHERE, alone or joined to others by AND"},
      {"SELECT (SELECT 1) FROM t",
       "unsupported: a subquery as a value @ (SELECT 1) | a subquery can stand in FROM"},
      {"SELECT $1", "unsupported: parameters @ $1 | write the value into the statement"},
      {"SELECT k FROM t WHERE k",
       "bind: argument of WHERE must be type boolean, not type BIGINT @ k"},
      {"SELECT k FROM t WHERE v AND b",
       "bind: argument of AND must be type boolean, not type VARCHAR @ v"},
      {"SELECT k FROM t WHERE k > 'abc'", "bind: cannot cast \"abc\" to BIGINT @ 'abc'"},
      {"SELECT ts > 'abc' FROM items", "bind: cannot cast \"abc\" to TIMESTAMP @ 'abc'"},
      {"SELECT ts = 5 FROM items",
       "bind: \"=\" cannot take TIMESTAMP and BIGINT @ ts = 5 | cast one side: CAST(x AS TYPE) "
       "or x::TYPE"},
      {"SELECT k + b FROM t",
       "bind: \"+\" cannot take BIGINT and BOOLEAN @ k + b | cast one side: CAST(x AS TYPE) or "
       "x::TYPE"},
      {"SELECT upper(x := v) FROM t", "bind: function upper has no named arguments @ x"},
      {"SELECT DATE '2020-13-01'", "bind: cannot cast \"2020-13-01\" to DATE @ '2020-13-01'"},
      {"SELECT TIMESTAMP 'yesterday'",
       "bind: cannot cast \"yesterday\" to TIMESTAMP @ 'yesterday'"},
      {"SELECT INTERVAL 'a lot'", "bind: cannot cast \"a lot\" to INTERVAL @ 'a lot'"},
      {"SELECT CAST('a' AS INTEGER)", "bind: cannot cast \"a\" to INTEGER @ 'a'"},
      {"SELECT CAST(1 AS DECIMAL(99, 1))",
       "bind: DECIMAL takes (precision, scale) with precision from 1 to 76 and scale from 0 to "
       "precision @ DECIMAL(99, 1)"},
      {"SELECT CAST(b AS DATE) FROM t", "bind: cannot cast type BOOLEAN to DATE @ CAST(b AS DATE)"},
      {"SELECT 1e999", "bind: \"1e999\" is out of range for type double precision @ 1e999"},
      {"SELECT "
       "123456789012345678901234567890123456789012345678901234567890123456789012345678901"
       "234567890",
       "bind: number "
       "123456789012345678901234567890123456789012345678901234567890123456789012345678901"
       "234567890 has too many digits @ "
       "123456789012345678901234567890123456789012345678901234567890123456789012345678901"
       "234567890"},
      {"SELECT k.a FROM t", "bind: k has no field \"a\": it is of type BIGINT @ a"},
      {"SELECT s[1] FROM nested",
       "bind: a field of STRUCT(a BIGINT, b VARCHAR) is named by a text in single quotes @ 1"},
      {"SELECT CASE WHEN b THEN 1 ELSE v END FROM t",
       "bind: CASE types BIGINT and VARCHAR cannot be matched @ v"},
      {"SELECT CASE WHEN k THEN 1 END FROM t",
       "bind: argument of CASE/WHEN must be type boolean, not type BIGINT @ k"},
      {"SELECT k IN (1, b) FROM t", "bind: IN types BIGINT and BOOLEAN cannot be matched @ b"},
      {"SELECT random() AS r FROM t QUALIFY r > 0.5",
       "unsupported: use of \"r\" in QUALIFY: it gives another value each time it is computed "
       "@ r | compute it in a subquery and use its column"},
      {"SELECT [1, 'a', v] FROM t", "bind: ARRAY types BIGINT and VARCHAR cannot be matched @ v"},
      {"SELECT {'a': 1, 'A': 2}", "bind: field name \"A\" used more than once @ 'A'"},
      {"SELECT MAP {'a': 1}",
       "unsupported: MAP {..} as a value @ MAP {'a': 1} | a STRUCT is written {'key': value}"},
      {"SELECT x -> 'a' FROM t", "unsupported: the operator -> @ x -> 'a'"},
      {"VALUES (1), (TRUE)", "bind: VALUES types BIGINT and BOOLEAN cannot be matched @ TRUE"},
      {"SELECT NOT k FROM t", "bind: argument of NOT must be type boolean, not type BIGINT @ k"},
      {"SELECT -v FROM t", "bind: \"-\" cannot take VARCHAR @ -v"},
      {"SELECT x::STRUCT(a INT, A INT) FROM t", "bind: field name \"A\" used more than once @ A"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(ErrorOf(each.sql), each.error) << each.sql;
  }
}

}  // namespace
}  // namespace keepone
