// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "function/aggregate_function.h"
#include "plan/node.h"

namespace keepone {

// One aggregate over the rows of a group. Everything it reads is a column: expressions are
// computed by a Project below.
struct AggregateCall {
  ColumnId id;
  std::string name;      // for printing
  std::string spelling;  // "max_by(x, ts)": for plans and messages
  std::shared_ptr<const BoundAggregateFunction> function;
  std::vector<ColumnId> arguments;  // kWinner and kCollect: the value alone
  // kWinner: the row that comes first under `order` wins; a tie goes to the first row in input
  // order, or to the last with `ties_to_last`. Max_by and last_value are told in these terms.
  // kCollect: the order of the list; ties by input order.
  std::vector<SortKey> order;
  bool ties_to_last = false;
  // kWinner: the row at this place under `order`, from 1; NULL where a group has fewer.
  int64_t nth = 1;
  // kCollect: at most so many values, those that come first under `order`; at least 1.
  std::optional<int64_t> limit;
  std::optional<ColumnId> filter;  // BOOLEAN: only rows where it is TRUE count
  std::vector<ColumnId> required;  // rows with a NULL in one of these do not count
  bool distinct = false;           // kAccumulate, kCollect: each value once
};

// Gives one row per group: the group columns, then one column per call. NULL keys form one group.
// Without group columns there is exactly one row, also over no input.
// Groups come out in the order of their first rows.
class AggregateNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kAggregate;
  static NodePtr Make(NodePtr input, std::vector<ColumnId> groups,
                      std::vector<AggregateCall> calls);
  AggregateNode(NodePtr input, std::vector<ColumnId> groups, std::vector<AggregateCall> calls);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const std::vector<ColumnId>& groups() const { return groups_; }
  const std::vector<AggregateCall>& calls() const { return calls_; }

 private:
  std::vector<ColumnId> groups_;
  std::vector<AggregateCall> calls_;
};

// One window function.
struct WindowCall {
  enum class Kind {
    kRowNumber,
    kRank,
    kDenseRank,
    kPercentRank,  // (rank - 1) / (rows - 1), or 0 in a partition of one row
    kCumeDist,     // the share of rows that come before the next peers
    kNtile,        // the number of the bucket, from 1, of `offset` buckets
    kShift,        // a value in another row of the partition: lag and lead
    kAggregate,    // over the whole partition, or up to the current row's peers when there is an
                   // order, or with `to_row` up to the current row
  };
  ColumnId id;
  std::string name;
  Kind kind;
  // kAggregate: as in an Aggregate; `order` of a winner call is resolved as there.
  std::optional<AggregateCall> aggregate;
  TypePtr type;
  std::string spelling = {};  // "lag(x, 2)": for plans and messages
  // kShift: the value, and what takes its place where there is no such row (NULL without one).
  std::vector<ColumnId> arguments = {};
  // kShift: how many rows further on, before the current one when negative; of those rows that
  // have a value with `ignores_nulls`.
  int64_t offset = 0;
  bool ignores_nulls = false;
  bool to_row = false;  // kAggregate; ties of the order then go by input order
};

// Adds columns that depend on a row's partition; rows keep their input order.
// Ties of row_number() go by input order.
class WindowNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kWindow;
  struct Spec {
    std::vector<ColumnId> partition;
    std::vector<SortKey> order;
    std::vector<WindowCall> calls;
  };
  static NodePtr Make(NodePtr input, Spec spec);
  WindowNode(NodePtr input, Spec spec);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const Spec& spec() const { return spec_; }

 private:
  Spec spec_;
};

// Keeps, of each group, the rows that come first under an order; they come out in input order.
//
//   k  o  v                                  k  o  v
//   a  1  x     group [k], order [o DESC]    a  3  z
//   a  3  z   --------------------------->   b  2  y
//   b  2  y
//
// Ties by position: the first row in the input comes first, or the last one with `ties_to_last`.
// NULL keys form one group; without group columns all rows are one group.
class KeepRowsNode final : public Node {
 public:
  static constexpr NodeKind kKind = NodeKind::kKeepRows;
  enum class Ties {
    kCut,        // exactly the first `rows_max` rows: row_number() <= n
    kKeepRank,   // the rows whose rank() <= rows_max
    kKeepDense,  // the rows whose dense_rank() <= rows_max
  };
  struct Spec {
    std::vector<ColumnId> groups;
    std::vector<SortKey> order;
    int64_t rows_max = 1;  // at least 1
    Ties ties = Ties::kCut;
    bool ties_to_last = false;
    // Gives the row's number (or rank, as `ties` says) in its group as a further INT64 column.
    std::optional<Column> number;
    // The columns of the input that are given, before `number`. Keys need not be among them.
    std::vector<ColumnId> payload;
    // Keeps only the rows of the first `group_limit` groups under `group_order`, whose keys are
    // exactly the group columns in some order.
    std::optional<int64_t> group_limit;
    std::vector<SortKey> group_order;
    std::string spelling;  // how the statement asked for it: "row_number() = 1", "DISTINCT ON"
    std::string form;      // "fetch" or "carry" and why; empty before that rule
  };
  static NodePtr Make(NodePtr input, Spec spec);
  KeepRowsNode(NodePtr input, Spec spec);
  NodePtr WithInputs(std::vector<NodePtr> inputs) const override;
  const Spec& spec() const { return spec_; }

 private:
  Spec spec_;
};

}  // namespace keepone
