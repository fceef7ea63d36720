// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/prune_columns.h"

#include <utility>
#include <vector>

#include "optimize/rewrite.h"
#include "plan/fetch_node.h"
#include "plan/join_node.h"
#include "plan/leaf_nodes.h"
#include "plan/list_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

NodePtr Prune(const NodePtr& node, const ColumnSet& wanted);

// The input pruned to what the node reads and to what it passes on of `wanted`.
NodePtr PruneInput(const Node& node, const ColumnSet& wanted) {
  ColumnSet needed = wanted;
  CollectReads(node, &needed);
  return Prune(node.input(), needed);
}

NodePtr PruneScan(const NodePtr& node, const ColumnSet& wanted) {
  ScanNode::Spec spec = As<ScanNode>(*node).spec();
  const size_t before = spec.fields.size();
  std::erase_if(spec.fields,
                [&wanted](const ScanNode::Field& field) { return !wanted.contains(field.id); });
  const bool drops_address = spec.address.has_value() && !wanted.contains(*spec.address);
  if (spec.fields.size() == before && !drops_address) {
    return node;
  }
  if (drops_address) {
    spec.address.reset();
  }
  return ScanNode::Make(std::move(spec));
}

NodePtr PruneValues(const NodePtr& node, const ColumnSet& wanted) {
  std::vector<Column> columns;
  std::vector<std::vector<ExprPtr>> rows(As<ValuesNode>(*node).rows().size());
  for (size_t c = 0; c < node->columns().size(); ++c) {
    if (!wanted.contains(node->columns()[c].id)) {
      continue;
    }
    columns.push_back(node->columns()[c]);
    for (size_t r = 0; r < rows.size(); ++r) {
      rows[r].push_back(As<ValuesNode>(*node).rows()[r][c]);
    }
  }
  return columns.size() == node->columns().size()
             ? node
             : ValuesNode::Make(std::move(columns), std::move(rows));
}

NodePtr PruneProject(const NodePtr& node, const ColumnSet& wanted) {
  const auto& project = As<ProjectNode>(*node);
  std::vector<ProjectNode::Item> items = project.items();
  std::erase_if(items,
                [&wanted](const ProjectNode::Item& item) { return !wanted.contains(item.id); });
  ColumnSet needed;
  for (const ProjectNode::Item& item : items) {
    CollectColumns(*item.expr, &needed);
  }
  NodePtr input = Prune(project.input(), needed);
  if (items.size() == project.items().size() && input == project.input()) {
    return node;
  }
  return ProjectNode::Make(std::move(input), std::move(items));
}

NodePtr PruneAggregate(const NodePtr& node, const ColumnSet& wanted) {
  const auto& aggregate = As<AggregateNode>(*node);
  std::vector<AggregateCall> calls = aggregate.calls();
  std::erase_if(calls, [&wanted](const AggregateCall& call) { return !wanted.contains(call.id); });
  ColumnSet needed(aggregate.groups().begin(), aggregate.groups().end());
  for (const AggregateCall& call : calls) {
    CollectReads(call, &needed);
  }
  NodePtr input = Prune(aggregate.input(), needed);
  if (calls.size() == aggregate.calls().size() && input == aggregate.input()) {
    return node;
  }
  return AggregateNode::Make(std::move(input), aggregate.groups(), std::move(calls));
}

NodePtr PruneWindow(const NodePtr& node, const ColumnSet& wanted) {
  WindowNode::Spec spec = As<WindowNode>(*node).spec();
  const size_t before = spec.calls.size();
  std::erase_if(spec.calls,
                [&wanted](const WindowCall& call) { return !wanted.contains(call.id); });
  if (spec.calls.empty()) {
    return Prune(node->input(), wanted);
  }
  if (spec.calls.size() == before) {
    return ReplaceInputs(node, {PruneInput(*node, wanted)});
  }
  const NodePtr pruned = WindowNode::Make(node->input(), std::move(spec));
  return ReplaceInputs(pruned, {PruneInput(*pruned, wanted)});
}

NodePtr PruneKeepRows(const NodePtr& node, const ColumnSet& wanted) {
  KeepRowsNode::Spec spec = As<KeepRowsNode>(*node).spec();
  const size_t before = spec.payload.size();
  std::erase_if(spec.payload, [&wanted](ColumnId id) { return !wanted.contains(id); });
  const bool drops_number = spec.number.has_value() && !wanted.contains(spec.number->id);
  NodePtr pruned = node;
  if (spec.payload.size() != before || drops_number) {
    if (drops_number) {
      spec.number.reset();
    }
    pruned = KeepRowsNode::Make(node->input(), std::move(spec));
  }
  return ReplaceInputs(pruned, {PruneInput(*pruned, {})});
}

