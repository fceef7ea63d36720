// SPDX-License-Identifier: Apache-2.0
#include "bind/select_binder.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "base/error.h"
#include "bind/call_nodes.h"
#include "bind/column_builder.h"
#include "bind/expr_binder.h"
#include "bind/query_tail.h"
#include "bind/select_calls.h"
#include "bind/star.h"
#include "bind/subquery_condition.h"
#include "plan/leaf_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

// What AND joins, at any depth.
std::vector<const ast::Expr*> Conjuncts(const ast::Expr& expr) {
  const auto* logic = expr.If<ast::LogicExpr>();
  if (logic == nullptr || logic->op != ast::LogicOp::kAnd) {
    return {&expr};
  }
  std::vector<const ast::Expr*> conjuncts;
  for (const ast::ExprPtr& operand : logic->operands) {
    for (const ast::Expr* conjunct : Conjuncts(*operand)) {
      conjuncts.push_back(conjunct);
    }
  }
  return conjuncts;
}

// All expressions are bound first, over the columns in FROM: only then is it known whether the
// query is grouped, and the plan can be built from the bottom.
class SelectBinder {
 public:
  SelectBinder(BindContext* context, QueryBinder* queries, const ast::SelectBody& select,
               CommonTableEntry* tables)
      : context_(context), queries_(queries), select_(select), tables_(tables), binder_(context) {
    calls_.named_windows = &select.windows;
  }

  arrow::Result<NodePtr> Bind(const ast::Query* tail) {
    ARROW_RETURN_NOT_OK(BindFrom());
    ARROW_RETURN_NOT_OK(BindWhere());
    ARROW_RETURN_NOT_OK(BindItems());
    ARROW_RETURN_NOT_OK(BindGroupBy());
    if (select_.having != nullptr) {
      ExprScope scope = ScopeOf("HAVING");
      scope.outputs = &outputs_;
      scope.aggregates = true;
      ARROW_ASSIGN_OR_RAISE(having_, binder_.BindCondition(*select_.having, scope, "HAVING"));
      ARROW_RETURN_NOT_OK(CheckNoUnnest(*having_, select_.having->span, "HAVING"));
    }
    if (select_.qualify != nullptr) {
      ExprScope scope = ScopeOf("QUALIFY");
      scope.outputs = &outputs_;
      scope.aggregates = true;
      scope.windows = true;
      ARROW_ASSIGN_OR_RAISE(qualify_, binder_.BindCondition(*select_.qualify, scope, "QUALIFY"));
      ARROW_RETURN_NOT_OK(CheckNoUnnest(*qualify_, select_.qualify->span, "QUALIFY"));
    }
    ARROW_RETURN_NOT_OK(BindTailKeys(tail));
    return Build();
  }

 private:
  ExprScope ScopeOf(std::string_view clause) {
    ExprScope scope;
    scope.clause = clause;
    scope.columns = &columns_;
    scope.calls = &calls_;
    return scope;
  }

