// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/late_fetch_winners.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "optimize/row_chain.h"
#include "optimize/winner_call.h"
#include "plan/group_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

// A group has a first row, but maybe no second one to fetch.
bool IsWinner(const AggregateCall& call) {
  return call.function->kind == AggregateKind::kWinner && call.nth == 1;
}

bool IsPeer(const AggregateCall& call, const AggregateCall& first) {
  return IsWinner(call) && SameWinner(call, first);
}

// Picks by all that the aggregate reads, but for the values of the peers of `first`.
RowSplit MakeSplit(const RowChain& chain, const AggregateNode& node, const AggregateCall& first) {
  ColumnSet keys(node.groups().begin(), node.groups().end());
  RowSplit::Request request;
  for (const AggregateCall& call : node.calls()) {
    if (IsPeer(call, first)) {
      request.payload.push_back(call.arguments[0]);
      AggregateCall without_value = call;
      without_value.arguments.clear();
      CollectReads(without_value, &keys);
    } else {
      CollectReads(call, &keys);
    }
  }
  request.payload.insert(request.payload.end(), node.groups().begin(), node.groups().end());
  std::sort(request.payload.begin(), request.payload.end());
  request.payload.erase(std::unique(request.payload.begin(), request.payload.end()),
                        request.payload.end());
  request.given = node.groups();
  request.keys.assign(keys.begin(), keys.end());
  std::sort(request.keys.begin(), request.keys.end());
  return RowSplit(chain, std::move(request));
}

AggregateCall Rename(AggregateCall call, const RowSplit::Narrow& narrow) {
  const auto rename = [&narrow](ColumnId* id) { *id = narrow.ids.at(*id); };
  std::for_each(call.arguments.begin(), call.arguments.end(), [&](ColumnId& id) { rename(&id); });
  std::for_each(call.required.begin(), call.required.end(), [&](ColumnId& id) { rename(&id); });
  for (SortKey& key : call.order) {
    rename(&key.column);
  }
  if (call.filter.has_value()) {
    rename(&*call.filter);
  }
  return call;
}

class WinnerFetch {
 public:
  WinnerFetch(const AggregateNode& node, const AggregateCall& first, const RowSplit& split,
              ColumnIdGenerator* ids)
      : node_(node), first_(first), split_(split), ids_(ids), narrow_(split.MakeNarrow(ids)) {}

  arrow::Result<NodePtr> Make() {
    // The peers without their values: what is left tells which row wins.
    AggregateCall picker = first_;
    picker.arguments.clear();
    picker = Rename(std::move(picker), narrow_);
    ARROW_ASSIGN_OR_RAISE(EligibleOrder eligible, MakeEligibleOrder(narrow_.node, picker, ids_));
    std::vector<ColumnId> groups = node_.groups();
    for (ColumnId& group : groups) {
      group = narrow_.ids.at(group);
    }
    std::vector<AggregateCall> calls;
    for (const AggregateCall& call : node_.calls()) {
      if (!IsPeer(call, first_)) {
        calls.push_back(Rename(call, narrow_));
      }
    }
    RowSplit::Narrow picked = narrow_;
    ARROW_ASSIGN_OR_RAISE(picked.address,
                          AddWinner(*eligible.input, narrow_.address, eligible.order, &calls));
    for (ColumnId carried : narrow_.carried) {
      ARROW_ASSIGN_OR_RAISE(ColumnId id,
                            AddWinner(*eligible.input, carried, eligible.order, &calls));
      for (auto& [from, to] : picked.ids) {
        to = to == carried ? id : to;
      }
    }
    ExprPtr condition = eligible.condition;
    if (condition != nullptr) {
      ARROW_ASSIGN_OR_RAISE(ColumnId id, AddWinner(*eligible.input, *eligible.condition_column,
                                                   eligible.order, &calls));
      condition = ReplaceColumns(condition, [id](const Expr& column) {
        return MakeColumnExpr(id, column.name, column.type);
      });
    }
    NodePtr aggregate = AggregateNode::Make(eligible.input, std::move(groups), std::move(calls));
    const auto first_call = static_cast<std::ptrdiff_t>(node_.groups().size());
    const std::vector<Column> extras(aggregate->columns().begin() + first_call,
                                     aggregate->columns().end());
    NodePtr wide =
        split_.MakeWide(picked, std::move(aggregate), extras, /*keeps_input_order=*/false);
    return MakeOutput(std::move(wide), condition);
  }

 private:
  arrow::Result<ColumnId> AddWinner(const Node& input, ColumnId column,
                                    const std::vector<SortKey>& order,
                                    std::vector<AggregateCall>* calls) {
    const ColumnId id = ids_->Next();
    ARROW_ASSIGN_OR_RAISE(AggregateCall call, MakeWinnerCall(PassedColumn(input, column), id, order,
                                                             first_.ties_to_last));
    calls->push_back(std::move(call));
    return id;
  }

  NodePtr MakeOutput(NodePtr wide, const ExprPtr& condition) const {
    std::vector<ProjectNode::Item> items;
    for (ColumnId group : node_.groups()) {
      items.push_back(ProjectNode::Pass(PassedColumn(*wide, group)));
    }
    for (const AggregateCall& call : node_.calls()) {
      const Column column = PassedColumn(node_, call.id);
      if (IsPeer(call, first_)) {
        items.push_back(
            {call.id, call.name, WinnerValue(condition, PassedColumn(*wide, call.arguments[0]))});
      } else {
        items.push_back(ProjectNode::Pass(column));
      }
    }
    return ProjectNode::Make(std::move(wide), std::move(items));
  }

  const AggregateNode& node_;
  const AggregateCall& first_;
  const RowSplit& split_;
  ColumnIdGenerator* ids_;
  RowSplit::Narrow narrow_;
};

}  // namespace

arrow::Result<NodePtr> FetchWinners(const NodePtr& node, int64_t wide_bytes_min,
                                    const OptimizerContext& context) {
  const auto& aggregate = As<AggregateNode>(*node);
  const OptimizerSettings::Form form = context.settings->form;
  if (aggregate.groups().empty() || form == OptimizerSettings::Form::kCarry ||
      std::none_of(aggregate.calls().begin(), aggregate.calls().end(), IsWinner)) {
    return node;
  }
  const RowChainSearch search = FindRowChain(aggregate.input());
  if (!search.chain.has_value() || search.chain->base->kind() != NodeKind::kScan) {
    return node;
  }
  std::optional<RowSplit> widest;
  const AggregateCall* first = nullptr;
  for (const AggregateCall& call : aggregate.calls()) {
    if (!IsWinner(call)) {
      continue;
    }
    RowSplit split = MakeSplit(*search.chain, aggregate, call);
    if (split.saves_fields() &&
        (!widest.has_value() || split.wide_bytes() > widest->wide_bytes())) {
      widest = std::move(split);
      first = &call;
    }
  }
  if (!widest.has_value() ||
      (form == OptimizerSettings::Form::kAuto && widest->wide_bytes() < wide_bytes_min)) {
    return node;
  }
  return WinnerFetch(aggregate, *first, *widest, context.ids).Make();
}

}  // namespace keepone
