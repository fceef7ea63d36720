// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <arrow/result.h>

#include "optimize/optimizer.h"
#include "plan/node.h"

namespace keepone {

// The part of late_fetch for an Aggregate of winner calls beside others:
//
//   Aggregate: group [k], sum(x), first_value(w)      Project: k, sum, w AS first_value
//     Scan: [k, o, x, w]                         =>     Fetch: [w] by address
//                                                         Aggregate: group [k'], sum(x'),
//                                                                    first_value(row_address)
//                                                           Scan: [k', o', x'] with addresses
//
// Takes the ordering with the widest values; they take at least `wide_bytes_min` a row. Does not
// fire without groups, where no row in still gives one row out, which has no address.
arrow::Result<NodePtr> FetchWinners(const NodePtr& node, int64_t wide_bytes_min,
                                    const OptimizerContext& context);

}  // namespace keepone
