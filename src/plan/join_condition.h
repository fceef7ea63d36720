// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <arrow/result.h>

#include "base/column_id.h"
#include "plan/expr.h"
#include "plan/join_node.h"
#include "plan/node.h"

namespace keepone {

// A join under `spec` and, beside it, under `conjuncts`, which read columns of both inputs.
// An equality (or IS NOT DISTINCT FROM) of an expression over the left input with one over the
// right becomes a key; what is no column is computed by a Project below, for all rows of its side.
//
//   Join: inner on [lower(a) = b] where v < w   <=   lower(a) = b AND v < w
//     Project: a, v, lower(a)
//       left
//     right
//
// An expression that may fail is a key only where no other key can be found, and it is computed
// only for the rows for which the conjuncts that read its side alone are TRUE.
// Everything else is the residual.
arrow::Result<NodePtr> JoinOn(NodePtr left, NodePtr right, JoinNode::Spec spec,
                              const std::vector<ExprPtr>& conjuncts, ColumnIdGenerator* ids);

// Which inputs of a join an expression reads.
struct JoinReads {
  bool left = false;
  bool right = false;
};
JoinReads FindJoinReads(const Expr& expr, const Node& left, const Node& right);

}  // namespace keepone
