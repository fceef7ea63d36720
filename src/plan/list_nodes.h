// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "plan/node.h"

namespace keepone {

// Gives a row for each element of lists, beside the columns of the row that the lists stand in.
// Lists of one row stand side by side, the shorter ones filled up with NULLs. The elements of a MAP
// are its entries.
//
//   k  xs      ys                k  x     y     i
//   a  [1, 2]  [p]   ------->    a  1     p     1
//   b  []      NULL              a  2     NULL  2
//
// Gives the input's columns (the lists, too), then the elements, then the ordinality: the place in
// the lists, from 1. A row without elements gives no row, or with `keeps_empty` one with NULLs in
// all the other columns. Rows keep the input's order, elements that of their lists.
//
// With `ordinals`, a column of LIST(INT64), only the elements at these places are given, in the
// order of the ordinals; a NULL among them gives NULLs. A list of `per_ordinal` then stands beside
// the ordinals and not beside the other lists: it has one element for each of them.
class UnnestNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kUnnest;
  struct List {
    ColumnId list;
    Column element;
    bool per_ordinal = false;
  };
  struct Spec {
    std::vector<List> lists;
    std::optional<Column> ordinality;  // INT64
    bool keeps_empty = false;          // not with `ordinals`
    std::optional<ColumnId> ordinals;
  };
  static NodePtr Make(NodePtr input, Spec spec);
  UnnestNode(NodePtr input, Spec spec);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const Spec& spec() const { return spec_; }

 private:
  Spec spec_;
};

// The type of the elements that an unnested list of `type` has; nullptr where it is no list.
TypePtr ElementType(const arrow::DataType& type);

// Makes one row of consecutive rows that carry the same row address: a list of each other column.
//
//   row_address  n            row_address  ns
//   7            1            7            [1, 4]
//   7            4   ------>  9            [2]
//   9            2
//
// The input is in address order, and an address is not NULL. Gives the address and the lists.
class NestNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kNest;
  struct List {
    ColumnId value;
    Column list;
  };
  struct Spec {
    ColumnId address;
    std::vector<List> lists;
  };
  static NodePtr Make(NodePtr input, Spec spec);
  NestNode(NodePtr input, Spec spec);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const Spec& spec() const { return spec_; }

 private:
  Spec spec_;
};

}  // namespace keepone
