// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/remove_empty.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/scalar.h>

#include "optimize/rewrite.h"
#include "plan/join_node.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

bool JoinGivesNothing(const JoinNode& join) {
  const bool left_is_empty = IsEmpty(*join.left());
  const bool right_is_empty = IsEmpty(*join.right());
  switch (join.spec().kind) {
    case JoinKind::kInner:
    case JoinKind::kSemi:
      return left_is_empty || right_is_empty;
    case JoinKind::kLeft:
    case JoinKind::kAnti:
      return left_is_empty;
    case JoinKind::kRight:
      return right_is_empty;
    case JoinKind::kFull:
      break;
  }
  return left_is_empty && right_is_empty;
}

bool GivesNothing(const Node& node) {
  switch (node.kind()) {
    case NodeKind::kScan:
    case NodeKind::kValues:
      return false;
    case NodeKind::kUnionAll:
      return std::all_of(node.inputs().begin(), node.inputs().end(),
                         [](const NodePtr& input) { return IsEmpty(*input); });
    case NodeKind::kAggregate:
      return !As<AggregateNode>(node).groups().empty() && IsEmpty(*node.input());
    case NodeKind::kFilter: {
      const std::vector<ExprPtr> conjuncts = SplitConjuncts(As<FilterNode>(node).predicate());
      return IsEmpty(*node.input()) ||
             std::any_of(conjuncts.begin(), conjuncts.end(), [](const ExprPtr& conjunct) {
               return IsNullLiteral(*conjunct) || BooleanValue(*conjunct) == false;
             });
    }
    case NodeKind::kLimit:
      return As<LimitNode>(node).limit() == 0 || IsEmpty(*node.input());
    case NodeKind::kJoin:
      return JoinGivesNothing(As<JoinNode>(node));
    default:
      return IsEmpty(*node.input());
  }
}

// One side of a join that gives rows, beside the NULLs that stand for the other.
NodePtr KeepSide(const JoinNode& join, const NodePtr& side) {
  if (!GivesRightColumns(join.spec().kind)) {
    return side;
  }
  std::vector<ProjectNode::Item> items;
  for (const Column& column : join.columns()) {
    if (FindColumn(side->columns(), column.id) != nullptr) {
      items.push_back(ProjectNode::Pass(column));
    } else {
      items.push_back(
          {column.id, column.name, MakeLiteralExpr(arrow::MakeNullScalar(column.type))});
    }
  }
  return ProjectNode::Make(side, std::move(items));
}

// REQUIRES: the node gives rows.
NodePtr RemoveEmptySide(const NodePtr& node) {
  const auto* join = AsIf<JoinNode>(*node);
  if (join == nullptr) {
    return node;
  }
  if (IsEmpty(*join->left())) {
    return KeepSide(*join, join->right());
  }
  return IsEmpty(*join->right()) ? KeepSide(*join, join->left()) : node;
}

}  // namespace

arrow::Result<NodePtr> RemoveEmpty(const NodePtr& plan, const OptimizerContext& /*context*/) {
  return RewriteUp(plan, [](const NodePtr& node) -> arrow::Result<NodePtr> {
    return GivesNothing(*node) ? MakeEmpty(node->columns()) : RemoveEmptySide(node);
  });
}

}  // namespace keepone
