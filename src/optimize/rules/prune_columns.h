// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Gives and computes only what is read further up.
//
//   Project: k                               Project: k
//     Window: n = count(*) OVER (..)    =>     Scan: [k]
//       Scan: [k, v, w]
//
// Scan and Fetch fields, Project items, aggregate and window calls, KeepRows payload and number,
// Values and UnionAll columns. A Window without calls and a Fetch without fields go away. Keys stay
// as long as their node stands. The number of rows never changes: a node may give no columns.
arrow::Result<NodePtr> PruneColumns(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
