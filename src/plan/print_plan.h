// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "plan/node.h"

namespace keepone {

// One line that says what a node does, without its inputs:
// "KeepRows: group [k], order [ts DESC NULLS LAST], first 1 (row_number() = 1); fetch: ...".
std::string DescribeNode(const Node& node);

// The plan as a tree, one node a line, inputs indented by two spaces. `annotate` may give text that
// is put behind a node's line; it may be empty.
std::string PrintPlan(const Node& root,
                      const std::function<std::string(const Node&)>& annotate = nullptr);

}  // namespace keepone
