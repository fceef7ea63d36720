// SPDX-License-Identifier: Apache-2.0
#include "optimize/window_chain.h"

#include <utility>

namespace keepone {

WindowChain::WindowChain(const NodePtr& top) : top_(top), input_(top) {
  while (const auto* window = AsIf<WindowNode>(*input_)) {
    windows_.push_back(window);
    input_ = window->input();
  }
}

std::vector<WindowChain::Place> WindowChain::Places() const {
  std::vector<Place> places;
  for (size_t w = 0; w < windows_.size(); ++w) {
    for (size_t c = 0; c < windows_[w]->spec().calls.size(); ++c) {
      places.push_back({w, c});
    }
  }
  return places;
}

bool WindowChain::IsReadAbove(const Place& place) const {
  for (size_t w = 0; w < place.window; ++w) {
    ColumnSet reads;
    CollectReads(*windows_[w], &reads);
    if (reads.contains(call(place).id)) {
      return true;
    }
  }
  return false;
}

NodePtr WindowChain::Without(const Place& place) const {
  NodePtr node = input_;
  for (size_t w = windows_.size(); w-- > 0;) {
    WindowNode::Spec spec = windows_[w]->spec();
    if (w == place.window) {
      spec.calls.erase(spec.calls.begin() + static_cast<std::ptrdiff_t>(place.call));
    }
    if (!spec.calls.empty()) {
      node = WindowNode::Make(std::move(node), std::move(spec));
    }
  }
  return node;
}

std::string FunctionText(const WindowCall& call) {
  switch (call.kind) {
    case WindowCall::Kind::kRowNumber:
      return "row_number()";
    case WindowCall::Kind::kRank:
      return "rank()";
    case WindowCall::Kind::kDenseRank:
      return "dense_rank()";
    case WindowCall::Kind::kPercentRank:
    case WindowCall::Kind::kCumeDist:
    case WindowCall::Kind::kNtile:
    case WindowCall::Kind::kShift:
      return call.spelling;
    case WindowCall::Kind::kAggregate:
      break;
  }
  return call.aggregate.has_value() ? call.aggregate->spelling : call.name;
}

}  // namespace keepone
