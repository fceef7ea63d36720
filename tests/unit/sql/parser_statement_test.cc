// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "keepone/error.h"
#include "sql/parser.h"
#include "sql/print.h"

namespace keepone {
namespace {

// The statements one after another, divided by " ; ".
std::string Reprint(std::string_view sql) {
  const auto statements = ParseStatements(sql);
  if (!statements.ok()) {
    return FormatError(statements.status(), "");
  }
  std::string text;
  for (const ast::StatementPtr& statement : *statements) {
    text += (text.empty() ? "" : " ; ") + Print(*statement);
  }
  return text;
}

TEST(ParseStatements, Several) {
  EXPECT_EQ(Reprint(""), "");
  EXPECT_EQ(Reprint(" ;; -- nothing\n;"), "");
  EXPECT_EQ(Reprint("select 1; ; from t;"), "SELECT 1 ; SELECT * FROM t");
  EXPECT_EQ(Reprint("select ';' -- ;\n"), "SELECT ';'");
}

TEST(ParseStatements, CreateTable) {
  EXPECT_EQ(Reprint("create table t as select 1"), "CREATE TABLE t AS SELECT 1");
  EXPECT_EQ(Reprint("create or replace temp table if not exists s.t (a, b int) as values (1, 2)"),
            "CREATE OR REPLACE TEMPORARY TABLE IF NOT EXISTS s.t (a, b int) AS VALUES (1, 2)");
  EXPECT_EQ(Reprint("create table t(k, o, v) as values (null, 1, 'a')"),
            "CREATE TABLE t (k, o, v) AS VALUES (NULL, 1, 'a')");
  EXPECT_EQ(Reprint("create table t (a int not null, b varchar null)"),
            "CREATE TABLE t (a int NOT NULL, b varchar)");
}

TEST(ParseStatements, CreateView) {
  EXPECT_EQ(Reprint("create or replace temporary view v (a) as from t"),
            "CREATE OR REPLACE TEMPORARY VIEW v (a) AS SELECT * FROM t");
  EXPECT_EQ(Reprint("create view if not exists s.v as (select 1)"),
            "CREATE VIEW IF NOT EXISTS s.v AS SELECT 1");
}

TEST(ParseStatements, DropAndInsert) {
  EXPECT_EQ(Reprint("drop table if exists a, s.b"), "DROP TABLE IF EXISTS a, s.b");
  EXPECT_EQ(Reprint("drop view v"), "DROP VIEW v");
  EXPECT_EQ(Reprint("insert into t (a, b) values (1, 2)"), "INSERT INTO t (a, b) VALUES (1, 2)");
  EXPECT_EQ(Reprint("insert into t (select 1)"), "INSERT INTO t SELECT 1");
  EXPECT_EQ(Reprint("insert into t ((select 1) union select 2)"),
            "INSERT INTO t SELECT 1 UNION SELECT 2");
}

TEST(ParseStatements, Copy) {
  EXPECT_EQ(Reprint("copy (select 1) to 'a.parquet'"), "COPY (SELECT 1) TO 'a.parquet'");
  EXPECT_EQ(Reprint("copy s.t to 'a' (format Parquet, level -1, by (a, 'b'), flag, x = 1.5)"),
            "COPY (SELECT * FROM s.t) TO 'a' (format 'Parquet', level -1, by ('a', 'b'), flag, x "
            "1.5)");
  EXPECT_EQ(Reprint("copy 'a.csv' to 'b.parquet' with (format parquet)"),
            "COPY (SELECT * FROM 'a.csv') TO 'b.parquet' (format 'parquet')");
}

TEST(ParseStatements, DescribeAndShow) {
  EXPECT_EQ(Reprint("describe select 1"), "DESCRIBE SELECT 1");
  EXPECT_EQ(Reprint("desc t"), "DESCRIBE SELECT * FROM t");
  EXPECT_EQ(Reprint("describe 'a.parquet'"), "DESCRIBE SELECT * FROM 'a.parquet'");
  EXPECT_EQ(Reprint("describe read_parquet('a')"), "DESCRIBE SELECT * FROM read_parquet('a')");
  EXPECT_EQ(Reprint("show tables"), "SHOW TABLES");
  EXPECT_EQ(Reprint("show all"), "SHOW ALL");
  EXPECT_EQ(Reprint("show threads"), "SHOW threads");
}

TEST(ParseStatements, Settings) {
  EXPECT_EQ(Reprint("set threads = 4"), "SET threads = 4");
  EXPECT_EQ(Reprint("set memory_limit to '1GB'"), "SET memory_limit = '1GB'");
  EXPECT_EQ(Reprint("set default_null_order = nulls_first"),
            "SET default_null_order = 'nulls_first'");
  EXPECT_EQ(Reprint("set a = true"), "SET a = TRUE");
  EXPECT_EQ(Reprint("set a = on"), "SET a = 'on'");
  EXPECT_EQ(Reprint("set a = ['x', y]"), "SET a = ('x', 'y')");
  EXPECT_EQ(Reprint("set a to default"), "SET a = DEFAULT");
  EXPECT_EQ(Reprint("reset a"), "RESET a");
}

TEST(ParseStatements, Explain) {
  EXPECT_EQ(Reprint("explain from t"), "EXPLAIN SELECT * FROM t");
  EXPECT_EQ(Reprint("explain analyze select 1"), "EXPLAIN ANALYZE SELECT 1");
  EXPECT_EQ(Reprint("explain (analyze, format json) select 1"),
            "EXPLAIN ANALYZE (FORMAT JSON) SELECT 1");
  EXPECT_EQ(Reprint("explain (analyze false, format text) select 1"), "EXPLAIN SELECT 1");
  EXPECT_EQ(Reprint("explain (select 1)"), "EXPLAIN SELECT 1");
  EXPECT_EQ(Reprint("explain create table t as select 1"), "EXPLAIN CREATE TABLE t AS SELECT 1");
}

}  // namespace
}  // namespace keepone
