// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/merge_projects.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "optimize/rewrite.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

void CountUses(const Expr& expr, std::unordered_map<ColumnId, int>* uses) {
  if (expr.kind == ExprKind::kColumn) {
    ++(*uses)[expr.column];
  }
  for (const ExprPtr& child : expr.children) {
    CountUses(*child, uses);
  }
}

bool CanMerge(const ProjectNode& upper, const ProjectNode& lower) {
  std::unordered_map<ColumnId, int> uses;
  ColumnSet plain;  // read as they are, in an item of their own
  for (const ProjectNode::Item& item : upper.items()) {
    CountUses(*item.expr, &uses);
    if (item.expr->kind == ExprKind::kColumn) {
      plain.insert(item.expr->column);
    }
  }
  for (const ProjectNode::Item& item : lower.items()) {
    const int count = uses.contains(item.id) ? uses.at(item.id) : 0;
    if (count > 0 && !IsDeterministic(*item.expr) && !plain.contains(item.id)) {
      return false;
    }
    const bool is_free = item.expr->kind == ExprKind::kColumn || IsLiteral(*item.expr);
    if (count > 1 && !is_free) {
      return false;
    }
  }
  return true;
}

NodePtr Merge(const ProjectNode& upper, const ProjectNode& lower) {
  std::unordered_map<ColumnId, ExprPtr> exprs;
  for (const ProjectNode::Item& item : lower.items()) {
    exprs[item.id] = item.expr;
  }
  std::vector<ProjectNode::Item> items = upper.items();
  for (ProjectNode::Item& item : items) {
    item.expr =
        ReplaceColumns(item.expr, [&exprs](const Expr& column) { return exprs.at(column.column); });
  }
  return ProjectNode::Make(lower.input(), std::move(items));
}

bool PassesAll(const ProjectNode& project) {
  const std::vector<Column>& columns = project.input()->columns();
  if (columns.size() != project.items().size()) {
    return false;
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    const ProjectNode::Item& item = project.items()[i];
    if (!ProjectNode::IsPass(item) || item.id != columns[i].id || item.name != columns[i].name) {
      return false;
    }
  }
  return true;
}

}  // namespace

arrow::Result<NodePtr> MergeProjects(const NodePtr& plan, const OptimizerContext& /*context*/) {
  return RewriteUp(plan, [](const NodePtr& node) -> arrow::Result<NodePtr> {
    NodePtr result = node;
    const auto* upper = AsIf<ProjectNode>(*node);
    if (upper == nullptr) {
      return result;
    }
    const auto* lower = AsIf<ProjectNode>(*node->input());
    if (lower != nullptr && CanMerge(*upper, *lower)) {
      result = Merge(*upper, *lower);
    }
    return PassesAll(As<ProjectNode>(*result)) ? result->input() : result;
  });
}

}  // namespace keepone
