// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/keep_spec.h"

namespace keepone {

// Keeps, of each group, the rows that come first under an order; they come out in input order.
//
//   k  o  v                                  k  o  v
//   a  1  x     group [k], order [o DESC]    a  3  z
//   a  3  z   --------------------------->   b  2  y
//   b  2  y
//
// Ties go by place in the input. Gives the columns `payload` of the input, then the number if asked
// for, named as in `schema`. Payload of any type.
// Memory: where a group keeps one row, the winners once for all workers and at most half as many
// more; otherwise the rows that are kept, up to about twice on each worker. When memory is short
// they are put aside by hash of the group, and each partition is picked among by itself
// (carried_rows.h).
std::unique_ptr<BatchStream> MakeCarryWinners(QueryContext* context,
                                              std::unique_ptr<BatchStream> input, KeepSpec spec,
                                              std::vector<int> payload,
                                              std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
