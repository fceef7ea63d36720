// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "bind/bind_context.h"
#include "bind/query_binder.h"
#include "plan/node.h"
#include "sql/ast_query.h"

namespace keepone {

// The plan of one SELECT with the clauses behind it, which are in `tail` or nullptr: they may read
// columns that are not in the select list. From the bottom:
//
//   FROM, WHERE, aggregates, HAVING, windows, QUALIFY, the select list, DISTINCT, LIMIT BY,
//   ORDER BY, LIMIT
//
// The root gives exactly the select list.
arrow::Result<NodePtr> BindSelect(BindContext* context, QueryBinder* queries,
                                  const ast::SelectBody& select, const ast::Query* tail,
                                  CommonTableEntry* tables);

}  // namespace keepone
