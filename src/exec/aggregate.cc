// SPDX-License-Identifier: Apache-2.0
#include "exec/aggregate.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/group_table.h"
#include "exec/aggregate_step.h"
#include "exec/breaker.h"
#include "exec/held_rows.h"
#include "exec/keep_spec.h"
#include "exec/metrics.h"
#include "exec/row_arena.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// What one worker knows of the groups it met, and the states of the aggregates.
struct GroupWorker {
  explicit GroupWorker(QueryContext* context) : keys(context), reserved(context->budget()) {}

  std::unique_ptr<GroupTable> table;
  RowArena keys;                         // of each group, as in its first row
  std::vector<int64_t> first_positions;  // of each group
  std::vector<std::unique_ptr<AggregateState>> states;
  std::vector<uint32_t> group_ids;  // of one batch
  MemoryReservation reserved;
};

// The groups of all workers together, numbered in the order of their first rows.
struct MergedGroups {
  std::vector<std::vector<uint32_t>> mappings;  // of each worker
  int64_t group_count = 0;
  arrow::RecordBatchVector keys;
  std::unique_ptr<RowOrder> order;
};

class AggregateRun {
 public:
  AggregateRun(QueryContext* context, std::vector<int> groups, std::vector<AggregateColumn> columns,
               std::shared_ptr<arrow::Schema> schema)
      : context_(context),
        groups_(std::move(groups)),
        columns_(std::move(columns)),
        schema_(std::move(schema)) {}

  arrow::Result<std::unique_ptr<BatchStream>> Run(BatchStream& input) {
    const arrow::Schema& input_schema = *input.schema();
    arrow::FieldVector key_fields;
    for (size_t i = 0; i < groups_.size(); ++i) {
      const auto& type = input_schema.field(groups_[i])->type();
      key_types_.push_back({type});
      key_fields.push_back(arrow::field(schema_->field(static_cast<int>(i))->name(), type));
    }
    key_schema_ = arrow::schema(std::move(key_fields));
    steps_ = MakeAggregateSteps(columns_, input_schema);
    workers_.resize(static_cast<size_t>(context_->threads()));
    const auto update = [this](const MorselBatch& morsel) { return Update(morsel); };
    ARROW_RETURN_NOT_OK(ForEachMorsel(context_, input, update));
    std::erase(workers_, nullptr);
    ARROW_ASSIGN_OR_RAISE(MergedGroups merged, MergeGroups());
    ARROW_ASSIGN_OR_RAISE(HeldRows rows, FinishSteps(merged));
    workers_.clear();
    rows.batches = std::move(merged.keys);
    rows.order = std::move(merged.order);
    return MakeHeldRows(context_, schema_, std::move(rows));
  }

 private:
  arrow::Status Update(const MorselBatch& morsel) {
    std::unique_ptr<GroupWorker>& worker = workers_[static_cast<size_t>(morsel.worker)];
    if (worker == nullptr) {
      worker = std::make_unique<GroupWorker>(context_);
      ARROW_ASSIGN_OR_RAISE(worker->table, GroupTable::Make(key_types_, context_->budget()));
      for (const auto& step : steps_) {
        ARROW_ASSIGN_OR_RAISE(auto state, step->MakeState(context_));
        worker->states.push_back(std::move(state));
      }
    }
    const arrow::RecordBatch& batch = *morsel.batch;
    worker->group_ids.resize(static_cast<size_t>(batch.num_rows()));
    const arrow::ArrayVector keys = SelectColumns(batch, groups_);
    ARROW_RETURN_NOT_OK(worker->table->Insert(keys, batch.num_rows(), worker->group_ids));
    ARROW_RETURN_NOT_OK(KeepFirstRows(morsel, keys, worker.get()));
    const GroupedBatch grouped{batch, morsel.sequence, morsel.position(), worker->group_ids,
                               static_cast<int64_t>(worker->table->group_count())};
    for (const auto& state : worker->states) {
      ARROW_RETURN_NOT_OK(state->Update(grouped));
    }
    return arrow::Status::OK();
  }

  // Keeps the keys and places of the groups that begin in this batch.
  arrow::Status KeepFirstRows(const MorselBatch& morsel, const arrow::ArrayVector& keys,
                              GroupWorker* worker) {
    std::vector<RowPlace> fresh;
    auto next = static_cast<uint32_t>(worker->first_positions.size());
    for (size_t row = 0; row < worker->group_ids.size(); ++row) {
      if (worker->group_ids[row] == next) {
        fresh.push_back({0, static_cast<uint32_t>(row)});
        worker->first_positions.push_back(morsel.position() + static_cast<int64_t>(row));
        ++next;
      }
    }
    if (fresh.empty()) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(
        worker->reserved.Resize(static_cast<int64_t>(worker->first_positions.capacity()) * 8));
    const auto rows = arrow::RecordBatch::Make(key_schema_, morsel.batch->num_rows(), keys);
    ARROW_ASSIGN_OR_RAISE(auto first_rows,
                          GatherPlaces(key_schema_, {rows}, fresh, context_->pool()));
    return worker->keys.Append(std::move(first_rows));
  }

