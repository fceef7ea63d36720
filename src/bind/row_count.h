// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <arrow/result.h>

#include "bind/bind_context.h"
#include "plan/expr.h"
#include "sql/ast_expr.h"

namespace keepone {

// A number of rows that a statement says, as LIMIT does: a constant whole number that is not
// negative; nothing for NULL. `clause` names it in messages.
arrow::Result<std::optional<int64_t>> BindRowCount(BindContext* context, const ast::Expr& expr,
                                                   std::string_view clause);

// Makes a literal of an expression whose value is the same in every row; others stay.
arrow::Result<ExprPtr> FoldConstant(BindContext* context, const ExprPtr& expr);

}  // namespace keepone
