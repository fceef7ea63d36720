// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"

namespace keepone {

// Gives a stream's batches in order while workers run ahead on later morsels.
//
// The stream is prepared at the first ReadNext. With one thread everything happens inside ReadNext;
// with more, workers fill a buffer bounded by bytes, three full batches for each, and the worker on
// whose morsel the reader waits never waits for the others. An error comes where its morsel stands
// in the order, and again at every later call. Close, or destruction, stops and joins the workers
// and frees the stream; ReadNext gives an error after it. Used by one thread.
std::shared_ptr<arrow::RecordBatchReader> MakeOrderedReader(QueryContext* context,
                                                            std::unique_ptr<BatchStream> stream);

}  // namespace keepone
