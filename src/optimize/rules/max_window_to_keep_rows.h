// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Keeps the rows that hold their partition's greatest (or least) value.
//
//   Filter: ts = m AND v > 0                     Filter: v > 0 AND ts IS NOT NULL
//     Window: m = max(ts) OVER (k)         =>      Project: k, ts, v, ts AS m
//       Scan: [k, ts, v]                             KeepRows: group [k], order [ts DESC NULLS LAST],
//                                                              rank up to 1
//                                                      Scan: [k, ts, v]
//
// Ties are kept. Where all values are NULL, so is the maximum, and `=` is not TRUE: the Filter says
// it; for IS NOT DISTINCT FROM there is none. ts >= max(ts) is the same condition. NaN is the
// greatest of floats, and equal to itself.
//
// Does not fire on a window with an ORDER BY (a running maximum), with FILTER, over another column
// than the one compared, nor when another window function reads the maximum.
arrow::Result<NodePtr> MaxWindowToKeepRows(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
