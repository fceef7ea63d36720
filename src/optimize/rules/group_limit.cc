// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/group_limit.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "optimize/rewrite.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

// What a column of a Project is in its input, when it is a column there.
std::optional<ColumnId> ColumnBelow(const ProjectNode& project, ColumnId id) {
  for (const ProjectNode::Item& item : project.items()) {
    if (item.id == id && item.expr->kind == ExprKind::kColumn) {
      return item.expr->column;
    }
  }
  return std::nullopt;
}

// The leading keys that are group columns, without repetition.
std::vector<SortKey> LeadingGroups(const std::vector<SortKey>& keys,
                                   const std::vector<ColumnId>& groups) {
  std::vector<SortKey> leading;
  for (const SortKey& key : keys) {
    if (std::find(groups.begin(), groups.end(), key.column) == groups.end()) {
      break;
    }
    const bool is_repeated =
        std::any_of(leading.begin(), leading.end(),
                    [&key](const SortKey& earlier) { return earlier.column == key.column; });
    if (!is_repeated) {
      leading.push_back(key);
    }
  }
  return leading;
}

NodePtr LimitGroups(const NodePtr& node, std::vector<SortKey> keys, int64_t limit) {
  if (const auto* project = AsIf<ProjectNode>(*node)) {
    std::vector<SortKey> below;
    for (SortKey key : keys) {
      const std::optional<ColumnId> column = ColumnBelow(*project, key.column);
      if (!column.has_value()) {
        break;
      }
      key.column = *column;
      below.push_back(key);
    }
    return ReplaceInputs(node, {LimitGroups(node->input(), std::move(below), limit)});
  }
  const auto* keep = AsIf<KeepRowsNode>(*node);
  if (keep == nullptr || keep->spec().groups.empty() || keep->spec().group_limit.has_value()) {
    return node;
  }
  std::vector<SortKey> leading = LeadingGroups(keys, keep->spec().groups);
  const ColumnSet groups(keep->spec().groups.begin(), keep->spec().groups.end());
  if (leading.size() != groups.size()) {
    return node;
  }
  KeepRowsNode::Spec spec = keep->spec();
  spec.group_limit = limit;
  spec.group_order = std::move(leading);
  return KeepRowsNode::Make(node->input(), std::move(spec));
}

}  // namespace

arrow::Result<NodePtr> GroupLimit(const NodePtr& plan, const OptimizerContext& /*context*/) {
  return RewriteUp(plan, [](const NodePtr& node) -> arrow::Result<NodePtr> {
    const auto* sort = AsIf<SortNode>(*node);
    if (sort == nullptr || !sort->limit().has_value()) {
      return node;
    }
    return ReplaceInputs(node, {LimitGroups(node->input(), sort->keys(), *sort->limit())});
  });
}

}  // namespace keepone
