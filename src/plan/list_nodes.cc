// SPDX-License-Identifier: Apache-2.0
#include "plan/list_nodes.h"

#include <utility>

#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

namespace keepone {

NodePtr UnnestNode::Make(NodePtr input, Spec spec) {
  return std::make_shared<UnnestNode>(std::move(input), std::move(spec));
}

UnnestNode::UnnestNode(NodePtr input, Spec spec)
    : Node(kKind, {std::move(input)}), spec_(std::move(spec)) {
  columns_ = this->input()->columns();
  for (const List& list : spec_.lists) {
    columns_.push_back(list.element);
  }
  if (spec_.ordinality.has_value()) {
    columns_.push_back(*spec_.ordinality);
  }
}

NodePtr UnnestNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), spec_);
}

TypePtr ElementType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::MAP:
      return arrow::internal::checked_cast<const arrow::BaseListType&>(type).value_type();
    default:
      return nullptr;
  }
}

NodePtr NestNode::Make(NodePtr input, Spec spec) {
  return std::make_shared<NestNode>(std::move(input), std::move(spec));
}

NestNode::NestNode(NodePtr input, Spec spec)
    : Node(kKind, {std::move(input)}), spec_(std::move(spec)) {
  columns_.push_back(PassedColumn(*this->input(), spec_.address));
  for (const List& list : spec_.lists) {
    columns_.push_back(list.list);
  }
}

NodePtr NestNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), spec_);
}

}  // namespace keepone
