// SPDX-License-Identifier: Apache-2.0
#include "plan/join_node.h"

#include <utility>

namespace keepone {

NodePtr JoinNode::Make(NodePtr left, NodePtr right, Spec spec) {
  return std::make_shared<JoinNode>(std::move(left), std::move(right), std::move(spec));
}

JoinNode::JoinNode(NodePtr left, NodePtr right, Spec spec)
    : Node(kKind, {std::move(left), std::move(right)}), spec_(std::move(spec)) {
  columns_ = this->left()->columns();
  if (GivesRightColumns(spec_.kind)) {
    columns_.insert(columns_.end(), this->right()->columns().begin(),
                    this->right()->columns().end());
  }
}

NodePtr JoinNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), std::move(inputs[1]), spec_);
}

}  // namespace keepone
