// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "exec/order_column.h"
#include "function/aggregate_function.h"

namespace keepone {

// One aggregate over the rows of a group, by positions of the input's columns.
struct AggregateColumn {
  std::shared_ptr<const BoundAggregateFunction> function;
  std::vector<int> arguments;  // kWinner and kCollect: the value alone
  // kWinner: the row that comes first under it gives the value; ties go to the first row in input
  // order, or to the last with `ties_to_last`. kCollect: the order of the list; ties by input
  // order.
  std::vector<OrderColumn> order;
  bool ties_to_last = false;
  // kWinner: the row at this place under `order`, from 1; NULL where a group has fewer.
  int64_t nth = 1;
  // kCollect: at most so many values, those that come first under `order`; at least 1.
  std::optional<int64_t> limit;
  std::optional<int> filter;  // BOOLEAN: only rows where it is TRUE count
  std::vector<int> required;  // rows with a NULL in one of these do not count
  bool distinct = false;      // kAccumulate and kCollect: each value once
};

}  // namespace keepone
