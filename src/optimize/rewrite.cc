// SPDX-License-Identifier: Apache-2.0
#include "optimize/rewrite.h"

#include <algorithm>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "plan/fetch_node.h"
#include "plan/join_node.h"
#include "plan/leaf_nodes.h"
#include "plan/list_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {

NodePtr ReplaceInputs(const NodePtr& node, std::vector<NodePtr> inputs) {
  return inputs == node->inputs() ? node : node->WithInputs(std::move(inputs));
}

arrow::Result<NodePtr> RewriteUp(const NodePtr& node, const NodeRewrite& rewrite) {
  std::vector<NodePtr> inputs;
  for (const NodePtr& input : node->inputs()) {
    ARROW_ASSIGN_OR_RAISE(NodePtr rewritten, RewriteUp(input, rewrite));
    inputs.push_back(std::move(rewritten));
  }
  return rewrite(ReplaceInputs(node, std::move(inputs)));
}

arrow::Result<NodePtr> RewriteExprs(const NodePtr& node, const ExprRewrite& rewrite) {
  bool changed = false;
  if (const auto* filter = AsIf<FilterNode>(*node)) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr predicate, rewrite(filter->predicate()));
    return predicate == filter->predicate() ? node
                                            : FilterNode::Make(node->input(), std::move(predicate));
  }
  if (const auto* join = AsIf<JoinNode>(*node)) {
    JoinNode::Spec spec = join->spec();
    if (spec.residual == nullptr) {
      return node;
    }
    ARROW_ASSIGN_OR_RAISE(spec.residual, rewrite(spec.residual));
    if (spec.residual == join->spec().residual) {
      return node;
    }
    if (BooleanValue(*spec.residual) == true) {
      spec.residual = nullptr;
    }
    return JoinNode::Make(join->left(), join->right(), std::move(spec));
  }
  if (const auto* project = AsIf<ProjectNode>(*node)) {
    std::vector<ProjectNode::Item> items = project->items();
    for (ProjectNode::Item& item : items) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr expr, rewrite(item.expr));
      changed = changed || expr != item.expr;
      item.expr = std::move(expr);
    }
    return changed ? ProjectNode::Make(node->input(), std::move(items)) : node;
  }
  if (const auto* values = AsIf<ValuesNode>(*node)) {
    std::vector<std::vector<ExprPtr>> rows = values->rows();
    for (std::vector<ExprPtr>& row : rows) {
      for (ExprPtr& cell : row) {
        ARROW_ASSIGN_OR_RAISE(ExprPtr expr, rewrite(cell));
        changed = changed || expr != cell;
        cell = std::move(expr);
      }
    }
    return changed ? ValuesNode::Make(values->columns(), std::move(rows)) : node;
  }
  return node;
}

namespace {

void AddKeys(const std::vector<SortKey>& keys, ColumnSet* columns) {
  for (const SortKey& key : keys) {
    columns->insert(key.column);
  }
}

}  // namespace

void CollectReads(const AggregateCall& call, ColumnSet* columns) {
  columns->insert(call.arguments.begin(), call.arguments.end());
  columns->insert(call.required.begin(), call.required.end());
  AddKeys(call.order, columns);
  if (call.filter.has_value()) {
    columns->insert(*call.filter);
  }
}

