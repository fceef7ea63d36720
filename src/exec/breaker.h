// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/worker.h"

namespace keepone {

// An operator that needs all of its input before it can give a row: `run` is called once, in
// Prepare(), reads the input and gives the stream of the rows of `schema`.
using BreakerRun = std::function<arrow::Result<std::unique_ptr<BatchStream>>(BatchStream& input)>;
std::unique_ptr<BatchStream> MakeBreaker(std::unique_ptr<BatchStream> input,
                                         std::shared_ptr<arrow::Schema> schema, BreakerRun run);

// Reads the whole input and gives what `map` makes of each batch, in the input's order.
// `map` may be nullptr; where it gives nullptr nothing is kept. It is called by many workers.
using MorselMap =
    std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>(const MorselBatch&)>;
arrow::Result<arrow::RecordBatchVector> CollectInOrder(QueryContext* context, BatchStream& input,
                                                       const MorselMap& map = nullptr);

}  // namespace keepone
