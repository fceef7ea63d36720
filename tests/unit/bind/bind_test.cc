// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "bind/binder.h"
#include "function/cast.h"
#include "plan/print_plan.h"
#include "plan/verify_plan.h"
#include "sql/parser.h"
#include "tests/unit/bind/bind_fixture.h"

namespace keepone {
namespace {

std::string OrderUnder(NullOrder null_order, const std::string& key) {
  const std::string plan = PlanOf("SELECT k FROM t ORDER BY " + key, null_order);
  return plan.substr(0, plan.find('\n'));
}

TEST(NullOrder, Settings) {
  EXPECT_EQ(OrderUnder(NullOrder::kLast, "k"), "Sort: k ASC NULLS LAST");
  EXPECT_EQ(OrderUnder(NullOrder::kLast, "k DESC"), "Sort: k DESC NULLS LAST");
  EXPECT_EQ(OrderUnder(NullOrder::kFirst, "k"), "Sort: k ASC NULLS FIRST");
  EXPECT_EQ(OrderUnder(NullOrder::kFirst, "k DESC"), "Sort: k DESC NULLS FIRST");
  EXPECT_EQ(OrderUnder(NullOrder::kMax, "k"), "Sort: k ASC NULLS LAST");
  EXPECT_EQ(OrderUnder(NullOrder::kMax, "k DESC"), "Sort: k DESC NULLS FIRST");
  EXPECT_EQ(OrderUnder(NullOrder::kMin, "k"), "Sort: k ASC NULLS FIRST");
  EXPECT_EQ(OrderUnder(NullOrder::kMin, "k DESC"), "Sort: k DESC NULLS LAST");
  EXPECT_EQ(OrderUnder(NullOrder::kMin, "k NULLS LAST"), "Sort: k ASC NULLS LAST");
  EXPECT_EQ(OrderUnder(NullOrder::kLast, "ALL DESC NULLS FIRST"), "Sort: k DESC NULLS FIRST");
}

TEST(Names, CaseAndQuotes) {
  TestCatalog catalog;
  catalog.AddTable(
      "two", arrow::schema({arrow::field("id", arrow::int64()), arrow::field("ID", arrow::utf8()),
                            arrow::field("Name", arrow::utf8())}));
  EXPECT_EQ(PlanOf("SELECT \"ID\", \"NAME\", nAmE FROM TWO", catalog),
            "Project: ID, Name, Name\n  Scan: TWO [id, ID, Name]\n");
  EXPECT_EQ(ErrorOf("SELECT id FROM two", catalog),
            "bind: column reference \"id\" is ambiguous: it could be \"two.id\" or \"two.ID\" @ id"
            " | put the name into double quotes, spelt exactly, to choose one");
}

TEST(Names, OutputsKeepTheirSpellingAndMayRepeat) {
  EXPECT_EQ(OutputOf("SELECT K, t.V, k, k AS \"Key\", x + 1, count(*) OVER () FROM t"),
            "k BIGINT, v VARCHAR, k BIGINT, Key BIGINT, x + 1 DOUBLE, count(*) OVER () BIGINT");
}

TEST(Types, OfExpressions) {
  EXPECT_EQ(OutputOf("SELECT 1, 9223372036854775808, -9223372036854775808, 1.5, 'a', NULL, TRUE"),
            "1 BIGINT, 9223372036854775808 DECIMAL(19,0), -9223372036854775808 BIGINT, 1.5 DOUBLE, "
            "'a' VARCHAR, NULL NULL, TRUE BOOLEAN");
  EXPECT_EQ(OutputOf("SELECT DATE '2020-01-01' AS d, TIMESTAMP '2020-01-01' AS ts, INTERVAL 1 DAY "
                     "AS i, [1, 2] AS l, {'a': 1} AS s, (1, 'x') AS r"),
            "d DATE, ts TIMESTAMP, i INTERVAL, l BIGINT[], s STRUCT(a BIGINT), "
            "r STRUCT(f1 BIGINT, f2 VARCHAR)");
  EXPECT_EQ(OutputOf("SELECT CASE WHEN b THEN k ELSE x END AS c, COALESCE(NULL, k, 1) AS d, "
                     "NULLIF(v, 'x') AS e, CASE WHEN b THEN DATE '2020-01-01' ELSE '2020-01-02' "
                     "END AS f FROM t"),
            "c DOUBLE, d BIGINT, e VARCHAR, f DATE");
  EXPECT_EQ(OutputOf("SELECT CASE WHEN id = 1 THEN id ELSE 0 END AS c FROM nested"), "c INTEGER");
  EXPECT_EQ(OutputOf("SELECT k, max_by(t, ts) AS row, array_agg(x) AS xs FROM t GROUP BY k"),
            "k BIGINT, row STRUCT(k BIGINT, ts BIGINT, v VARCHAR, x DOUBLE, b BOOLEAN), "
            "xs DOUBLE[]");
}

std::string ResolvedType(const std::string& type) {
  const auto expr = ParseExpression("CAST(NULL AS " + type + ")").ValueOrDie();
  const auto resolved = ResolveType(expr->As<ast::CastExpr>().type);
  return resolved.ok() ? (*resolved)->ToString() : resolved.status().message();
}

TEST(Types, Resolved) {
  EXPECT_EQ(ResolvedType("int"), "int32");
  EXPECT_EQ(ResolvedType("DOUBLE PRECISION"), "double");
  EXPECT_EQ(ResolvedType("NUMERIC(10, 2)"), "decimal128(10, 2)");
  EXPECT_EQ(ResolvedType("TIMESTAMP WITH TIME ZONE"), "timestamp[us, tz=UTC]");
  EXPECT_EQ(ResolvedType("VARCHAR[]"), "list<item: string>");
  EXPECT_EQ(ResolvedType("BIGINT[3]"), "fixed_size_list<item: int64>[3]");
  EXPECT_EQ(ResolvedType("STRUCT(a BIGINT, b VARCHAR[])"),
            "struct<a: int64, b: list<item: string>>");
  EXPECT_EQ(ResolvedType("MAP(VARCHAR, DOUBLE)"), "map<string, double>");
  EXPECT_EQ(ResolvedType("STRUCT(a BIGINT, A BIGINT)"), "field name \"A\" used more than once");
}

TEST(Files, ReaderAndOptions) {
  const TestCatalog catalog;
  PlanOf("SELECT * FROM read_csv(['a.csv', 'b.csv'], DELIM = ';', header = true)", catalog);
  EXPECT_EQ(catalog.opened(), "csv: a.csv b.csv; delim=;; header=true");
  PlanOf("SELECT * FROM ['x.parquet', 'y/*.parquet']", catalog);
  EXPECT_EQ(catalog.opened(), ": x.parquet y/*.parquet");
}

TEST(Limits, ManyReferencesAndDeepQueries) {
  std::string doubling = "WITH c0 AS (SELECT 1 AS x)";
  std::string chain = doubling;
  for (int i = 1; i < 150; ++i) {
    const std::string self = std::to_string(i);
    const std::string last = "c" + std::to_string(i - 1);
    if (i < 40) {
      doubling +=
          ", c" + self + " AS (SELECT * FROM " + last + " UNION ALL SELECT * FROM " + last + ")";
    }
    chain += ", c" + self + " AS (SELECT * FROM " + last + ")";
  }
  EXPECT_TRUE(ErrorOf(doubling + " SELECT * FROM c39")
                  .starts_with("unsupported: a statement that reads more than 4096 tables"));
  EXPECT_TRUE(ErrorOf(chain + " SELECT * FROM c149")
                  .starts_with("unsupported: queries that stand more than 100 deep"));
}

TEST(Limits, RepeatedOperandsDoNotExplode) {
  std::string expr = "v";
  for (int i = 0; i < 40; ++i) {
    expr = "NULLIF(" + expr + ", 'x')";
  }
  EXPECT_TRUE(ErrorOf("SELECT " + expr + " FROM t")
                  .starts_with("unsupported: the operand of NULLIF is too large"));
}

TEST(Views, ThatReadThemselvesAreErrors) {
  TestCatalog catalog;
  catalog.AddView("loop", "SELECT * FROM loop");
  EXPECT_EQ(ErrorOf("SELECT * FROM loop", catalog),
            "bind: in view \"loop\": view \"loop\" reads itself @ loop");
}

TEST(ConvertColumns, CastsAndRenames) {
  const TestCatalog catalog;
  ColumnIdGenerator ids;
  const auto statements = ParseStatements("SELECT k, v, x FROM t").ValueOrDie();
  const BoundQuery query =
      BindQuery(*statements.at(0)->As<ast::QueryStatement>().query, catalog, {}, &ids).ValueOrDie();
  const BoundQuery converted =
      ConvertColumns(query, {{"a", arrow::int32()}, {"b", nullptr}, {"c", arrow::float64()}}, &ids,
                     {})
          .ValueOrDie();
  EXPECT_TRUE(VerifyPlan(*converted.plan).ok());
  EXPECT_EQ(PrintPlan(*converted.plan),
            "Project: CAST(k AS INTEGER) AS a, v AS b, x AS c\n"
            "  Project: k, v, x\n"
            "    Scan: t [k, ts, v, x, b]\n");
  EXPECT_EQ(ConvertColumns(query, {{"a", nullptr}}, &ids, {}).status().message(),
            "there are 1 columns, but the query gives 3");
  EXPECT_EQ(
      ConvertColumns(query, {{"a", nullptr}, {"b", nullptr}, {"c", arrow::date32()}}, &ids, {})
          .status()
          .message(),
      "column \"c\" is of type DATE but expression is of type DOUBLE");
}

}  // namespace
}  // namespace keepone
