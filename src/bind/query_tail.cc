// SPDX-License-Identifier: Apache-2.0
#include "bind/query_tail.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_set>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "bind/column_builder.h"
#include "bind/query_binder.h"
#include "bind/row_count.h"
#include "bind/sort_order.h"
#include "plan/group_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

arrow::Result<BoundLimitBy> BindLimitBy(BindContext* context, const ast::LimitBy& limit_by,
                                        ExprScope scope) {
  BoundLimitBy bound;
  ARROW_ASSIGN_OR_RAISE(bound.rows, BindRowCount(context, *limit_by.limit, "LIMIT"));
  if (limit_by.offset != nullptr) {
    ARROW_ASSIGN_OR_RAISE(const auto offset, BindRowCount(context, *limit_by.offset, "OFFSET"));
    bound.offset = offset.value_or(0);
  }
  scope.clause = "LIMIT BY";
  for (const ast::ExprPtr& key : limit_by.keys) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr expr, BindKey(context, *key, scope));
    bound.keys.push_back(std::move(expr));
  }
  bound.spelling =
      "LIMIT " + (bound.rows.has_value() ? std::to_string(*bound.rows) : "ALL") + " BY";
  return bound;
}

arrow::Status BindOrderBy(BindContext* context, const ast::Query& query, ExprScope scope,
                          QueryTail* tail) {
  scope.clause = "ORDER BY";
  if (query.order_by_all.has_value()) {
    const KeyOrder order = ResolveOrder(*query.order_by_all, context->options.null_order);
    for (const OutputItem& output : *scope.outputs) {
      tail->order.push_back({output.expr, order.descending, order.nulls_first});
    }
  }
  for (const ast::OrderItem& item : query.order_by) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr expr, BindKey(context, *item.expr, scope));
    const KeyOrder order = ResolveOrder(item.order, context->options.null_order);
    tail->order.push_back({std::move(expr), order.descending, order.nulls_first});
  }
  return arrow::Status::OK();
}

// Builds the nodes; `plan_` grows from the bottom.
class TailBuilder {
 public:
  TailBuilder(BindContext* context, NodePtr input, const std::vector<OutputItem>& outputs,
              QueryTail tail)
      : context_(context), plan_(std::move(input)), outputs_(outputs), tail_(std::move(tail)) {
    for (const OutputItem& output : outputs_) {
      output_ids_.insert(output.id);
    }
  }

  arrow::Result<NodePtr> Build() {
    ARROW_RETURN_NOT_OK(ComputeOutputs());
    if (tail_.distinct == ast::DistinctKind::kDistinct) {
      plan_ = KeepDistinct(std::move(plan_), "DISTINCT");
    }
    ColumnBuilder columns(std::move(plan_), context_->ids);
    const std::vector<ColumnId> distinct_on = columns.GetAll(tail_.distinct_on);
    std::vector<ColumnId> limit_by;
    if (tail_.limit_by.has_value()) {
      limit_by = columns.GetAll(tail_.limit_by->keys);
    }
    const std::vector<SortKey> order = columns.GetKeys(tail_.order);
    plan_ = std::move(columns).Finish();
    if (tail_.distinct == ast::DistinctKind::kDistinctOn) {
      KeepPerGroup(distinct_on, order, 1, "DISTINCT ON", std::nullopt);
    }
    if (tail_.limit_by.has_value()) {
      ARROW_RETURN_NOT_OK(AddLimitBy(*tail_.limit_by, limit_by, order));
    }
    ARROW_RETURN_NOT_OK(AddSortAndLimit(order));
    if (!GivesOutputs()) {
      std::vector<ProjectNode::Item> items;
      for (const OutputItem& output : outputs_) {
        items.push_back(ProjectNode::Pass({output.id, output.name, output.expr->type}));
      }
      plan_ = ProjectNode::Make(std::move(plan_), std::move(items));
    }
    return plan_;
  }

 private:
  bool GivesOutputs() const {
    return std::equal(plan_->columns().begin(), plan_->columns().end(), outputs_.begin(),
                      outputs_.end(), [](const Column& column, const OutputItem& output) {
                        return column.id == output.id && column.name == output.name;
                      });
  }

  // Whether a key reads columns below the outputs.
  bool ReadsHidden(const Expr& expr) const {
    std::unordered_set<ColumnId> columns;
    CollectColumns(expr, &columns);
    return std::any_of(columns.begin(), columns.end(),
                       [&](ColumnId id) { return output_ids_.count(id) == 0; });
  }

