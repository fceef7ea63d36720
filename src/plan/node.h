// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/column_id.h"
#include "function/scalar_function.h"

namespace keepone {

enum class NodeKind {
  kScan,
  kValues,
  kFilter,
  kProject,
  kAggregate,
  kWindow,
  kKeepRows,
  kFetch,
  kSort,
  kLimit,
  kUnionAll,
  kJoin,
  kUnnest,
  kNest,
};

// A column that a node gives.
struct Column {
  ColumnId id;
  std::string name;
  TypePtr type;
};

// One part of an ordering. Where NULLs stand is decided by the binder, once.
struct SortKey {
  ColumnId column;
  bool descending = false;
  bool nulls_first = false;

  friend bool operator==(const SortKey&, const SortKey&) = default;
};

class Node;
using NodePtr = std::shared_ptr<const Node>;

// A step of a logical plan: rows in from its inputs, rows out with columns(). Immutable.
// Ids are unique over a whole plan: each names the column of one node, and nodes that pass a
// column on give the same id. Rows have an order (Filter, Project, Window, Limit keep their
// input's).
class Node {
 public:
  virtual ~Node() = default;
  NodeKind kind() const { return kind_; }
  const std::vector<NodePtr>& inputs() const { return inputs_; }
  const NodePtr& input() const { return inputs_[0]; }
  const std::vector<Column>& columns() const { return columns_; }
  // The same step over other inputs, which give at least the columns that it reads.
  virtual NodePtr WithInputs(std::vector<NodePtr> inputs) const = 0;

 protected:
  Node(NodeKind kind, std::vector<NodePtr> inputs) : kind_(kind), inputs_(std::move(inputs)) {}
  std::vector<Column> columns_;

 private:
  NodeKind kind_;
  std::vector<NodePtr> inputs_;
};

// The column of this id, or nullptr.
const Column* FindColumn(const std::vector<Column>& columns, ColumnId id);

// The column of the input. One that the input lacks comes without a type, for VerifyPlan to find.
Column PassedColumn(const Node& input, ColumnId id);

// Downcast by kind. REQUIRES: the node is a T.
template <typename T>
const T& As(const Node& node) {
  return static_cast<const T&>(node);
}
// The node as a T, or nullptr when it is another kind.
template <typename T>
const T* AsIf(const Node& node) {
  return node.kind() == T::kKind ? static_cast<const T*>(&node) : nullptr;
}

}  // namespace keepone
