// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/result.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/spill_file.h"

namespace keepone {

// Writes all rows of a stream to a file, in the stream's order. Runs the stream on this thread.
arrow::Result<std::unique_ptr<SpillFile>> WriteRun(QueryContext* context, BatchStream& rows);

}  // namespace keepone
