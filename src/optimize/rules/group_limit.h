// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Tells a KeepRows that only the first groups are wanted.
//
//   Sort: k, ts, first 10                  Sort: k, ts, first 10
//     Project: k, ts, v               =>     Project: k, ts, v
//       KeepRows: group [k], ..                KeepRows: group [k], .., of the first 10 groups by
//       [k]
//
// Fires where the leading sort keys are the group columns, all of them: then every group that
// comes later only gives rows that come later. Projects may stand in between, which neither drop
// nor add rows. Does not fire with a Filter in between, which may empty a group, nor without group
// columns.
arrow::Result<NodePtr> GroupLimit(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
