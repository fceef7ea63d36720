// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/bind/bind_fixture.h"

namespace keepone {
namespace {

struct Case {
  std::string sql;
  std::string plan;
};

TEST(BindSelect, Expressions) {
  const Case cases[] = {
      {"SELECT 1",
       "Project: 1\n"
       "  Values: 1 row\n"},
      {"SELECT 1 + 1 AS two, 'x', NULL, 12345678901234567890, 1.5, -9223372036854775808, 1e3",
       "Project: 1 + 1 AS two, 'x', NULL, 12345678901234567890, 1.5, -9223372036854775808, "
       "1000.0 AS 1e3\n"
       "  Values: 1 row\n"},
      {"FROM t", "Scan: t [k, ts, v, x, b]\n"},
      {"SELECT t.* EXCLUDE (v, x) REPLACE (k + 1 AS k) RENAME (ts AS time) FROM t",
       "Project: k + 1 AS k, ts AS time, b\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT s.a, (s).b, l[1], nested.s.b, s['a'] FROM nested WHERE id = 3 AND s.a BETWEEN 1 "
       "AND 2 AND id IN (1, 2)",
       "Project: s.a AS a, s.b AS b, l[1], s.b AS b, s.a AS s['a']\n"
       "  Filter: id = 3 AND (s.a >= 1 AND s.a <= 2) AND id IN (1, 2)\n"
       "    Scan: nested [id, s, l]\n"},
      {"SELECT s.* FROM nested",
       "Project: s.a AS a, s.b AS b\n"
       "  Scan: nested [id, s, l]\n"},
      {"SELECT nested FROM nested",
       "Project: struct_pack(id, s, l) AS nested\n"
       "  Scan: nested [id, s, l]\n"},
      {"SELECT CASE WHEN k > 1 THEN 'big' ELSE v END, CASE k WHEN 1 THEN 1 END, COALESCE(x, "
       "0), NULLIF(v, ''), v LIKE 'a%', v IS NULL, b IS NOT TRUE, NOT b FROM t",
       "Project: CASE WHEN k > 1 THEN 'big' ELSE v END, CASE WHEN k = 1 THEN 1 ELSE NULL END "
       "AS CASE k WHEN 1 THEN 1 END, CASE WHEN x IS NOT NULL THEN x ELSE 0.0 END AS "
       "COALESCE(x, 0), CASE WHEN v = '' THEN NULL ELSE v END AS NULLIF(v, ''), v LIKE 'a%', v "
       "IS NULL, b IS DISTINCT FROM TRUE AS b IS NOT TRUE, NOT b\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT ts > '2020-01-01', ts - INTERVAL '1 day', ts + INTERVAL 2 HOUR, DATE "
       "'2020-02-03', TIMESTAMP '2020-01-01 10:00:00' FROM items",
       "Project: ts > TIMESTAMP '2020-01-01 00:00:00.000000' AS ts > '2020-01-01', ts - "
       "0M1d0ns AS ts - INTERVAL '1 day', ts + 0M0d7200000000000ns AS ts + INTERVAL 2 HOUR, "
       "DATE '2020-02-03', TIMESTAMP '2020-01-01 10:00:00.000000' AS TIMESTAMP '2020-01-01 "
       "10:00:00'\n"
       "  Scan: items [sku, price, ts]\n"},
      {"SELECT CAST(k AS VARCHAR), k::DOUBLE, TRY_CAST(v AS INTEGER), '5'::INT, [1, 2, 3], "
       "{'a': 1, 'b': v} FROM t",
       "Project: CAST(k AS VARCHAR), CAST(k AS DOUBLE), TRY_CAST(v AS INTEGER), 5 AS CAST('5' "
       "AS INT), list_value(1, 2, 3) AS [1, 2, 3], struct_pack(1, v) AS {'a': 1, 'b': v}\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k FROM t WHERE b AND x > 1 AND ts = 3 OR v = 'x'",
       "Project: k\n"
       "  Filter: b AND x > 1.0 AND ts = 3 OR v = 'x'\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k FROM t WHERE random() BETWEEN 0.1 AND 0.5",
       "Project: k\n"
       "  Filter: between(random(), 0.1, 0.5)\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT id = 300, id = 3000000000, id > 1.5 FROM nested",
       "Project: id = 300, CAST(id AS BIGINT) = 3000000000 AS id = 3000000000, CAST(id AS "
       "DOUBLE) > 1.5 AS id > 1.5\n"
       "  Scan: nested [id, s, l]\n"},
      {"SELECT ts >= TIMESTAMP '2020-01-01', ts = DATE '2020-01-01' FROM items",
       "Project: ts >= TIMESTAMP '2020-01-01 00:00:00.000000' AS ts >= TIMESTAMP '2020-01-01', "
       "ts = TIMESTAMP '2020-01-01 00:00:00.000000' AS ts = DATE '2020-01-01'\n"
       "  Scan: items [sku, price, ts]\n"},
      {"SELECT * FROM t WHERE k NOT IN (1, 2) AND v NOT LIKE 'x%' AND k NOT BETWEEN 1 AND 2",
       "Filter: NOT k IN (1, 2) AND NOT v LIKE 'x%' AND NOT (k >= 1 AND k <= 2)\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k IN (1, ts) FROM t",
       "Project: k = 1 OR k = ts AS k IN (1, ts)\n"
       "  Scan: t [k, ts, v, x, b]\n"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(PlanOf(each.sql), each.plan) << each.sql;
  }
}

TEST(BindSelect, OrderAndLimit) {
  const Case cases[] = {
      {"SELECT v FROM t ORDER BY lower(v), x DESC NULLS FIRST, random()",
       "Project: v\n"
       "  Sort: lower(v) ASC NULLS LAST, x DESC NULLS FIRST, random() ASC NULLS LAST\n"
       "    Project: v, k, ts, x, b, lower(v), random()\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k AS key, x FROM t ORDER BY key LIMIT 2 + 3",
       "Limit: 5\n"
       "  Sort: key ASC NULLS LAST\n"
       "    Project: k AS key, x\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT t.k FROM t AS t ORDER BY t.k FETCH FIRST 3 ROWS WITH TIES",
       "Sort: k ASC NULLS LAST\n"
       "  KeepRows: group [], order [k ASC NULLS LAST], rank up to 3 (WITH TIES), gives [k]\n"
       "    Project: k\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT random() AS r, k FROM t ORDER BY r",
       "Sort: r ASC NULLS LAST\n"
       "  Project: random() AS r, k\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT -k AS k FROM t ORDER BY k",
       "Sort: k ASC NULLS LAST\n"
       "  Project: -k AS k\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT v, x FROM t ORDER BY x + 1, upper(v)",
       "Project: v, x\n"
       "  Sort: x + 1.0 ASC NULLS LAST, upper(v) ASC NULLS LAST\n"
       "    Project: v, x, x + 1.0, upper(v)\n"
       "      Project: v, x\n"
       "        Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k FROM t LIMIT ALL OFFSET 2",
       "Limit: all, after 2\n"
       "  Project: k\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"(SELECT k FROM t ORDER BY ts LIMIT 2) ORDER BY k",
       "Sort: k ASC NULLS LAST\n"
       "  Project: k\n"
       "    Limit: 2\n"
       "      Sort: ts ASC NULLS LAST\n"
       "        Project: k, ts, v, x, b\n"
       "          Scan: t [k, ts, v, x, b]\n"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(PlanOf(each.sql), each.plan) << each.sql;
  }
}

}  // namespace
}  // namespace keepone
