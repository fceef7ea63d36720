// SPDX-License-Identifier: Apache-2.0
#include "bind/subquery_condition.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bind/column_builder.h"
#include "plan/join_condition.h"
#include "plan/join_node.h"
#include "plan/row_nodes.h"
#include "sql/ast_operator.h"

namespace keepone {
namespace {

// A condition with the NOTs in front of it taken off.
struct Condition {
  const ast::Expr* expr;
  bool negated = false;
};

Condition StripNot(const ast::Expr& expr) {
  Condition condition{&expr};
  while (const auto* unary = condition.expr->If<ast::UnaryExpr>()) {
    if (unary->op != ast::UnaryOp::kNot) {
      break;
    }
    condition.expr = unary->operand.get();
    condition.negated = !condition.negated;
  }
  return condition;
}

class ConditionBinder {
 public:
  ConditionBinder(BindContext* context, QueryBinder* queries, CommonTableEntry* tables,
                  const ExprScope& scope)
      : context_(context), queries_(queries), tables_(tables), scope_(scope) {}

  // EXISTS asks for one row, of no columns.
  arrow::Result<NodePtr> AddExists(const ast::ExistsExpr& exists, bool negated, NodePtr input) {
    ARROW_ASSIGN_OR_RAISE(NodePtr rows, BindSubquery(*exists.query));
    rows = LimitNode::Make(ProjectNode::Make(std::move(rows), {}), 1, 0);
    JoinNode::Spec spec;
    spec.kind = negated ? JoinKind::kAnti : JoinKind::kSemi;
    return JoinNode::Make(std::move(input), std::move(rows), std::move(spec));
  }

  arrow::Result<NodePtr> AddIn(const ast::InQueryExpr& in, bool negated, NodePtr input) {
    ARROW_ASSIGN_OR_RAISE(const std::vector<ExprPtr> operands, BindOperands(*in.operand));
    const SourceSpan place = context_->Place(in.span);
    if (negated && operands.size() > 1) {
      return UnsupportedError(place, "NOT IN with a subquery of several columns");
    }
    ARROW_ASSIGN_OR_RAISE(NodePtr rows, BindSubquery(*in.query));
    if (rows->columns().size() != operands.size()) {
      return BindError(place, "subquery has ", rows->columns().size(), " columns, but IN needs ",
                       operands.size());
    }
    // Computed once, whatever it is held against.
    ColumnBuilder builder(std::move(input), context_->ids);
    std::vector<ExprPtr> values;
    for (const ExprPtr& operand : operands) {
      const ColumnId id = builder.Get(operand);
      values.push_back(MakeColumnExpr(id, ToString(*operand), operand->type, operand->span));
    }
    NodePtr plan = std::move(builder).Finish();
    if (negated) {
      ARROW_ASSIGN_OR_RAISE(plan, AddUnknown(in, *rows, std::move(plan), values[0]));
    }
    std::vector<ExprPtr> conjuncts;
    for (size_t i = 0; i < values.size(); ++i) {
      const Column& column = rows->columns()[i];
      ARROW_ASSIGN_OR_RAISE(
          ExprPtr equal,
          MakeComparison(context_, "equal", values[i],
                         MakeColumnExpr(column.id, column.name, column.type, place), in.span));
      conjuncts.push_back(std::move(equal));
    }
    JoinNode::Spec spec;
    spec.kind = negated ? JoinKind::kAnti : JoinKind::kSemi;
    return JoinOn(std::move(plan), std::move(rows), std::move(spec), conjuncts, context_->ids);
  }

 private:
  arrow::Result<NodePtr> BindSubquery(const ast::Query& query) {
    const OuterScope* outside = context_->outer;
    const OuterScope here{scope_.columns, outside};
    context_->outer = &here;
    arrow::Result<NodePtr> plan = queries_->BindQuery(query, tables_);
    context_->outer = outside;
    return plan;
  }

  // (a, b) IN (query) compares column by column.
  arrow::Result<std::vector<ExprPtr>> BindOperands(const ast::Expr& operand) {
    ExprBinder binder(context_);
    std::vector<ExprPtr> operands;
    if (const auto* row = operand.If<ast::RowExpr>()) {
      for (const ast::ExprPtr& element : row->elements) {
        ARROW_ASSIGN_OR_RAISE(ExprPtr bound, binder.Bind(*element, scope_));
        operands.push_back(std::move(bound));
      }
      return operands;
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr bound, binder.Bind(operand, scope_));
    operands.push_back(std::move(bound));
    return operands;
  }

  // Drops the rows for which `value NOT IN (query)` is NULL: all where the query gives a NULL, and
  // those of a NULL value where it gives anything. One row of the query tells both: one that is
  // NULL if there is such.
  arrow::Result<NodePtr> AddUnknown(const ast::InQueryExpr& in, const Node& rows, NodePtr input,
                                    const ExprPtr& value) {
    if (!IsDeterministicPlan(rows)) {
      return WithHint(
          UnsupportedError(context_->Place(in.span),
                           "NOT IN with a subquery whose rows are not the same each time"),
          "CREATE TABLE .. AS keeps the rows");
    }
    ARROW_ASSIGN_OR_RAISE(NodePtr again, BindSubquery(*in.query));
    const Column& column = again->columns()[0];
    ARROW_ASSIGN_OR_RAISE(
        ExprPtr is_null,
        MakeScalarCall(context_, "is_null", {MakeColumnExpr(column.id, column.name, column.type)},
                       in.span));
    const ColumnId id = context_->ids->Next();
    const std::string name = ToString(*is_null);
    ExprPtr given_null = MakeColumnExpr(id, name, is_null->type);
    NodePtr witness = ProjectNode::Make(std::move(again), {{id, name, std::move(is_null)}});
    witness = SortNode::Make(std::move(witness), {SortKey{id, /*descending=*/true}}, 1);
    ARROW_ASSIGN_OR_RAISE(ExprPtr value_is_null,
                          MakeScalarCall(context_, "is_null", {value}, in.span));
    JoinNode::Spec spec;
    spec.kind = JoinKind::kAnti;
    ARROW_ASSIGN_OR_RAISE(
        spec.residual,
        MakeScalarCall(context_, "or", {std::move(given_null), std::move(value_is_null)}, in.span));
    return JoinNode::Make(std::move(input), std::move(witness), std::move(spec));
  }

  BindContext* context_;
  QueryBinder* queries_;
  CommonTableEntry* tables_;
  const ExprScope& scope_;
};

}  // namespace

bool IsSubqueryCondition(const ast::Expr& expr) {
  const ast::ExprKind kind = StripNot(expr).expr->kind;
  return kind == ast::ExprKind::kInQuery || kind == ast::ExprKind::kExists;
}

arrow::Result<NodePtr> AddSubqueryCondition(BindContext* context, QueryBinder* queries,
                                            CommonTableEntry* tables, const ast::Expr& expr,
                                            const ExprScope& scope, NodePtr input) {
  const Condition condition = StripNot(expr);
  ConditionBinder binder(context, queries, tables, scope);
  if (const auto* in = condition.expr->If<ast::InQueryExpr>()) {
    return binder.AddIn(*in, condition.negated != in->negated, std::move(input));
  }
  return binder.AddExists(condition.expr->As<ast::ExistsExpr>(), condition.negated,
                          std::move(input));
}

}  // namespace keepone
