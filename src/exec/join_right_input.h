// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/join_build.h"
#include "exec/join_spill.h"

namespace keepone {

// The right input of a join: in memory, or put aside when that presses the memory limit.
struct JoinRightInput {
  bool is_spilled = false;
  arrow::RecordBatchVector batches;  // in order, of the whole input
  // Otherwise the runs of each partition, of rows with their positions.
  std::vector<SpillRuns> partitions;
};

// Reads the whole right input on the query's workers.
arrow::Result<JoinRightInput> ReadJoinRight(QueryContext* context, const JoinShape& shape,
                                            BatchStream& right);
// Puts rows aside that were held.
arrow::Status SpillJoinRight(QueryContext* context, const JoinShape& shape, JoinRightInput* input);

}  // namespace keepone
