// SPDX-License-Identifier: Apache-2.0
#include "plan/row_nodes.h"

#include <utility>

namespace keepone {

NodePtr FilterNode::Make(NodePtr input, ExprPtr predicate) {
  return std::make_shared<FilterNode>(std::move(input), std::move(predicate));
}

FilterNode::FilterNode(NodePtr input, ExprPtr predicate)
    : Node(kKind, {std::move(input)}), predicate_(std::move(predicate)) {
  columns_ = this->input()->columns();
}

NodePtr FilterNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), predicate_);
}

NodePtr ProjectNode::Make(NodePtr input, std::vector<Item> items) {
  return std::make_shared<ProjectNode>(std::move(input), std::move(items));
}

ProjectNode::ProjectNode(NodePtr input, std::vector<Item> items)
    : Node(kKind, {std::move(input)}), items_(std::move(items)) {
  for (const Item& item : items_) {
    columns_.push_back({item.id, item.name, item.expr->type});
  }
}

NodePtr ProjectNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), items_);
}

ProjectNode::Item ProjectNode::Pass(const Column& column) {
  return {column.id, column.name, MakeColumnExpr(column.id, column.name, column.type)};
}

bool ProjectNode::IsPass(const Item& item) {
  return item.expr->kind == ExprKind::kColumn && item.expr->column == item.id;
}

NodePtr LimitNode::Make(NodePtr input, std::optional<int64_t> limit, int64_t offset) {
  return std::make_shared<LimitNode>(std::move(input), limit, offset);
}

LimitNode::LimitNode(NodePtr input, std::optional<int64_t> limit, int64_t offset)
    : Node(kKind, {std::move(input)}), limit_(limit), offset_(offset) {
  columns_ = this->input()->columns();
}

NodePtr LimitNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), limit_, offset_);
}

NodePtr SortNode::Make(NodePtr input, std::vector<SortKey> keys, std::optional<int64_t> limit) {
  return std::make_shared<SortNode>(std::move(input), std::move(keys), limit);
}

SortNode::SortNode(NodePtr input, std::vector<SortKey> keys, std::optional<int64_t> limit)
    : Node(kKind, {std::move(input)}), keys_(std::move(keys)), limit_(limit) {
  columns_ = this->input()->columns();
}

NodePtr SortNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs[0]), keys_, limit_);
}

NodePtr UnionAllNode::Make(std::vector<NodePtr> inputs, std::vector<Column> columns,
                           std::vector<std::vector<ColumnId>> sources) {
  return std::make_shared<UnionAllNode>(std::move(inputs), std::move(columns), std::move(sources));
}

UnionAllNode::UnionAllNode(std::vector<NodePtr> inputs, std::vector<Column> columns,
                           std::vector<std::vector<ColumnId>> sources)
    : Node(kKind, std::move(inputs)), sources_(std::move(sources)) {
  columns_ = std::move(columns);
}

NodePtr UnionAllNode::WithInputs(std::vector<NodePtr> inputs) const {
  return Make(std::move(inputs), columns_, sources_);
}

}  // namespace keepone
