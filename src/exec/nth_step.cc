// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "exec/aggregate_step.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

// The winner at a place behind the first is the last element of the list of the first rows.
class NthState final : public AggregateState {
 public:
  NthState(QueryContext* context, std::unique_ptr<AggregateState> lists, int64_t nth,
           std::shared_ptr<arrow::DataType> type)
      : context_(context), lists_(std::move(lists)), nth_(nth), type_(std::move(type)) {}

  arrow::Status Update(const GroupedBatch& batch) override { return lists_->Update(batch); }

  arrow::Status PrepareExport(int64_t group_count) override {
    return lists_->PrepareExport(group_count);
  }

  arrow::Result<arrow::ArrayVector> Export(std::span<const uint32_t> groups) const override {
    return lists_->Export(groups);
  }

  arrow::Status Merge(const arrow::ArrayVector& state, std::span<const uint32_t> group_ids,
                      int64_t group_count) override {
    return lists_->Merge(state, group_ids, group_count);
  }

  arrow::Status MergeLast(const AggregateState& other, std::span<const uint32_t> groups,
                          std::span<const uint32_t> group_ids, int64_t group_count) override {
    return lists_->MergeLast(*checked_cast<const NthState&>(other).lists_, groups, group_ids,
                             group_count);
  }

  arrow::Result<std::vector<GroupValues>> Finish(int64_t group_count) override {
    ARROW_ASSIGN_OR_RAISE(const std::vector<GroupValues> lists, lists_->Finish(group_count));
    GroupValues values;
    for (const auto& chunk : lists[0].chunks) {
      values.chunks.push_back(checked_cast<const arrow::ListArray&>(*chunk).values());
    }
    const auto nulls = static_cast<uint32_t>(values.chunks.size());
    ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(type_, 1, context_->pool()));
    values.chunks.push_back(std::move(null));
    values.places = std::make_shared<RowOrder>(context_->budget());
    ARROW_RETURN_NOT_OK(values.places->Resize(group_count));
    for (uint32_t group = 0; group < group_count; ++group) {
      const RowPlace list = lists[0].PlaceOf(group);
      const auto& chunk = checked_cast<const arrow::ListArray&>(*lists[0].chunks[list.batch]);
      const bool is_there = chunk.IsValid(list.row) && chunk.value_length(list.row) >= nth_;
      values.places->refs()[group] =
          is_there
              ? RowPlace{list.batch, static_cast<uint32_t>(chunk.value_offset(list.row) + nth_ - 1)}
              : RowPlace{nulls, 0};
    }
    values.row_bytes = lists[0].row_bytes;
    return std::vector<GroupValues>{std::move(values)};
  }

  int64_t bytes_used() const override { return lists_->bytes_used(); }

 private:
  QueryContext* context_;
  std::unique_ptr<AggregateState> lists_;
  int64_t nth_;
  std::shared_ptr<arrow::DataType> type_;
};

class NthStep final : public AggregateStep {
 public:
  NthStep(const AggregateColumn& column, size_t output, const arrow::Schema& input)
      : nth_(column.nth), type_(column.function->result_type) {
    outputs_ = {output};
    auto function = std::make_shared<BoundAggregateFunction>(*column.function);
    function->kind = AggregateKind::kCollect;
    function->result_type = arrow::list(type_);
    AggregateColumn lists = column;
    lists.function = std::move(function);
    lists.nth = 1;
    lists.limit = nth_;
    lists_ = MakeCollectStep(std::move(lists), output, input);
  }

  arrow::Result<arrow::DataTypeVector> state_types(QueryContext* context) const override {
    return lists_->state_types(context);
  }

  arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const override {
    ARROW_ASSIGN_OR_RAISE(auto lists, lists_->MakeState(context));
    return std::make_unique<NthState>(context, std::move(lists), nth_, type_);
  }

 private:
  int64_t nth_;
  std::shared_ptr<arrow::DataType> type_;
  std::unique_ptr<AggregateStep> lists_;
};

}  // namespace

std::unique_ptr<AggregateStep> MakeNthStep(const AggregateColumn& column, size_t output,
                                           const arrow::Schema& input) {
  return std::make_unique<NthStep>(column, output, input);
}

}  // namespace keepone
