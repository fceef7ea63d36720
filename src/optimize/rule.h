// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <arrow/result.h>

#include "optimize/optimizer.h"
#include "plan/node.h"

namespace keepone {

// A rewrite of plans. It gives the plan itself where it has nothing to do.
// REQUIRES: the plan passes VerifyPlan. ENSURES: so does the result; it gives at least the root's
// columns, under the same ids.
struct Rule {
  std::string_view name;
  arrow::Result<NodePtr> (*apply)(const NodePtr& plan, const OptimizerContext& context);
};

}  // namespace keepone
