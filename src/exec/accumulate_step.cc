// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>

#include "exec/aggregate_step.h"
#include "exec/selected_rows.h"

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
    return CountBytes(batch.group_count);
  }

  arrow::Status PrepareExport(int64_t group_count) override {
    // A group that was met last may not have reached this state.
    return accumulator_->Resize(group_count);
  }

  arrow::Result<arrow::ArrayVector> Export(std::span<const uint32_t> groups) const override {
    return accumulator_->ExportState(groups);
  }

  arrow::Status Merge(const arrow::ArrayVector& state, std::span<const uint32_t> group_ids,
                      int64_t group_count) override {
    ARROW_RETURN_NOT_OK(accumulator_->Resize(group_count));
    ARROW_RETURN_NOT_OK(accumulator_->MergeState(state, group_ids));
    return CountBytes(group_count);
  }

  arrow::Result<std::vector<GroupValues>> Finish(int64_t group_count) override {
    ARROW_RETURN_NOT_OK(accumulator_->Resize(group_count));
    ARROW_ASSIGN_OR_RAISE(auto values, accumulator_->Finish());
    accumulator_.reset();
    ARROW_RETURN_NOT_OK(reserved_.Resize(0));
    return std::vector<GroupValues>{ValuesInOrder(values->chunks())};
  }

  int64_t bytes_used() const override { return reserved_.bytes(); }

 private:
  static constexpr int64_t kCountedStep = 64;

  // Asking for the bytes may cost as much as there are groups.
  arrow::Status CountBytes(int64_t group_count) {
    if (group_count + kCountedStep <= groups_counted_ + groups_counted_ / 8) {
      return arrow::Status::OK();
    }
    groups_counted_ = group_count + kCountedStep;
    return reserved_.Resize(accumulator_->bytes_used());
  }

  QueryContext* context_;
  const AggregateColumn& column_;
  std::unique_ptr<GroupAccumulator> accumulator_;
  MemoryReservation reserved_;
  int64_t groups_counted_ = 0;  // when the reservation was last brought up to date
};

class AccumulateStep final : public AggregateStep {
 public:
  AccumulateStep(AggregateColumn column, size_t output) : column_(std::move(column)) {
    outputs_ = {output};
  }

  arrow::Result<arrow::DataTypeVector> state_types(QueryContext* context) const override {
    ARROW_ASSIGN_OR_RAISE(const auto accumulator, column_.function->make_accumulator(context));
    return accumulator->state_types();
  }

  arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const override {
    ARROW_ASSIGN_OR_RAISE(auto accumulator, column_.function->make_accumulator(context));
    return std::make_unique<AccumulateState>(context, column_, std::move(accumulator));
  }

 private:
  AggregateColumn column_;
};

}  // namespace

std::unique_ptr<AggregateStep> MakeAccumulateStep(AggregateColumn column, size_t output) {
  return std::make_unique<AccumulateStep>(std::move(column), output);
}

}  // namespace keepone
