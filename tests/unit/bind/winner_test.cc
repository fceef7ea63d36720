// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bind/binder.h"
#include "plan/group_nodes.h"
#include "plan/print_plan.h"
#include "sql/parser.h"
#include "tests/unit/bind/bind_fixture.h"

namespace keepone {
namespace {

std::string Flag(bool value, const std::string& text) {
  return value ? text : "";
}

std::string Describe(const Node& input, const AggregateCall& call) {
  const auto name = [&](ColumnId id) {
    const Column* column = FindColumn(input.columns(), id);
    return column == nullptr ? std::string("?") : column->name;
  };
  std::string text = call.function->name + " of";
  for (ColumnId argument : call.arguments) {
    text += " " + name(argument);
  }
  for (const SortKey& key : call.order) {
    text += ", by " + name(key.column) + Flag(key.descending, " desc") +
            Flag(key.nulls_first, " nulls first");
  }
  text += Flag(call.ties_to_last, ", ties to last") + Flag(call.distinct, ", distinct");
  for (ColumnId required : call.required) {
    text += ", needs " + name(required);
  }
  return text + (call.filter.has_value() ? ", where " + name(*call.filter) : "");
}

// The calls of the lowest Aggregate or Window of the query.
std::vector<std::string> CallsOf(const std::string& select_list) {
  const TestCatalog catalog;
  ColumnIdGenerator ids;
  auto statements = ParseStatements("SELECT " + select_list + " FROM t").ValueOrDie();
  const auto bound =
      BindQuery(*statements.at(0)->As<ast::QueryStatement>().query, catalog, {}, &ids);
  if (!bound.ok()) {
    return {bound.status().message()};
  }
  std::vector<std::string> calls;
  for (const Node* node = bound->plan.get(); !node->inputs().empty(); node = node->input().get()) {
    if (const auto* aggregate = AsIf<AggregateNode>(*node)) {
      for (const AggregateCall& call : aggregate->calls()) {
        calls.push_back(Describe(*node->input(), call));
      }
    }
    if (const auto* window = AsIf<WindowNode>(*node)) {
      for (const WindowCall& call : window->spec().calls) {
        calls.push_back(Describe(*node->input(), *call.aggregate));
      }
    }
  }
  return calls;
}

using Calls = std::vector<std::string>;

TEST(Winner, FirstAndLastValue) {
  EXPECT_EQ(CallsOf("first_value(v)"), Calls{"first_value of v"});
  EXPECT_EQ(CallsOf("first_value(v ORDER BY ts DESC, k NULLS FIRST)"),
            Calls{"first_value of v, by ts desc, by k nulls first"});
  EXPECT_EQ(CallsOf("last_value(v)"), Calls{"last_value of v, ties to last"});
  EXPECT_EQ(CallsOf("last_value(v ORDER BY ts, k DESC NULLS FIRST)"),
            Calls{"last_value of v, by ts desc nulls first, by k, ties to last"});
  EXPECT_EQ(CallsOf("first_value(v IGNORE NULLS ORDER BY ts)"),
            Calls{"first_value of v, by ts, needs v"});
  EXPECT_EQ(CallsOf("first_value(v ORDER BY 1, ts, ts DESC)"), Calls{"first_value of v, by ts"});
  EXPECT_EQ(CallsOf("first_value(v ORDER BY ts) FILTER (WHERE b)"),
            Calls{"first_value of v, by ts, where b"});
}

TEST(Winner, MaxByMinByAnyValue) {
  EXPECT_EQ(CallsOf("max_by(v, ts)"), Calls{"max_by of v, by ts desc, needs ts"});
  EXPECT_EQ(CallsOf("arg_min(v, ts + 1)"), Calls{"min_by of v, by ts + 1, needs ts + 1"});
  EXPECT_EQ(CallsOf("max_by(v, ts ORDER BY k)"), Calls{"max_by of v, by ts desc, by k, needs ts"});
  EXPECT_EQ(CallsOf("max_by(ts, ts IGNORE NULLS)"), Calls{"max_by of ts, by ts desc, needs ts"});
  EXPECT_EQ(CallsOf("any_value(v)"), Calls{"any_value of v, needs v"});
  EXPECT_EQ(CallsOf("any_value(v HAVING MAX ts)"), Calls{"max_by of v, by ts desc, needs ts"});
  EXPECT_EQ(CallsOf("any_value(v HAVING MIN ts)"), Calls{"min_by of v, by ts, needs ts"});
}

TEST(Winner, OthersAreCollectedOrAccumulated) {
  EXPECT_EQ(CallsOf("array_agg(v ORDER BY ts DESC)"), Calls{"array_agg of v, by ts desc"});
  EXPECT_EQ(CallsOf("array_agg(DISTINCT v)"), Calls{"array_agg of v, distinct"});
  EXPECT_EQ(CallsOf("count(DISTINCT v), count(*), sum(x ORDER BY ts)"),
            (Calls{"count of v, distinct", "count of", "sum of x"}));
}

TEST(Winner, EqualCallsAreOne) {
  EXPECT_EQ(CallsOf("max(x), max( X ) + 1, MAX(t.x), max(x) FILTER (WHERE b), max(k)"),
            (Calls{"max of x", "max of x, where b", "max of k"}));
}

TEST(Winner, OverWindows) {
  EXPECT_EQ(CallsOf("first_value(v) OVER (PARTITION BY k ORDER BY ts DESC)"),
            Calls{"first_value of v, by ts desc"});
  EXPECT_EQ(CallsOf("last_value(v) OVER (PARTITION BY k)"), Calls{"last_value of v, ties to last"});
  EXPECT_EQ(CallsOf("last_value(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN UNBOUNDED "
                    "PRECEDING AND UNBOUNDED FOLLOWING)"),
            Calls{"last_value of v, by ts desc nulls first, ties to last"});
  EXPECT_EQ(CallsOf("max_by(v, ts) OVER (PARTITION BY k)"),
            Calls{"max_by of v, by ts desc, needs ts"});
}

}  // namespace
}  // namespace keepone
