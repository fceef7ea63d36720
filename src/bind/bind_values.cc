// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bind/query_binder.h"
#include "plan/leaf_nodes.h"

namespace keepone {

arrow::Result<NodePtr> QueryBinder::BindValues(const ast::ValuesBody& body) {
  ExprBinder binder(context_);
  ExprScope scope;
  scope.clause = "VALUES";
  const size_t width = body.rows[0].size();
  std::vector<std::vector<ExprPtr>> columns(width);
  for (const std::vector<ast::ExprPtr>& row : body.rows) {
    if (row.size() != width) {
      return BindError(context_->Place(row[0]->span), "VALUES lists must all be the same length");
    }
    for (size_t c = 0; c < width; ++c) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr value, binder.Bind(*row[c], scope));
      columns[c].push_back(std::move(value));
    }
  }
  std::vector<Column> described;
  std::vector<std::vector<ExprPtr>> rows(body.rows.size());
  for (size_t c = 0; c < width; ++c) {
    ARROW_RETURN_NOT_OK(Unify(context_, &columns[c], "VALUES"));
    described.push_back(
        {context_->ids->Next(), "column" + std::to_string(c + 1), columns[c][0]->type});
    for (size_t r = 0; r < rows.size(); ++r) {
      rows[r].push_back(std::move(columns[c][r]));
    }
  }
  return ValuesNode::Make(std::move(described), std::move(rows));
}

}  // namespace keepone
