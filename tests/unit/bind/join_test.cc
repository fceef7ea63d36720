// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "tests/unit/bind/bind_fixture.h"

namespace keepone {
namespace {

struct Case {
  std::string sql;
  std::string expected;
};

// t(k, ts, v, x, b), items(sku, price, ts), nested(id, s, l) and two tables to join.
TestCatalog JoinCatalog() {
  TestCatalog catalog;
  catalog.AddTable(
      "a", arrow::schema({arrow::field("n", arrow::utf8()), arrow::field("id", arrow::int64())}));
  catalog.AddTable(
      "c", arrow::schema({arrow::field("id", arrow::int32()), arrow::field("m", arrow::utf8())}));
  return catalog;
}

TEST(BindJoin, ConditionsBecomeKeysAndResidual) {
  const Case cases[] = {
      {"SELECT n, m FROM a JOIN c ON a.id = c.id",
       "Project: n, m\n"
       "  Join: inner on [id = CAST(id AS BIGINT)]\n"
       "    Scan: a [n, id]\n"
       "    Project: id, m, CAST(id AS BIGINT)\n"
       "      Scan: c [id, m]\n"},
      {"SELECT n FROM a LEFT JOIN c ON c.m = a.n AND a.id > c.id AND a.n <> 'x'",
       "Project: n\n"
       "  Join: left on [n = m] where id > CAST(id AS BIGINT) AND n <> 'x'\n"
       "    Scan: a [n, id]\n"
       "    Scan: c [id, m]\n"},
      {"SELECT n FROM a FULL OUTER JOIN c ON a.n IS NOT DISTINCT FROM c.m",
       "Project: n\n"
       "  Join: full on [n IS NOT DISTINCT FROM m]\n"
       "    Scan: a [n, id]\n"
       "    Scan: c [id, m]\n"},
      {"SELECT n FROM a RIGHT JOIN c ON a.id < c.id",
       "Project: n\n"
       "  Join: right, every pair where id < CAST(id AS BIGINT)\n"
       "    Scan: a [n, id]\n"
       "    Scan: c [id, m]\n"},
      {"SELECT n FROM a SEMI JOIN c ON upper(a.n) = c.m",
       "Project: n\n"
       "  Join: semi on [upper(n) = m]\n"
       "    Project: n, id, upper(n)\n"
       "      Scan: a [n, id]\n"
       "    Scan: c [id, m]\n"},
      {"SELECT n FROM a ANTI JOIN c ON a.n = c.m AND a.n = c.m AND TRUE",
       "Project: n\n"
       "  Join: anti on [n = m]\n"
       "    Scan: a [n, id]\n"
       "    Scan: c [id, m]\n"},
      {"SELECT n, m FROM a, c WHERE a.n = c.m",
       "Project: n, m\n"
       "  Filter: n = m\n"
       "    Join: inner, every pair\n"
       "      Scan: a [n, id]\n"
       "      Scan: c [id, m]\n"},
      // What may fail is a key only where there is no other, and under what guards it.
      {"SELECT n FROM a JOIN c ON a.n = c.m AND 10 / a.id = c.id",
       "Project: n\n"
       "  Join: inner on [n = m] where 10 / id = CAST(id AS BIGINT)\n"
       "    Scan: a [n, id]\n"
       "    Scan: c [id, m]\n"},
      {"SELECT n FROM a JOIN c ON a.id <> 0 AND 10 / a.id = c.id",
       "Project: n\n"
       "  Join: inner on [10 / id = CAST(id AS BIGINT)] where id <> 0\n"
       "    Project: n, id, CASE WHEN id <> 0 THEN 10 / id ELSE NULL END AS 10 / id\n"
       "      Scan: a [n, id]\n"
       "    Project: id, m, CAST(id AS BIGINT)\n"
       "      Scan: c [id, m]\n"},
      // A function of chance is computed for each pair.
      {"SELECT n FROM a JOIN c ON a.id = c.id + CAST(random() AS INTEGER)",
       "Project: n\n"
       "  Join: inner, every pair where id = CAST(id + CAST(random() AS INTEGER) AS BIGINT)\n"
       "    Scan: a [n, id]\n"
       "    Scan: c [id, m]\n"},
  };
  const TestCatalog catalog = JoinCatalog();
  for (const Case& each : cases) {
    EXPECT_EQ(PlanOf(each.sql, catalog), each.expected) << each.sql;
  }
}

TEST(BindJoin, SubqueriesAsConditions) {
  const Case cases[] = {
      {"SELECT n FROM a WHERE n IN (SELECT m FROM c) AND id > 1",
       "Project: n\n"
       "  Join: semi on [n = m]\n"
       "    Filter: id > 1\n"
       "      Scan: a [n, id]\n"
       "    Project: m\n"
       "      Scan: c [id, m]\n"},
      {"SELECT n FROM a WHERE NOT EXISTS (SELECT m FROM c)",
       "Project: n\n"
       "  Join: anti, every pair\n"
       "    Scan: a [n, id]\n"
       "    Limit: 1\n"
       "      Project: no columns\n"
       "        Project: m\n"
       "          Scan: c [id, m]\n"},
      {"SELECT n FROM a WHERE NOT n IN (SELECT m FROM c)",
       "Project: n\n"
       "  Join: anti on [n = m]\n"
       "    Join: anti, every pair where m IS NULL OR n IS NULL\n"
       "      Scan: a [n, id]\n"
       "      Sort: m IS NULL DESC NULLS LAST, first 1\n"
       "        Project: m IS NULL\n"
       "          Project: m\n"
       "            Scan: c [id, m]\n"
       "    Project: m\n"
       "      Scan: c [id, m]\n"},
      {"SELECT n FROM a WHERE (n, id) IN (SELECT m, id FROM c)",
       "Project: n\n"
       "  Join: semi on [n = m, id = CAST(id AS BIGINT)]\n"
       "    Scan: a [n, id]\n"
       "    Project: m, id, CAST(id AS BIGINT)\n"
       "      Project: m, id\n"
       "        Scan: c [id, m]\n"},
  };
  const TestCatalog catalog = JoinCatalog();
  for (const Case& each : cases) {
    EXPECT_EQ(PlanOf(each.sql, catalog), each.expected) << each.sql;
  }
}

// The first line of the plan tells which columns the statement gives.
std::string OutputLine(const std::string& sql) {
  const std::string plan = PlanOf(sql, JoinCatalog());
  return plan.substr(0, plan.find('\n'));
}

TEST(BindJoin, Stars) {
  const Case cases[] = {
      {"SELECT *, 1 FROM a, c", "Project: n, id, id, m, 1"},
      {"SELECT * FROM a JOIN c ON a.id = c.id", "Project: n, id, id, m"},
      {"SELECT * FROM a JOIN c USING (id)", "Project: id, n, m"},
      {"SELECT * FROM a NATURAL LEFT JOIN c", "Project: id, n, m"},
      {"SELECT *, 1 FROM a SEMI JOIN c USING (id)", "Project: n, id, 1"},
      {"SELECT c.*, a.* FROM a JOIN c USING (id)", "Project: id, m, n, id"},
      {"SELECT * EXCLUDE (id) FROM a JOIN c ON a.id = c.id", "Project: n, m"},
      {"SELECT * EXCLUDE (c.id) FROM a JOIN c ON a.id = c.id", "Project: n, id, m"},
      {"SELECT * EXCLUDE (c.id) FROM a JOIN c USING (id)", "Project: n, m"},
      {"SELECT * RENAME (id AS key) FROM a JOIN c USING (id)", "Project: id AS key, n, m"},
      {"SELECT * FROM a JOIN c USING (id) JOIN nested USING (id)", "Project: id, n, m, s, l"},
      {"SELECT * FROM (a JOIN c USING (id)) AS j(key)", "Project: key, n, m"},
      {"SELECT j.n, key FROM (a JOIN c USING (id)) AS j(key)", "Project: n, key"},
      {"SELECT a.id, c.id, id FROM a RIGHT JOIN c USING (id)", "Project: id, id, id"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(OutputLine(each.sql), each.expected) << each.sql;
  }
}

TEST(BindJoin, FullJoinsMakeTheSharedColumn) {
  EXPECT_EQ(PlanOf("SELECT id FROM a FULL JOIN c USING (id)", JoinCatalog()),
            "Project: id\n"
            "  Project: n, id, id, m, CAST(id AS BIGINT), CASE WHEN id IS NOT NULL THEN id ELSE "
            "CAST(id AS BIGINT) END AS id\n"
            "    Join: full on [id = CAST(id AS BIGINT)]\n"
            "      Scan: a [n, id]\n"
            "      Project: id, m, CAST(id AS BIGINT)\n"
            "        Scan: c [id, m]\n");
}

TEST(BindJoin, Errors) {
  const Case cases[] = {
      {"SELECT id FROM a JOIN c ON a.id = c.id",
       "bind: column reference \"id\" is ambiguous: it could be \"a.id\" or \"c.id\" @ id"},
      {"SELECT n FROM a JOIN c ON id = 1",
       "bind: column reference \"id\" is ambiguous: it could be \"a.id\" or \"c.id\" @ id"},
      {"SELECT q FROM (SELECT 1 AS q, 2 AS q)",
       "bind: column reference \"q\" is ambiguous: it could be \"q\" (column 1) or \"q\" (column "
       "2) @ q"},
      {"SELECT 1 FROM a JOIN a ON TRUE",
       "bind: table name \"a\" specified more than once @ a | give it an alias: a AS a2"},
      {"SELECT 1 FROM a, c AS A",
       "bind: table name \"A\" specified more than once @ c AS A | give it an alias: A AS A2"},
      {"SELECT 1 FROM a JOIN c USING (nn)",
       "bind: column \"nn\" specified in USING clause does not exist in left table @ nn | a has a "
       "column \"n\""},
      {"SELECT 1 FROM a JOIN c USING (n)",
       "bind: column \"n\" specified in USING clause does not exist in right table @ n | c has a "
       "column \"m\""},
      {"SELECT 1 FROM a JOIN c USING (id, id)",
       "bind: column name \"id\" appears more than once in USING clause @ id"},
      {"SELECT 1 FROM a JOIN c ON a.id = c.id JOIN nested USING (id)",
       "bind: column reference \"id\" is ambiguous: it could be \"a.id\" or \"c.id\" @ id"},
      {"SELECT 1 FROM a NATURAL JOIN (SELECT 1 AS z) AS q",
       "bind: NATURAL JOIN finds no column name that both sides have @ (SELECT 1 AS z) AS q | "
       "CROSS JOIN puts every row beside every other"},
      {"SELECT 1 FROM a JOIN c ON a.id",
       "bind: argument of JOIN/ON must be type boolean, not type BIGINT @ a.id"},
      {"SELECT 1 FROM a JOIN c ON count(*) = 1",
       "bind: aggregate functions are not allowed in ON @ count(*)"},
      {"SELECT c.m FROM a SEMI JOIN c USING (id)",
       "bind: missing FROM-clause entry for table \"c\" @ c.m | a has a column \"n\""},
      {"SELECT a.n FROM (a JOIN c USING (id)) AS j",
       "bind: missing FROM-clause entry for table \"a\" @ a.n | j has a column \"n\""},
      {"SELECT 1 FROM a, LATERAL (SELECT 1) AS q",
       "unsupported: LATERAL @ LATERAL (SELECT 1) AS q"},
      {"SELECT n FROM a WHERE id IN (SELECT id FROM c WHERE m = n)",
       "unsupported: a subquery that reads n of the query around it @ n | a join on the columns "
       "that both share may say the same"},
      {"SELECT n FROM a WHERE id IN (SELECT * FROM c)",
       "bind: subquery has 2 columns, but IN needs 1 @ id IN (SELECT * FROM c)"},
      {"SELECT n FROM a WHERE id = 1 OR n IN (SELECT m FROM c)",
       "unsupported: IN with a subquery in this place @ n IN (SELECT m FROM c) | it can be a "
       "condition of WHERE, alone or joined to others by AND"},
      {"SELECT n FROM a WHERE (n, id) NOT IN (SELECT m, id FROM c)",
       "unsupported: NOT IN with a subquery of several columns @ (n, id) NOT IN (SELECT m, id "
       "FROM c)"},
  };
  const TestCatalog catalog = JoinCatalog();
  for (const Case& each : cases) {
    EXPECT_EQ(ErrorOf(each.sql, catalog), each.expected) << each.sql;
  }
}

}  // namespace
}  // namespace keepone
