// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"

namespace keepone {

// A batch as a worker gets it, with its place in the stream.
struct MorselBatch {
  int worker;         // from 0; one worker handles one batch at a time
  int64_t sequence;   // of the morsel, in the stream's order, from 0
  int64_t first_row;  // of the batch, within its morsel
  std::shared_ptr<arrow::RecordBatch> batch;

  // Positions sort as the rows of the stream do: this is the batch's first row's, the next row's
  // is one more. Says which row came first in the input, whatever the number of workers.
  int64_t position() const { return (sequence << 40) | first_row; }
};

// Prepares the stream and gives all its batches to `handle`, on QueryContext::threads() workers at
// once; with one thread on the calling thread only. Each worker gets the batches of a morsel in
// order, and morsels of ascending sequence numbers. Returns when all is done.
// Of several errors, that of the morsel that comes first in the stream is returned, at any number
// of threads; later morsels are then abandoned. Stops with Cancelled when the query is asked to.
arrow::Status ForEachMorsel(QueryContext* context, BatchStream& input,
                            const std::function<arrow::Status(const MorselBatch&)>& handle);

// Runs task(0), .., task(count - 1), each once, on as many workers. The error of the lowest index
// wins.
arrow::Status ForEachTask(QueryContext* context, int64_t count,
                          const std::function<arrow::Status(int64_t)>& task);

}  // namespace keepone
