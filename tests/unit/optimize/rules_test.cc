// SPDX-License-Identifier: Apache-2.0
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "optimize/rules/fold_constants.h"
#include "optimize/rules/group_limit.h"
#include "optimize/rules/limit_into_sort.h"
#include "optimize/rules/merge_projects.h"
#include "optimize/rules/prune_columns.h"
#include "optimize/rules/push_down_filters.h"
#include "optimize/rules/remove_empty.h"
#include "optimize/rules/scan_bounds.h"
#include "optimize/rules/winners_to_keep_rows.h"
#include "plan/row_nodes.h"
#include "tests/unit/optimize/plan_builder.h"

namespace keepone {
namespace {

class RulesTest : public ::testing::Test {
 protected:
  // The condition over the wide table, folded.
  std::string Folded(const NodePtr& scan, const ExprPtr& condition) {
    const std::string text = b.Apply(b.Filter(scan, condition), FoldConstants);
    return text.substr(9, text.find('\n', 1) - 9);  // between "\nFilter: " and the end of the line
  }
  ExprPtr Compare(const char* function, const ExprPtr& left, int64_t right) {
    return b.Call(function, {left, b.Number(right)});
  }
  PlanBuilder b;
};

TEST_F(RulesTest, FoldConditions) {
  const NodePtr scan = b.Scan();
  const ExprPtr n = b.Read(scan, "n");
  const ExprPtr yes = MakeLiteralExpr(std::make_shared<arrow::BooleanScalar>(true));
  const ExprPtr no = MakeLiteralExpr(std::make_shared<arrow::BooleanScalar>(false));
  const ExprPtr one = Compare("equal", n, 1);
  EXPECT_EQ(Folded(scan, Compare("less", n, 0)), "n < 0");
  EXPECT_EQ(Folded(scan, b.Call("less", {n, b.Call("add", {b.Number(1), b.Number(1)})})), "n < 2");
  EXPECT_EQ(Folded(scan, b.Call("greater", {b.Number(2), n})), "n < 2");
  EXPECT_EQ(Folded(scan, b.Call("not", {Compare("greater", n, 1)})), "n <= 1");
  EXPECT_EQ(Folded(scan, Compare("equal", b.Call("add", {n, b.Number(1)}), 2)), "n = 1");
  EXPECT_EQ(Folded(scan, Compare("less", b.Call("subtract", {b.Number(5), n}), 2)), "n > 3");
  EXPECT_EQ(Folded(scan, b.Call("in_list", {n, b.Number(1)})), "n = 1");
  EXPECT_EQ(Folded(scan, b.Call("and", {yes, one})), "n = 1");
  EXPECT_EQ(Folded(scan, b.Call("and", {no, one})), "FALSE");
  EXPECT_EQ(Folded(scan, b.Call("or", {one, no})), "n = 1");
  EXPECT_EQ(Folded(scan, b.Call("or", {one, yes})), "TRUE");
  EXPECT_EQ(
      Folded(scan, b.Call("equal", {n, MakeLiteralExpr(arrow::MakeNullScalar(arrow::int64()))})),
      "NULL");
  EXPECT_EQ(
      Folded(scan, MakeCaseExpr({no, one, yes, Compare("equal", n, 2), one}, arrow::boolean())),
      "n = 2");
}

TEST_F(RulesTest, FoldLeavesWhatFails) {
  const NodePtr scan = b.Scan();
  const ExprPtr n = b.Read(scan, "n");
  EXPECT_EQ(Folded(scan, b.Call("equal", {n, b.Call("divide", {b.Number(1), b.Number(0)})})),
            "n = 1 / 0");
  EXPECT_EQ(Folded(scan, Compare("less", b.Call("subtract", {n, b.Number(INT64_MAX)}), 1)),
            "n - 9223372036854775807 < 1");
}

TEST_F(RulesTest, PushThroughWindowOverKeysOnly) {
  const NodePtr window =
      b.Window(b.Scan(), {"k"}, {{"o", false}}, "rn", WindowCall::Kind::kRowNumber);
  const NodePtr project =
      b.Project(window, {"o", "rn"}, {{"k2", b.Call("add", {b.Read(window, "k"), b.Number(1)})}});
  EXPECT_EQ(
      b.Apply(b.Filter(project,
                       b.Call("and", {Compare("equal", b.Read(project, "k2"), 3),
                                      b.Call("and", {Compare("equal", b.Read(project, "rn"), 1),
                                                     Compare("less", b.Read(project, "o"), 9)})})),
              PushDownFilters),
      R"(
Project: o, rn, k + 1 AS k2
  Filter: rn = 1 AND o < 9
    Window: rn = row_number() OVER (PARTITION BY k ORDER BY o ASC NULLS LAST)
      Filter: k + 1 = 3
        Scan: t [k, o, w, n]
)");
}

TEST_F(RulesTest, PushOverFloatKeysOnlyComparisons) {
  const NodePtr scan = b.Scan("t", MakeTestSource({{"f", arrow::float64(), 8}}));
  const NodePtr keep = KeepRowsNode::Make(scan, b.KeepSpec(scan, {"f"}, {}, {"f"}));
  const ExprPtr f = b.Read(keep, "f");
  const ExprPtr zero = MakeLiteralExpr(std::make_shared<arrow::DoubleScalar>(0.0));
  EXPECT_EQ(b.Apply(b.Filter(keep, b.Call("and", {b.Call("equal", {f, zero}),
                                                  b.Call("equal", {b.Call("negate", {f}), zero})})),
                    PushDownFilters),
            R"(
Filter: -f = 0.0
  KeepRows: group [f], order [], first 1, gives [f]
    Filter: f = 0.0
      Scan: t [f]
)");
}

TEST_F(RulesTest, PushNeitherBelowALimitNorWhatIsRandom) {
  const NodePtr scan = b.Scan();
  const NodePtr limit = LimitNode::Make(scan, 3, 0);
  const NodePtr filter = b.Filter(limit, Compare("equal", b.Read(limit, "n"), 1));
  EXPECT_EQ(b.Apply(filter, PushDownFilters), b.Print(filter));
  const NodePtr project = b.Project(scan, {"k"}, {{"r", b.Random()}});
  const NodePtr random = b.Filter(project, Compare("equal", b.Read(project, "r"), 1));
  EXPECT_EQ(b.Apply(random, PushDownFilters), b.Print(random));
}

TEST_F(RulesTest, PruneWhatNobodyReads) {
  const NodePtr window =
      b.Window(b.Scan(), {"k"}, {{"o", false}}, "rn", WindowCall::Kind::kRowNumber);
  const NodePtr filter = b.Filter(window, Compare("equal", b.Read(window, "n"), 1));
  EXPECT_EQ(b.Apply(b.Project(filter, {"k"}), PruneColumns), R"(
Project: k
  Filter: n = 1
    Scan: t [k, n]
)");
  EXPECT_EQ(b.Apply(b.Project(b.Scan(), {}), PruneColumns), R"(
Project: no columns
  Scan: t []
)");
}

TEST_F(RulesTest, MergeProjects) {
  const NodePtr scan = b.Scan();
  const NodePtr lower =
      b.Project(scan, {"k"}, {{"a", b.Call("add", {b.Read(scan, "n"), b.Number(1)})}});
  const ExprPtr a = b.Read(lower, "a");
  EXPECT_EQ(b.Apply(b.Project(lower, {"k"}, {{"c", b.Call("multiply", {a, b.Number(2)})}}),
                    MergeProjects),
            R"(
Project: k, (n + 1) * 2 AS c
  Scan: t [k, o, w, n]
)");
  const NodePtr twice = b.Project(lower, {"k"}, {{"c", b.Call("multiply", {a, a})}});
  EXPECT_EQ(b.Apply(twice, MergeProjects), b.Print(twice));
  EXPECT_EQ(b.Apply(b.Project(scan, {"k", "o", "w", "n"}), MergeProjects), b.Print(scan));
}

TEST_F(RulesTest, RemoveEmpty) {
  const NodePtr scan = b.Scan();
  const ExprPtr no = MakeLiteralExpr(std::make_shared<arrow::BooleanScalar>(false));
  const NodePtr filter = b.Filter(scan, no);
  EXPECT_EQ(b.Apply(b.Group(filter, {"k"}, {}), RemoveEmpty), "\nValues: no rows [k]\n");
  EXPECT_EQ(b.Apply(b.Group(filter, {}, {b.Aggregate(filter, "c", "count", "k")}), RemoveEmpty), R"(
Aggregate: group [], count(k) AS c
  Values: no rows [k, o, w, n]
)");
}

TEST_F(RulesTest, LimitIntoSort) {
  const NodePtr scan = b.Scan();
  const NodePtr sort = SortNode::Make(scan, b.Keys(scan, {{"o", true}}));
  EXPECT_EQ(b.Apply(LimitNode::Make(b.Project(sort, {"k"}), 10, 5), LimitIntoSort), R"(
Project: k
  Limit: 10, after 5
    Sort: o DESC NULLS LAST, first 15
      Scan: t [k, o, w, n]
)");
  const NodePtr huge = LimitNode::Make(sort, INT64_MAX, 1);
  EXPECT_EQ(b.Apply(huge, LimitIntoSort), b.Print(huge));
}

TEST_F(RulesTest, GroupLimitNeedsAllGroups) {
  const NodePtr scan = b.Scan();
  const NodePtr keep =
      KeepRowsNode::Make(scan, b.KeepSpec(scan, {"k", "n"}, {{"o", true}}, {"k", "n", "o"}));
  EXPECT_EQ(b.Apply(SortNode::Make(keep, b.Keys(keep, {{"n", true}, {"k", false}, {"o", true}}), 7),
                    GroupLimit),
            R"(
Sort: n DESC NULLS LAST, k ASC NULLS LAST, o DESC NULLS LAST, first 7
  KeepRows: group [k, n], order [o DESC NULLS LAST], first 1, of the first 7 groups by [n DESC NULLS LAST, k ASC NULLS LAST], gives [k, n, o]
    Scan: t [k, o, w, n]
)");
  const NodePtr part =
      SortNode::Make(keep, b.Keys(keep, {{"n", true}, {"o", false}, {"k", true}}), 7);
  EXPECT_EQ(b.Apply(part, GroupLimit), b.Print(part));
}

TEST_F(RulesTest, WinnersOfOneOrdering) {
  const NodePtr scan = b.Scan();
  EXPECT_EQ(b.Apply(b.Group(scan, {"k"},
                            {b.Aggregate(scan, "a", "first_value", "w", {{"o", true}}),
                             b.Aggregate(scan, "b", "first_value", "n", {{"o", true}})}),
                    WinnersToKeepRows),
            R"(
Project: k, w AS a, n AS b
  KeepRows: group [k], order [o DESC NULLS LAST], first 1 (first_value(w), first_value(n)), gives [k, w, n]
    Scan: t [k, o, w, n]
)");
}

TEST_F(RulesTest, WinnersWhoseRowsMayNotCount) {
  const NodePtr scan = b.Scan();
  AggregateCall by_order = b.Aggregate(scan, "a", "first_value", "w", {{"o", true}});
  by_order.required = {b.Id(scan, "o")};
  EXPECT_EQ(b.Apply(b.Group(scan, {"k"}, {by_order}), WinnersToKeepRows), R"(
Project: k, CASE WHEN o IS NOT NULL THEN w ELSE NULL END AS a
  KeepRows: group [k], order [o DESC NULLS LAST], first 1 (first_value(w)), gives [k, w, o]
    Scan: t [k, o, w, n]
)");
  AggregateCall by_value = b.Aggregate(scan, "a", "first_value", "w", {{"o", true}});
  by_value.required = {b.Id(scan, "w")};
  EXPECT_EQ(b.Apply(b.Group(scan, {"k"}, {by_value}), WinnersToKeepRows), R"(
Project: k, CASE WHEN eligible THEN w ELSE NULL END AS a
  KeepRows: group [k], order [eligible DESC NULLS LAST, o DESC NULLS LAST], first 1 (first_value(w)), gives [k, w, eligible]
    Project: k, o, w, n, w IS NOT NULL AS eligible
      Scan: t [k, o, w, n]
)");
}

TEST_F(RulesTest, WinnersOfSeveralRowsStay) {
  const NodePtr scan = b.Scan();
  const NodePtr two = b.Group(scan, {"k"},
                              {b.Aggregate(scan, "a", "first_value", "w", {{"o", true}}),
                               b.Aggregate(scan, "b", "first_value", "n", {{"o", false}})});
  EXPECT_EQ(b.Apply(two, WinnersToKeepRows), b.Print(two));
  ASSERT_EQ(b.notes.size(), 1U);
  EXPECT_EQ(b.notes[0],
            "not rewritten to one row kept per group: first_value(w), because first_value(n) may "
            "take another row than first_value(w)");
}

TEST_F(RulesTest, WinnersWithoutGroups) {
  const NodePtr scan = b.Scan();
  AggregateCall winner = b.Aggregate(scan, "a", "first_value", "w", {{"o", true}});
  winner.required = {b.Id(scan, "n")};
  EXPECT_EQ(b.Apply(b.Group(scan, {}, {winner}), WinnersToKeepRows), R"(
Aggregate: group [], first_value(w) AS a
  KeepRows: group [], order [eligible DESC NULLS LAST, o DESC NULLS LAST], first 1 (first_value(w)), gives [o, w, n]
    Project: k, o, w, n, n IS NOT NULL AS eligible
      Scan: t [k, o, w, n]
)");
}

TEST_F(RulesTest, ScanBounds) {
  const NodePtr scan =
      b.Scan("t", MakeTestSource({{"i", arrow::int32(), 4}, {"s", arrow::utf8(), 9}}));
  const ExprPtr i = b.Read(scan, "i");
  const NodePtr filter =
      b.Filter(scan, b.Call("and", {b.Call("greater_equal", {i, b.Number(5)}),
                                    b.Call("and", {b.Call("less", {i, b.Number(int64_t{1} << 40)}),
                                                   b.Call("is_not_null", {b.Read(scan, "s")})})}));
  EXPECT_EQ(b.Apply(filter, ScanBounds), R"(
Filter: CAST(i AS BIGINT) >= 5 AND (CAST(i AS BIGINT) < 1099511627776 AND s IS NOT NULL)
  Scan: t [i, s], bounds [i >= 5, s IS NOT NULL]
)");
}

TEST_F(RulesTest, ScanBoundsOfTimes) {
  const auto ns = arrow::timestamp(arrow::TimeUnit::NANO);
  const auto ms = arrow::timestamp(arrow::TimeUnit::MILLI);
  const NodePtr scan =
      b.Scan("t", MakeTestSource({{"ns", ns, 8}, {"ms", ms, 8}, {"d", arrow::date32(), 4}}));
  const auto us = arrow::timestamp(arrow::TimeUnit::MICRO);
  const auto is_epoch = [&](const char* name) {
    return b.Call("equal", {MakeCastExpr(b.Read(scan, name), us),
                            MakeLiteralExpr(std::make_shared<arrow::TimestampScalar>(0, us))});
  };
  const NodePtr filter = b.Filter(
      scan, b.Call("and", {is_epoch("ns"), b.Call("and", {is_epoch("ms"), is_epoch("d")})}));
  // Many nanoseconds are the same microsecond: the bound would leave rows out.
  const std::string plan = b.Apply(filter, ScanBounds);
  EXPECT_NE(plan.find("bounds [ms = TIMESTAMP_MS '1970-01-01 00:00:00.000', "
                      "d = DATE '1970-01-01']"),
            std::string::npos)
      << plan;
}

TEST_F(RulesTest, AllRulesTogether) {
  const NodePtr window =
      b.Window(b.Scan(), {"k"}, {{"o", true}}, "rn", WindowCall::Kind::kRowNumber);
  const NodePtr inner = b.Project(window, {"k", "o", "w", "n", "rn"});
  const NodePtr filter = b.Filter(inner, b.Call("and", {Compare("equal", b.Read(inner, "rn"), 1),
                                                        Compare("equal", b.Read(inner, "k"), 7)}));
  EXPECT_EQ(b.Optimized(b.Project(filter, {"k", "w", "rn"})), R"(
Project: k, w, 1 AS rn
  Fetch: t [k, w] by row_address
    KeepRows: group [k], order [o DESC NULLS LAST], first 1 (row_number() = 1), gives [row_address]; fetch: the payload is 2,000 bytes a row against 16 bytes of keys
      Filter: k = 7
        Scan: t [k, o] with row addresses, bounds [k = 7]
)");
}

TEST_F(RulesTest, SwitchedOff) {
  const NodePtr scan = b.Scan();
  const NodePtr plan = b.Project(b.Filter(scan, Compare("equal", b.Read(scan, "n"), 1)), {"k"});
  b.settings.enabled = false;
  EXPECT_EQ(b.Optimized(plan), b.Print(plan));
  b.settings.enabled = true;
  for (std::string_view name : OptimizerRuleNames()) {
    b.settings.disabled_rules.insert(std::string(name));
  }
  EXPECT_EQ(b.Optimized(plan), b.Print(plan));
}

}  // namespace
}  // namespace keepone
