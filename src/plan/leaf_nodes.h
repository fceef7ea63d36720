// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/source.h"
#include "plan/expr.h"
#include "plan/node.h"

namespace keepone {

// Reads fields of a source, in address order.
class ScanNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kScan;
  struct Field {
    ColumnId id;
    int index;  // of the source's schema
    std::string name;
    TypePtr type;
  };
  struct Spec {
    std::shared_ptr<const Source> source;
    std::string name;  // for plans and messages: the table, or the file as written
    std::vector<Field> fields;
    std::optional<ColumnId> address;  // gives the row address as a further column, INT64
    std::vector<ColumnBound> bounds;  // only for pruning: a Filter above decides
  };
  static NodePtr Make(Spec spec);
  explicit ScanNode(Spec spec);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const Spec& spec() const { return spec_; }

 private:
  Spec spec_;
};

// Rows written in the statement. The expressions read no columns; each has its column's type.
// A query without FROM reads one row of no columns.
class ValuesNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kValues;
  static NodePtr Make(std::vector<Column> columns, std::vector<std::vector<ExprPtr>> rows);
  ValuesNode(std::vector<Column> columns, std::vector<std::vector<ExprPtr>> rows);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const std::vector<std::vector<ExprPtr>>& rows() const { return rows_; }

 private:
  std::vector<std::vector<ExprPtr>> rows_;
};

}  // namespace keepone
