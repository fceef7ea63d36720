// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <arrow/result.h>

#include "base/column_id.h"
#include "eval/expression.h"
#include "plan/expr.h"

namespace keepone {

// The position of `id` among `columns`; an internal error when it is not there.
arrow::Result<int> ColumnPosition(const std::vector<ColumnId>& columns, ColumnId id);

// Makes a plan's expression ready to run over batches whose columns are `columns`.
arrow::Result<ExpressionPtr> LowerExpression(const Expr& expr,
                                             const std::vector<ColumnId>& columns);

}  // namespace keepone
