// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Makes one Project of two, and none of one that only passes its input on.
//
//   Project: a + 1 AS b             Project: x * 2 + 1 AS b
//     Project: x * 2 AS a      =>     Scan: [x]
//       Scan: [x]
//
// Does not merge where an expression would be computed twice (one that is no column and no literal,
// read in two places), nor where a branch of a CASE might skip one that is not deterministic.
arrow::Result<NodePtr> MergeProjects(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
