// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/join_build.h"
#include "exec/join_spill.h"

namespace keepone {

// Joins by partition with a right input that was put aside:
//
//   left and right rows, with their positions, by hash of the keys   l0 r0 | l1 r1 | ...
//   each pair of partitions is joined as in memory to a run by left, then right position
//   the runs, merged by these positions, are the join                in the order of MakeHashJoin
//
// A partition too large for memory is split by another hash; one that cannot be split, as its rows
// have one key or the join has none, is worked off in blocks of right rows, each against all left
// rows. Reads the whole left input; gives the stream of the result, to be prepared.
arrow::Result<std::unique_ptr<BatchStream>> JoinSpilled(QueryContext* context,
                                                        const JoinShape& shape, BatchStream& left,
                                                        std::vector<SpillRuns> right);

}  // namespace keepone
