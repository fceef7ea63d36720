// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/source.h"
#include "plan/leaf_nodes.h"
#include "plan/node.h"

namespace keepone {

// Adds fields of a source to rows that carry its row addresses.
//
//   row_address  n              row_address  n  payload
//   7            1     fetch    7            1  {...}
//   9            4   -------->  9            4  {...}
//
// Gives the input's columns, then the fetched ones. An address is not NULL and stands once.
// Rows come out in address order, or in the input's order when `keeps_input_order` (which holds the
// fetched values of all rows at once).
class FetchNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kFetch;
  struct Spec {
    std::shared_ptr<const Source> source;
    std::string name;
    ColumnId address;
    std::vector<ScanNode::Field> fields;
    bool keeps_input_order = false;
    bool input_in_address_order = false;  // known of the input, which need not be held then
  };
  static NodePtr Make(NodePtr input, Spec spec);
  FetchNode(NodePtr input, Spec spec);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const Spec& spec() const { return spec_; }

 private:
  Spec spec_;
};

}  // namespace keepone
