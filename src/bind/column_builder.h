// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/column_id.h"
#include "bind/select_calls.h"
#include "plan/expr.h"
#include "plan/node.h"
#include "plan/row_nodes.h"

namespace keepone {

// Makes columns of expressions, for nodes that read only columns: those that are columns of the
// input already stay, the others are computed by one Project on top of it.
class ColumnBuilder {
 public:
  ColumnBuilder(NodePtr input, ColumnIdGenerator* ids) : input_(std::move(input)), ids_(ids) {}

  // `name` is for printing; the expression's text where it is empty.
  ColumnId Get(const ExprPtr& expr, const std::string& name = "");
  std::vector<ColumnId> GetAll(const std::vector<ExprPtr>& exprs);
  // Without keys that come a second time, which decide nothing.
  std::vector<SortKey> GetKeys(const std::vector<SortExpr>& order);
  // The input with the columns.
  NodePtr Finish() &&;

 private:
  NodePtr input_;
  ColumnIdGenerator* ids_;
  std::vector<ProjectNode::Item> items_;
};

}  // namespace keepone
