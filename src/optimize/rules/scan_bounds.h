// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>

#include "optimize/rule.h"

namespace keepone {

// Tells a Scan what the Filter right above it asks of single columns, so that it can leave out row
// groups and pages.
//
//   Filter: ts >= 5 AND f(v)            Filter: ts >= 5 AND f(v)
//     Scan: [ts, v]                =>     Scan: [ts, v], bounds [ts >= 5]
//
// Takes conjuncts `column OP literal` with =, <, <=, >, >=, IS NULL and IS NOT NULL. Where the
// comparison widens the column, the literal is brought back to the column's type if that loses
// nothing.
arrow::Result<NodePtr> ScanBounds(const NodePtr& plan, const OptimizerContext& context);

}  // namespace keepone
