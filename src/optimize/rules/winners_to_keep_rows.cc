// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/winners_to_keep_rows.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "optimize/rewrite.h"
#include "optimize/winner_call.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

// --- (array_agg(x ORDER BY o))[n] ---

// The place from 1 of the element that is taken out of a list; nothing for any other expression.
std::optional<int64_t> ElementPlace(const Expr& expr) {
  if (!IsCall(expr, "list_extract") || expr.children.size() != 2 ||
      expr.children[0]->kind != ExprKind::kColumn) {
    return std::nullopt;
  }
  const std::optional<int64_t> place = Int64Value(*expr.children[1]);
  return place.value_or(0) >= 1 ? place : std::nullopt;
}

// Finds the lists of which no more is used than one element.
class ListUses {
 public:
  explicit ListUses(const Node& root) {
    for (const Column& column : root.columns()) {
      whole_.insert(column.id);
    }
    Visit(root);
  }
  // The place of the element; nothing where more of the list is used.
  std::optional<int64_t> PlaceUsed(ColumnId id) const {
    const auto found = places_.find(id);
    return whole_.contains(id) || found == places_.end() ? std::nullopt
                                                         : std::optional(found->second);
  }

 private:
  void Visit(const Node& node) {
    if (const auto* project = AsIf<ProjectNode>(node)) {
      for (const ProjectNode::Item& item : project->items()) {
        // What only passes a list on shows higher up what it is used for.
        if (!ProjectNode::IsPass(item)) {
          VisitExpr(*item.expr);
        }
      }
    } else if (const auto* filter = AsIf<FilterNode>(node)) {
      VisitExpr(*filter->predicate());
    } else {
      CollectReads(node, &whole_);
    }
    for (const NodePtr& input : node.inputs()) {
      Visit(*input);
    }
  }

  void VisitExpr(const Expr& expr) {
    if (const std::optional<int64_t> place = ElementPlace(expr)) {
      const ColumnId list = expr.children[0]->column;
      if (places_.try_emplace(list, *place).first->second != *place) {
        whole_.insert(list);
      }
      return;
    }
    if (expr.kind == ExprKind::kColumn) {
      whole_.insert(expr.column);
    }
    for (const ExprPtr& child : expr.children) {
      VisitExpr(*child);
    }
  }

  ColumnSet whole_;
  std::unordered_map<ColumnId, int64_t> places_;
};

using Elements = std::unordered_map<ColumnId, Column>;  // by the list's id

arrow::Result<NodePtr> TakeElements(const NodePtr& node, const ListUses& uses,
                                    const OptimizerContext& context, Elements* elements) {
  const auto* aggregate = AsIf<AggregateNode>(*node);
  if (aggregate == nullptr) {
    return node;
  }
  std::vector<AggregateCall> calls = aggregate->calls();
  bool changed = false;
  for (AggregateCall& call : calls) {
    const std::optional<int64_t> place = uses.PlaceUsed(call.id);
    if (call.function->kind != AggregateKind::kCollect || call.distinct || !place.has_value() ||
        *place > call.limit.value_or(*place)) {
      continue;
    }
    const Column value = PassedColumn(*node->input(), call.arguments[0]);
    ARROW_ASSIGN_OR_RAISE(AggregateCall first, MakeWinnerCall(value, context.ids->Next(),
                                                              call.order, /*ties_to_last=*/false));
    if (!first.function->result_type->Equals(*value.type)) {
      continue;
    }
    first.filter = call.filter;
    first.required = call.required;
    first.name = call.name;
    first.nth = *place;
    first.spelling = "(" + call.spelling + ")[" + std::to_string(*place) + "]";
    elements->insert({call.id, Column{first.id, first.name, first.function->result_type}});
    call = std::move(first);
    changed = true;
  }
  return changed ? AggregateNode::Make(node->input(), aggregate->groups(), std::move(calls)) : node;
}

ExprPtr ReadElement(const ExprPtr& expr, const Elements& elements) {
  if (ElementPlace(*expr).has_value()) {
    const auto found = elements.find(expr->children[0]->column);
    if (found != elements.end() && found->second.type->Equals(*expr->type)) {
      return ColumnExpr(found->second);
    }
  }
  std::vector<ExprPtr> children;
  for (const ExprPtr& child : expr->children) {
    children.push_back(ReadElement(child, elements));
  }
  if (children == expr->children) {
    return expr;
  }
  Expr copy = *expr;
  copy.children = std::move(children);
  return std::make_shared<const Expr>(std::move(copy));
}

NodePtr PassElements(const NodePtr& node, const Elements& elements) {
  const auto* project = AsIf<ProjectNode>(*node);
  if (project == nullptr) {
    return node;
  }
  std::vector<ProjectNode::Item> items = project->items();
  bool changed = false;
  for (ProjectNode::Item& item : items) {
    const auto found = elements.find(item.id);
    if (ProjectNode::IsPass(item) && found != elements.end()) {
      item = ProjectNode::Pass(found->second);
      changed = true;
    }
  }
  return changed ? ProjectNode::Make(node->input(), std::move(items)) : node;
}

arrow::Result<NodePtr> TakeAllElements(const NodePtr& plan, const OptimizerContext& context) {
  const ListUses uses(*plan);
  Elements elements;
  return RewriteUp(plan, [&](const NodePtr& node) -> arrow::Result<NodePtr> {
    ARROW_ASSIGN_OR_RAISE(NodePtr result, TakeElements(node, uses, context, &elements));
    if (elements.empty()) {
      return result;
    }
    return RewriteExprs(PassElements(result, elements),
                        [&elements](const ExprPtr& expr) -> arrow::Result<ExprPtr> {
                          return ReadElement(expr, elements);
                        });
  });
}

