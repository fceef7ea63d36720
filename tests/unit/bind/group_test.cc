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

TEST(BindGroup, GroupsAndAggregates) {
  const Case cases[] = {
      {"SELECT upper(v) AS u, count(*) AS n, sum(x + 1) FILTER (WHERE b) FROM t GROUP BY u "
       "HAVING n > 1 ORDER BY n DESC, u",
       "Sort: n DESC NULLS LAST, u ASC NULLS LAST\n"
       "  Filter: n > 1\n"
       "    Aggregate: group [u], count(*) AS n, sum(x + 1) FILTER (WHERE b)\n"
       "      Project: k, ts, v, x, b, upper(v) AS u, x + 1.0\n"
       "        Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, count(*) FROM t GROUP BY ALL ORDER BY ALL DESC",
       "Sort: k DESC NULLS LAST, count(*) DESC NULLS LAST\n"
       "  Aggregate: group [k], count(*)\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k + 1, count(DISTINCT v) FROM t GROUP BY 1 ORDER BY max(ts)",
       "Project: k + 1, count(DISTINCT v)\n"
       "  Sort: max(ts) ASC NULLS LAST\n"
       "    Project: k + 1, count(DISTINCT v), max(ts)\n"
       "      Aggregate: group [k + 1], count(DISTINCT v), max(ts)\n"
       "        Project: k, ts, v, x, b, k + 1\n"
       "          Scan: t [k, ts, v, x, b]\n"},
      {"SELECT count(*) FROM t",
       "Aggregate: group [], count(*)\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, last_value(v ORDER BY ts), min_by(v, x), any_value(v), any_value(v HAVING "
       "MAX ts), first_value(v IGNORE NULLS) FROM t GROUP BY k",
       "Aggregate: group [k], last_value(v ORDER BY ts), min_by(v, x), any_value(v), "
       "any_value(v HAVING MAX ts), first_value(v) IGNORE NULLS\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT 1 FROM t HAVING TRUE",
       "Project: 1\n"
       "  Filter: TRUE\n"
       "    Aggregate: group []\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT max_by(v, ts ORDER BY x) FROM t",
       "Aggregate: group [], max_by(v, ts ORDER BY x)\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT count(*), k AS n FROM t GROUP BY k ORDER BY 2, 1 DESC",
       "Sort: n ASC NULLS LAST, count(*) DESC NULLS LAST\n"
       "  Project: count(*), k AS n\n"
       "    Aggregate: group [k], count(*)\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, random() AS r FROM t GROUP BY k, r",
       "Aggregate: group [k, r]\n"
       "  Project: k, ts, v, x, b, random() AS r\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, max(ts) AS ts FROM t GROUP BY k ORDER BY ts",
       "Sort: ts ASC NULLS LAST\n"
       "  Aggregate: group [k], max(ts) AS ts\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT upper(v) AS u FROM t GROUP BY u HAVING u > 'a'",
       "Filter: u > 'a'\n"
       "  Aggregate: group [u]\n"
       "    Project: k, ts, v, x, b, upper(v) AS u\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT max(x), max(x) + 1, MAX(x) FROM t",
       "Project: max(x), max(x) + 1.0 AS max(x) + 1, max(x) AS MAX(x)\n"
       "  Aggregate: group [], max(x)\n"
       "    Scan: t [k, ts, v, x, b]\n"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(PlanOf(each.sql), each.plan) << each.sql;
  }
}

TEST(BindGroup, Windows) {
  const Case cases[] = {
      {"SELECT *, row_number() OVER (PARTITION BY k ORDER BY ts DESC) AS rn FROM t",
       "Window: rn = row_number() OVER (PARTITION BY k ORDER BY ts DESC NULLS LAST)\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, rank() OVER w AS r, max(x) OVER (PARTITION BY k) FROM t WINDOW w AS "
       "(PARTITION BY k ORDER BY ts) QUALIFY r = 1",
       "Project: k, r, max(x) OVER (PARTITION BY k)\n"
       "  Filter: r = 1\n"
       "    Window: max(x) OVER (PARTITION BY k) = max(x) OVER (PARTITION BY k)\n"
       "      Window: r = rank() OVER (PARTITION BY k ORDER BY ts ASC NULLS LAST)\n"
       "        Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, first_value(v) OVER (PARTITION BY k ORDER BY ts) AS f, last_value(v) OVER "
       "(PARTITION BY k ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) "
       "AS l, sum(x) OVER (PARTITION BY k ORDER BY ts) AS running FROM t",
       "Project: k, f, l, running\n"
       "  Window: running = sum(x) OVER (PARTITION BY k ORDER BY ts ASC NULLS LAST)\n"
       "    Window: f = first_value(v) OVER (PARTITION BY k), l = last_value(v) OVER "
       "(PARTITION BY k)\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, sum(x), rank() OVER (ORDER BY sum(x) DESC) AS r FROM t GROUP BY k QUALIFY r "
       "<= 2",
       "Filter: r <= 2\n"
       "  Window: r = rank() OVER (ORDER BY sum(x) DESC NULLS LAST)\n"
       "    Aggregate: group [k], sum(x)\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT DISTINCT ON (k) k, count(*) OVER (PARTITION BY k) AS n FROM t ORDER BY k, n",
       "Sort: k ASC NULLS LAST, n ASC NULLS LAST\n"
       "  KeepRows: group [k], order [n ASC NULLS LAST], first 1 (DISTINCT ON), gives [k, n]\n"
       "    Project: k, n\n"
       "      Window: n = count(*) OVER (PARTITION BY k)\n"
       "        Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k FROM t ORDER BY row_number() OVER (ORDER BY ts)",
       "Project: k\n"
       "  Sort: row_number() ASC NULLS LAST\n"
       "    Project: k, ts, v, x, b, row_number()\n"
       "      Window: row_number() = row_number() OVER (ORDER BY ts ASC NULLS LAST)\n"
       "        Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, first_value(v) OVER w, first_value(x) OVER w FROM t WINDOW base AS "
       "(PARTITION BY k), w AS (base ORDER BY ts)",
       "Project: k, first_value(v) OVER w, first_value(x) OVER w\n"
       "  Window: first_value(v) OVER w = first_value(v) OVER (PARTITION BY k), first_value(x) "
       "OVER w = first_value(x) OVER (PARTITION BY k)\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT row_number() OVER (ORDER BY 1) AS a, rank() OVER (PARTITION BY 1, k ORDER BY "
       "NULL) AS b FROM t",
       "Project: a, b\n"
       "  Window: b = rank() OVER (PARTITION BY k)\n"
       "    Window: a = row_number() OVER ()\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT count(*) FILTER (WHERE x > 1) OVER (PARTITION BY k) FROM t",
       "Project: count(*) FILTER (WHERE x > 1) OVER (PARTITION BY k)\n"
       "  Window: count(*) FILTER (WHERE x > 1) OVER (PARTITION BY k) = count(*) FILTER (WHERE "
       "x > 1) OVER (PARTITION BY k)\n"
       "    Project: k, ts, v, x, b, x > 1.0\n"
       "      Scan: t [k, ts, v, x, b]\n"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(PlanOf(each.sql), each.plan) << each.sql;
  }
}

}  // namespace
}  // namespace keepone
