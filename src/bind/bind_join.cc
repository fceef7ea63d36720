// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "bind/query_binder.h"
#include "plan/join_condition.h"
#include "plan/join_node.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

// Joins stand in one another, and what walks over plans recurses.
constexpr int64_t kJoinsMax = 200;

JoinKind KindOf(ast::JoinKind kind) {
  switch (kind) {
    case ast::JoinKind::kInner:
    case ast::JoinKind::kCross:
      return JoinKind::kInner;
    case ast::JoinKind::kLeft:
      return JoinKind::kLeft;
    case ast::JoinKind::kRight:
      return JoinKind::kRight;
    case ast::JoinKind::kFull:
      return JoinKind::kFull;
    case ast::JoinKind::kSemi:
      return JoinKind::kSemi;
    case ast::JoinKind::kAnti:
      break;
  }
  return JoinKind::kAnti;
}

// A column of each side that USING or NATURAL holds against each other.
struct SharedColumn {
  size_t left;  // positions among the shown columns
  size_t right;
  SourceSpan span;
};

ExprPtr ColumnAt(const Scope& scope, size_t position, SourceSpan span) {
  const Column& column = scope.shown()[position].column;
  return MakeColumnExpr(column.id, column.name, column.type, span);
}

// Joins two relations under the condition that the statement gives.
class JoinBinder {
 public:
  JoinBinder(BindContext* context, const ast::JoinTable& join, Relation left, Relation right)
      : context_(context),
        join_(join),
        kind_(KindOf(join.join)),
        left_(std::move(left)),
        right_(std::move(right)) {}

  arrow::Result<Relation> Bind() {
    ARROW_RETURN_NOT_OK(BindCondition());
    JoinNode::Spec spec;
    spec.kind = kind_;
    ARROW_ASSIGN_OR_RAISE(
        plan_, JoinOn(left_.plan, right_.plan, std::move(spec), conjuncts_, context_->ids));
    if (!GivesRightColumns(kind_)) {
      return Relation{std::move(plan_), std::move(left_.scope)};
    }
    ARROW_ASSIGN_OR_RAISE(const std::vector<Scope::Merged> merged, Merge());
    return Relation{std::move(plan_),
                    Scope::Join(std::move(left_.scope), std::move(right_.scope), merged)};
  }

