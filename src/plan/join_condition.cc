// SPDX-License-Identifier: Apache-2.0
#include "plan/join_condition.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "plan/can_fail.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

struct Equality {
  ExprPtr left;
  ExprPtr right;
  bool null_equals_null;
};

// One input with the columns that are computed for keys.
class KeyColumns {
 public:
  explicit KeyColumns(NodePtr input) : input_(std::move(input)) {}

  // `guard`: conjuncts without which the expression is not computed.
  arrow::Result<ColumnId> Get(const ExprPtr& expr, const std::vector<ExprPtr>& guard,
                              ColumnIdGenerator* ids) {
    if (expr->kind == ExprKind::kColumn) {
      return expr->column;
    }
    for (const ProjectNode::Item& item : items_) {
      if (Equals(*item.expr, *expr)) {
        return item.id;
      }
    }
    ExprPtr value = expr;
    if (CanFail(*expr) && !guard.empty()) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr condition, JoinConjuncts(guard));
      ExprPtr none = MakeLiteralExpr(arrow::MakeNullScalar(expr->type));
      value = MakeCaseExpr({std::move(condition), expr, std::move(none)}, expr->type);
    }
    items_.push_back({ids->Next(), ToString(*expr), std::move(value)});
    return items_.back().id;
  }

  NodePtr Finish() && {
    if (items_.empty()) {
      return std::move(input_);
    }
    std::vector<ProjectNode::Item> all;
    for (const Column& column : input_->columns()) {
      all.push_back(ProjectNode::Pass(column));
    }
    all.insert(all.end(), items_.begin(), items_.end());
    return ProjectNode::Make(std::move(input_), std::move(all));
  }

 private:
  NodePtr input_;
  std::vector<ProjectNode::Item> items_;
};

std::optional<Equality> FindEquality(const Expr& expr, const Node& left, const Node& right) {
  if (expr.kind != ExprKind::kCall || expr.children.size() != 2 || !IsDeterministic(expr)) {
    return std::nullopt;
  }
  const bool is_distinctness = expr.function->name == "is_not_distinct_from";
  if (!is_distinctness && expr.function->name != "equal") {
    return std::nullopt;
  }
  const ExprPtr& first = expr.children[0];
  const ExprPtr& second = expr.children[1];
  const JoinReads first_reads = FindJoinReads(*first, left, right);
  const JoinReads second_reads = FindJoinReads(*second, left, right);
  if (!first->type->Equals(*second->type)) {
    return std::nullopt;
  }
  if (first_reads.left && !first_reads.right && second_reads.right && !second_reads.left) {
    return Equality{first, second, is_distinctness};
  }
  if (first_reads.right && !first_reads.left && second_reads.left && !second_reads.right) {
    return Equality{second, first, is_distinctness};
  }
  return std::nullopt;
}

// The conjuncts that read one side alone.
std::vector<ExprPtr> FindGuard(const std::vector<ExprPtr>& conjuncts, const Node& left,
                               const Node& right, bool of_left) {
  std::vector<ExprPtr> guard;
  for (const ExprPtr& expr : conjuncts) {
    const JoinReads reads = FindJoinReads(*expr, left, right);
    if (IsDeterministic(*expr) &&
        (of_left ? reads.left && !reads.right : reads.right && !reads.left)) {
      guard.push_back(expr);
    }
  }
  return guard;
}

}  // namespace

JoinReads FindJoinReads(const Expr& expr, const Node& left, const Node& right) {
  std::unordered_set<ColumnId> columns;
  CollectColumns(expr, &columns);
  const auto reads = [&columns](const Node& input) {
    return std::any_of(columns.begin(), columns.end(), [&input](ColumnId id) {
      return FindColumn(input.columns(), id) != nullptr;
    });
  };
  return {reads(left), reads(right)};
}

arrow::Result<NodePtr> JoinOn(NodePtr left, NodePtr right, JoinNode::Spec spec,
                              const std::vector<ExprPtr>& conjuncts, ColumnIdGenerator* ids) {
  std::vector<std::optional<Equality>> equalities;
  bool has_key = !spec.keys.empty();
  for (const ExprPtr& expr : conjuncts) {
    equalities.push_back(FindEquality(*expr, *left, *right));
    has_key = has_key || (equalities.back().has_value() && !CanFail(*expr));
  }
  KeyColumns left_columns(left);
  KeyColumns right_columns(right);
  const std::vector<ExprPtr> left_guard = FindGuard(conjuncts, *left, *right, /*of_left=*/true);
  const std::vector<ExprPtr> right_guard = FindGuard(conjuncts, *left, *right, /*of_left=*/false);
  std::vector<ExprPtr> residual;
  if (spec.residual != nullptr) {
    residual = SplitConjuncts(spec.residual);
  }
  for (size_t i = 0; i < conjuncts.size(); ++i) {
    if (!equalities[i].has_value() || (has_key && CanFail(*conjuncts[i]))) {
      residual.push_back(conjuncts[i]);
      continue;
    }
    JoinNode::Key key;
    key.null_equals_null = equalities[i]->null_equals_null;
    ARROW_ASSIGN_OR_RAISE(key.left, left_columns.Get(equalities[i]->left, left_guard, ids));
    ARROW_ASSIGN_OR_RAISE(key.right, right_columns.Get(equalities[i]->right, right_guard, ids));
    if (std::find(spec.keys.begin(), spec.keys.end(), key) == spec.keys.end()) {
      spec.keys.push_back(key);
    }
  }
  spec.residual = nullptr;
  if (!residual.empty()) {
    ARROW_ASSIGN_OR_RAISE(spec.residual, JoinConjuncts(std::move(residual)));
  }
  return JoinNode::Make(std::move(left_columns).Finish(), std::move(right_columns).Finish(),
                        std::move(spec));
}

}  // namespace keepone
