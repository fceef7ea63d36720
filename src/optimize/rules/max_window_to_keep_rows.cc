// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/max_window_to_keep_rows.h"

#include <optional>
#include <utility>
#include <vector>

#include "optimize/rewrite.h"
#include "optimize/window_chain.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

bool IsExtreme(const WindowChain& chain, const WindowChain::Place& place) {
  const WindowCall& call = chain.call(place);
  return call.kind == WindowCall::Kind::kAggregate && call.aggregate.has_value() &&
         (call.aggregate->function->name == "max" || call.aggregate->function->name == "min") &&
         call.aggregate->arguments.size() == 1;
}

struct Condition {
  bool is_same;      // compares the value with its extreme, and holds for that alone
  bool takes_nulls;  // holds where both are NULL
};

Condition ReadCondition(const Expr& conjunct, const WindowCall& call) {
  if (conjunct.kind != ExprKind::kCall || conjunct.children.size() != 2) {
    return {false, false};
  }
  const ColumnId value = call.aggregate->arguments[0];
  const bool is_max = call.aggregate->function->name == "max";
  const bool is_straight =
      IsColumn(*conjunct.children[0], value) && IsColumn(*conjunct.children[1], call.id);
  const bool is_reversed =
      IsColumn(*conjunct.children[0], call.id) && IsColumn(*conjunct.children[1], value);
  if (!is_straight && !is_reversed) {
    return {false, false};
  }
  const bool takes_nulls = IsCall(conjunct, "is_not_distinct_from");
  // No value is beyond the extreme, so that reaching it is being it.
  const bool reaches = IsCall(conjunct, is_straight == is_max ? "greater_equal" : "less_equal");
  return {takes_nulls || reaches || IsCall(conjunct, "equal"), takes_nulls};
}

std::optional<std::string> WhyNot(const WindowChain& chain, const WindowChain::Place& place) {
  const AggregateCall& aggregate = *chain.call(place).aggregate;
  if (!chain.spec(place).order.empty() || chain.call(place).to_row) {
    return "it is a running one, with an ORDER BY";
  }
  if (aggregate.filter.has_value() || !aggregate.required.empty()) {
    return "it does not count all rows";
  }
  if (chain.IsReadAbove(place)) {
    return "another window function reads it";
  }
  return std::nullopt;
}

arrow::Result<NodePtr> MakeKeptExtremes(const WindowChain& chain, const WindowChain::Place& place,
                                        std::vector<ExprPtr> rest, bool takes_nulls) {
  const WindowCall& call = chain.call(place);
  NodePtr input = chain.Without(place);
  const Column value = PassedColumn(*input, call.aggregate->arguments[0]);
  if (!takes_nulls) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr is_there, MakeFunctionCall("is_not_null", {ColumnExpr(value)}));
    input = FilterNode::Make(std::move(input), std::move(is_there));
  }
  KeepRowsNode::Spec spec;
  spec.groups = chain.spec(place).partition;
  spec.order = {SortKey{value.id, call.aggregate->function->name == "max", /*nulls_first=*/false}};
  spec.ties = KeepRowsNode::Ties::kKeepRank;
  spec.spelling = value.name + " = " + FunctionText(call);
  for (const Column& column : input->columns()) {
    spec.payload.push_back(column.id);
  }
  NodePtr kept = KeepRowsNode::Make(std::move(input), std::move(spec));
  std::vector<ProjectNode::Item> items;
  for (const Column& column : kept->columns()) {
    items.push_back(ProjectNode::Pass(column));
  }
  items.push_back({call.id, call.name, ColumnExpr(value)});
  return MakeFilter(ProjectNode::Make(std::move(kept), std::move(items)), std::move(rest));
}

arrow::Result<NodePtr> RewriteMaxWindow(const NodePtr& node, const OptimizerContext& context) {
  const auto* filter = AsIf<FilterNode>(*node);
  if (filter == nullptr) {
    return node;
  }
  const WindowChain chain(filter->input());
  const std::vector<ExprPtr> conjuncts = SplitConjuncts(filter->predicate());
  for (const WindowChain::Place& place : chain.Places()) {
    if (!IsExtreme(chain, place)) {
      continue;
    }
    const WindowCall& call = chain.call(place);
    for (size_t i = 0; i < conjuncts.size(); ++i) {
      const Condition condition = ReadCondition(*conjuncts[i], call);
      if (!condition.is_same) {
        continue;
      }
      if (const std::optional<std::string> why = WhyNot(chain, place)) {
        AddNote(context, "not rewritten to rows kept per group: " + ToString(*conjuncts[i]) +
                             " with " + FunctionText(call) + ", because " + *why);
        continue;
      }
      std::vector<ExprPtr> rest = conjuncts;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      return MakeKeptExtremes(chain, place, std::move(rest), condition.takes_nulls);
    }
  }
  return node;
}

}  // namespace

arrow::Result<NodePtr> MaxWindowToKeepRows(const NodePtr& plan, const OptimizerContext& context) {
  return RewriteUp(plan,
                   [&context](const NodePtr& node) { return RewriteMaxWindow(node, context); });
}

}  // namespace keepone
