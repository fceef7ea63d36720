// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/window_to_keep_rows.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "optimize/number_bounds.h"
#include "optimize/rewrite.h"
#include "optimize/window_chain.h"
#include "plan/print_plan.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

constexpr int64_t kNoBound = std::numeric_limits<int64_t>::max();

struct Match {
  NumberBounds bounds;        // all of them together; a number is at least 1
  std::vector<ExprPtr> rest;  // the conjuncts that say something else, or more
  bool drops_conjuncts = false;
};

Match MatchConjuncts(const std::vector<ExprPtr>& conjuncts, ColumnId number) {
  Match match;
  match.bounds.low = 1;
  for (const ExprPtr& conjunct : conjuncts) {
    const std::optional<NumberBounds> bounds = FindNumberBounds(*conjunct, number);
    if (bounds.has_value()) {
      match.bounds.low = std::max(match.bounds.low, bounds->low);
      match.bounds.high = std::min(match.bounds.high, bounds->high);
    }
    if (bounds.has_value() && bounds->exact) {
      match.drops_conjuncts = true;
    } else {
      match.rest.push_back(conjunct);
    }
  }
  return match;
}

KeepRowsNode::Ties TiesOf(WindowCall::Kind kind) {
  switch (kind) {
    case WindowCall::Kind::kRank:
      return KeepRowsNode::Ties::kKeepRank;
    case WindowCall::Kind::kDenseRank:
      return KeepRowsNode::Ties::kKeepDense;
    default:
      return KeepRowsNode::Ties::kCut;
  }
}

std::string Spelling(const WindowCall& call, const NumberBounds& bounds) {
  const bool is_one = bounds.low == bounds.high;
  return FunctionText(call) + (is_one ? " = " : " <= ") + std::to_string(bounds.high);
}

arrow::Result<NodePtr> MakeKept(const WindowChain& chain, const WindowChain::Place& place,
                                Match match) {
  const WindowCall& call = chain.call(place);
  NodePtr input = chain.Without(place);
  KeepRowsNode::Spec spec;
  spec.groups = chain.spec(place).partition;
  spec.order = chain.spec(place).order;
  spec.rows_max = match.bounds.high;
  spec.ties = TiesOf(call.kind);
  spec.spelling = Spelling(call, match.bounds);
  for (const Column& column : input->columns()) {
    spec.payload.push_back(column.id);
  }
  const Column number{call.id, call.name, call.type};
  if (spec.rows_max == 1) {
    NodePtr kept = KeepRowsNode::Make(std::move(input), std::move(spec));
    std::vector<ProjectNode::Item> items;
    for (const Column& column : kept->columns()) {
      items.push_back(ProjectNode::Pass(column));
    }
    items.push_back({number.id, number.name, Int64Literal(1)});
    return MakeFilter(ProjectNode::Make(std::move(kept), std::move(items)), std::move(match.rest));
  }
  spec.number = number;
  if (match.bounds.low > 1) {
    const bool is_one = match.bounds.low == match.bounds.high;
    ARROW_ASSIGN_OR_RAISE(ExprPtr bound,
                          MakeFunctionCall(is_one ? "equal" : "greater_equal",
                                           {ColumnExpr(number), Int64Literal(match.bounds.low)}));
    match.rest.insert(match.rest.begin(), std::move(bound));
  }
  return MakeFilter(KeepRowsNode::Make(std::move(input), std::move(spec)), std::move(match.rest));
}

bool IsNumbering(const WindowCall& call) {
  return call.kind == WindowCall::Kind::kRowNumber || call.kind == WindowCall::Kind::kRank ||
         call.kind == WindowCall::Kind::kDenseRank;
}

// Says why a number that the filter reads does not lead to a KeepRows.
void NoteNearMiss(const WindowChain& chain, const WindowChain::Place& place,
                  const std::vector<ExprPtr>& conjuncts, const OptimizerContext& context) {
  const WindowCall& call = chain.call(place);
  for (const ExprPtr& conjunct : conjuncts) {
    ColumnSet reads;
    CollectColumns(*conjunct, &reads);
    if (!reads.contains(call.id)) {
      continue;
    }
    std::string why;
    if (chain.IsReadAbove(place)) {
      why = "another window function reads " + call.name;
    } else if (chain.spec(place).order.empty() && call.kind != WindowCall::Kind::kRowNumber) {
      why = "it has no ORDER BY";
    } else {
      why =
          "the condition " + ToString(*conjunct) + " is no upper bound on " + call.name + " alone";
    }
    AddNote(context, "not rewritten to rows kept per group: " + FunctionText(call) + " AS " +
                         call.name + ", because " + why);
    return;
  }
}

// Says what stands between a filter and the numbering that it reads.
void NoteFarMiss(const FilterNode& filter, const std::vector<ExprPtr>& conjuncts,
                 const OptimizerContext& context) {
  ColumnSet reads;
  for (const ExprPtr& conjunct : conjuncts) {
    CollectColumns(*conjunct, &reads);
  }
  const Node* barrier = nullptr;
  const Node* node = filter.input().get();
  while (node->inputs().size() == 1) {
    const auto* window = AsIf<WindowNode>(*node);
    if (window == nullptr) {
      barrier = barrier == nullptr ? node : barrier;
    } else if (barrier != nullptr) {
      for (const WindowCall& call : window->spec().calls) {
        if (IsNumbering(call) && reads.contains(call.id)) {
          AddNote(context, "not rewritten to rows kept per group: " + FunctionText(call) + " AS " +
                               call.name + ", because between it and its condition stands " +
                               DescribeNode(*barrier));
        }
      }
    }
    node = node->input().get();
  }
}

arrow::Result<NodePtr> RewriteWindow(const NodePtr& node, const OptimizerContext& context) {
  const auto* filter = AsIf<FilterNode>(*node);
  if (filter == nullptr) {
    return node;
  }
  const WindowChain chain(filter->input());
  std::vector<ExprPtr> conjuncts = SplitConjuncts(filter->predicate());
  for (const WindowChain::Place& place : chain.Places()) {
    const WindowCall& call = chain.call(place);
    if (!IsNumbering(call)) {
      continue;
    }
    Match match = MatchConjuncts(conjuncts, call.id);
    if (match.bounds.low > match.bounds.high) {
      return MakeEmpty(node->columns());
    }
    const bool is_bounded = match.bounds.high < kNoBound;
    const bool is_ordered =
        call.kind == WindowCall::Kind::kRowNumber || !chain.spec(place).order.empty();
    if (is_bounded && is_ordered && !chain.IsReadAbove(place)) {
      return MakeKept(chain, place, std::move(match));
    }
    // Without a bound, all that is dropped says that a number is at least one: it is.
    if (!is_bounded && match.bounds.low <= 1 && match.drops_conjuncts) {
      conjuncts = std::move(match.rest);
    }
    NoteNearMiss(chain, place, conjuncts, context);
  }
  NoteFarMiss(*filter, conjuncts, context);
  if (conjuncts.size() < SplitConjuncts(filter->predicate()).size()) {
    return MakeFilter(filter->input(), std::move(conjuncts));
  }
  return node;
}

}  // namespace

arrow::Result<NodePtr> WindowToKeepRows(const NodePtr& plan, const OptimizerContext& context) {
  return RewriteUp(plan, [&context](const NodePtr& node) { return RewriteWindow(node, context); });
}

}  // namespace keepone
