// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"

namespace keepone {

// Makes one batch of another; an empty one, or nullptr, is left out. `position` is the first row's
// (MorselBatch::position): no two batches of a stream share one. Called by many threads.
using BatchMap = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>(
    const std::shared_ptr<arrow::RecordBatch>& batch, int64_t position)>;

// Gives map(batch) for every batch of the input, in its morsels.
std::unique_ptr<BatchStream> MakeBatchMap(QueryContext* context, std::unique_ptr<BatchStream> input,
                                          std::shared_ptr<arrow::Schema> schema, BatchMap map);

// Gives these columns of the input under the names of `schema`, which has their types.
std::unique_ptr<BatchStream> MakeSelectColumns(QueryContext* context,
                                               std::unique_ptr<BatchStream> input,
                                               std::vector<int> columns,
                                               std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
