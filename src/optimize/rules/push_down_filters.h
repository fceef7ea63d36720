// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Moves each conjunct of a Filter as near to its scan as it may go, and makes one Filter of what
// meets there.
//
//   Filter: k2 = 1 AND rn = 1                    Filter: rn = 1
//     Window: rn = row_number() OVER (k ..)  =>    Window: rn = row_number() OVER (k ..)
//       Project: k, k AS k2                          Project: k, k AS k2
//         Scan: [k]                                    Filter: k = 1
//                                                        Scan: [k]
//
// Through a Project, with its expressions put in; a UnionAll, into every input; a Sort without a
// limit; a Fetch, when the fetched fields are not read. Through Window, KeepRows and Aggregate go
// only conjuncts over partition or group columns: they keep or drop whole groups. There, a float
// column may only be compared, because 0.0 and -0.0 are one group and must stay one. Never through
// a limit, and never what is not deterministic. Into the sides of a join, and out of its condition
// into them, as join_filters.h says.
arrow::Result<NodePtr> PushDownFilters(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
