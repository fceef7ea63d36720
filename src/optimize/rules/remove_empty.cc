// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/remove_empty.h"

#include <algorithm>
#include <vector>

#include "optimize/rewrite.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

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
    default:
      return IsEmpty(*node.input());
  }
}

}  // namespace

arrow::Result<NodePtr> RemoveEmpty(const NodePtr& plan, const OptimizerContext& /*context*/) {
  return RewriteUp(plan, [](const NodePtr& node) -> arrow::Result<NodePtr> {
    if (!GivesNothing(*node)) {
      return node;
    }
    return MakeEmpty(node->columns());
  });
}

}  // namespace keepone
