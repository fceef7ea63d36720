// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/result.h>

#include "base/query_context.h"
#include "column/winner_table.h"

namespace keepone {

// Merges the workers' tables of one spec, nullptr where a worker saw no rows, and gives what stays.
// Partitions of the groups are merged in parallel.
arrow::Result<Winners> MergeWinners(QueryContext* context, const WinnerSpec& spec,
                                    std::vector<std::unique_ptr<WinnerTable>> tables);

}  // namespace keepone
