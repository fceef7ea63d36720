// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/order_column.h"

namespace keepone {

// Reads the whole input and gives its rows by `keys`; equal ones keep their input order.
//
//   worker 0   batches --sort--> run --> file        when memory is short, and for what is left
//   worker 1   batches --sort--> run --> file        at the end
//                         runs --merge--> rows       by the keys, then by place in the input
//
// While memory suffices nothing is written, and all rows are sorted at once on all workers.
arrow::Result<std::unique_ptr<BatchStream>> SortAll(QueryContext* context, BatchStream& input,
                                                    const std::vector<OrderColumn>& keys);

}  // namespace keepone