// --- Winners ---

std::string JoinSpellings(const std::vector<AggregateCall>& calls) {
  constexpr size_t kShown = 4;
  std::string text;
  for (size_t i = 0; i < calls.size() && i < kShown; ++i) {
    text += (i > 0 ? ", " : "") + calls[i].spelling;
  }
  if (calls.size() > kShown) {
    text += ", and " + std::to_string(calls.size() - kShown) + " more";
  }
  return text;
}

void AddIfNew(ColumnId id, std::vector<ColumnId>* ids) {
  if (std::find(ids->begin(), ids->end(), id) == ids->end()) {
    ids->push_back(id);
  }
}

arrow::Result<NodePtr> MakeKeptWinners(const AggregateNode& aggregate, ColumnIdGenerator* ids) {
  const std::vector<AggregateCall>& calls = aggregate.calls();
  ARROW_ASSIGN_OR_RAISE(EligibleOrder eligible,
                        MakeEligibleOrder(aggregate.input(), calls[0], ids));
  KeepRowsNode::Spec spec;
  spec.groups = aggregate.groups();
  spec.order = std::move(eligible.order);
  spec.ties_to_last = calls[0].ties_to_last;
  spec.spelling = JoinSpellings(calls);
  for (ColumnId group : aggregate.groups()) {
    AddIfNew(group, &spec.payload);
  }
  for (const AggregateCall& call : calls) {
    AddIfNew(call.arguments[0], &spec.payload);
  }
  if (eligible.condition_column.has_value()) {
    AddIfNew(*eligible.condition_column, &spec.payload);
  }
  NodePtr kept = KeepRowsNode::Make(std::move(eligible.input), std::move(spec));
  std::vector<ProjectNode::Item> items;
  for (ColumnId group : aggregate.groups()) {
    items.push_back(ProjectNode::Pass(PassedColumn(*kept, group)));
  }
  for (const AggregateCall& call : calls) {
    items.push_back({call.id, call.name,
                     WinnerValue(eligible.condition, PassedColumn(*kept, call.arguments[0]))});
  }
  return ProjectNode::Make(std::move(kept), std::move(items));
}

// The calls find in the first rows what they would have found in all.
arrow::Result<NodePtr> KeepFirstRows(const AggregateNode& aggregate, int64_t rows_max,
                                     ColumnIdGenerator* ids) {
  const std::vector<AggregateCall>& calls = aggregate.calls();
  ARROW_ASSIGN_OR_RAISE(EligibleOrder eligible,
                        MakeEligibleOrder(aggregate.input(), calls[0], ids));
  KeepRowsNode::Spec spec;
  spec.groups = aggregate.groups();
  spec.rows_max = rows_max;
  spec.order = std::move(eligible.order);
  spec.ties_to_last = calls[0].ties_to_last;
  spec.spelling = JoinSpellings(calls);
  ColumnSet reads;
  CollectReads(aggregate, &reads);
  for (const Column& column : aggregate.input()->columns()) {
    if (reads.contains(column.id)) {
      spec.payload.push_back(column.id);
    }
  }
  return aggregate.WithInputs({KeepRowsNode::Make(std::move(eligible.input), std::move(spec))});
}

// How many of the first rows a call reads; nothing where it reads them all.
std::optional<int64_t> RowsRead(const AggregateCall& call) {
  if (call.function->kind == AggregateKind::kWinner) {
    return call.nth;
  }
  return call.distinct ? std::nullopt : call.limit;
}

arrow::Result<NodePtr> RewriteWinners(const NodePtr& node, const OptimizerContext& context) {
  const auto* aggregate = AsIf<AggregateNode>(*node);
  if (aggregate == nullptr) {
    return node;
  }
  const std::vector<AggregateCall>& calls = aggregate->calls();
  const auto first = std::find_if(calls.begin(), calls.end(), [](const AggregateCall& call) {
    return RowsRead(call).has_value();
  });
  if (first == calls.end()) {
    return node;
  }
  // Where several rows are read, or none must still give a row, the Aggregate stays above.
  int64_t rows_max = 1;
  bool stays = aggregate->groups().empty();
  std::string why;
  for (const AggregateCall& call : calls) {
    rows_max = std::max(rows_max, RowsRead(call).value_or(1));
    stays = stays || call.nth > 1 || call.limit.has_value();
    if (!RowsRead(call).has_value()) {
      why = call.spelling + " needs all rows";
    } else if (!SameOrderedRows(*first, call)) {
      why = call.spelling + " may take another row than " + first->spelling;
    } else if (stays) {
      continue;
    } else if (!call.function->result_type->Equals(
                   *PassedColumn(*node->input(), call.arguments[0]).type)) {
      why = call.spelling + " changes the value's type";
    }
  }
  if (!why.empty()) {
    AddNote(context,
            "not rewritten to one row kept per group: " + first->spelling + ", because " + why);
    return node;
  }
  return stays ? KeepFirstRows(*aggregate, rows_max, context.ids)
               : MakeKeptWinners(*aggregate, context.ids);
}

}  // namespace

arrow::Result<NodePtr> WinnersToKeepRows(const NodePtr& plan, const OptimizerContext& context) {
  ARROW_ASSIGN_OR_RAISE(NodePtr result, TakeAllElements(plan, context));
  return RewriteUp(result,
                   [&context](const NodePtr& node) { return RewriteWinners(node, context); });
}

}  // namespace keepone
