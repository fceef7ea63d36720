// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <arrow/result.h>

#include "bind/bind_context.h"
#include "bind/expr_binder.h"
#include "sql/ast_expr.h"

namespace keepone {

// The columns that *, t.* or struct.* stands for, with EXCLUDE, REPLACE and RENAME applied.
// A name there that fits no column is an error.
arrow::Result<std::vector<OutputItem>> ExpandStar(BindContext* context, const ast::StarExpr& star,
                                                  const ExprScope& scope);

}  // namespace keepone
