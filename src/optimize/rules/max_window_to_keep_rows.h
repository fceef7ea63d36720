// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Keeps the rows that hold their partition's greatest (or least) value.
//
//   Filter: ts = m AND v > 0                     Filter: v > 0
//     Window: m = max(ts) OVER (k)         =>      Project: k, ts, v, ts AS m
//       Scan: [k, ts, v]                             KeepRows: group [k], order [ts DESC NULLS
//       LAST],
//                                                              rank up to 1
//                                                      Filter: ts IS NOT NULL
//                                                        Scan: [k, ts, v]
//
// Ties are kept. A NULL is never equal to a maximum, so that rows with one may go at once; not for
// IS NOT DISTINCT FROM, which holds where all values of a group are NULL. ts >= max(ts) is the same
// condition as equality. NaN is the greatest of floats, and equal to itself.
//
// Does not fire on a window with an ORDER BY (a running maximum), with FILTER, over another column
// than the one compared, nor when another window function reads the maximum.
arrow::Result<NodePtr> MaxWindowToKeepRows(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
