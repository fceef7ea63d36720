// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "column/join_kind.h"
#include "plan/expr.h"
#include "plan/join_node.h"

namespace keepone {

// Where the conjuncts of a Filter above a join go, and those of the join's own residual.
struct JoinFilters {
  JoinKind kind;              // of the join, which the Filter may make narrower
  std::vector<ExprPtr> left;  // below, over an input
  std::vector<ExprPtr> right;
  std::vector<ExprPtr> condition;  // of the join, beside its keys
  std::vector<ExprPtr> above;
};

// A conjunct above the join goes into the side that it reads, if that side's rows all come through
// (the left one of a left, semi or anti join, the right one of a right join, both of an inner one);
// over both sides of an inner join it joins them. A conjunct of the join goes into a side whose
// rows without a match are dropped (the right one of a left, semi or anti join, and so on).
// Where the Filter drops the rows that an outer join filled up with NULLs, the join becomes an
// inner one, or loses one side. What may fail is computed for no rows but the pairs that match by
// then, behind the conjuncts before it. What is not deterministic stays above.
JoinFilters SplitByJoin(const JoinNode& join, const std::vector<ExprPtr>& pending);

}  // namespace keepone
