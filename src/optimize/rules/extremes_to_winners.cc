// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/extremes_to_winners.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "optimize/rewrite.h"
#include "optimize/winner_call.h"
#include "plan/group_nodes.h"

namespace keepone {
namespace {

// Whether the row that wins `winner` has the greatest or least value that `extreme` asks for.
bool HoldsExtreme(const AggregateCall& winner, const AggregateCall& extreme) {
  if (winner.function->kind != AggregateKind::kWinner || winner.nth != 1 || winner.order.empty() ||
      winner.filter != extreme.filter) {
    return false;
  }
  const SortKey& key = winner.order[0];
  const bool takes_nulls = winner.required.empty();
  return key.column == extreme.arguments[0] &&
         key.descending == (extreme.function->name == "max") && !(takes_nulls && key.nulls_first) &&
         std::all_of(winner.required.begin(), winner.required.end(),
                     [&key](ColumnId id) { return id == key.column; });
}

bool IsExtremeCall(const AggregateCall& call) {
  return call.function->kind == AggregateKind::kAccumulate && call.arguments.size() == 1 &&
         (call.function->name == "max" || call.function->name == "min");
}

arrow::Result<NodePtr> ReadExtremes(const NodePtr& node) {
  const auto* aggregate = AsIf<AggregateNode>(*node);
  if (aggregate == nullptr) {
    return node;
  }
  std::vector<AggregateCall> calls = aggregate->calls();
  bool changed = false;
  for (AggregateCall& call : calls) {
    if (!IsExtremeCall(call)) {
      continue;
    }
    const auto winner =
        std::find_if(aggregate->calls().begin(), aggregate->calls().end(),
                     [&call](const AggregateCall& each) { return HoldsExtreme(each, call); });
    const Column value = PassedColumn(*node->input(), call.arguments[0]);
    if (winner == aggregate->calls().end() || !call.function->result_type->Equals(*value.type)) {
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(AggregateCall read,
                          MakeWinnerCall(value, call.id, winner->order, winner->ties_to_last));
    read.filter = winner->filter;
    read.required = winner->required;
    read.name = call.name;
    read.spelling = call.spelling;
    call = std::move(read);
    changed = true;
  }
  return changed ? AggregateNode::Make(node->input(), aggregate->groups(), std::move(calls)) : node;
}

}  // namespace

arrow::Result<NodePtr> ExtremesToWinners(const NodePtr& plan, const OptimizerContext& /*context*/) {
  return RewriteUp(plan, ReadExtremes);
}

}  // namespace keepone
