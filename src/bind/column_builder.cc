// SPDX-License-Identifier: Apache-2.0
#include "bind/column_builder.h"

#include <algorithm>
#include <utility>

#include <arrow/type.h>

namespace keepone {

ColumnId ColumnBuilder::Get(const ExprPtr& expr, const std::string& name) {
  if (expr->kind == ExprKind::kColumn) {
    return expr->column;
  }
  for (const ProjectNode::Item& item : items_) {
    if (item.expr == expr || Equals(*item.expr, *expr)) {
      return item.id;
    }
  }
  items_.push_back({ids_->Next(), name.empty() ? ToString(*expr) : name, expr});
  return items_.back().id;
}

std::vector<ColumnId> ColumnBuilder::GetAll(const std::vector<ExprPtr>& exprs) {
  std::vector<ColumnId> columns;
  for (const ExprPtr& expr : exprs) {
    columns.push_back(Get(expr));
  }
  return columns;
}

std::vector<SortKey> ColumnBuilder::GetKeys(const std::vector<SortExpr>& order) {
  std::vector<SortKey> keys;
  for (const SortExpr& key : order) {
    const ColumnId column = Get(key.expr);
    const bool repeated = std::any_of(
        keys.begin(), keys.end(), [&](const SortKey& earlier) { return earlier.column == column; });
    if (!repeated) {
      keys.push_back({column, key.descending, key.nulls_first});
    }
  }
  return keys;
}

NodePtr ColumnBuilder::Finish() && {
  if (items_.empty()) {
    return std::move(input_);
  }
  std::vector<ProjectNode::Item> all;
  for (const Column& column : input_->columns()) {
    all.push_back(ProjectNode::Pass(column));
  }
  all.insert(all.end(), std::make_move_iterator(items_.begin()),
             std::make_move_iterator(items_.end()));
  return ProjectNode::Make(std::move(input_), std::move(all));
}

}  // namespace keepone
