// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "base/query_context.h"
#include "exec/aggregate_column.h"
#include "exec/aggregate_step.h"
#include "exec/partitioned_rows.h"

namespace keepone {

// For each row of the input, the aggregate over the rows of its partition from the first under the
// order up to its last peer. The values are those of the rows' numbers in the input.
// What has no running form is an unsupported error that names the function.
arrow::Result<AggregateResult> RunAggregate(QueryContext* context, const PartitionedRows& rows,
                                            const AggregateColumn& column);

}  // namespace keepone
