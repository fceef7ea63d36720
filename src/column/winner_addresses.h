// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <arrow/status.h>

#include "base/memory_budget.h"

namespace keepone {

// Sorts row addresses, which are at least 0 and unique, ascending. Memory: where they are dense a
// bit for each address up to the last one, never more than the addresses themselves.
arrow::Status SortAddresses(int64_t* addresses, int64_t count, MemoryBudget* budget);

// The same for addresses with a number each. Memory: at most twice theirs.
arrow::Status SortNumberedAddresses(int64_t* addresses, int64_t* numbers, int64_t count,
                                    MemoryBudget* budget);

}  // namespace keepone
