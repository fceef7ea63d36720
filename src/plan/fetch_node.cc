// SPDX-License-Identifier: Apache-2.0
#include "plan/fetch_node.h"

#include <utility>

namespace keepone {

NodePtr FetchNode::Make(NodePtr input, Spec spec) {
  return std::make_shared<FetchNode>(std::move(input), std::move(spec));
}

FetchNode::FetchNode(NodePtr input, Spec spec)
    : Node(kKind, {std::move(input)}), spec_(std::move(spec)) {
  columns_ = this->input()->columns();
  for (const ScanNode::Field& field : spec_.fields) {
    columns_.push_back({field.id, field.name, field.type});
  }
}

NodePtr FetchNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), spec_);
}

}  // namespace keepone
