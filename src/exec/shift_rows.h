// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "base/query_context.h"
#include "exec/aggregate_step.h"
#include "exec/partitioned_rows.h"
#include "exec/window.h"

namespace keepone {

// For each row a value of the row that stands `offset` rows further on in its partition, or before
// it when negative: lead and lag. With `ignores_nulls` only rows whose value is not NULL are
// counted. Where there is no such row, the second argument's value in the row itself, which has the
// type of the first, or NULL. The values are those of the rows' numbers in the input.
// REQUIRES: the column's kind is kShift.
arrow::Result<AggregateResult> ShiftRows(QueryContext* context, const PartitionedRows& rows,
                                         const WindowColumn& column);

}  // namespace keepone
