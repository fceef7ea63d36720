// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/query_context.h"
#include "exec/carried_rows.h"
#include "exec/keep_spec.h"
#include "exec/rows_aside.h"

namespace keepone {

// The winners of groups that keep one row each, whole, held once for all workers.
//
//   batch of a worker  --hash of group-->  | lock, shard | lock, shard | ...
//
// A shard has the order key and position of each group's winner, and its columns in an arena. The
// rows of a batch that win, the best of each group only, are copied there; losers are never held.
// So the cost is that of the keys of all rows and of the payload of those that won at their time,
// and what is held is at most about half more than the winners.
// REQUIRES: the rule is kRowNumber with n = 1, without group_count_max.
std::unique_ptr<CarriedRows> MakeWinnerShards(QueryContext* context, const BoundKeepSpec& spec,
                                              const AsideSpec& aside, int workers);

}  // namespace keepone
