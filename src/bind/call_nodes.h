// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bind/bind_context.h"
#include "bind/select_calls.h"
#include "plan/node.h"

namespace keepone {

struct GroupKey {
  ExprPtr expr;
  std::string name;  // of the output that it is; empty for another
  ColumnId id{};     // set by AddAggregates
};

// An Aggregate over what it reads. Sets the groups' ids.
NodePtr AddAggregates(BindContext* context, NodePtr input, std::vector<GroupKey>& groups,
                      const std::vector<AggregateExpr>& calls);

// A Window for each partition and order, all over the same columns.
NodePtr AddWindows(BindContext* context, NodePtr input, const std::vector<WindowExpr>& windows);

// An Unnest of all lists that stand side by side, and one above it for those that read elements.
NodePtr AddUnnests(BindContext* context, NodePtr input, std::vector<UnnestExpr> unnests);

// Every expression of the window, to be replaced in place.
std::vector<ExprPtr*> ExprsOf(WindowExpr* window);

}  // namespace keepone