  arrow::Result<MergedGroups> MergeGroups() {
    MergedGroups merged;
    // Without group columns there is a group even where there are no rows.
    if (workers_.empty() && groups_.empty()) {
      merged.group_count = 1;
      return OneGroup(std::move(merged));
    }
    std::vector<int64_t> first_positions;  // of each merged group
    std::vector<RowPlace> first_rows;
    for (size_t i = 0; i < workers_.size(); ++i) {
      GroupWorker& worker = *workers_[i];
      std::vector<uint32_t> mapping(worker.first_positions.size());
      if (i == 0) {
        std::iota(mapping.begin(), mapping.end(), 0u);
      } else {
        ARROW_RETURN_NOT_OK(workers_[0]->table->MergeFrom(*worker.table, 0, 1, &mapping));
        worker.table.reset();
      }
      ARROW_RETURN_NOT_OK(worker.keys.Flush());
      const auto count = static_cast<size_t>(workers_[0]->table->group_count());
      first_positions.resize(count, std::numeric_limits<int64_t>::max());
      first_rows.resize(count);
      const auto first_batch = static_cast<uint32_t>(merged.keys.size());
      size_t group = 0;
      for (uint32_t batch = 0; batch < worker.keys.batches().size(); ++batch) {
        const auto& rows = worker.keys.batches()[batch];
        for (uint32_t row = 0; row < rows->num_rows(); ++row, ++group) {
          const uint32_t target = mapping[group];
          if (worker.first_positions[group] < first_positions[target]) {
            first_positions[target] = worker.first_positions[group];
            first_rows[target] = {first_batch + batch, row};
          }
        }
        merged.keys.push_back(rows);
      }
      merged.mappings.push_back(std::move(mapping));
    }
    merged.group_count = static_cast<int64_t>(first_positions.size());
    ARROW_RETURN_NOT_OK(NumberByFirstRow(first_positions, first_rows, &merged));
    return merged;
  }

  arrow::Result<MergedGroups> OneGroup(MergedGroups merged) {
    merged.keys.push_back(arrow::RecordBatch::Make(key_schema_, 1, arrow::ArrayVector{}));
    merged.order = std::make_unique<RowOrder>(context_->budget());
    ARROW_RETURN_NOT_OK(merged.order->Resize(1));
    return merged;
  }

  // Renumbers the groups in the order of their first rows, which no number of workers changes.
  arrow::Status NumberByFirstRow(const std::vector<int64_t>& first_positions,
                                 const std::vector<RowPlace>& first_rows, MergedGroups* merged) {
    std::vector<uint32_t> by_position(first_positions.size());
    std::iota(by_position.begin(), by_position.end(), 0u);
    std::sort(by_position.begin(), by_position.end(),
              [&](uint32_t a, uint32_t b) { return first_positions[a] < first_positions[b]; });
    std::vector<uint32_t> numbers(by_position.size());
    merged->order = std::make_unique<RowOrder>(context_->budget());
    ARROW_RETURN_NOT_OK(merged->order->Resize(merged->group_count));
    for (uint32_t number = 0; number < by_position.size(); ++number) {
      numbers[by_position[number]] = number;
      merged->order->refs()[number] = first_rows[by_position[number]];
    }
    for (std::vector<uint32_t>& mapping : merged->mappings) {
      for (uint32_t& group : mapping) {
        group = numbers[group];
      }
    }
    return arrow::Status::OK();
  }

  arrow::Result<HeldRows> FinishSteps(const MergedGroups& merged) {
    HeldRows rows;
    rows.more.resize(columns_.size());
    for (size_t i = 0; i < steps_.size(); ++i) {
      AggregateStates states{{}, merged.mappings, merged.group_count};
      for (const auto& worker : workers_) {
        states.states.push_back(std::move(worker->states[i]));
      }
      ARROW_ASSIGN_OR_RAISE(auto results, steps_[i]->Finish(context_, std::move(states)));
      for (size_t j = 0; j < results.size(); ++j) {
        rows.more[steps_[i]->outputs()[j]] = std::move(results[j].values);
        rows.more_row_bytes += results[j].row_bytes;
      }
    }
    return rows;
  }

  QueryContext* context_;
  std::vector<int> groups_;
  std::vector<AggregateColumn> columns_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<KeyField> key_types_;
  std::shared_ptr<arrow::Schema> key_schema_;
  std::vector<std::unique_ptr<AggregateStep>> steps_;
  std::vector<std::unique_ptr<GroupWorker>> workers_;
};

bool SharesWinner(const AggregateColumn& a, const AggregateColumn& b) {
  const auto same_order = [](const OrderColumn& x, const OrderColumn& y) {
    return x.column == y.column && x.descending == y.descending && x.nulls_first == y.nulls_first;
  };
  return a.ties_to_last == b.ties_to_last && a.filter == b.filter && a.required == b.required &&
         std::equal(a.order.begin(), a.order.end(), b.order.begin(), b.order.end(), same_order);
}

}  // namespace

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

std::unique_ptr<BatchStream> MakeAggregate(QueryContext* context,
                                           std::unique_ptr<BatchStream> input,
                                           std::vector<int> groups,
                                           std::vector<AggregateColumn> columns,
                                           std::shared_ptr<arrow::Schema> schema) {
  auto run = std::make_shared<AggregateRun>(context, std::move(groups), std::move(columns), schema);
  return MakeBreaker(std::move(input), std::move(schema),
                     [run](BatchStream& rows) { return run->Run(rows); });
}

}  // namespace keepone
