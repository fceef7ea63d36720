// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/join_filters.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "optimize/rewrite.h"
#include "plan/can_fail.h"
#include "plan/join_condition.h"

namespace keepone {
namespace {

// Whether the value is NULL where all columns of the side are.
bool IsNullWithSide(const Expr& expr, const Node& side) {
  if (expr.kind == ExprKind::kColumn) {
    return FindColumn(side.columns(), expr.column) != nullptr;
  }
  return (expr.kind == ExprKind::kCast || IsCall(expr, "struct_extract")) &&
         IsNullWithSide(*expr.children[0], side);
}

// Whether the condition is not TRUE where all columns of the side are NULL.
bool RejectsNulls(const Expr& expr, const Node& side) {
  constexpr std::array<std::string_view, 11> kStrict = {
      "equal",   "not_equal", "less",  "less_equal", "greater",    "greater_equal",
      "in_list", "like",      "ilike", "between",    "is_not_null"};
  if (IsCall(expr, "or")) {
    return std::all_of(expr.children.begin(), expr.children.end(),
                       [&side](const ExprPtr& child) { return RejectsNulls(*child, side); });
  }
  if (IsCall(expr, "and")) {
    return std::any_of(expr.children.begin(), expr.children.end(),
                       [&side](const ExprPtr& child) { return RejectsNulls(*child, side); });
  }
  if (expr.kind != ExprKind::kCall ||
      std::find(kStrict.begin(), kStrict.end(), expr.function->name) == kStrict.end()) {
    return false;
  }
  // x IN (y, z) is not NULL where only y is.
  return IsCall(expr, "in_list")
             ? IsNullWithSide(*expr.children[0], side)
             : std::any_of(expr.children.begin(), expr.children.end(),
                           [&side](const ExprPtr& child) { return IsNullWithSide(*child, side); });
}

JoinKind NarrowKind(const JoinNode& join, const std::vector<ExprPtr>& pending) {
  const auto rejects = [&pending](const Node& side) {
    return std::any_of(pending.begin(), pending.end(),
                       [&side](const ExprPtr& expr) { return RejectsNulls(*expr, side); });
  };
  const JoinKind kind = join.spec().kind;
  const bool extends_left = ExtendsLeft(kind) && !rejects(*join.left());
  const bool extends_right = ExtendsRight(kind) && !rejects(*join.right());
  if (!ExtendsLeft(kind) && !ExtendsRight(kind)) {
    return kind;
  }
  if (extends_left) {
    return extends_right ? JoinKind::kFull : JoinKind::kRight;
  }
  return extends_right ? JoinKind::kLeft : JoinKind::kInner;
}

class Splitter {
 public:
  Splitter(const JoinNode& join, JoinKind kind) : join_(join) { filters_.kind = kind; }

  void AddAbove(const ExprPtr& expr) {
    const JoinReads reads = FindJoinReads(*expr, *join_.left(), *join_.right());
    const JoinKind kind = filters_.kind;
    const bool through_left = !ExtendsLeft(kind);
    const bool through_right = kind == JoinKind::kInner || kind == JoinKind::kRight;
    if (!IsDeterministic(*expr)) {
      filters_.above.push_back(expr);
    } else if ((reads.left && reads.right) || CanFail(*expr)) {
      // What may fail goes along with the others, which may guard it.
      (kind == JoinKind::kInner ? filters_.condition : filters_.above).push_back(expr);
    } else if (through_left && !reads.right) {
      filters_.left.push_back(expr);
    } else if (through_right && !reads.left) {
      filters_.right.push_back(expr);
    } else {
      filters_.above.push_back(expr);
    }
  }

  void AddCondition(const ExprPtr& expr) {
    const JoinReads reads = FindJoinReads(*expr, *join_.left(), *join_.right());
    const JoinKind kind = filters_.kind;
    const bool drops_left =
        kind == JoinKind::kInner || kind == JoinKind::kRight || kind == JoinKind::kSemi;
    const bool drops_right = !ExtendsLeft(kind);
    const bool may_move = IsDeterministic(*expr) && !CanFail(*expr);
    if (may_move && drops_right && !reads.left) {
      filters_.right.push_back(expr);
    } else if (may_move && drops_left && !reads.right) {
      filters_.left.push_back(expr);
    } else {
      filters_.condition.push_back(expr);
    }
  }

  JoinFilters Take() && { return std::move(filters_); }

 private:
  const JoinNode& join_;
  JoinFilters filters_{};
};

}  // namespace

JoinFilters SplitByJoin(const JoinNode& join, const std::vector<ExprPtr>& pending) {
  Splitter splitter(join, NarrowKind(join, pending));
  if (join.spec().residual != nullptr) {
    for (const ExprPtr& expr : SplitConjuncts(join.spec().residual)) {
      splitter.AddCondition(expr);
    }
  }
  for (const ExprPtr& expr : pending) {
    splitter.AddAbove(expr);
  }
  return std::move(splitter).Take();
}

}  // namespace keepone
