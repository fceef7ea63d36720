// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/limit_into_sort.h"

#include <algorithm>
#include <limits>

#include "optimize/rewrite.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

// The rows of `node` under the limit, or nullptr when there is no Sort below its Projects.
NodePtr Sink(const LimitNode& limit, const NodePtr& node) {
  if (node->kind() == NodeKind::kProject) {
    NodePtr input = Sink(limit, node->input());
    return input == nullptr ? nullptr : node->WithInputs({std::move(input)});
  }
  const auto* sort = AsIf<SortNode>(*node);
  if (sort == nullptr) {
    return nullptr;
  }
  const int64_t rows = *limit.limit() + limit.offset();
  NodePtr top =
      SortNode::Make(sort->input(), sort->keys(), std::min(rows, sort->limit().value_or(rows)));
  return limit.offset() == 0 ? top : LimitNode::Make(std::move(top), limit.limit(), limit.offset());
}

}  // namespace

arrow::Result<NodePtr> LimitIntoSort(const NodePtr& plan, const OptimizerContext& /*context*/) {
  return RewriteUp(plan, [](const NodePtr& node) -> arrow::Result<NodePtr> {
    const auto* limit = AsIf<LimitNode>(*node);
    if (limit == nullptr || !limit->limit().has_value() ||
        *limit->limit() > std::numeric_limits<int64_t>::max() - limit->offset()) {
      return node;
    }
    NodePtr sunk = Sink(*limit, node->input());
    return sunk == nullptr ? node : sunk;
  });
}

}  // namespace keepone
