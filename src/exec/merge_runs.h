// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/order_column.h"
#include "exec/spill_file.h"

namespace keepone {

// Merges runs, each sorted by `order`, to one stream of the columns `output`, named as in `schema`.
// Rows that are equal under the order come in the order of the runs; so an INT64 column of
// positions, put last in the order, makes the output independent of how the rows were spread.
// Memory: one batch of each run and one of output; where that would exceed what the limit leaves,
// runs are merged to longer ones on disk first.
std::unique_ptr<BatchStream> MakeMergedRuns(QueryContext* context,
                                            std::vector<std::unique_ptr<SpillFile>> runs,
                                            std::vector<OrderColumn> order, std::vector<int> output,
                                            std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
