// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "base/column_id.h"
#include "plan/expr.h"
#include "plan/group_nodes.h"
#include "plan/node.h"

namespace keepone {

// Whether two winner calls take their values from the same row of each group.
bool SameWinner(const AggregateCall& left, const AggregateCall& right);

// Whether two calls count the same rows of each group and put them in the same order.
bool SameOrderedRows(const AggregateCall& left, const AggregateCall& right);

// A winner call told without `filter` and `required`: a row that does not count comes behind all
// that do, and where one wins nevertheless (no row of the group counts), the value is NULL.
struct EligibleOrder {
  NodePtr input;  // the call's input, with a column for eligibility where one is needed
  std::vector<SortKey> order;  // beginning with eligibility where it is needed
  // Over a winning row: whether it counts, and the one column that this reads. Without it every
  // row counts.
  ExprPtr condition;
  std::optional<ColumnId> condition_column;
};
arrow::Result<EligibleOrder> MakeEligibleOrder(NodePtr input, const AggregateCall& call,
                                               ColumnIdGenerator* ids);

// The value of a winner call, given the column that holds it in the winning row.
ExprPtr WinnerValue(const ExprPtr& condition, const Column& value);

// A call that gives `column` of the row that comes first under `order`; NULLs count as values.
arrow::Result<AggregateCall> MakeWinnerCall(const Column& column, ColumnId id,
                                            std::vector<SortKey> order, bool ties_to_last);

}  // namespace keepone
