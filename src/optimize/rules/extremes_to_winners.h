// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Reads a greatest or least value off the row that wins by it.
//
//   Aggregate: group [k],               Aggregate: group [k],
//     max_by(a, o), max(o)         =>     max_by(a, o), max_by(o, o)
//
// so that winners_to_keep_rows and late_fetch see calls of one winner alone. Fires on max(o) beside
// a winner whose order begins with o descending, and on min(o) beside one with o ascending, where
// both count the same rows (FILTER) and no row is left out for a NULL in another column. A winner
// with a NULL in o then means that all are NULL, and so is the answer.
arrow::Result<NodePtr> ExtremesToWinners(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
