// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "column/join_kind.h"
#include "plan/expr.h"
#include "plan/node.h"

namespace keepone {

// Puts rows of two inputs beside each other where they match: all keys are equal and the residual
// is TRUE.
//
//   left      right                left, k = k2
//   k  v      k2  w                k  v  k2    w
//   a  1      b   5     ------->   a  1  NULL  NULL
//   b  2      b   6                b  2  b     5
//                                  b  2  b     6
//
// Gives the columns of the left input, then those of the right one (semi and anti: the left ones
// alone), under the same ids also where an outer join makes NULLs of them.
// Rows come in the order of the left input, the matches of one in the order of the right input;
// right rows without a match come last, in their order.
class JoinNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kJoin;
  struct Key {
    ColumnId left;
    ColumnId right;                 // of the same type
    bool null_equals_null = false;  // IS NOT DISTINCT FROM; else NULL equals nothing

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Spec {
    JoinKind kind = JoinKind::kInner;
    std::vector<Key> keys;  // without any, each row is held against each
    ExprPtr residual;       // over the columns of both inputs, or nullptr
  };
  static NodePtr Make(NodePtr left, NodePtr right, Spec spec);
  JoinNode(NodePtr left, NodePtr right, Spec spec);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const NodePtr& left() const { return inputs()[0]; }
  const NodePtr& right() const { return inputs()[1]; }
  const Spec& spec() const { return spec_; }

 private:
  Spec spec_;
};

}  // namespace keepone
