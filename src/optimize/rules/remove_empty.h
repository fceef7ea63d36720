// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Puts no rows in place of what can give none.
//
//   KeepRows: group [k], ..            Values: no rows [k, v]
//     Filter: FALSE               =>
//       Scan: [k, v]
//
// A Filter with a conjunct that is FALSE or NULL, a Limit of 0, and all nodes above them that give
// no row without input. An Aggregate without groups gives a row; it stays. Of an outer join with
// one empty side the other side stays, beside NULLs; an anti join without right rows is its left
// side.
arrow::Result<NodePtr> RemoveEmpty(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
