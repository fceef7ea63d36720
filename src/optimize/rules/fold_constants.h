// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Computes what does not depend on a row, and brings conditions to the form that other rules match.
//
//   Filter: 1 + 1 > rn AND TRUE            Filter: rn < 2
//   Filter: rn + 1 = 2               =>    Filter: rn = 1
//   Filter: NOT rn > 1                     Filter: rn <= 1
//   Filter: rn IN (1)                      Filter: rn = 1
//
// Deterministic calls and casts of literals are run; one that fails stays as it is, and fails when
// a row gets there. AND, OR, NOT and CASE lose what cannot matter. A comparison has its literal on
// the right. Sums are moved to the literal's side for BIGINT, where that does not overflow; rows
// whose own sum would overflow then compare instead of failing.
arrow::Result<NodePtr> FoldConstants(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
