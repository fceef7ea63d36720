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

TEST(OneRowPerGroup, Spellings) {
  const Case cases[] = {
      {"SELECT * FROM t", "Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, x AS y FROM t WHERE b",
       "Project: k, x AS y\n"
       "  Filter: b\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT DISTINCT ON (k) * FROM t ORDER BY k, ts DESC",
       "Sort: k ASC NULLS LAST, ts DESC NULLS LAST\n"
       "  KeepRows: group [k], order [ts DESC NULLS LAST], first 1 (DISTINCT ON), gives [k, "
       "ts, v, x, b]\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY ts DESC) AS rn "
       "FROM t) WHERE rn = 1",
       "Filter: rn = 1\n"
       "  Window: rn = row_number() OVER (PARTITION BY k ORDER BY ts DESC NULLS LAST)\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT * FROM t QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts DESC) = 1",
       "Project: k, ts, v, x, b\n"
       "  Filter: row_number() = 1\n"
       "    Window: row_number() = row_number() OVER (PARTITION BY k ORDER BY ts DESC NULLS "
       "LAST)\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, first_value(v ORDER BY ts DESC), first_value(x ORDER BY ts DESC) FROM t "
       "GROUP BY k",
       "Aggregate: group [k], first_value(v ORDER BY ts DESC), first_value(x ORDER BY ts DESC)\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, max_by(t, ts) FROM t GROUP BY k",
       "Aggregate: group [k], max_by(t, ts)\n"
       "  Project: k, ts, v, x, b, struct_pack(k, ts, v, x, b)\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, (array_agg(v ORDER BY ts DESC))[1] FROM t GROUP BY k",
       "Project: k, array_agg(v ORDER BY ts DESC)[1]\n"
       "  Aggregate: group [k], array_agg(v ORDER BY ts DESC)\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT * FROM t ORDER BY ts DESC LIMIT 1 BY k",
       "Sort: ts DESC NULLS LAST\n"
       "  KeepRows: group [k], order [ts DESC NULLS LAST], first 1 (LIMIT 1 BY), gives [k, ts, "
       "v, x, b]\n"
       "    Scan: t [k, ts, v, x, b]\n"},
      {"SELECT * FROM t QUALIFY ts = max(ts) OVER (PARTITION BY k)",
       "Project: k, ts, v, x, b\n"
       "  Filter: ts = max(ts)\n"
       "    Window: max(ts) = max(ts) OVER (PARTITION BY k)\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT * FROM (SELECT *, rank() OVER (PARTITION BY k ORDER BY ts) r FROM t) WHERE r = 1",
       "Filter: r = 1\n"
       "  Window: r = rank() OVER (PARTITION BY k ORDER BY ts ASC NULLS LAST)\n"
       "    Scan: t [k, ts, v, x, b]\n"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(PlanOf(each.sql), each.plan) << each.sql;
  }
}

TEST(OneRowPerGroup, DistinctAndLimitBy) {
  const Case cases[] = {
      {"SELECT DISTINCT k, v FROM t ORDER BY v",
       "Sort: v ASC NULLS LAST\n"
       "  KeepRows: group [k, v], order [], first 1 (DISTINCT), gives [k, v]\n"
       "    Project: k, v\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT DISTINCT ON (1, upper(v)) k, x FROM t ORDER BY ts DESC, k",
       "Project: k, x\n"
       "  Sort: ts DESC NULLS LAST, k ASC NULLS LAST\n"
       "    KeepRows: group [k, upper(v)], order [ts DESC NULLS LAST], first 1 (DISTINCT ON), "
       "gives [k, x, ts, v, b, upper(v)]\n"
       "      Project: k, x, ts, v, b, upper(v)\n"
       "        Scan: t [k, ts, v, x, b]\n"},
      {"SELECT DISTINCT ON (k) v FROM t",
       "Project: v\n"
       "  KeepRows: group [k], order [], first 1 (DISTINCT ON), gives [v, k, ts, x, b]\n"
       "    Project: v, k, ts, x, b\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT x FROM t ORDER BY ts LIMIT 2 OFFSET 1 BY k",
       "Project: x\n"
       "  Sort: ts ASC NULLS LAST\n"
       "    Filter: row_number > 1\n"
       "      KeepRows: group [k], order [ts ASC NULLS LAST], first 3 (LIMIT 2 BY), gives [x, "
       "k, ts, v, b], numbers as row_number\n"
       "        Project: x, k, ts, v, b\n"
       "          Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k FROM t ORDER BY k LIMIT 0 BY k",
       "Sort: k ASC NULLS LAST\n"
       "  Limit: 0\n"
       "    Project: k\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT DISTINCT ON (k) k, sum(x) AS s FROM t GROUP BY k, v ORDER BY k, s DESC",
       "Sort: k ASC NULLS LAST, s DESC NULLS LAST\n"
       "  KeepRows: group [k], order [s DESC NULLS LAST], first 1 (DISTINCT ON), gives [k, s]\n"
       "    Project: k, s\n"
       "      Aggregate: group [k, v], sum(x) AS s\n"
       "        Scan: t [k, ts, v, x, b]\n"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(PlanOf(each.sql), each.plan) << each.sql;
  }
}

}  // namespace
}  // namespace keepone
