// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <arrow/result.h>

#include "bind/bind_context.h"
#include "bind/expr_binder.h"
#include "bind/query_binder.h"
#include "plan/node.h"
#include "sql/ast_expr.h"

namespace keepone {

// Whether a conjunct of WHERE asks a subquery for rows: [NOT] value IN (query), [NOT] EXISTS
// (query).
bool IsSubqueryCondition(const ast::Expr& expr);

// The rows of `input` for which such a condition is TRUE, by a semi or an anti join with the
// subquery, which reads no columns of `scope`. The rows keep their order and their columns.
// NOT IN is TRUE for no row where the subquery gives a NULL, and for a NULL only where it gives no
// row. REQUIRES: IsSubqueryCondition(expr).
arrow::Result<NodePtr> AddSubqueryCondition(BindContext* context, QueryBinder* queries,
                                            CommonTableEntry* tables, const ast::Expr& expr,
                                            const ExprScope& scope, NodePtr input);

}  // namespace keepone