NodePtr PruneFetch(const NodePtr& node, const ColumnSet& wanted) {
  FetchNode::Spec spec = As<FetchNode>(*node).spec();
  const size_t before = spec.fields.size();
  std::erase_if(spec.fields,
                [&wanted](const ScanNode::Field& field) { return !wanted.contains(field.id); });
  if (spec.fields.empty()) {
    return Prune(node->input(), wanted);
  }
  const NodePtr pruned =
      spec.fields.size() == before ? node : FetchNode::Make(node->input(), std::move(spec));
  return ReplaceInputs(pruned, {PruneInput(*pruned, wanted)});
}

NodePtr PruneUnionAll(const NodePtr& node, const ColumnSet& wanted) {
  const auto& unite = As<UnionAllNode>(*node);
  std::vector<Column> columns;
  std::vector<std::vector<ColumnId>> sources(unite.inputs().size());
  for (size_t c = 0; c < unite.columns().size(); ++c) {
    if (!wanted.contains(unite.columns()[c].id)) {
      continue;
    }
    columns.push_back(unite.columns()[c]);
    for (size_t i = 0; i < sources.size(); ++i) {
      sources[i].push_back(unite.sources()[i][c]);
    }
  }
  std::vector<NodePtr> inputs;
  for (size_t i = 0; i < sources.size(); ++i) {
    inputs.push_back(Prune(unite.inputs()[i], ColumnSet(sources[i].begin(), sources[i].end())));
  }
  if (columns.size() == unite.columns().size() && inputs == unite.inputs()) {
    return node;
  }
  return UnionAllNode::Make(std::move(inputs), std::move(columns), std::move(sources));
}

NodePtr PruneJoin(const NodePtr& node, const ColumnSet& wanted) {
  ColumnSet needed = wanted;
  CollectReads(*node, &needed);
  const auto& join = As<JoinNode>(*node);
  return ReplaceInputs(node, {Prune(join.left(), needed), Prune(join.right(), needed)});
}

// The lists whose elements nobody reads stay where they decide how many rows there are.
NodePtr PruneUnnest(const NodePtr& node, const ColumnSet& wanted) {
  UnnestNode::Spec spec = As<UnnestNode>(*node).spec();
  const size_t before = spec.lists.size();
  if (spec.ordinals.has_value()) {
    std::erase_if(spec.lists, [&wanted](const UnnestNode::List& list) {
      return !wanted.contains(list.element.id);
    });
  }
  const bool drops_ordinality =
      spec.ordinality.has_value() && !wanted.contains(spec.ordinality->id);
  NodePtr pruned = node;
  if (spec.lists.size() != before || drops_ordinality) {
    if (drops_ordinality) {
      spec.ordinality.reset();
    }
    pruned = UnnestNode::Make(node->input(), std::move(spec));
  }
  return ReplaceInputs(pruned, {PruneInput(*pruned, wanted)});
}

NodePtr PruneNest(const NodePtr& node, const ColumnSet& wanted) {
  NestNode::Spec spec = As<NestNode>(*node).spec();
  const size_t before = spec.lists.size();
  std::erase_if(spec.lists,
                [&wanted](const NestNode::List& list) { return !wanted.contains(list.list.id); });
  const NodePtr pruned =
      spec.lists.size() == before ? node : NestNode::Make(node->input(), std::move(spec));
  return ReplaceInputs(pruned, {PruneInput(*pruned, {})});
}

NodePtr Prune(const NodePtr& node, const ColumnSet& wanted) {
  switch (node->kind()) {
    case NodeKind::kScan:
      return PruneScan(node, wanted);
    case NodeKind::kValues:
      return PruneValues(node, wanted);
    case NodeKind::kProject:
      return PruneProject(node, wanted);
    case NodeKind::kAggregate:
      return PruneAggregate(node, wanted);
    case NodeKind::kWindow:
      return PruneWindow(node, wanted);
    case NodeKind::kKeepRows:
      return PruneKeepRows(node, wanted);
    case NodeKind::kFetch:
      return PruneFetch(node, wanted);
    case NodeKind::kUnionAll:
      return PruneUnionAll(node, wanted);
    case NodeKind::kJoin:
      return PruneJoin(node, wanted);
    case NodeKind::kUnnest:
      return PruneUnnest(node, wanted);
    case NodeKind::kNest:
      return PruneNest(node, wanted);
    case NodeKind::kFilter:
    case NodeKind::kSort:
    case NodeKind::kLimit:
      return ReplaceInputs(node, {PruneInput(*node, wanted)});
  }
  return node;
}

}  // namespace

arrow::Result<NodePtr> PruneColumns(const NodePtr& plan, const OptimizerContext& /*context*/) {
  ColumnSet wanted;
  for (const Column& column : plan->columns()) {
    wanted.insert(column.id);
  }
  return Prune(plan, wanted);
}

}  // namespace keepone
