// SPDX-License-Identifier: Apache-2.0
#include "exec/aggregate_step.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>

#include "column/row_bytes.h"

namespace keepone {

namespace {

bool SharesWinner(const AggregateColumn& a, const AggregateColumn& b) {
  const auto same_order = [](const OrderColumn& x, const OrderColumn& y) {
    return x.column == y.column && x.descending == y.descending && x.nulls_first == y.nulls_first;
  };
  return a.ties_to_last == b.ties_to_last && a.nth == b.nth && a.filter == b.filter &&
         a.required == b.required &&
         std::equal(a.order.begin(), a.order.end(), b.order.begin(), b.order.end(), same_order);
}

}  // namespace

RowPlace GroupValues::PlaceOf(uint32_t group) const {
  if (places != nullptr) {
    return places->refs()[group];
  }
  // The last chunk that begins at or before the group: a chunk without rows is not it.
  const auto next = std::upper_bound(begins.begin(), begins.end(), int64_t{group});
  const auto chunk = static_cast<size_t>(next - begins.begin()) - 1;
  return {static_cast<uint32_t>(chunk), static_cast<uint32_t>(group - begins[chunk])};
}

GroupValues ValuesInOrder(arrow::ArrayVector chunks) {
  GroupValues values;
  int64_t groups = 0;
  int64_t bytes = 0;
  for (const auto& chunk : chunks) {
    values.begins.push_back(groups);
    groups += chunk->length();
    bytes += RowBytes(*chunk->data(), 0, chunk->length());
  }
  values.chunks = std::move(chunks);
  values.row_bytes = static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(groups, 1));
  return values;
}

arrow::Status AggregateState::MergeLast(const AggregateState& other,
                                        std::span<const uint32_t> groups,
                                        std::span<const uint32_t> group_ids, int64_t group_count) {
  ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector state, other.Export(groups));
  return Merge(state, group_ids, group_count);
}

std::vector<std::unique_ptr<AggregateStep>> MakeAggregateSteps(
    const std::vector<AggregateColumn>& columns, const arrow::Schema& input) {
  std::vector<std::unique_ptr<AggregateStep>> steps;
  std::vector<bool> planned(columns.size(), false);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (planned[i]) {
      continue;
    }
    switch (columns[i].function->kind) {
      case AggregateKind::kAccumulate:
        steps.push_back(columns[i].distinct ? MakeDistinctStep(columns[i], i, input)
                                            : MakeAccumulateStep(columns[i], i));
        break;
      case AggregateKind::kCollect:
        steps.push_back(MakeCollectStep(columns[i], i, input));
        break;
      case AggregateKind::kWinner: {
        if (columns[i].nth > 1) {
          steps.push_back(MakeNthStep(columns[i], i, input));
          break;
        }
        std::vector<AggregateColumn> peers;
        std::vector<size_t> outputs;
        for (size_t j = i; j < columns.size(); ++j) {
          if (columns[j].function->kind == AggregateKind::kWinner &&
              SharesWinner(columns[i], columns[j])) {
            peers.push_back(columns[j]);
            outputs.push_back(j);
            planned[j] = true;
          }
        }
        steps.push_back(MakeWinnerStep(std::move(peers), std::move(outputs), input));
        break;
      }
    }
  }
  return steps;
}

}  // namespace keepone
