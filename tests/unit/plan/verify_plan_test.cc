// SPDX-License-Identifier: Apache-2.0
#include "plan/verify_plan.h"

#include <string>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "plan/group_nodes.h"
#include "plan/leaf_nodes.h"
#include "plan/print_plan.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

const Column kA{ColumnId{1}, "a", arrow::int64()};
const Column kB{ColumnId{2}, "b", arrow::int64()};

ExprPtr Number(int64_t value) {
  return MakeLiteralExpr(std::make_shared<arrow::Int64Scalar>(value));
}
ExprPtr Read(const Column& column) {
  return MakeColumnExpr(column.id, column.name, column.type);
}
NodePtr Rows() {
  return ValuesNode::Make({kA, kB}, {{Number(1), Number(2)}});
}

// What is wrong with the plan, without the node's own line; empty when nothing is.
std::string Fault(const NodePtr& plan) {
  const arrow::Status status = VerifyPlan(*plan);
  if (status.ok()) {
    return "";
  }
  const std::string line = ": " + DescribeNode(*plan);
  const std::string text = status.message();
  const size_t end = text.find(line);
  return text.substr(0, end);
}

TEST(VerifyPlanTest, AcceptsAPlan) {
  const NodePtr rows = Rows();
  EXPECT_EQ(Fault(ProjectNode::Make(rows, {ProjectNode::Pass(kA), {ColumnId{3}, "c", Read(kB)}})),
            "");
  EXPECT_EQ(Fault(LimitNode::Make(SortNode::Make(rows, {SortKey{kA.id}}), 1, 0)), "");
}

TEST(VerifyPlanTest, ColumnsMustBeThere) {
  const Column other{ColumnId{9}, "z", arrow::int64()};
  EXPECT_EQ(Fault(ProjectNode::Make(Rows(), {ProjectNode::Pass(other)})),
            "plan node reads column z#9 that its input does not give");
  EXPECT_EQ(Fault(SortNode::Make(Rows(), {SortKey{ColumnId{9}}})),
            "plan node reads column #9 that its input does not give");
  KeepRowsNode::Spec spec;
  spec.payload = {ColumnId{9}};
  EXPECT_EQ(Fault(KeepRowsNode::Make(Rows(), spec)),
            "plan node reads column #9 that its input does not give");
}

TEST(VerifyPlanTest, TypesMustFit) {
  const Column text{kA.id, "a", arrow::utf8()};
  EXPECT_EQ(Fault(ProjectNode::Make(Rows(), {ProjectNode::Pass(text)})),
            "plan node reads column a as string");
  EXPECT_EQ(Fault(FilterNode::Make(Rows(), Read(kA))), "plan node has a predicate of another type");
  EXPECT_EQ(Fault(ValuesNode::Make({Column{ColumnId{5}, "t", arrow::utf8()}}, {{Number(1)}})),
            "plan node has a value of type int64");
}

TEST(VerifyPlanTest, IdsAreGivenOnce) {
  EXPECT_EQ(Fault(ProjectNode::Make(Rows(), {ProjectNode::Pass(kA), {kB.id, "b", Read(kA)}})),
            "plan node gives a second meaning to column #2");
  EXPECT_EQ(Fault(ProjectNode::Make(Rows(), {ProjectNode::Pass(kA), ProjectNode::Pass(kA)})),
            "plan node gives column a#1 twice");
}

TEST(VerifyPlanTest, LimitsAndGroups) {
  EXPECT_EQ(Fault(LimitNode::Make(Rows(), -1, 0)), "plan node has the negative limit -1");
  KeepRowsNode::Spec spec;
  spec.groups = {kA.id};
  spec.rows_max = 0;
  EXPECT_EQ(Fault(KeepRowsNode::Make(Rows(), spec)), "plan node keeps 0 rows");
  spec.rows_max = 1;
  spec.group_limit = 3;
  spec.group_order = {SortKey{kB.id}};
  EXPECT_EQ(Fault(KeepRowsNode::Make(Rows(), spec)),
            "plan node limits groups by other columns than their own");
}

TEST(PrintPlanTest, Tree) {
  KeepRowsNode::Spec spec;
  spec.groups = {kA.id};
  spec.order = {SortKey{kB.id, /*descending=*/true, /*nulls_first=*/true}};
  spec.payload = {kA.id};
  spec.spelling = "DISTINCT ON";
  const NodePtr plan = KeepRowsNode::Make(Rows(), spec);
  EXPECT_EQ(PrintPlan(*plan),
            "KeepRows: group [a], order [b DESC NULLS FIRST], first 1 (DISTINCT ON), gives [a]\n"
            "  Values: 1 row [a, b]\n");
  EXPECT_EQ(
      PrintPlan(*plan,
                [](const Node& node) { return node.kind() == NodeKind::kValues ? "(1 row)" : ""; }),
      "KeepRows: group [a], order [b DESC NULLS FIRST], first 1 (DISTINCT ON), gives [a]\n"
      "  Values: 1 row [a, b]  (1 row)\n");
}

}  // namespace
}  // namespace keepone
