// SPDX-License-Identifier: Apache-2.0
#include "plan/join_condition.h"

#include <string>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/can_fail.h"
#include "plan/leaf_nodes.h"
#include "plan/print_plan.h"
#include "plan/row_nodes.h"
#include "plan/verify_plan.h"

namespace keepone {
namespace {

const Column kA{ColumnId{1}, "a", arrow::int64()};
const Column kB{ColumnId{2}, "b", arrow::int32()};
const Column kX{ColumnId{3}, "x", arrow::int64()};
const Column kY{ColumnId{4}, "y", arrow::utf8()};

ExprPtr Read(const Column& column) {
  return MakeColumnExpr(column.id, column.name, column.type);
}
ExprPtr Number(int64_t value) {
  return MakeLiteralExpr(std::make_shared<arrow::Int64Scalar>(value));
}
ExprPtr Call(const char* function, std::vector<ExprPtr> children) {
  return MakeFunctionCall(function, std::move(children)).ValueOrDie();
}
NodePtr Rows(std::vector<Column> columns) {
  return ValuesNode::Make(std::move(columns), {});
}

// The join of a, b with x, y under these conjuncts.
std::string JoinText(const std::vector<ExprPtr>& conjuncts, JoinNode::Spec spec = {}) {
  ColumnIdGenerator ids;
  for (int i = 0; i < 10; ++i) {
    ids.Next();
  }
  const auto joined = JoinOn(Rows({kA, kB}), Rows({kX, kY}), std::move(spec), conjuncts, &ids);
  if (!joined.ok()) {
    return joined.status().ToString();
  }
  const arrow::Status status = VerifyPlan(**joined);
  return status.ok() ? PrintPlan(**joined) : status.ToString();
}

// A plan of this join over the rows as they stand.
std::string OverRows(std::string_view join) {
  return JoinMessage(join, "\n  Values: no rows [a, b]\n  Values: no rows [x, y]\n");
}

TEST(JoinConditionTest, EqualitiesOfTheTwoSidesAreKeys) {
  EXPECT_EQ(JoinText({Call("equal", {Read(kX), Read(kA)})}), OverRows("Join: inner on [a = x]"));
  EXPECT_EQ(JoinText({Call("is_not_distinct_from", {Read(kA), Read(kX)})}),
            OverRows("Join: inner on [a IS NOT DISTINCT FROM x]"));
  // Of one side, or of no column at all.
  EXPECT_EQ(JoinText({Call("equal", {Read(kA), Read(kB)}), Call("equal", {Read(kA), Number(1)})}),
            OverRows("Join: inner, every pair where a = CAST(b AS BIGINT) AND a = 1"));
}

TEST(JoinConditionTest, KeysAddToThoseThatAreThere) {
  JoinNode::Spec spec;
  spec.kind = JoinKind::kLeft;
  spec.keys = {{kA.id, kX.id}};
  spec.residual = Call("less", {Read(kB), Number(3)});
  EXPECT_EQ(
      JoinText({Call("equal", {Read(kA), Read(kX)}), Call("equal", {Read(kB), Read(kX)})}, spec),
      "Join: left on [a = x, CAST(b AS BIGINT) = x] where CAST(b AS BIGINT) < 3\n"
      "  Project: a, b, CAST(b AS BIGINT)\n"
      "    Values: no rows [a, b]\n"
      "  Values: no rows [x, y]\n");
}

TEST(JoinConditionTest, ExpressionsAreComputedOnce) {
  const ExprPtr sum = Call("add", {Read(kA), Number(1)});
  EXPECT_EQ(
      JoinText({Call("equal", {sum, Read(kX)}), Call("is_not_distinct_from", {Read(kX), sum})}),
      "Join: inner on [a + 1 = x, a + 1 IS NOT DISTINCT FROM x]\n"
      "  Project: a, b, a + 1\n"
      "    Values: no rows [a, b]\n"
      "  Values: no rows [x, y]\n");
}

TEST(JoinConditionTest, SemiJoinsGiveTheLeftColumns) {
  for (const JoinKind kind : {JoinKind::kSemi, JoinKind::kAnti}) {
    JoinNode::Spec spec;
    spec.kind = kind;
    const NodePtr join = JoinNode::Make(Rows({kA}), Rows({kX}), spec);
    ASSERT_EQ(join->columns().size(), 1);
    EXPECT_EQ(join->columns()[0].id, kA.id);
  }
}

TEST(JoinConditionTest, FaultsAreFound) {
  const auto fault = [](JoinNode::Spec spec) {
    return VerifyPlan(*JoinNode::Make(Rows({kA, kB}), Rows({kX, kY}), std::move(spec))).message();
  };
  JoinNode::Spec spec;
  spec.keys = {{kA.id, kB.id}};
  EXPECT_NE(fault(spec).find("reads column #2 that its input does not give"), std::string::npos);
  spec.keys = {{kA.id, kY.id}};
  EXPECT_NE(fault(spec).find("compares keys of types int64 and string"), std::string::npos);
  spec.keys = {};
  spec.residual = Read(kA);
  EXPECT_NE(fault(spec).find("has a predicate of another type"), std::string::npos);
}

TEST(CanFailTest, Expressions) {
  EXPECT_FALSE(CanFail(*Read(kA)));
  EXPECT_FALSE(CanFail(*Call("equal", {Read(kB), Read(kA)})));  // a cast to a wider type
  EXPECT_TRUE(CanFail(*MakeCastExpr(Read(kA), arrow::int32())));
  EXPECT_FALSE(CanFail(*MakeCastExpr(Read(kA), arrow::int32(), /*try_cast=*/true)));
  EXPECT_FALSE(CanFail(*MakeCastExpr(Read(kB), arrow::float64())));
  EXPECT_TRUE(CanFail(*MakeCastExpr(Read(kY), arrow::int64())));
  EXPECT_TRUE(CanFail(*MakeCastExpr(Read(kA), arrow::uint64())));
  EXPECT_FALSE(CanFail(*MakeCastExpr(Read(kA), arrow::decimal128(19, 0))));
  EXPECT_TRUE(CanFail(*MakeCastExpr(Read(kA), arrow::decimal128(19, 1))));
  EXPECT_TRUE(CanFail(*Call("divide", {Number(1), Read(kA)})));
  EXPECT_TRUE(CanFail(*Call("is_null", {Call("add", {Read(kA), Number(1)})})));
}

}  // namespace
}  // namespace keepone
