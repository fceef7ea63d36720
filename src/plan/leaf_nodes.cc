// SPDX-License-Identifier: Apache-2.0
#include "plan/leaf_nodes.h"

#include <utility>

#include <arrow/type.h>

namespace keepone {

NodePtr ScanNode::Make(Spec spec) {
  return std::make_shared<ScanNode>(std::move(spec));
}

ScanNode::ScanNode(Spec spec) : Node(kKind, {}), spec_(std::move(spec)) {
  for (const Field& field : spec_.fields) {
    columns_.push_back({field.id, field.name, field.type});
  }
  if (spec_.address.has_value()) {
    columns_.push_back({*spec_.address, kRowAddressName, arrow::int64()});
  }
}

NodePtr ScanNode::WithInputs(std::vector<NodePtr> /*inputs*/) const {
  return Make(spec_);
}

NodePtr ValuesNode::Make(std::vector<Column> columns, std::vector<std::vector<ExprPtr>> rows) {
  return std::make_shared<ValuesNode>(std::move(columns), std::move(rows));
}

ValuesNode::ValuesNode(std::vector<Column> columns, std::vector<std::vector<ExprPtr>> rows)
    : Node(kKind, {}), rows_(std::move(rows)) {
  columns_ = std::move(columns);
}

NodePtr ValuesNode::WithInputs(std::vector<NodePtr> /*inputs*/) const {
  return Make(columns_, rows_);
}

}  // namespace keepone
