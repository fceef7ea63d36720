// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/expr.h"
#include "plan/node.h"

namespace keepone {

// Keeps the rows for which the predicate is TRUE.
class FilterNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kFilter;
  static NodePtr Make(NodePtr input, ExprPtr predicate);
  FilterNode(NodePtr input, ExprPtr predicate);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const ExprPtr& predicate() const { return predicate_; }

 private:
  ExprPtr predicate_;
};

// Gives these columns, row by row. A column that is passed on unchanged keeps its id: its
// expression is then a kColumn of the same id.
class ProjectNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kProject;
  struct Item {
    ColumnId id;
    std::string name;
    ExprPtr expr;
  };
  static NodePtr Make(NodePtr input, std::vector<Item> items);
  ProjectNode(NodePtr input, std::vector<Item> items);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const std::vector<Item>& items() const { return items_; }

  static Item Pass(const Column& column);
  // Whether the item only passes a column on under its own id.
  static bool IsPass(const Item& item);

 private:
  std::vector<Item> items_;
};

// Leaves out the first `offset` rows, then gives at most `limit`.
class LimitNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kLimit;
  static NodePtr Make(NodePtr input, std::optional<int64_t> limit, int64_t offset);
  LimitNode(NodePtr input, std::optional<int64_t> limit, int64_t offset);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const std::optional<int64_t>& limit() const { return limit_; }
  int64_t offset() const { return offset_; }

 private:
  std::optional<int64_t> limit_;
  int64_t offset_;
};

// Orders the rows; equal ones keep their input order. With a limit, gives only the first ones.
class SortNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kSort;
  static NodePtr Make(NodePtr input, std::vector<SortKey> keys, std::optional<int64_t> limit = {});
  SortNode(NodePtr input, std::vector<SortKey> keys, std::optional<int64_t> limit);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const std::vector<SortKey>& keys() const { return keys_; }
  const std::optional<int64_t>& limit() const { return limit_; }

 private:
  std::vector<SortKey> keys_;
  std::optional<int64_t> limit_;
};

// The rows of the first input, then of the second, and so on.
class UnionAllNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kUnionAll;
  // sources[i][c] is the column of input i that becomes output column c; of the same type.
  static NodePtr Make(std::vector<NodePtr> inputs, std::vector<Column> columns,
                      std::vector<std::vector<ColumnId>> sources);
  UnionAllNode(std::vector<NodePtr> inputs, std::vector<Column> columns,
               std::vector<std::vector<ColumnId>> sources);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const std::vector<std::vector<ColumnId>>& sources() const { return sources_; }

 private:
  std::vector<std::vector<ColumnId>> sources_;
};

}  // namespace keepone
