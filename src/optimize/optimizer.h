// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "base/column_id.h"
#include "plan/node.h"

namespace keepone {

// What SET can say about the optimizer.
struct OptimizerSettings {
  // How rows are kept where both forms are possible.
  enum class Form {
    kAuto,   // by what they cost
    kFetch,  // pick addresses, then fetch
    kCarry,  // carry the payload along
  };
  bool enabled = true;
  std::set<std::string> disabled_rules;  // names of OptimizerRuleNames()
  Form form = Form::kAuto;
  bool verify = false;  // check the plan after every rule, in release builds too
};

struct OptimizerContext {
  ColumnIdGenerator* ids;
  const OptimizerSettings* settings;
  // Gets one line for each part of the plan that looks as if a rule should have met it and why it
  // did not; may be nullptr.
  std::vector<std::string>* notes;
};

// Applies the rules in their order to a plan that VerifyPlan accepts. The answer is the same for
// every choice of rules, but that a query without ORDER BY may give its rows in another order and
// that an expression may no longer be computed, and fail, for rows that are not wanted.
// The root's columns (ids, names, types, order) stay.
arrow::Result<NodePtr> Optimize(NodePtr plan, const OptimizerContext& context);

// The names of all rules, each once, in the order of their first application.
std::vector<std::string_view> OptimizerRuleNames();

}  // namespace keepone
