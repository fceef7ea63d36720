// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Tells a Sort how many of its rows are wanted, and computes the Projects in between for these
// alone.
//
//   Limit: 10, after 5                Project: a, f(b) AS c
//     Project: a, f(b) AS c      =>     Limit: 10, after 5
//       Sort: a                           Sort: a, first 15
//
// Without an offset the Limit goes away. Does not fire where limit + offset is no INT64.
arrow::Result<NodePtr> LimitIntoSort(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