 private:
  arrow::Status BindCondition() {
    if (join_.condition != nullptr) {
      const Scope both = Scope::Join(left_.scope, right_.scope, {});
      ExprScope scope;
      scope.clause = "ON";
      scope.columns = &both;
      ARROW_ASSIGN_OR_RAISE(const ExprPtr condition,
                            ExprBinder(context_).BindCondition(*join_.condition, scope, "JOIN/ON"));
      conjuncts_ = SplitConjuncts(condition);
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(join_.natural ? FindCommon() : FindUsing());
    for (const SharedColumn& each : shared_) {
      ARROW_ASSIGN_OR_RAISE(
          ExprPtr equal,
          MakeComparison(
              context_, "equal", ColumnAt(left_.scope, each.left, context_->Place(each.span)),
              ColumnAt(right_.scope, each.right, context_->Place(each.span)), each.span));
      conjuncts_.push_back(std::move(equal));
    }
    return arrow::Status::OK();
  }

  arrow::Status FindUsing() {
    for (const ast::Identifier& name : join_.using_columns) {
      ARROW_ASSIGN_OR_RAISE(const size_t left, FindUsingColumn(name, left_.scope, "left"));
      ARROW_ASSIGN_OR_RAISE(const size_t right, FindUsingColumn(name, right_.scope, "right"));
      const bool repeated =
          std::any_of(shared_.begin(), shared_.end(), [&](const SharedColumn& earlier) {
            return earlier.left == left || earlier.right == right;
          });
      if (repeated) {
        return BindError(context_->Place(name.span), "column name ", Quoted(name.text),
                         " appears more than once in USING clause");
      }
      shared_.push_back({left, right, name.span});
    }
    return arrow::Status::OK();
  }

  arrow::Result<size_t> FindUsingColumn(const ast::Identifier& name, const Scope& scope,
                                        std::string_view side) {
    ARROW_ASSIGN_OR_RAISE(const std::optional<size_t> position, scope.FindShown(name));
    if (position.has_value()) {
      return *position;
    }
    return WithHint(BindError(context_->Place(name.span), "column ", Quoted(name.text),
                              " specified in USING clause does not exist in ", side, " table"),
                    scope.HintFor(name, nullptr));
  }

  // All names that both sides show.
  arrow::Status FindCommon() {
    for (const ShownColumn& shown : left_.scope.shown()) {
      const ast::Identifier name{shown.column.name, /*quoted=*/true, join_.right->span};
      ARROW_ASSIGN_OR_RAISE(const std::optional<size_t> right, right_.scope.FindShown(name));
      if (!right.has_value()) {
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(const std::optional<size_t> left, left_.scope.FindShown(name));
      shared_.push_back({*left, *right, join_.right->span});
    }
    if (shared_.empty()) {
      return WithHint(BindError(context_->Place(join_.right->span),
                                "NATURAL JOIN finds no column name that both sides have"),
                      "CROSS JOIN puts every row beside every other");
    }
    return arrow::Status::OK();
  }

  // What the shared columns are in the join's output. A full join needs a column of its own, since
  // either side may be NULL there.
  arrow::Result<std::vector<Scope::Merged>> Merge() {
    std::vector<Scope::Merged> merged;
    std::vector<ProjectNode::Item> items;
    for (const SharedColumn& each : shared_) {
      Column column = left_.scope.shown()[each.left].column;
      if (kind_ == JoinKind::kRight) {
        column = right_.scope.shown()[each.right].column;
      } else if (kind_ == JoinKind::kFull) {
        ARROW_ASSIGN_OR_RAISE(ExprPtr value, FirstOf(each));
        column.id = context_->ids->Next();
        column.type = value->type;
        items.push_back({column.id, column.name, std::move(value)});
      }
      merged.push_back({each.left, each.right, std::move(column)});
    }
    if (!items.empty()) {
      std::vector<ProjectNode::Item> all;
      for (const Column& column : plan_->columns()) {
        all.push_back(ProjectNode::Pass(column));
      }
      std::move(items.begin(), items.end(), std::back_inserter(all));
      plan_ = ProjectNode::Make(std::move(plan_), std::move(all));
    }
    return merged;
  }

  // The left value, or the right one where that is NULL.
  arrow::Result<ExprPtr> FirstOf(const SharedColumn& shared) {
    const SourceSpan place = context_->Place(shared.span);
    std::vector<ExprPtr> values = {ColumnAt(left_.scope, shared.left, place),
                                   ColumnAt(right_.scope, shared.right, place)};
    ARROW_ASSIGN_OR_RAISE(ExprPtr has_left,
                          MakeScalarCall(context_, "is_not_null", {values[0]}, shared.span));
    ARROW_RETURN_NOT_OK(Unify(context_, &values, "JOIN/USING"));
    const TypePtr type = values[0]->type;
    return MakeCaseExpr({std::move(has_left), std::move(values[0]), std::move(values[1])}, type,
                        place);
  }

  BindContext* context_;
  const ast::JoinTable& join_;
  JoinKind kind_;
  Relation left_;
  Relation right_;
  std::vector<SharedColumn> shared_;
  std::vector<ExprPtr> conjuncts_;
  NodePtr plan_;
};

}  // namespace

arrow::Status QueryBinder::CheckJoin(const Scope& left, const Scope& right, SourceSpan right_span) {
  const SourceSpan place = context_->Place(right_span);
  if (++joins_ > kJoinsMax) {
    return UnsupportedError(place, "a statement with more than ", kJoinsMax, " joins");
  }
  for (const ScopeTable& table : right.tables()) {
    for (const ScopeTable& earlier : left.tables()) {
      if (!table.name.empty() && EqualNames(table.name, earlier.name)) {
        return WithHint(
            BindError(place, "table name ", Quoted(table.name), " specified more than once"),
            "give it an alias: " + table.name + " AS " + table.name + "2");
      }
    }
  }
  return arrow::Status::OK();
}

arrow::Result<Relation> QueryBinder::CrossJoin(Relation left, Relation right,
                                               SourceSpan right_span) {
  ARROW_RETURN_NOT_OK(CheckJoin(left.scope, right.scope, right_span));
  return Relation{JoinNode::Make(std::move(left.plan), std::move(right.plan), {}),
                  Scope::Join(std::move(left.scope), std::move(right.scope), {})};
}

arrow::Result<Relation> QueryBinder::BindJoin(const ast::JoinTable& join,
                                              CommonTableEntry* tables) {
  ARROW_ASSIGN_OR_RAISE(Relation left, BindTable(*join.left, tables));
  return BindJoinWith(std::move(left), join, tables);
}

arrow::Result<Relation> QueryBinder::BindJoinWith(Relation left, const ast::JoinTable& join,
                                                  CommonTableEntry* tables) {
  ARROW_ASSIGN_OR_RAISE(std::optional<Relation> unnested, JoinUnnest(&left, join));
  if (unnested.has_value()) {
    return *std::move(unnested);
  }
  ARROW_ASSIGN_OR_RAISE(Relation right, BindTable(*join.right, tables));
  if (join.join == ast::JoinKind::kCross) {
    return CrossJoin(std::move(left), std::move(right), join.right->span);
  }
  ARROW_RETURN_NOT_OK(CheckJoin(left.scope, right.scope, join.right->span));
  return JoinBinder(context_, join, std::move(left), std::move(right)).Bind();
}

}  // namespace keepone
