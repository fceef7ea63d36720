// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "bind/bind_context.h"
#include "bind/expr_binder.h"
#include "bind/select_calls.h"
#include "plan/node.h"
#include "sql/ast_query.h"

namespace keepone {

// LIMIT rows OFFSET offset BY keys.
struct BoundLimitBy {
  std::optional<int64_t> rows;  // nothing for NULL: all
  int64_t offset = 0;
  std::vector<ExprPtr> keys;
  std::string spelling;
};

// What comes behind the columns of a query are known: DISTINCT, LIMIT BY, ORDER BY and LIMIT.
// The expressions are over the columns below the select list, and over the outputs by their ids.
struct QueryTail {
  ast::DistinctKind distinct = ast::DistinctKind::kAll;
  std::vector<ExprPtr> distinct_on;
  std::optional<BoundLimitBy> limit_by;
  std::vector<SortExpr> order;
  std::optional<int64_t> limit;
  int64_t offset = 0;
  bool with_ties = false;
  SourceSpan limit_span;

  // Every expression, to be replaced in place.
  std::vector<ExprPtr*> Exprs();
};

// Whether there is a clause behind the body.
bool HasTail(const ast::Query& query);

// Reads the clauses behind the body. `scope.outputs` are the outputs; integers name them, too.
arrow::Result<QueryTail> BindTail(BindContext* context, const ast::Query& query, ExprScope scope);

// The expression of a key: an output by its number, or an expression. An integer that is no output
// is an error.
arrow::Result<ExprPtr> BindKey(BindContext* context, const ast::Expr& expr, const ExprScope& scope);

// Computes the outputs over `input` and does the rest. The root gives exactly the outputs.
arrow::Result<NodePtr> ApplyTail(BindContext* context, NodePtr input,
                                 const std::vector<OutputItem>& outputs, QueryTail tail);

}  // namespace keepone
