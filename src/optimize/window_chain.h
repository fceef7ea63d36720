// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "optimize/rewrite.h"
#include "plan/group_nodes.h"
#include "plan/node.h"

namespace keepone {

// The WindowNodes that stand on each other under a Filter. They add columns and leave rows and
// their order alone, so one that the others do not read may be taken out, and computed last.
class WindowChain {
 public:
  // `top` is any node; a chain may be empty.
  explicit WindowChain(const NodePtr& top);

  struct Place {
    size_t window;  // from the top
    size_t call;
  };
  std::vector<Place> Places() const;
  const WindowNode::Spec& spec(const Place& place) const { return windows_[place.window]->spec(); }
  const WindowCall& call(const Place& place) const { return spec(place).calls[place.call]; }

  // Whether another window function reads the call's result.
  bool IsReadAbove(const Place& place) const;
  // The chain without this call.
  NodePtr Without(const Place& place) const;

 private:
  std::vector<const WindowNode*> windows_;
  NodePtr top_;  // keeps the windows alive
  NodePtr input_;
};

// "row_number()", "rank()", "dense_rank()", "max(ts)".
std::string FunctionText(const WindowCall& call);

}  // namespace keepone
