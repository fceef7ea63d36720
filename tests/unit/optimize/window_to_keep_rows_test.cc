// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/window_to_keep_rows.h"

#include <cstdint>
#include <limits>

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "optimize/rules/max_window_to_keep_rows.h"
#include "tests/unit/optimize/plan_builder.h"

namespace keepone {
namespace {

using Kind = WindowCall::Kind;

class WindowToKeepRowsTest : public ::testing::Test {
 protected:
  NodePtr Numbered(Kind kind = Kind::kRowNumber) {
    return b.Window(b.Scan(), {"k"}, {{"o", true}}, "rn", kind);
  }
  std::string FilteredBy(const char* function, int64_t value, Kind kind = Kind::kRowNumber) {
    const NodePtr window = Numbered(kind);
    return b.Apply(b.Filter(window, b.Call(function, {b.Read(window, "rn"), b.Number(value)})),
                   WindowToKeepRows);
  }
  PlanBuilder b;
};

TEST_F(WindowToKeepRowsTest, FirstRow) {
  constexpr char kEqual[] = R"(
Project: k, o, w, n, 1 AS rn
  KeepRows: group [k], order [o DESC NULLS LAST], first 1 (row_number() = 1), gives [k, o, w, n]
    Scan: t [k, o, w, n]
)";
  EXPECT_EQ(FilteredBy("equal", 1), kEqual);
  EXPECT_EQ(FilteredBy("less_equal", 1), kEqual);
  EXPECT_EQ(FilteredBy("less", 2), kEqual);
}

TEST_F(WindowToKeepRowsTest, FirstRows) {
  EXPECT_EQ(FilteredBy("less_equal", 2'000'000), R"(
KeepRows: group [k], order [o DESC NULLS LAST], first 2000000 (row_number() <= 2000000), gives [k, o, w, n], numbers as rn
  Scan: t [k, o, w, n]
)");
  EXPECT_EQ(FilteredBy("equal", 3), R"(
Filter: rn = 3
  KeepRows: group [k], order [o DESC NULLS LAST], first 3 (row_number() = 3), gives [k, o, w, n], numbers as rn
    Scan: t [k, o, w, n]
)");
}

TEST_F(WindowToKeepRowsTest, BoundsAtTheEndsOfTheNumbers) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr char kNothing[] = "\nValues: no rows [k, o, w, n, rn]\n";
  constexpr char kAll[] = R"(
Window: rn = row_number() OVER (PARTITION BY k ORDER BY o DESC NULLS LAST)
  Scan: t [k, o, w, n]
)";
  EXPECT_EQ(FilteredBy("equal", 0), kNothing);
  EXPECT_EQ(FilteredBy("less", 1), kNothing);
  EXPECT_EQ(FilteredBy("less", std::numeric_limits<int64_t>::min()), kNothing);
  EXPECT_EQ(FilteredBy("greater", kMax), kNothing);
  EXPECT_EQ(FilteredBy("less_equal", kMax), kAll);
  EXPECT_EQ(FilteredBy("greater_equal", 1), kAll);
  EXPECT_EQ(FilteredBy("less", kMax), R"(
KeepRows: group [k], order [o DESC NULLS LAST], first 9223372036854775806 (row_number() <= 9223372036854775806), gives [k, o, w, n], numbers as rn
  Scan: t [k, o, w, n]
)");
}

TEST_F(WindowToKeepRowsTest, RanksKeepTies) {
  EXPECT_EQ(FilteredBy("equal", 1, Kind::kRank), R"(
Project: k, o, w, n, 1 AS rn
  KeepRows: group [k], order [o DESC NULLS LAST], rank up to 1 (rank() = 1), gives [k, o, w, n]
    Scan: t [k, o, w, n]
)");
  EXPECT_EQ(FilteredBy("less_equal", 2, Kind::kDenseRank), R"(
KeepRows: group [k], order [o DESC NULLS LAST], dense rank up to 2 (dense_rank() <= 2), gives [k, o, w, n], numbers as rn
  Scan: t [k, o, w, n]
)");
}

TEST_F(WindowToKeepRowsTest, OtherConjunctsStayAbove) {
  const NodePtr window = Numbered();
  const ExprPtr rn = b.Read(window, "rn");
  EXPECT_EQ(
      b.Apply(
          b.Filter(window, b.Call("and", {b.Call("equal", {rn, b.Number(1)}),
                                          b.Call("greater", {b.Read(window, "n"), b.Number(0)})})),
          WindowToKeepRows),
      R"(
Filter: n > 0
  Project: k, o, w, n, 1 AS rn
    KeepRows: group [k], order [o DESC NULLS LAST], first 1 (row_number() = 1), gives [k, o, w, n]
      Scan: t [k, o, w, n]
)");
}

TEST_F(WindowToKeepRowsTest, Contradiction) {
  const NodePtr window = Numbered();
  const ExprPtr rn = b.Read(window, "rn");
  EXPECT_EQ(b.Apply(b.Filter(window, b.Call("and", {b.Call("equal", {rn, b.Number(1)}),
                                                    b.Call("equal", {rn, b.Number(2)})})),
                    WindowToKeepRows),
            "\nValues: no rows [k, o, w, n, rn]\n");
}