  // Gives the outputs, and where keys need them everything below and the keys.
  arrow::Status ComputeOutputs() {
    bool hidden = false;
    for (const ExprPtr* expr : tail_.Exprs()) {
      if (!ReadsHidden(**expr)) {
        continue;
      }
      if (tail_.distinct == ast::DistinctKind::kDistinct) {
        return BindError((*expr)->span,
                         "for SELECT DISTINCT, ORDER BY expressions must appear in select list");
      }
      hidden = true;
    }
    if (!hidden && GivesOutputs()) {
      return arrow::Status::OK();
    }
    std::vector<ProjectNode::Item> items;
    for (const OutputItem& output : outputs_) {
      items.push_back({output.id, output.name, output.expr});
    }
    if (hidden) {
      std::unordered_set<ColumnId> below;
      for (const Column& column : plan_->columns()) {
        below.insert(column.id);
        if (output_ids_.count(column.id) == 0) {
          items.push_back(ProjectNode::Pass(column));
        }
      }
      ComputeKeys(below, &items);
    }
    plan_ = ProjectNode::Make(std::move(plan_), std::move(items));
    return arrow::Status::OK();
  }

  // Keys over the columns below only are computed beside the outputs.
  void ComputeKeys(const std::unordered_set<ColumnId>& below,
                   std::vector<ProjectNode::Item>* items) {
    const size_t first = items->size();
    for (ExprPtr* expr : tail_.Exprs()) {
      std::unordered_set<ColumnId> columns;
      CollectColumns(**expr, &columns);
      if ((*expr)->kind == ExprKind::kColumn ||
          !std::all_of(columns.begin(), columns.end(),
                       [&](ColumnId id) { return below.count(id) > 0; })) {
        continue;
      }
      const auto same =
          std::find_if(items->begin() + static_cast<std::ptrdiff_t>(first), items->end(),
                       [&](const ProjectNode::Item& item) { return Equals(*item.expr, **expr); });
      if (same == items->end()) {
        items->push_back({context_->ids->Next(), ToString(**expr), *expr});
        *expr = MakeColumnExpr(items->back().id, items->back().name, (*expr)->type, (*expr)->span);
      } else {
        *expr = MakeColumnExpr(same->id, same->name, (*expr)->type, (*expr)->span);
      }
    }
  }

  // Keys of the order that are group keys are the same for all rows of a group.
  void KeepPerGroup(const std::vector<ColumnId>& groups, const std::vector<SortKey>& order,
                    int64_t rows_max, std::string spelling, std::optional<Column> number) {
    KeepRowsNode::Spec spec;
    for (ColumnId group : groups) {
      if (std::find(spec.groups.begin(), spec.groups.end(), group) == spec.groups.end()) {
        spec.groups.push_back(group);
      }
    }
    std::copy_if(order.begin(), order.end(), std::back_inserter(spec.order),
                 [&](const SortKey& key) {
                   return std::find(groups.begin(), groups.end(), key.column) == groups.end();
                 });
    spec.rows_max = rows_max;
    spec.number = std::move(number);
    for (const Column& column : plan_->columns()) {
      spec.payload.push_back(column.id);
    }
    spec.spelling = std::move(spelling);
    plan_ = KeepRowsNode::Make(std::move(plan_), std::move(spec));
  }

  arrow::Status AddLimitBy(const BoundLimitBy& limit_by, const std::vector<ColumnId>& groups,
                           const std::vector<SortKey>& order) {
    if (limit_by.rows.has_value() && *limit_by.rows == 0) {
      plan_ = LimitNode::Make(std::move(plan_), 0, 0);
      return arrow::Status::OK();
    }
    if (!limit_by.rows.has_value() && limit_by.offset == 0) {
      return arrow::Status::OK();
    }
    constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
    const int64_t rows = limit_by.rows.value_or(kAll);
    const int64_t rows_max = rows > kAll - limit_by.offset ? kAll : rows + limit_by.offset;
    if (limit_by.offset == 0) {
      KeepPerGroup(groups, order, rows_max, limit_by.spelling, std::nullopt);
      return arrow::Status::OK();
    }
    const Column number{context_->ids->Next(), "row_number", arrow::int64()};
    KeepPerGroup(groups, order, rows_max, limit_by.spelling, number);
    ARROW_ASSIGN_OR_RAISE(
        ExprPtr behind,
        MakeScalarCall(context_, "greater",
                       {MakeColumnExpr(number.id, number.name, number.type),
                        MakeLiteralExpr(std::make_shared<arrow::Int64Scalar>(limit_by.offset))},
                       {}));
    plan_ = FilterNode::Make(std::move(plan_), std::move(behind));
    return arrow::Status::OK();
  }

