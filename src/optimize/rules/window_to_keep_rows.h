// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Keeps the first rows of each partition instead of numbering all of them.
//
//   Filter: rn = 1 AND v > 0                        Filter: v > 0
//     Window: rn = row_number() OVER (k; o),          Project: k, o, v, n, 1 AS rn
//             n = count(*) OVER (k; o)         =>       KeepRows: group [k], order [o], first 1
//       Scan: [k, o, v]                                   Window: n = count(*) OVER (k; o)
//                                                           Scan: [k, o, v]
//
// Matches row_number(), rank() and dense_rank() with an upper bound: = n, <= n, < n, IN, and what
// fold_constants brings to these. The number itself becomes the literal 1, or a column of KeepRows
// when it can be more; a lower bound stays as a Filter on that. Other conjuncts stay above.
// Bounds that leave nothing (rn = 0; rn = 1 AND rn = 2) give no rows; rn >= 1 goes away.
//
// Other window functions are computed below, over all rows, as they were. Does not fire when one of
// them reads the number, when a condition is no bound on the number alone (rn = 1 OR v > 0), nor on
// a rank without an ORDER BY.
arrow::Result<NodePtr> WindowToKeepRows(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
