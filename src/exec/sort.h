// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/order_column.h"

namespace keepone {

// Gives the input's rows by `keys` of any type; equal ones keep their input order.
// With `rows_max` gives only that many first rows, and holds at most about twice as many for each
// worker; otherwise holds all rows once, with their encoded keys, or sorted runs of them in
// temporary files when memory is short (external_sort.h).
std::unique_ptr<BatchStream> MakeSort(QueryContext* context, std::unique_ptr<BatchStream> input,
                                      std::vector<OrderColumn> keys,
                                      std::optional<int64_t> rows_max);

}  // namespace keepone