TEST_F(WindowToKeepRowsTest, AnotherWindowSeesAllRows) {
  const NodePtr numbered = Numbered();
  const NodePtr window = b.AggregateWindow(numbered, {"n"}, {}, "c", "count", "o");
  EXPECT_EQ(b.Apply(b.Filter(window, b.Call("equal", {b.Read(window, "rn"), b.Number(1)})),
                    WindowToKeepRows),
            R"(
Project: k, o, w, n, c, 1 AS rn
  KeepRows: group [k], order [o DESC NULLS LAST], first 1 (row_number() = 1), gives [k, o, w, n, c]
    Window: c = count(o) OVER (PARTITION BY n)
      Scan: t [k, o, w, n]
)");
}

TEST_F(WindowToKeepRowsTest, NotWhenAnotherWindowReadsTheNumber) {
  const NodePtr numbered = Numbered();
  const NodePtr window = b.Window(numbered, {"n"}, {{"rn", false}}, "r2", Kind::kRank);
  const NodePtr filter = b.Filter(window, b.Call("equal", {b.Read(window, "rn"), b.Number(1)}));
  EXPECT_EQ(b.Apply(filter, WindowToKeepRows), b.Print(filter));
  ASSERT_EQ(b.notes.size(), 1U);
  EXPECT_EQ(b.notes[0],
            "not rewritten to rows kept per group: row_number() AS rn, because another window "
            "function reads rn");
}

TEST_F(WindowToKeepRowsTest, NotOnAnAlternative) {
  const NodePtr window = Numbered();
  const NodePtr filter =
      b.Filter(window, b.Call("or", {b.Call("equal", {b.Read(window, "rn"), b.Number(1)}),
                                     b.Call("greater", {b.Read(window, "n"), b.Number(0)})}));
  EXPECT_EQ(b.Apply(filter, WindowToKeepRows), b.Print(filter));
  ASSERT_EQ(b.notes.size(), 1U);
  EXPECT_EQ(b.notes[0],
            "not rewritten to rows kept per group: row_number() AS rn, because the condition "
            "rn = 1 OR n > 0 is no upper bound on rn alone");
}

TEST_F(WindowToKeepRowsTest, AColumnOfTheSameNameIsAnotherColumn) {
  const NodePtr scan =
      b.Scan("t", MakeTestSource({{"k", arrow::int64(), 8}, {"rn", arrow::int64(), 8}}));
  const NodePtr window = b.Window(scan, {"k"}, {}, "rn", Kind::kRowNumber);
  // The first column called rn is the table's.
  const NodePtr filter = b.Filter(window, b.Call("equal", {b.Read(window, "rn"), b.Number(1)}));
  EXPECT_EQ(b.Apply(filter, WindowToKeepRows), b.Print(filter));
  EXPECT_TRUE(b.notes.empty());
}

TEST_F(WindowToKeepRowsTest, MaximumOfThePartition) {
  const NodePtr window = b.AggregateWindow(b.Scan(), {"k"}, {}, "m", "max", "o");
  EXPECT_EQ(b.Apply(b.Filter(window, b.Call("equal", {b.Read(window, "o"), b.Read(window, "m")})),
                    MaxWindowToKeepRows),
            R"(
Project: k, o, w, n, o AS m
  KeepRows: group [k], order [o DESC NULLS LAST], rank up to 1 (o = max(o)), gives [k, o, w, n]
    Filter: o IS NOT NULL
      Scan: t [k, o, w, n]
)");
}

TEST_F(WindowToKeepRowsTest, MinimumReachedFromBelow) {
  const NodePtr window = b.AggregateWindow(b.Scan(), {"k"}, {}, "m", "min", "o");
  EXPECT_EQ(
      b.Apply(b.Filter(window, b.Call("greater_equal", {b.Read(window, "m"), b.Read(window, "o")})),
              MaxWindowToKeepRows),
      R"(
Project: k, o, w, n, o AS m
  KeepRows: group [k], order [o ASC NULLS LAST], rank up to 1 (o = min(o)), gives [k, o, w, n]
    Filter: o IS NOT NULL
      Scan: t [k, o, w, n]
)");
  const NodePtr always =
      b.Filter(window, b.Call("greater_equal", {b.Read(window, "o"), b.Read(window, "m")}));
  EXPECT_EQ(b.Apply(always, MaxWindowToKeepRows), b.Print(always));
}

TEST_F(WindowToKeepRowsTest, NotARunningMaximum) {
  const NodePtr window = b.AggregateWindow(b.Scan(), {"k"}, {{"n", false}}, "m", "max", "o");
  const NodePtr filter =
      b.Filter(window, b.Call("equal", {b.Read(window, "o"), b.Read(window, "m")}));
  EXPECT_EQ(b.Apply(filter, MaxWindowToKeepRows), b.Print(filter));
  ASSERT_EQ(b.notes.size(), 1U);
  EXPECT_EQ(b.notes[0],
            "not rewritten to rows kept per group: o = m with max(o), because it is a running one, "
            "with an ORDER BY");
}

}  // namespace
}  // namespace keepone
