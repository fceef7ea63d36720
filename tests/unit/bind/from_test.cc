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

TEST(BindFrom, TablesAndSetOperations) {
  const Case cases[] = {
      {"VALUES (1, 'a'), (2, NULL), (3.5, 'c')", "Values: 3 rows [column1, column2]\n"},
      {"SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS q(id, name) ORDER BY name DESC LIMIT 1 "
       "OFFSET 1",
       "Limit: 1, after 1\n"
       "  Sort: name DESC NULLS LAST\n"
       "    Project: id, name\n"
       "      Values: 2 rows [column1, column2]\n"},
      {"SELECT k FROM t UNION ALL SELECT price FROM items UNION ALL VALUES (1) ORDER BY k DESC "
       "LIMIT 3",
       "Limit: 3\n"
       "  Sort: k DESC NULLS LAST\n"
       "    UnionAll: [k]\n"
       "      Project: CAST(k AS DOUBLE) AS k\n"
       "        Project: k\n"
       "          Scan: t [k, ts, v, x, b]\n"
       "      Project: price\n"
       "        Scan: items [sku, price, ts]\n"
       "      Project: CAST(column1 AS DOUBLE) AS k\n"
       "        Values: 1 row [column1]\n"},
      {"SELECT k FROM t UNION SELECT ts FROM t",
       "KeepRows: group [k], order [], first 1 (UNION), gives [k]\n"
       "  UnionAll: [k]\n"
       "    Project: k\n"
       "      Scan: t [k, ts, v, x, b]\n"
       "    Project: ts\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k, v FROM t UNION ALL BY NAME SELECT sku AS v, price AS extra FROM items",
       "UnionAll: [k, v, extra]\n"
       "  Project: k, v, NULL AS extra\n"
       "    Project: k, v\n"
       "      Scan: t [k, ts, v, x, b]\n"
       "  Project: NULL AS k, v, extra\n"
       "    Project: sku AS v, price AS extra\n"
       "      Scan: items [sku, price, ts]\n"},
      {"WITH a AS (SELECT k, ts FROM t), c(z) AS (SELECT k FROM a) SELECT * FROM c UNION ALL "
       "SELECT ts FROM a",
       "UnionAll: [z]\n"
       "  Project: z\n"
       "    Project: k\n"
       "      Project: k, ts\n"
       "        Scan: t [k, ts, v, x, b]\n"
       "  Project: ts\n"
       "    Project: k, ts\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT code FROM v WHERE price < 3",
       "Project: code\n"
       "  Filter: price < 3.0\n"
       "    Project: sku AS code, price\n"
       "      Filter: price > 1.5\n"
       "        Scan: items [sku, price, ts]\n"},
      {"SELECT sku FROM 'data/items.parquet' WHERE items.price IS NOT NULL",
       "Project: sku\n"
       "  Filter: price IS NOT NULL\n"
       "    Scan: data/items.parquet [sku, price, ts]\n"},
      {"SELECT * FROM read_parquet(['a.parquet', 'b.parquet'], union_by_name = true) AS f",
       "Scan: a.parquet, b.parquet [sku, price, ts]\n"},
      {"SELECT t.t FROM (SELECT 1 AS t) AS t",
       "Project: 1 AS t\n"
       "  Values: 1 row\n"},
      {"SELECT t FROM (SELECT 1 AS t) AS t",
       "Project: 1 AS t\n"
       "  Values: 1 row\n"},
      {"SELECT a.k FROM t AS a LIMIT NULL",
       "Project: k\n"
       "  Scan: t [k, ts, v, x, b]\n"},
      {"SELECT x FROM (SELECT k, x FROM t) WHERE k = 1",
       "Project: x\n"
       "  Filter: k = 1\n"
       "    Project: k, x\n"
       "      Scan: t [k, ts, v, x, b]\n"},
      {"SELECT k FROM t UNION ALL SELECT ts FROM t UNION SELECT 1 UNION ALL SELECT 2",
       "UnionAll: [k]\n"
       "  KeepRows: group [k], order [], first 1 (UNION), gives [k]\n"
       "    UnionAll: [k]\n"
       "      UnionAll: [k]\n"
       "        Project: k\n"
       "          Scan: t [k, ts, v, x, b]\n"
       "        Project: ts\n"
       "          Scan: t [k, ts, v, x, b]\n"
       "      Project: 1\n"
       "        Values: 1 row\n"
       "  Project: 2\n"
       "    Values: 1 row\n"},
      {"SELECT * FROM read_csv('a.csv', delim = ';', header = true)",
       "Scan: a.csv [sku, price, ts]\n"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(PlanOf(each.sql), each.plan) << each.sql;
  }
}

}  // namespace
}  // namespace keepone
