// SPDX-License-Identifier: Apache-2.0
#include "optimize/optimizer.h"

#include <algorithm>
#include <utility>

#include "optimize/default_rules.h"
#include "plan/row_nodes.h"
#include "plan/verify_plan.h"

namespace keepone {
namespace {

bool SameColumns(const std::vector<Column>& left, const std::vector<Column>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Column& a, const Column& b) {
                      return a.id == b.id && a.name == b.name && a.type->Equals(*b.type);
                    });
}

// Rules may reorder the root's columns, add to them or lose their names; this puts them right.
NodePtr RestoreColumns(NodePtr plan, const std::vector<Column>& columns) {
  if (SameColumns(plan->columns(), columns)) {
    return plan;
  }
  std::vector<ProjectNode::Item> items;
  for (const Column& column : columns) {
    items.push_back(ProjectNode::Pass(column));
  }
  // One Project is enough: the root's own may only be out of order.
  const auto* project = AsIf<ProjectNode>(*plan);
  if (project == nullptr) {
    return ProjectNode::Make(std::move(plan), std::move(items));
  }
  for (ProjectNode::Item& item : items) {
    for (const ProjectNode::Item& own : project->items()) {
      if (own.id == item.id) {
        item.expr = own.expr;
      }
    }
  }
  return ProjectNode::Make(project->input(), std::move(items));
}

}  // namespace

arrow::Result<NodePtr> Optimize(NodePtr plan, const OptimizerContext& context) {
  const OptimizerSettings& settings = *context.settings;
  if (!settings.enabled) {
    return plan;
  }
  const std::vector<Column> columns = plan->columns();
#ifdef NDEBUG
  const bool verify = settings.verify;
#else
  const bool verify = true;
#endif
  for (const Rule& rule : DefaultRules()) {
    if (settings.disabled_rules.contains(std::string(rule.name))) {
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(plan, rule.apply(plan, context));
    if (verify) {
      const arrow::Status status = VerifyPlan(*plan);
      if (!status.ok()) {
        return status.WithMessage("after rule ", rule.name, ": ", status.message());
      }
    }
  }
  plan = RestoreColumns(std::move(plan), columns);
  if (verify) {
    ARROW_RETURN_NOT_OK(VerifyPlan(*plan));
  }
  return plan;
}

std::vector<std::string_view> OptimizerRuleNames() {
  std::vector<std::string_view> names;
  for (const Rule& rule : DefaultRules()) {
    if (std::find(names.begin(), names.end(), rule.name) == names.end()) {
      names.push_back(rule.name);
    }
  }
  return names;
}

}  // namespace keepone
