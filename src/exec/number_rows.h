// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "base/query_context.h"
#include "exec/aggregate_step.h"
#include "exec/partitioned_rows.h"
#include "exec/window.h"

namespace keepone {

// What a window function that reads no values says of each row's place in its partition: its
// number, rank or bucket as INT64, percent_rank and cume_dist as DOUBLE. The values are those of
// the rows' numbers in the input. Ties go by input order, where the function tells them apart.
// REQUIRES: the column's kind is neither kShift nor kAggregate.
arrow::Result<AggregateResult> NumberRows(QueryContext* context, const PartitionedRows& rows,
                                          const WindowColumn& column);

}  // namespace keepone
