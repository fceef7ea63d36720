// SPDX-License-Identifier: Apache-2.0
#include "exec/keep_spec.h"

#include <numeric>

#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace keepone {

BoundKeepSpec BindKeepSpec(const KeepSpec& spec, const arrow::Schema& input) {
  BoundKeepSpec bound;
  const auto field = [&input](const OrderColumn& order) {
    return KeyField{input.field(order.column)->type(), order.descending, order.nulls_first};
  };
  if (spec.group_limit.has_value()) {
    bound.winners.group_count_max = *spec.group_limit;
    for (const OrderColumn& order : spec.group_order) {
      bound.winners.group_keys.push_back(field(order));
      bound.groups.push_back(order.column);
    }
  } else {
    for (const int column : spec.groups) {
      bound.winners.group_keys.push_back(field({column}));
      bound.groups.push_back(column);
    }
  }
  for (const OrderColumn& order : spec.order) {
    bound.winners.order_keys.push_back(field(order));
    bound.order.push_back(order.column);
  }
  bound.winners.last_wins = spec.ties_to_last;
  bound.winners.rule = spec.rule;
  bound.winners.n = spec.n;
  return bound;
}

arrow::ArrayVector SelectColumns(const arrow::RecordBatch& batch, const std::vector<int>& columns) {
  arrow::ArrayVector selected;
  for (const int column : columns) {
    selected.push_back(batch.column(column));
  }
  return selected;
}

std::vector<int> AllColumns(const arrow::Schema& schema) {
  std::vector<int> columns(static_cast<size_t>(schema.num_fields()));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

}  // namespace keepone