void CollectReads(const Node& node, ColumnSet* columns) {
  switch (node.kind()) {
    case NodeKind::kScan:
    case NodeKind::kValues:
    case NodeKind::kLimit:
      return;
    case NodeKind::kFilter:
      CollectColumns(*As<FilterNode>(node).predicate(), columns);
      return;
    case NodeKind::kProject:
      for (const ProjectNode::Item& item : As<ProjectNode>(node).items()) {
        CollectColumns(*item.expr, columns);
      }
      return;
    case NodeKind::kAggregate: {
      const auto& aggregate = As<AggregateNode>(node);
      columns->insert(aggregate.groups().begin(), aggregate.groups().end());
      for (const AggregateCall& call : aggregate.calls()) {
        CollectReads(call, columns);
      }
      return;
    }
    case NodeKind::kWindow: {
      const WindowNode::Spec& spec = As<WindowNode>(node).spec();
      columns->insert(spec.partition.begin(), spec.partition.end());
      AddKeys(spec.order, columns);
      for (const WindowCall& call : spec.calls) {
        if (call.aggregate.has_value()) {
          CollectReads(*call.aggregate, columns);
        }
        columns->insert(call.arguments.begin(), call.arguments.end());
      }
      return;
    }
    case NodeKind::kKeepRows: {
      const KeepRowsNode::Spec& spec = As<KeepRowsNode>(node).spec();
      columns->insert(spec.groups.begin(), spec.groups.end());
      columns->insert(spec.payload.begin(), spec.payload.end());
      AddKeys(spec.order, columns);
      AddKeys(spec.group_order, columns);
      return;
    }
    case NodeKind::kFetch:
      columns->insert(As<FetchNode>(node).spec().address);
      return;
    case NodeKind::kSort:
      AddKeys(As<SortNode>(node).keys(), columns);
      return;
    case NodeKind::kUnionAll:
      for (const std::vector<ColumnId>& ids : As<UnionAllNode>(node).sources()) {
        columns->insert(ids.begin(), ids.end());
      }
      return;
    case NodeKind::kJoin:
      for (const JoinNode::Key& key : As<JoinNode>(node).spec().keys) {
        columns->insert(key.left);
        columns->insert(key.right);
      }
      if (As<JoinNode>(node).spec().residual != nullptr) {
        CollectColumns(*As<JoinNode>(node).spec().residual, columns);
      }
      return;
    case NodeKind::kUnnest: {
      const UnnestNode::Spec& spec = As<UnnestNode>(node).spec();
      for (const UnnestNode::List& list : spec.lists) {
        columns->insert(list.list);
      }
      if (spec.ordinals.has_value()) {
        columns->insert(*spec.ordinals);
      }
      return;
    }
    case NodeKind::kNest:
      columns->insert(As<NestNode>(node).spec().address);
      for (const NestNode::List& list : As<NestNode>(node).spec().lists) {
        columns->insert(list.value);
      }
      return;
  }
}

NodePtr MakeEmpty(std::vector<Column> columns) {
  return ValuesNode::Make(std::move(columns), {});
}

bool IsEmpty(const Node& node) {
  const auto* values = AsIf<ValuesNode>(node);
  return values != nullptr && values->rows().empty();
}

arrow::Result<NodePtr> MakeFilter(NodePtr input, std::vector<ExprPtr> conjuncts) {
  if (conjuncts.empty()) {
    return input;
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr predicate, JoinConjuncts(std::move(conjuncts)));
  return FilterNode::Make(std::move(input), std::move(predicate));
}

bool IsColumn(const Expr& expr, ColumnId id) {
  return expr.kind == ExprKind::kColumn && expr.column == id;
}

bool IsCall(const Expr& expr, std::string_view function) {
  return expr.kind == ExprKind::kCall && expr.function->name == function;
}

ExprPtr ColumnExpr(const Column& column) {
  return MakeColumnExpr(column.id, column.name, column.type);
}

ExprPtr Int64Literal(int64_t value) {
  return MakeLiteralExpr(std::make_shared<arrow::Int64Scalar>(value));
}

ExprPtr BooleanLiteral(bool value) {
  return MakeLiteralExpr(std::make_shared<arrow::BooleanScalar>(value));
}

std::optional<int64_t> Int64Value(const Expr& expr) {
  if (!IsLiteral(expr) || !expr.literal->is_valid || expr.type->id() != arrow::Type::INT64) {
    return std::nullopt;
  }
  return static_cast<const arrow::Int64Scalar&>(*expr.literal).value;
}

std::optional<bool> BooleanValue(const Expr& expr) {
  if (!IsLiteral(expr) || !expr.literal->is_valid || expr.type->id() != arrow::Type::BOOL) {
    return std::nullopt;
  }
  return static_cast<const arrow::BooleanScalar&>(*expr.literal).value;
}

bool IsNullLiteral(const Expr& expr) {
  return IsLiteral(expr) && !expr.literal->is_valid;
}

void AddNote(const OptimizerContext& context, std::string note) {
  if (context.notes != nullptr &&
      std::find(context.notes->begin(), context.notes->end(), note) == context.notes->end()) {
    context.notes->push_back(std::move(note));
  }
}

}  // namespace keepone
