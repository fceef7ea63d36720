// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "column/winner_table.h"
#include "exec/order_column.h"

namespace keepone {

// Which rows to keep of each group, by positions of the input's columns.
struct KeepSpec {
  std::vector<int> groups;  // NULL keys form one group; none: all rows are one group
  std::vector<OrderColumn> order;
  KeepRule rule = KeepRule::kRowNumber;
  int64_t n = 1;              // at least 1
  bool ties_to_last = false;  // of equal rows the last in the input comes first
  bool gives_number = false;  // a further INT64 column: the row's number by the rule
  // Keeps only the rows of the first `group_limit` groups under `group_order`, whose columns are
  // the group columns in some order.
  std::optional<int64_t> group_limit;
  std::vector<OrderColumn> group_order;
};

// The same as a WinnerTable takes it, with the columns in the order in which it wants them.
struct BoundKeepSpec {
  WinnerSpec winners;
  std::vector<int> groups;
  std::vector<int> order;
};
BoundKeepSpec BindKeepSpec(const KeepSpec& spec, const arrow::Schema& input);

// The columns at these positions.
arrow::ArrayVector SelectColumns(const arrow::RecordBatch& batch, const std::vector<int>& columns);
// The positions of all columns: 0, 1, 2, ...
std::vector<int> AllColumns(const arrow::Schema& schema);

}  // namespace keepone
