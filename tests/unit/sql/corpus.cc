// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sql/corpus.h"

namespace keepone {

const std::vector<std::string_view>& SqlCorpus() {
  static const std::vector<std::string_view> kCorpus = {
      "SELECT DISTINCT ON (k) * FROM t ORDER BY k, ts DESC",
      "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM t) "
      "WHERE rn = 1",
      "SELECT * FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts DESC) = 1",
      "SELECT k, first_value(a ORDER BY ts DESC), first_value(b ORDER BY ts DESC) FROM t GROUP BY "
      "k",
      "SELECT k, max_by(t, ts) FROM t GROUP BY k",
      "SELECT k, (array_agg(a ORDER BY ts DESC))[1] FROM t GROUP BY k",
      "SELECT * FROM t ORDER BY ts DESC LIMIT 1 BY k",
      "SELECT * FROM t QUALIFY ts = max(ts) OVER (PARTITION BY k)",
      "SELECT * FROM (SELECT *, rank() OVER w AS r FROM t WINDOW w AS (PARTITION BY k ORDER BY "
      "ts)) "
      "WHERE r = 1 AND NOT r > 1 AND r IN (1) AND r BETWEEN 1 AND 1 AND r + 1 = 2",
      "SELECT ANY_VALUE(x HAVING MAX y), any_value(x HAVING MIN y) FROM t",
      "SELECT last_value(a IGNORE NULLS ORDER BY b NULLS FIRST, c DESC NULLS LAST) "
      "FILTER (WHERE a > 0) FROM t",
      "SELECT first_value(a) IGNORE NULLS OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE "
      "TIES), lag(a) RESPECT NULLS OVER w FROM t WINDOW w AS (ORDER BY b), v AS (w)",
      "SELECT sum(x) OVER (ORDER BY y RANGE BETWEEN INTERVAL '1 day' PRECEDING AND UNBOUNDED "
      "FOLLOWING), sum(x) OVER (GROUPS UNBOUNDED PRECEDING EXCLUDE NO OTHERS), sum(x) OVER ()",
      "SELECT count(*), count(DISTINCT a), count(t.*), array_agg(a ORDER BY b LIMIT 3), "
      "percentile_cont(0.5) WITHIN GROUP (ORDER BY x DESC) FROM t GROUP BY ALL HAVING count(*) > 1",
      "SELECT * EXCLUDE (a, t.b), t.* EXCLUDE c, * REPLACE (a + 1 AS a, b AS b), * RENAME (a AS "
      "x), "
      "s.t.* EXCEPT (a) FROM t",
      "FROM t",
      "FROM 'a.parquet' SELECT a, b AS \"B b\", c 'see' WHERE a > 1",
      "SELECT * FROM ['a.parquet', 'b/*.parquet'] AS f(a, b), read_csv('x.csv', header = true, "
      "names => ['a', 'b'], delim := ';') c",
      "SELECT * FROM a JOIN b ON a.x = b.x LEFT OUTER JOIN c USING (x, y) CROSS JOIN d NATURAL "
      "FULL "
      "JOIN e RIGHT JOIN f ON TRUE SEMI JOIN g USING (x) LEFT ANTI JOIN h USING (x) INNER JOIN "
      "(i JOIN j USING (k)) USING (k), (k CROSS JOIN l) AS kl",
      "SELECT * FROM t, LATERAL (SELECT t.a + 1) AS u(b), LATERAL unnest(t.l) v, UNNEST([1, 2]) "
      "WITH "
      "ORDINALITY AS w(x, i), generate_series(1, 10)",
      "VALUES (1, 'a'), (2, NULL) ORDER BY 1 DESC LIMIT 1 OFFSET 1",
      "SELECT * FROM VALUES (1), (2) AS t(a)",
      "SELECT * FROM (VALUES (1), (2)) t(a)",
      "TABLE t",
      "WITH a(x, y) AS (SELECT 1, 2), b AS NOT MATERIALIZED (TABLE a), c AS MATERIALIZED (FROM b) "
      "SELECT * FROM c",
      "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 10) FROM r",
      "SELECT 1 UNION SELECT 2 UNION ALL SELECT 3 INTERSECT SELECT 4 EXCEPT ALL SELECT 5",
      "(SELECT 1 ORDER BY 1 LIMIT 1) UNION ALL BY NAME (SELECT 2 UNION SELECT 3) ORDER BY ALL DESC "
      "NULLS LAST",
      "((SELECT 1) UNION (SELECT 2)) INTERSECT (SELECT 3 EXCEPT (SELECT 4 EXCEPT SELECT 5))",
      "SELECT a FROM t ORDER BY 1 OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY",
      "SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES",
      "SELECT a FROM t LIMIT ALL OFFSET 3",
      "SELECT a FROM t ORDER BY b LIMIT 2 OFFSET 1 BY k, lower(j) LIMIT 10 OFFSET 20",
      "SELECT a FROM t GROUP BY 1, b + 1, (c) HAVING max(d) IS NOT NULL",
      "SELECT -1, +2, - -3, ~4, NOT a, NOT NOT b, 1 - -1, -(-x), 2 ^ 3 ^ 4, -2 ^ 2, (1 + 2) * 3, "
      "1 - (2 - 3), 10 // 3 % 2, a || b || 'c', a & b | c << 2 >> 1",
      "SELECT a = b, a == b, a <> b, a != b, a < b, a <= b, a > b, a >= b, (a = b) = c, a = (b = "
      "c)",
      "SELECT a OR b AND NOT c OR (d OR e) AND (f AND g)",
      "SELECT a IS NULL, a IS NOT NULL, a IS TRUE, a IS NOT FALSE, a IS UNKNOWN, a ISNULL, a "
      "NOTNULL, "
      "a IS DISTINCT FROM b, a IS NOT DISTINCT FROM NULL",
      "SELECT a BETWEEN 1 AND 2 AND b NOT BETWEEN SYMMETRIC 3 AND 4, a IN (1, 2), a NOT IN (SELECT "
      "1), "
      "(a, b) IN ((1, 2), (3, 4)), a IN ((SELECT 1))",
      "SELECT a LIKE 'x%', a NOT ILIKE 'y_' ESCAPE '!', a SIMILAR TO 'z', a ~ 'r', a !~* 'r', a "
      "GLOB "
      "'*', a ~~ 'b' OR a !~~* 'c'",
      "SELECT a = ANY (SELECT 1), a <> ALL ([1, 2]), a > SOME (b)",
      "SELECT CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END, CASE a WHEN 1 THEN 'x' END",
      "SELECT CAST(a AS INTEGER), TRY_CAST(a AS DECIMAL(10, 2)), a::VARCHAR(20)::TEXT, "
      "-1::DOUBLE PRECISION, a::TIMESTAMP(3) WITH TIME ZONE, a::TIME WITHOUT TIME ZONE, "
      "a::INT[][3], a::STRUCT(a INT, \"b c\" VARCHAR[]), a::MAP(VARCHAR, LIST(INT)), a::ROW(x "
      "INT), "
      "a::CHARACTER VARYING(5), a::INT ARRAY, a::\"my type\"",
      "SELECT NULL, TRUE, false, 0, 123456789012345678901234567890, 1.5, .5, 5., 1e10, 1.5E-3, "
      "1_000_000, 'it''s', '', E'a\\n\\'\\u00e9\\x41', X'00fF', $$a 'b' $$, $x$ $$ $x$",
      "SELECT DATE '2024-01-01', TIME '12:00', TIMESTAMP '2024-01-01 12:00:00', TIMESTAMPTZ "
      "'2024-01-01 12:00:00+02', TIMESTAMP WITH TIME ZONE '2024-01-01 12:00:00+02', "
      "INTERVAL '1 day', INTERVAL 1 DAY, INTERVAL '1' MONTHS, INTERVAL -3 hours, INTERVAL (a + 1) "
      "YEAR, "
      "INTERVAL a WEEK",
      "SELECT [], [1, a], ARRAY[1, 2], {'a': 1, b: [2], \"c d\": {'e': NULL}}, MAP {}, MAP {'a': "
      "1, b: "
      "2}, ROW(), ROW(1), ROW(1, 2), (1, 2)",
      "SELECT a, t.a, s.t.a, a.b.c.d, \"A\".\"b\"\"c\", (a).b, (a.b).c.d, a[1], a[1].b, a['k'], "
      "a[1:2], "
      "a[:], a[1:], a[:2], a[1:2:3], a[1:-:-1], a[-1], f(x).y, (f(x) OVER w)[1], (SELECT 1).a",
      "SELECT EXTRACT(year FROM d), EXTRACT('dow' FROM d), SUBSTRING(s FROM 2 FOR 3), SUBSTRING(s "
      "FROM 2), "
      "SUBSTRING(s FOR 2), substring(s, 1), POSITION('a' IN s), POSITION(a, b), TRIM(s), TRIM(s, "
      "'x'), "
      "TRIM(LEADING 'x' FROM s), TRIM(TRAILING FROM s), TRIM(BOTH 'y' FROM s), TRIM('z' FROM s), "
      "d AT TIME ZONE 'UTC' AT TIME ZONE z",
      "SELECT EXISTS (SELECT 1), NOT EXISTS (FROM t), (SELECT max(a) FROM t), ((SELECT 1) + 1), "
      "((SELECT 1)), ((SELECT 1) UNION (SELECT 2))",
      "SELECT list_transform(l, x -> x + 1), list_reduce(l, (x, y) -> x = y), f(lambda x, y: x || "
      "y), "
      "f(j -> 'a'), f((j -> k)), j -> 'a' ->> 'b', f(j -> 0 = 1)",
      "SELECT f(a := 1, b => 2), f(), s.f(x), f(DISTINCT a), f(ALL a), left(a, 1), right(a, 2), "
      "current_date, CURRENT_TIMESTAMP, coalesce(a, b), row_number(ORDER BY a) OVER ()",
      "SELECT a FROM t WHERE b = ? AND c = $1 AND d = $name",
      "SELECT offset, values, date, interval, first, filter, over, desc, left, \"select\", "
      "\"order\" "
      "FROM window AS row WHERE replace = exclude ORDER BY asc ASC, desc DESC",
      "SELECT a AS select, b AS \"from\", c year, d.order, e.select.from FROM t AS \"T\"",
      "SELECT größe, naïve_名前 FROM 日本 -- a comment\n WHERE /* nested /* comment */ */ größe > "
      "1",
      "CREATE TABLE t AS SELECT 1 AS a",
      "CREATE OR REPLACE TEMP TABLE IF NOT EXISTS s.t (a, b) AS VALUES (1, 2), (3, 4)",
      "CREATE TABLE t (a INT NOT NULL, b VARCHAR NULL, \"c\" STRUCT(x INT)[])",
      "CREATE TEMPORARY VIEW IF NOT EXISTS v (a, b) AS FROM t SELECT a, b",
      "CREATE OR REPLACE VIEW v AS (SELECT 1) UNION (SELECT 2)",
      "DROP TABLE IF EXISTS a, s.b",
      "DROP VIEW v",
      "INSERT INTO t (a, b) VALUES (1, 2)",
      "INSERT INTO s.t (SELECT 1)",
      "INSERT INTO t FROM u",
      "COPY (SELECT * FROM t) TO 'out.parquet' (FORMAT parquet, COMPRESSION 'zstd', ROW_GROUP_SIZE "
      "100000, OVERWRITE, PARTITION_BY (a, b), LEVEL -1, HEADER TRUE)",
      "COPY t TO 'out.csv' WITH (FORMAT csv, DELIMITER = ';')",
      "COPY 'a.parquet' TO 'b.parquet'",
      "DESCRIBE SELECT 1",
      "DESCRIBE t",
      "DESC 'a.parquet'",
      "DESCRIBE read_parquet('a.parquet')",
      "SHOW TABLES",
      "SHOW ALL",
      "SHOW threads",
      "SET memory_limit = '1GB'",
      "SET threads TO 4",
      "SET default_null_order = nulls_last",
      "SET x = on",
      "SET x = (a, 'b', -1.5)",
      "SET x TO DEFAULT",
      "RESET threads",
      "EXPLAIN SELECT 1",
      "EXPLAIN ANALYZE FROM t",
      "EXPLAIN (FORMAT JSON, ANALYZE) SELECT 1",
      "EXPLAIN (ANALYZE TRUE, FORMAT TEXT) CREATE TABLE t AS SELECT 1",
      "EXPLAIN (SELECT 1) UNION (SELECT 2)",
      "EXPLAIN COPY t TO 'x'",
  };
  return kCorpus;
}

}  // namespace keepone
