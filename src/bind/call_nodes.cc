// SPDX-License-Identifier: Apache-2.0
#include "bind/call_nodes.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "bind/column_builder.h"
#include "plan/group_nodes.h"
#include "plan/list_nodes.h"

namespace keepone {
namespace {

AggregateCall MakeCall(const AggregateExpr& expr, ColumnBuilder* columns) {
  AggregateCall call;
  call.id = expr.id;
  call.name = expr.name;
  call.spelling = expr.spelling;
  call.function = expr.function;
  call.arguments = columns->GetAll(expr.arguments);
  call.order = columns->GetKeys(expr.order);
  call.ties_to_last = expr.ties_to_last;
  call.nth = expr.nth;
  call.limit = expr.limit;
  if (expr.filter != nullptr) {
    call.filter = columns->Get(expr.filter);
  }
  for (ColumnId column : columns->GetAll(expr.required)) {
    if (std::find(call.required.begin(), call.required.end(), column) == call.required.end()) {
      call.required.push_back(column);
    }
  }
  call.distinct = expr.distinct;
  return call;
}

void AddExprs(std::vector<ExprPtr>* exprs, std::vector<ExprPtr*>* out) {
  for (ExprPtr& expr : *exprs) {
    out->push_back(&expr);
  }
}

void AddExprs(std::vector<SortExpr>* keys, std::vector<ExprPtr*>* out) {
  for (SortExpr& key : *keys) {
    out->push_back(&key.expr);
  }
}

}  // namespace

NodePtr AddAggregates(BindContext* context, NodePtr input, std::vector<GroupKey>& groups,
                      const std::vector<AggregateExpr>& calls) {
  ColumnBuilder columns(std::move(input), context->ids);
  std::vector<ColumnId> ids;
  for (GroupKey& group : groups) {
    group.id = columns.Get(group.expr, group.name);
    if (std::find(ids.begin(), ids.end(), group.id) == ids.end()) {
      ids.push_back(group.id);
    }
  }
  std::vector<AggregateCall> made;
  for (const AggregateExpr& call : calls) {
    made.push_back(MakeCall(call, &columns));
  }
  return AggregateNode::Make(std::move(columns).Finish(), std::move(ids), std::move(made));
}

NodePtr AddWindows(BindContext* context, NodePtr input, const std::vector<WindowExpr>& windows) {
  ColumnBuilder columns(std::move(input), context->ids);
  std::vector<WindowNode::Spec> specs;
  for (const WindowExpr& window : windows) {
    const std::vector<ColumnId> partition = columns.GetAll(window.partition);
    const std::vector<SortKey> order = columns.GetKeys(window.order);
    WindowCall call;
    call.id = window.id;
    call.name = window.name;
    call.kind = window.kind;
    call.type = window.type;
    call.spelling = window.spelling;
    call.arguments = columns.GetAll(window.arguments);
    call.offset = window.offset;
    call.ignores_nulls = window.ignores_nulls;
    call.to_row = window.to_row;
    if (window.kind == WindowCall::Kind::kAggregate) {
      call.aggregate = MakeCall(window.aggregate, &columns);
    }
    const auto same = std::find_if(specs.begin(), specs.end(), [&](const WindowNode::Spec& spec) {
      return spec.partition == partition && spec.order == order;
    });
    if (same != specs.end()) {
      same->calls.push_back(std::move(call));
    } else {
      specs.push_back({partition, order, {std::move(call)}});
    }
  }
  NodePtr plan = std::move(columns).Finish();
  for (WindowNode::Spec& spec : specs) {
    plan = WindowNode::Make(std::move(plan), std::move(spec));
  }
  return plan;
}

NodePtr AddUnnests(BindContext* context, NodePtr input, std::vector<UnnestExpr> unnests) {
  NodePtr plan = std::move(input);
  while (!unnests.empty()) {
    std::vector<UnnestExpr> above;
    ColumnBuilder lists(plan, context->ids);
    UnnestNode::Spec spec;
    for (UnnestExpr& unnest : unnests) {
      std::unordered_set<ColumnId> reads;
      CollectColumns(*unnest.list, &reads);
      const bool is_ready = std::all_of(reads.begin(), reads.end(), [&plan](ColumnId id) {
        return FindColumn(plan->columns(), id) != nullptr;
      });
      if (is_ready) {
        spec.lists.push_back({lists.Get(unnest.list), {unnest.id, unnest.name, unnest.type}});
      } else {
        above.push_back(std::move(unnest));
      }
    }
    plan = UnnestNode::Make(std::move(lists).Finish(), std::move(spec));
    unnests = std::move(above);
  }
  return plan;
}

std::vector<ExprPtr*> ExprsOf(WindowExpr* window) {
  std::vector<ExprPtr*> exprs;
  AddExprs(&window->partition, &exprs);
  AddExprs(&window->order, &exprs);
  AddExprs(&window->arguments, &exprs);
  AddExprs(&window->aggregate.arguments, &exprs);
  AddExprs(&window->aggregate.order, &exprs);
  AddExprs(&window->aggregate.required, &exprs);
  if (window->aggregate.filter != nullptr) {
    exprs.push_back(&window->aggregate.filter);
  }
  return exprs;
}

}  // namespace keepone
