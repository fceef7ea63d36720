// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "base/query_context.h"
#include "exec/aggregate_column.h"
#include "exec/aggregate_step.h"
#include "exec/partitioned_rows.h"

namespace keepone {

// Where the rows that an aggregate runs over end.
enum class RunningFrame {
  kToPeers,  // at the last row that is equal to the current one under the order
  kToRow,    // at the current row; rows that are equal go by input order
};

// For each row of the input, the aggregate over the rows of its partition from the first under the
// order up to the frame's end. The values are those of the rows' numbers in the input.
// What has no running form is an unsupported error that names the function.
arrow::Result<AggregateResult> RunAggregate(QueryContext* context, const PartitionedRows& rows,
                                            const AggregateColumn& column, RunningFrame frame);

}  // namespace keepone
