// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/util/checked_cast.h>

#include "column/group_table.h"
#include "column/row_bytes.h"
#include "exec/aggregate_step.h"
#include "exec/selected_rows.h"
#include "exec/sort_rows.h"

namespace keepone {

namespace {

class AccumulateState final : public AggregateState {
 public:
  AccumulateState(QueryContext* context, const AggregateColumn& column,
                  std::unique_ptr<GroupAccumulator> accumulator)
      : context_(context),
        column_(column),
        accumulator_(std::move(accumulator)),
        reserved_(context->budget()) {}

  arrow::Status Update(const GroupedBatch& batch) override {
    ARROW_RETURN_NOT_OK(accumulator_->Resize(batch.group_count));
    ARROW_ASSIGN_OR_RAISE(const SelectedRows selected,
                          SelectRows(context_, batch, column_, column_.arguments));
    ARROW_RETURN_NOT_OK(accumulator_->Update(selected.rows->columns(), selected.group_ids));
    // Asking for the bytes may cost as much as there are groups.
    if (batch.group_count + kCountedStep > groups_counted_ + groups_counted_ / 4) {
      groups_counted_ = batch.group_count + kCountedStep;
      return reserved_.Resize(accumulator_->bytes_used());
    }
    return arrow::Status::OK();
  }

  GroupAccumulator& accumulator() { return *accumulator_; }

 private:
  static constexpr int64_t kCountedStep = 64;

  QueryContext* context_;
  const AggregateColumn& column_;
  std::unique_ptr<GroupAccumulator> accumulator_;
  MemoryReservation reserved_;
  int64_t groups_counted_ = 0;  // when the reservation was last brought up to date
};

arrow::Result<std::vector<AggregateResult>> FinishAccumulator(QueryContext* context,
                                                              GroupAccumulator* accumulator) {
  ARROW_ASSIGN_OR_RAISE(auto values, accumulator->Finish());
  int64_t bytes = 0;
  for (const auto& chunk : values->chunks()) {
    bytes += RowBytes(*chunk->data(), 0, chunk->length());
  }
  std::vector<AggregateResult> results(1);
  results[0].row_bytes =
      static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(values->length(), 1));
  results[0].values = SlicesOf(std::move(values), context->pool());
  return results;
}

class AccumulateStep final : public AggregateStep {
 public:
  AccumulateStep(AggregateColumn column, size_t output) : column_(std::move(column)) {
    outputs_ = {output};
  }

  arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const override {
    ARROW_ASSIGN_OR_RAISE(auto accumulator, column_.function->make_accumulator(context));
    return std::make_unique<AccumulateState>(context, column_, std::move(accumulator));
  }

  arrow::Result<std::vector<AggregateResult>> Finish(QueryContext* context,
                                                     AggregateStates states) const override {
    ARROW_ASSIGN_OR_RAISE(auto total, column_.function->make_accumulator(context));
    ARROW_RETURN_NOT_OK(total->Resize(states.group_count));
    for (size_t worker = 0; worker < states.states.size(); ++worker) {
      auto& state = arrow::internal::checked_cast<AccumulateState&>(*states.states[worker]);
      // A group that the worker met last may not have reached this state.
      const std::vector<uint32_t>& mapping = states.mappings[worker];
      ARROW_RETURN_NOT_OK(state.accumulator().Resize(static_cast<int64_t>(mapping.size())));
      ARROW_RETURN_NOT_OK(total->Merge(std::move(state.accumulator()), mapping));
      states.states[worker].reset();
    }
    return FinishAccumulator(context, total.get());
  }

 private:
  AggregateColumn column_;
};

// Keeps the first row of each group and value.
class DistinctState final : public AggregateState {
 public:
  DistinctState(QueryContext* context, const AggregateColumn& column,
                std::unique_ptr<GroupTable> seen)
      : context_(context), column_(column), seen_(std::move(seen)) {}

