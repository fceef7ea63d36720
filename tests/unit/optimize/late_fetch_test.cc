// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/late_fetch.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "plan/row_nodes.h"
#include "tests/unit/optimize/plan_builder.h"

namespace keepone {
namespace {

class LateFetchTest : public ::testing::Test {
 protected:
  PlanBuilder b;
};

TEST_F(LateFetchTest, KeptRowsOfAWideTable) {
  const NodePtr scan = b.Scan();
  EXPECT_EQ(b.Apply(KeepRowsNode::Make(scan, b.KeepSpec(scan, {"k"}, {{"o", true}}, {"k", "w"})),
                    LateFetch),
            R"(
Project: k, w
  Fetch: t [k, w] by row_address
    KeepRows: group [k], order [o DESC NULLS LAST], first 1, gives [row_address]; fetch: the payload is 2,000 bytes a row against 16 bytes of keys
      Scan: t [k, o] with row addresses
)");
}

TEST_F(LateFetchTest, ThroughFiltersAndProjections) {
  const NodePtr scan = b.Scan();
  const NodePtr filter = b.Filter(scan, b.Call("greater", {b.Read(scan, "n"), b.Number(0)}));
  const NodePtr project =
      b.Project(filter, {"k", "w"},
                {{"key", b.Call("add", {b.Read(filter, "o"), b.Read(filter, "n")})},
                 {"same", b.Call("equal", {b.Read(filter, "w"), b.Read(filter, "w")})}});
  KeepRowsNode::Spec spec = b.KeepSpec(project, {"k"}, {{"key", false}}, {"k", "w", "key", "same"});
  spec.rows_max = 2;
  spec.number = Column{b.ids.Next(), "rn", arrow::int64()};
  EXPECT_EQ(b.Apply(KeepRowsNode::Make(project, spec), LateFetch), R"(
Project: k, w, key, same, rn
  Project: row_address, rn, k, w, o + n AS key, w = w AS same
    Fetch: t [k, o, w, n] by row_address
      KeepRows: group [k], order [key ASC NULLS LAST], first 2, gives [row_address], numbers as rn; fetch: the payload is 2,000 bytes a row against 24 bytes of keys
        Project: row_address, k, o + n AS key
          Filter: n > 0
            Scan: t [k, o, n] with row addresses
)");
}

TEST_F(LateFetchTest, WhatIsRandomIsComputedOnceAndCarried) {
  const NodePtr scan = b.Scan();
  const NodePtr project = b.Project(scan, {"k", "w"}, {{"r", b.Random()}});
  const NodePtr more = b.Project(project, {"k", "w", "r"},
                                 {{"r1", b.Call("add", {b.Read(project, "r"), b.Number(1)})}});
  EXPECT_EQ(b.Apply(KeepRowsNode::Make(
                        more, b.KeepSpec(more, {"k"}, {{"r", false}}, {"k", "w", "r", "r1"})),
                    LateFetch),
            R"(
Project: k, w, r, r1
  Project: row_address, r, r1, k, w
    Project: row_address, r, r1, k, w
      Fetch: t [k, w] by row_address
        KeepRows: group [k], order [r ASC NULLS LAST], first 1, gives [row_address, r, r1]; fetch: the payload is 2,000 bytes a row against 8 bytes of keys
          Project: row_address, k, r, r + 1 AS r1
            Project: row_address, k, random() AS r
              Scan: t [k] with row addresses
)");
}

TEST_F(LateFetchTest, CarriesWhatIsNarrow) {
  const NodePtr scan = b.Scan();
  int64_t rows_max = 1;
  const auto form = [&](const std::vector<std::string>& payload) {
    KeepRowsNode::Spec spec = b.KeepSpec(scan, {"k"}, {{"o", true}}, payload);
    spec.rows_max = rows_max;
    return b.Apply(KeepRowsNode::Make(scan, std::move(spec)), LateFetch);
  };
  EXPECT_EQ(form({"k", "n"}), R"(
Project: k, n
  Fetch: t [k, n] by row_address
    KeepRows: group [k], order [o DESC NULLS LAST], first 1, gives [row_address]; fetch: the payload is 8 bytes a row against 16 bytes of keys
      Scan: t [k, o] with row addresses
)");
  rows_max = 2;
  EXPECT_EQ(form({"k", "n"}), R"(
KeepRows: group [k], order [o DESC NULLS LAST], first 2, gives [k, n]; carry: the payload is 8 bytes a row
  Scan: t [k, o, w, n]
)");
  rows_max = 1;
  EXPECT_EQ(form({"k", "o"}), R"(
KeepRows: group [k], order [o DESC NULLS LAST], first 1, gives [k, o]; carry: the payload is part of the keys
  Scan: t [k, o, w, n]
)");
  EXPECT_EQ(form({}), R"(
KeepRows: group [k], order [o DESC NULLS LAST], first 1, gives []; carry: there is no payload to read
  Scan: t [k, o, w, n]
)");
  b.settings.form = OptimizerSettings::Form::kFetch;
  EXPECT_EQ(form({"k", "n"}), R"(
Project: k, n
  Fetch: t [k, n] by row_address
    KeepRows: group [k], order [o DESC NULLS LAST], first 1, gives [row_address]; fetch: as it is set
      Scan: t [k, o] with row addresses
)");
  b.settings.form = OptimizerSettings::Form::kCarry;
  EXPECT_EQ(form({"k", "w"}), R"(
KeepRows: group [k], order [o DESC NULLS LAST], first 1, gives [k, w]; carry: as it is set
  Scan: t [k, o, w, n]
)");
}

TEST_F(LateFetchTest, CarriesWhatCannotBeReadAgain) {
  const NodePtr pipe = b.Scan(/*can_fetch=*/false);
  EXPECT_EQ(b.Apply(KeepRowsNode::Make(pipe, b.KeepSpec(pipe, {"k"}, {}, {"k", "w"})), LateFetch),
            R"(
KeepRows: group [k], order [], first 1, gives [k, w]; carry: t cannot be read again
  Scan: t [k, o, w, n]
)");
  const NodePtr window = b.Window(b.Scan(), {"o"}, {}, "rank", WindowCall::Kind::kRowNumber);
  EXPECT_EQ(
      b.Apply(KeepRowsNode::Make(window, b.KeepSpec(window, {"k"}, {}, {"k", "w"})), LateFetch),
      R"(
KeepRows: group [k], order [], first 1, gives [k, w]; carry: the input comes from a window function and cannot be read again
  Window: rank = row_number() OVER (PARTITION BY o)
    Scan: t [k, o, w, n]
)");
}

TEST_F(LateFetchTest, TopRowsOfAWideTable) {
  const NodePtr scan = b.Scan();
  EXPECT_EQ(b.Apply(SortNode::Make(scan, b.Keys(scan, {{"o", true}}), 10), LateFetch), R"(
Project: k, o, w, n
  Fetch: t [k, w, n] by row_address, in input order
    Sort: o DESC NULLS LAST, first 10
      Scan: t [o] with row addresses
)");
}

TEST_F(LateFetchTest, TopRowsOfKeptRowsFetchTwice) {
  const NodePtr scan = b.Scan();
  const NodePtr keep =
      KeepRowsNode::Make(scan, b.KeepSpec(scan, {"k"}, {{"o", true}}, {"k", "o", "w", "n"}));
  EXPECT_EQ(b.Apply(SortNode::Make(keep, b.Keys(keep, {{"n", false}}), 10), LateFetch), R"(
Project: k, o, w, n
  Project: row_address, n, k, o, w
    Fetch: t [k, o, w] by row_address, in input order
      Sort: n ASC NULLS LAST, first 10
        Project: row_address, n
          Fetch: t [n] by row_address
            KeepRows: group [k], order [o DESC NULLS LAST], first 1, gives [row_address]; fetch: the payload is 2,008 bytes a row against 16 bytes of keys
              Scan: t [k, o] with row addresses
)");
}

TEST_F(LateFetchTest, LimitedGroupsFetchOnce) {
  const NodePtr scan = b.Scan();
  KeepRowsNode::Spec spec = b.KeepSpec(scan, {"k"}, {{"o", true}}, {"k", "o", "w", "n"});
  spec.group_limit = 10;
  spec.group_order = b.Keys(scan, {{"k", false}});
  const NodePtr keep = KeepRowsNode::Make(scan, spec);
  EXPECT_EQ(b.Apply(SortNode::Make(keep, b.Keys(keep, {{"k", false}}), 10), LateFetch), R"(
Sort: k ASC NULLS LAST, first 10
  Project: k, o, w, n
    Fetch: t [k, o, w, n] by row_address
      KeepRows: group [k], order [o DESC NULLS LAST], first 1, of the first 10 groups by [k ASC NULLS LAST], gives [row_address]; fetch: only 10 groups are wanted
        Scan: t [k, o] with row addresses
)");
}

TEST_F(LateFetchTest, FilterReadsItsColumnsFirst) {
  const NodePtr scan = b.Scan();
  const NodePtr keep =
      KeepRowsNode::Make(scan, b.KeepSpec(scan, {"k"}, {{"o", true}}, {"k", "w", "n"}));
  EXPECT_EQ(b.Apply(b.Filter(keep, b.Call("greater", {b.Read(keep, "n"), b.Number(0)})), LateFetch),
            R"(
Project: k, w, n
  Project: row_address, n, k, w
    Fetch: t [k, w] by row_address
      Filter: n > 0
        Project: row_address, n
          Fetch: t [n] by row_address
            KeepRows: group [k], order [o DESC NULLS LAST], first 1, gives [row_address]; fetch: the payload is 2,008 bytes a row against 16 bytes of keys
              Scan: t [k, o] with row addresses
)");
}

TEST_F(LateFetchTest, FilterReadsAFieldUnderTwoNames) {
  b.settings.form = OptimizerSettings::Form::kFetch;
  const NodePtr scan = b.Scan();
  // The field keeps its id under the name of `key`; `o` is a new column.
  ProjectNode::Item key = ProjectNode::Pass(PassedColumn(*scan, b.Id(scan, "o")));
  key.name = "key";
  const NodePtr project =
      ProjectNode::Make(scan, {key, ProjectNode::Item{b.ids.Next(), "o", b.Read(scan, "o")},
                               ProjectNode::Pass(PassedColumn(*scan, b.Id(scan, "w")))});
  const NodePtr keep =
      KeepRowsNode::Make(project, b.KeepSpec(project, {"key"}, {}, {"key", "o", "w"}));
  EXPECT_EQ(
      b.Apply(b.Filter(keep, b.Call("greater", {b.Read(keep, "key"), b.Number(0)})), LateFetch),
      R"(
Project: key, o, w
  Project: row_address, key, key, o, w
    Project: row_address, key, o AS key, o, w
      Fetch: t [o, w] by row_address
        Filter: key > 0
          Project: row_address, key
            Project: row_address, o AS key
              Fetch: t [o] by row_address
                KeepRows: group [key], order [], first 1, gives [row_address]; fetch: as it is set
                  Project: row_address, o AS key
                    Scan: t [o] with row addresses
)");
}

TEST_F(LateFetchTest, LimitSinksBelowTheFetch) {
  const NodePtr scan = b.Scan();
  const NodePtr keep = KeepRowsNode::Make(scan, b.KeepSpec(scan, {"k"}, {{"o", true}}, {"k", "w"}));
  EXPECT_EQ(b.Apply(LimitNode::Make(keep, 5, 2), LateFetch), R"(
Project: k, w
  Fetch: t [k, w] by row_address
    Limit: 5, after 2
      KeepRows: group [k], order [o DESC NULLS LAST], first 1, gives [row_address]; fetch: the payload is 2,000 bytes a row against 16 bytes of keys
        Scan: t [k, o] with row addresses
)");
}

TEST_F(LateFetchTest, WinnersBesideOtherAggregates) {
  const NodePtr scan = b.Scan();
  AggregateCall winner = b.Aggregate(scan, "first", "first_value", "w", {{"o", true}});
  winner.required = {b.Id(scan, "n")};
  EXPECT_EQ(
      b.Apply(b.Group(scan, {"k"}, {b.Aggregate(scan, "total", "sum", "n"), winner}), LateFetch),
      R"(
Project: k, total, CASE WHEN eligible THEN w ELSE NULL END AS first
  Project: k, w, total, row_address, eligible
    Fetch: t [w] by row_address
      Aggregate: group [k], sum(n) AS total, first_value(row_address) AS row_address, first_value(eligible) AS eligible
        Project: k, o, n, row_address, n IS NOT NULL AS eligible
          Scan: t [k, o, n] with row addresses
)");
}

}  // namespace
}  // namespace keepone
