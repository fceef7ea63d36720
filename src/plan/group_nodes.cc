// SPDX-License-Identifier: Apache-2.0
#include "plan/group_nodes.h"

#include <utility>

#include <arrow/type.h>

namespace keepone {

NodePtr AggregateNode::Make(NodePtr input, std::vector<ColumnId> groups,
                            std::vector<AggregateCall> calls) {
  return std::make_shared<AggregateNode>(std::move(input), std::move(groups), std::move(calls));
}

AggregateNode::AggregateNode(NodePtr input, std::vector<ColumnId> groups,
                             std::vector<AggregateCall> calls)
    : Node(kKind, {std::move(input)}), groups_(std::move(groups)), calls_(std::move(calls)) {
  for (ColumnId group : groups_) {
    columns_.push_back(PassedColumn(*this->input(), group));
  }
  for (const AggregateCall& call : calls_) {
    columns_.push_back({call.id, call.name, call.function->result_type});
  }
}

NodePtr AggregateNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), groups_, calls_);
}

NodePtr WindowNode::Make(NodePtr input, Spec spec) {
  return std::make_shared<WindowNode>(std::move(input), std::move(spec));
}

WindowNode::WindowNode(NodePtr input, Spec spec)
    : Node(kKind, {std::move(input)}), spec_(std::move(spec)) {
  columns_ = this->input()->columns();
  for (const WindowCall& call : spec_.calls) {
    columns_.push_back({call.id, call.name, call.type});
  }
}

NodePtr WindowNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), spec_);
}

NodePtr KeepRowsNode::Make(NodePtr input, Spec spec) {
  return std::make_shared<KeepRowsNode>(std::move(input), std::move(spec));
}

KeepRowsNode::KeepRowsNode(NodePtr input, Spec spec)
    : Node(kKind, {std::move(input)}), spec_(std::move(spec)) {
  for (ColumnId id : spec_.payload) {
    columns_.push_back(PassedColumn(*this->input(), id));
  }
  if (spec_.number.has_value()) {
    columns_.push_back(*spec_.number);
  }
}

NodePtr KeepRowsNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), spec_);
}

}  // namespace keepone