  arrow::Status Update(const GroupedBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const SelectedRows selected,
                          SelectRows(context_, batch, column_, column_.arguments));
    ARROW_ASSIGN_OR_RAISE(auto groups, GroupArray(selected.group_ids, context_->pool()));
    const auto rows = WithGroupColumn(*selected.rows, std::move(groups));
    ARROW_ASSIGN_OR_RAISE(auto fresh, SelectFresh(context_, rows, seen_.get()));
    if (fresh->num_rows() > 0) {
      batches_.push_back(std::move(fresh));
    }
    return arrow::Status::OK();
  }

  // The rows whose values were not in the table; they are now.
  static arrow::Result<std::shared_ptr<arrow::RecordBatch>> SelectFresh(
      QueryContext* context, const std::shared_ptr<arrow::RecordBatch>& rows, GroupTable* seen) {
    uint32_t next = seen->group_count();
    std::vector<uint32_t> numbers(static_cast<size_t>(rows->num_rows()));
    ARROW_RETURN_NOT_OK(seen->Insert(rows->columns(), rows->num_rows(), numbers));
    std::vector<RowPlace> fresh;
    for (size_t row = 0; row < numbers.size(); ++row) {
      // Numbers are given in order of first appearance.
      if (numbers[row] == next) {
        fresh.push_back({0, static_cast<uint32_t>(row)});
        ++next;
      }
    }
    return GatherPlaces(rows->schema(), {rows}, fresh, context->pool());
  }

  const arrow::RecordBatchVector& batches() const { return batches_; }

 private:
  QueryContext* context_;
  const AggregateColumn& column_;
  std::unique_ptr<GroupTable> seen_;
  arrow::RecordBatchVector batches_;
};

class DistinctStep final : public AggregateStep {
 public:
  DistinctStep(AggregateColumn column, size_t output, const arrow::Schema& input)
      : column_(std::move(column)) {
    outputs_ = {output};
    for (const int argument : column_.arguments) {
      keys_.push_back({input.field(argument)->type()});
    }
    keys_.push_back({arrow::uint32()});
  }

  arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const override {
    ARROW_ASSIGN_OR_RAISE(auto seen, GroupTable::Make(keys_, context->budget()));
    return std::make_unique<DistinctState>(context, column_, std::move(seen));
  }

  arrow::Result<std::vector<AggregateResult>> Finish(QueryContext* context,
                                                     AggregateStates states) const override {
    ARROW_ASSIGN_OR_RAISE(auto total, column_.function->make_accumulator(context));
    ARROW_RETURN_NOT_OK(total->Resize(states.group_count));
    ARROW_ASSIGN_OR_RAISE(auto seen, GroupTable::Make(keys_, context->budget()));
    for (size_t worker = 0; worker < states.states.size(); ++worker) {
      const auto& state =
          arrow::internal::checked_cast<const DistinctState&>(*states.states[worker]);
      for (const auto& batch : state.batches()) {
        ARROW_RETURN_NOT_OK(context->CheckStop());
        ARROW_ASSIGN_OR_RAISE(auto mapped,
                              MapGroupColumn(*batch, states.mappings[worker], context->pool()));
        ARROW_ASSIGN_OR_RAISE(auto fresh, DistinctState::SelectFresh(context, mapped, seen.get()));
        arrow::ArrayVector arguments = fresh->columns();
        arguments.pop_back();
        ARROW_RETURN_NOT_OK(total->Update(arguments, GroupsOf(*fresh)));
      }
      states.states[worker].reset();
    }
    return FinishAccumulator(context, total.get());
  }

 private:
  AggregateColumn column_;
  std::vector<KeyField> keys_;
};

}  // namespace

std::unique_ptr<AggregateStep> MakeAccumulateStep(AggregateColumn column, size_t output) {
  return std::make_unique<AccumulateStep>(std::move(column), output);
}

std::unique_ptr<AggregateStep> MakeDistinctStep(AggregateColumn column, size_t output,
                                                const arrow::Schema& input) {
  return std::make_unique<DistinctStep>(std::move(column), output, input);
}

}  // namespace keepone
