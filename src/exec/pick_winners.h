// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/keep_spec.h"

namespace keepone {

// Picks, of each group, the rows that come first, and gives their addresses, ascending.
//
//   k  o  row_address   group k, order o DESC    row_address
//   a  1  0             --------------------->   1
//   a  3  1                                      2
//   b  2  2
//
// `address` is a column of the input, INT64, never NULL, at least 0, each value once, ascending in
// the input; it breaks ties. Gives it, and the number if asked for, named as in `schema`.
// Memory: one entry of keys and address per kept row (WinnerCollector). Under a memory limit
// entries are put aside on disk, unless all rows are one group or a limit of groups bounds them.
std::unique_ptr<BatchStream> MakePickWinners(QueryContext* context,
                                             std::unique_ptr<BatchStream> input, KeepSpec spec,
                                             int address, std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