  arrow::Status AddSortAndLimit(const std::vector<SortKey>& order) {
    std::optional<int64_t> limit = tail_.limit;
    if (tail_.with_ties && limit.has_value() && *limit > 0) {
      if (order.empty()) {
        return BindError(tail_.limit_span, "WITH TIES cannot be specified without ORDER BY clause");
      }
      if (tail_.offset > 0) {
        return UnsupportedError(tail_.limit_span, "OFFSET together with WITH TIES");
      }
      KeepRowsNode::Spec spec;
      spec.order = order;
      spec.rows_max = *limit;
      spec.ties = KeepRowsNode::Ties::kKeepRank;
      for (const Column& column : plan_->columns()) {
        spec.payload.push_back(column.id);
      }
      spec.spelling = "WITH TIES";
      plan_ = KeepRowsNode::Make(std::move(plan_), std::move(spec));
      limit = std::nullopt;
    }
    if (!order.empty()) {
      plan_ = SortNode::Make(std::move(plan_), order);
    }
    if (limit.has_value() || tail_.offset > 0) {
      plan_ = LimitNode::Make(std::move(plan_), limit, tail_.offset);
    }
    return arrow::Status::OK();
  }

  BindContext* context_;
  NodePtr plan_;
  const std::vector<OutputItem>& outputs_;
  QueryTail tail_;
  std::unordered_set<ColumnId> output_ids_;
};

}  // namespace

std::vector<ExprPtr*> QueryTail::Exprs() {
  std::vector<ExprPtr*> exprs;
  for (ExprPtr& key : distinct_on) {
    exprs.push_back(&key);
  }
  if (limit_by.has_value()) {
    for (ExprPtr& key : limit_by->keys) {
      exprs.push_back(&key);
    }
  }
  for (SortExpr& key : order) {
    exprs.push_back(&key.expr);
  }
  return exprs;
}

bool HasTail(const ast::Query& query) {
  return !query.order_by.empty() || query.order_by_all.has_value() || query.limit_by.has_value() ||
         query.limit != nullptr || query.offset != nullptr;
}

arrow::Result<ExprPtr> BindKey(BindContext* context, const ast::Expr& expr,
                               const ExprScope& scope) {
  const SourceSpan place = context->Place(expr.span);
  const auto* literal = expr.If<ast::LiteralExpr>();
  ExprBinder binder(context);
  ARROW_ASSIGN_OR_RAISE(ExprPtr bound, binder.Bind(expr, scope));
  if (literal != nullptr && literal->literal != ast::LiteralKind::kInteger) {
    return BindError(place, "non-integer constant in ", scope.clause);
  }
  const bool is_position =
      literal != nullptr || (expr.kind == ast::ExprKind::kUnary && IsLiteral(*bound) &&
                             bound->type->id() == arrow::Type::INT64);
  if (!is_position) {
    return bound;
  }
  const std::vector<OutputItem>& outputs = *scope.outputs;
  const int64_t position =
      bound->type->id() == arrow::Type::INT64
          ? arrow::internal::checked_cast<const arrow::Int64Scalar&>(*bound->literal).value
          : 0;
  if (position < 1 || position > static_cast<int64_t>(outputs.size())) {
    return BindError(place, scope.clause, " position ", bound->literal->ToString(),
                     " is not in select list, which has ", outputs.size(),
                     outputs.size() == 1 ? " column" : " columns");
  }
  return outputs[static_cast<size_t>(position - 1)].expr;
}

arrow::Result<QueryTail> BindTail(BindContext* context, const ast::Query& query, ExprScope scope) {
  QueryTail tail;
  ARROW_RETURN_NOT_OK(BindOrderBy(context, query, scope, &tail));
  if (query.limit_by.has_value()) {
    ARROW_ASSIGN_OR_RAISE(tail.limit_by, BindLimitBy(context, *query.limit_by, scope));
  }
  if (query.limit != nullptr) {
    tail.limit_span = context->Place(query.limit->span);
    ARROW_ASSIGN_OR_RAISE(tail.limit, BindRowCount(context, *query.limit, "LIMIT"));
  }
  if (query.offset != nullptr) {
    ARROW_ASSIGN_OR_RAISE(const auto offset, BindRowCount(context, *query.offset, "OFFSET"));
    tail.offset = offset.value_or(0);
  }
  tail.with_ties = query.with_ties;
  return tail;
}

arrow::Result<NodePtr> ApplyTail(BindContext* context, NodePtr input,
                                 const std::vector<OutputItem>& outputs, QueryTail tail) {
  return TailBuilder(context, std::move(input), outputs, std::move(tail)).Build();
}

}  // namespace keepone