  arrow::Status BindFrom() {
    if (select_.from.empty()) {
      plan_ = ValuesNode::Make({}, {{}});
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(Relation relation, queries_->BindFrom(select_.from, tables_));
    plan_ = std::move(relation.plan);
    columns_ = std::move(relation.scope);
    return arrow::Status::OK();
  }

  arrow::Status BindWhere() {
    if (select_.where == nullptr) {
      return arrow::Status::OK();
    }
    ExprScope scope = ScopeOf("WHERE");
    scope.outputs_for_hints = &select_.items;
    std::vector<const ast::Expr*> plain;
    std::vector<const ast::Expr*> subqueries;
    for (const ast::Expr* conjunct : Conjuncts(*select_.where)) {
      (IsSubqueryCondition(*conjunct) ? subqueries : plain).push_back(conjunct);
    }
    if (subqueries.empty()) {
      plain = {select_.where.get()};
    }
    std::vector<ExprPtr> conditions;
    for (const ast::Expr* condition : plain) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr bound, binder_.BindCondition(*condition, scope, "WHERE"));
      conditions.push_back(std::move(bound));
    }
    if (!conditions.empty()) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr where, MakeConnective(context_, "and", std::move(conditions),
                                                          select_.where->span));
      plan_ = FilterNode::Make(std::move(plan_), std::move(where));
    }
    for (const ast::Expr* condition : subqueries) {
      ARROW_ASSIGN_OR_RAISE(plan_, AddSubqueryCondition(context_, queries_, tables_, *condition,
                                                        scope, std::move(plan_)));
    }
    return arrow::Status::OK();
  }

  arrow::Status BindItems() {
    ExprScope scope = ScopeOf("SELECT");
    scope.aggregates = true;
    scope.windows = true;
    scope.unnests = true;
    for (const ast::SelectItem& item : select_.items) {
      if (const auto* star = item.expr->If<ast::StarExpr>()) {
        ARROW_ASSIGN_OR_RAISE(std::vector<OutputItem> expanded, ExpandStar(context_, *star, scope));
        std::move(expanded.begin(), expanded.end(), std::back_inserter(outputs_));
        continue;
      }
      ARROW_RETURN_NOT_OK(BindItem(item, scope));
    }
    if (outputs_.empty()) {
      return BindError(context_->Place(select_.items[0].expr->span),
                       "the select list has no columns: the table in FROM has none");
    }
    return arrow::Status::OK();
  }

  // One output, or with COLUMNS(..) one for each column that it stands for, under that one's name.
  arrow::Status BindItem(const ast::SelectItem& item, ExprScope scope) {
    const SourceSpan place = context_->Place(item.expr->span);
    ColumnsPattern pattern;
    scope.pattern = &pattern;
    do {
      ARROW_ASSIGN_OR_RAISE(ExprPtr expr, binder_.Bind(*item.expr, scope));
      if (item.alias.has_value() && pattern.items.size() > 1) {
        return BindError(context_->Place(item.alias->span), "an alias names one column, but ",
                         pattern.text, " stands for ", pattern.items.size());
      }
      std::string name = item.alias.has_value()  ? item.alias->text
                         : pattern.items.empty() ? binder_.OutputName(*item.expr, *expr)
                                                 : pattern.items[pattern.index].name;
      outputs_.push_back({std::move(name), std::move(expr), place, {}});
    } while (++pattern.index < pattern.items.size());
    return arrow::Status::OK();
  }

  arrow::Status BindGroupBy() {
    if (select_.group_by_all) {
      for (const OutputItem& output : outputs_) {
        ARROW_RETURN_NOT_OK(CheckNoUnnest(*output.expr, output.span, "GROUP BY"));
        if (!ReadsAggregate(*output.expr, calls_) && !ReadsWindow(*output.expr, calls_)) {
          groups_.push_back({output.expr, output.name});
        }
      }
    }
    ExprScope scope = ScopeOf("GROUP BY");
    scope.outputs = &outputs_;
    for (const ast::ExprPtr& key : select_.group_by) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr expr, BindKey(context_, *key, scope));
      const SourceSpan place = context_->Place(key->span);
      if (ReadsAggregate(*expr, calls_)) {
        return BindError(place, "aggregate functions are not allowed in GROUP BY");
      }
      if (ReadsWindow(*expr, calls_)) {
        return BindError(place, "window functions are not allowed in GROUP BY");
      }
      ARROW_RETURN_NOT_OK(CheckNoUnnest(*expr, key->span, "GROUP BY"));
      const auto output = std::find_if(outputs_.begin(), outputs_.end(),
                                       [&](const OutputItem& each) { return each.expr == expr; });
      groups_.push_back({std::move(expr), output == outputs_.end() ? "" : output->name});
    }
    return arrow::Status::OK();
  }

  // Lists are unnested above all that the clause is part of.
  arrow::Status CheckNoUnnest(const Expr& expr, SourceSpan span, std::string_view clause) const {
    return ReadsUnnest(expr, calls_)
               ? WithHint(BindError(context_->Place(span), "unnest(..) is not allowed in ", clause),
                          "unnest the list in FROM: FROM t, UNNEST(t.list) AS element")
               : arrow::Status::OK();
  }

  arrow::Status BindTailKeys(const ast::Query* tail) {
    ExprScope scope = ScopeOf("ORDER BY");
    scope.outputs = &outputs_;
    scope.outputs_first = true;
    scope.aggregates = true;
    scope.windows = true;
    if (tail != nullptr) {
      ARROW_ASSIGN_OR_RAISE(tail_, BindTail(context_, *tail, scope));
    }
    tail_.distinct = select_.distinct;
    scope.clause = "DISTINCT ON";
    for (const ast::ExprPtr& key : select_.distinct_on) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr expr, BindKey(context_, *key, scope));
      tail_.distinct_on.push_back(std::move(expr));
    }
    return arrow::Status::OK();
  }

  arrow::Result<NodePtr> Build() {
    grouped_ = select_.group_by_all || !groups_.empty() || having_ != nullptr ||
               !calls_.aggregates.empty();
    NameCalls();
    const std::vector<OutputItem> written = outputs_;
    if (grouped_) {
      plan_ = AddAggregates(context_, std::move(plan_), groups_, calls_.aggregates);
      AllowGroupedColumns();
      ARROW_RETURN_NOT_OK(Regroup());
    }
    AssignIds();
    ARROW_RETURN_NOT_OK(ResolveTail(written));
    ShowNames();
    if (having_ != nullptr) {
      plan_ = FilterNode::Make(std::move(plan_), having_);
    }
    plan_ = AddWindows(context_, std::move(plan_), calls_.windows);
    if (qualify_ != nullptr) {
      plan_ = FilterNode::Make(std::move(plan_), qualify_);
    }
    plan_ = AddUnnests(context_, std::move(plan_), calls_.unnests);
    return ApplyTail(context_, std::move(plan_), outputs_, std::move(tail_));
  }

  // A call that is an output as it stands is shown under the output's name.
  void NameCalls() {
    std::unordered_set<ColumnId> named;
    for (const OutputItem& output : outputs_) {
      if (output.expr->kind != ExprKind::kColumn || !named.insert(output.expr->column).second) {
        continue;
      }
      for (AggregateExpr& call : calls_.aggregates) {
        if (call.id == output.expr->column) {
          call.name = output.name;
        }
      }
      for (WindowExpr& window : calls_.windows) {
        if (window.id == output.expr->column) {
          window.name = output.name;
        }
      }
      for (UnnestExpr& unnest : calls_.unnests) {
        if (unnest.id == output.expr->column) {
          unnest.name = output.name;
        }
      }
    }
  }

  // The plan shows calls under the names that NameCalls gave them.
  void ShowNames() {
    const auto rename = [this](const Expr& column) -> ExprPtr {
      for (const AggregateExpr& call : calls_.aggregates) {
        if (call.id == column.column) {
          return MakeColumnExpr(call.id, call.name, column.type, column.span);
        }
      }
      for (const WindowExpr& window : calls_.windows) {
        if (window.id == column.column) {
          return MakeColumnExpr(window.id, window.name, column.type, column.span);
        }
      }
      for (const UnnestExpr& unnest : calls_.unnests) {
        if (unnest.id == column.column) {
          return MakeColumnExpr(unnest.id, unnest.name, column.type, column.span);
        }
      }
      return nullptr;
    };
    for (OutputItem& output : outputs_) {
      output.expr = ReplaceColumns(output.expr, rename);
    }
    for (ExprPtr* condition : {&having_, &qualify_}) {
      if (*condition != nullptr) {
        *condition = ReplaceColumns(*condition, rename);
      }
    }
  }

  void AllowGroupedColumns() {
    for (const AggregateExpr& call : calls_.aggregates) {
      allowed_.insert(call.id);
    }
    for (const WindowExpr& window : calls_.windows) {
      allowed_.insert(window.id);
    }
    for (const UnnestExpr& unnest : calls_.unnests) {
      allowed_.insert(unnest.id);
    }
  }

  // What stands above a GROUP BY reads its keys and its calls, nothing else.
  arrow::Status Regroup() {
    for (OutputItem& output : outputs_) {
      ARROW_ASSIGN_OR_RAISE(output.expr, OverGroups(output.expr));
    }
    if (having_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(having_, OverGroups(having_));
    }
    if (qualify_ != nullptr) {
      ARROW_ASSIGN_OR_RAISE(qualify_, OverGroups(qualify_));
    }
    for (WindowExpr& window : calls_.windows) {
      for (ExprPtr* expr : ExprsOf(&window)) {
        ARROW_ASSIGN_OR_RAISE(*expr, OverGroups(*expr));
      }
    }
    for (UnnestExpr& unnest : calls_.unnests) {
      ARROW_ASSIGN_OR_RAISE(unnest.list, OverGroups(unnest.list));
    }
    return arrow::Status::OK();
  }

  arrow::Result<ExprPtr> OverGroups(const ExprPtr& expr) {
    return ReplaceParts(expr, [this](const ExprPtr& part) { return GroupedPart(part); });
  }

  arrow::Result<ExprPtr> GroupedPart(const ExprPtr& part) {
    for (const GroupKey& group : groups_) {
      if (part == group.expr || Equals(*part, *group.expr)) {
        const Column* column = FindColumn(plan_->columns(), group.id);
        return MakeColumnExpr(group.id, column->name, column->type, part->span);
      }
    }
    if (part->kind != ExprKind::kColumn) {
      return nullptr;
    }
    if (allowed_.count(part->column) > 0) {
      return part;
    }
    return BindError(part->span, "column ", Quoted(part->name),
                     " must appear in the GROUP BY clause or be used in an aggregate function");
  }

  // A column of the input that is given once keeps its id.
  void AssignIds() {
    std::unordered_set<ColumnId> used;
    for (OutputItem& output : outputs_) {
      const bool passes =
          output.expr->kind == ExprKind::kColumn && used.insert(output.expr->column).second;
      output.id = passes ? output.expr->column : context_->ids->Next();
    }
  }

  // Keys that name an output read its column, so that it is computed once.
  arrow::Status ResolveTail(const std::vector<OutputItem>& written) {
    for (const OutputItem& output : outputs_) {
      allowed_.insert(output.id);
    }
    const auto resolve = [&](const ExprPtr& part) -> arrow::Result<ExprPtr> {
      for (size_t i = 0; i < written.size(); ++i) {
        if (part == written[i].expr) {
          const OutputItem& output = outputs_[i];
          return MakeColumnExpr(output.id, output.name, part->type, part->span);
        }
      }
      return grouped_ ? GroupedPart(part) : arrow::Result<ExprPtr>(nullptr);
    };
    for (ExprPtr* key : tail_.Exprs()) {
      ARROW_ASSIGN_OR_RAISE(*key, ReplaceParts(*key, resolve));
      for (const OutputItem& output : outputs_) {
        if (Equals(**key, *output.expr)) {
          *key = MakeColumnExpr(output.id, output.name, (*key)->type, (*key)->span);
          break;
        }
      }
    }
    return arrow::Status::OK();
  }

  BindContext* context_;
  QueryBinder* queries_;
  const ast::SelectBody& select_;
  CommonTableEntry* tables_;
  ExprBinder binder_;
  NodePtr plan_;
  Scope columns_;
  SelectCalls calls_;
  std::vector<OutputItem> outputs_;
  std::vector<GroupKey> groups_;
  ExprPtr having_;
  ExprPtr qualify_;
  QueryTail tail_;
  bool grouped_ = false;
  std::unordered_set<ColumnId> allowed_;  // above the groups, beside the keys
};

}  // namespace

arrow::Result<NodePtr> BindSelect(BindContext* context, QueryBinder* queries,
                                  const ast::SelectBody& select, const ast::Query* tail,
                                  CommonTableEntry* tables) {
  return SelectBinder(context, queries, select, tables).Bind(tail);
}

}  // namespace keepone
