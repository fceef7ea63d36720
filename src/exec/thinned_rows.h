// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/query_context.h"
#include "exec/carried_rows.h"
#include "exec/keep_spec.h"
#include "exec/rows_aside.h"

namespace keepone {

// Rows that may stay, for any rule: each worker's batches as they come, thinned out from time to
// time.
//
//   Add:     | living rows | new batch | new batch | ...     nothing is copied
//   thin:    | living rows |                                 when new rows outnumber the living
//
// To thin, a WinnerTable picks among all rows that are held, and those that stay are gathered. So
// the cost for each row is bounded, and what a worker holds is about twice what stays, or a few
// batches.
std::unique_ptr<CarriedRows> MakeThinnedRows(QueryContext* context, const BoundKeepSpec& spec,
                                             const AsideSpec& aside, int workers);

}  // namespace keepone
