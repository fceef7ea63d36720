// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "exec/aggregate_step.h"
#include "exec/carried_rows.h"
#include "exec/selected_rows.h"

namespace keepone {

namespace {

// What is carried: the values of all columns, the order keys, the group.
class WinnerState final : public AggregateState {
 public:
  WinnerState(QueryContext* context, const AggregateColumn& column, const std::vector<int>& columns,
              const BoundKeepSpec& spec)
      : context_(context), column_(column), columns_(columns), rows_(context, spec) {}

  arrow::Status Update(const GroupedBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(SelectedRows selected, SelectRows(context_, batch, column_, columns_));
    if (selected.rows->num_rows() == 0) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto groups, GroupArray(selected.group_ids, context_->pool()));
    return rows_.Add({WithGroupColumn(*selected.rows, std::move(groups)), batch.position,
                      std::move(selected.positions)});
  }

  CarriedRows& rows() { return rows_; }

 private:
  QueryContext* context_;
  const AggregateColumn& column_;
  const std::vector<int>& columns_;
  CarriedRows rows_;
};

class WinnerStep final : public AggregateStep {
 public:
  WinnerStep(std::vector<AggregateColumn> columns, std::vector<size_t> outputs,
             const arrow::Schema& input)
      : calls_(std::move(columns)) {
    outputs_ = std::move(outputs);
    const auto place_of = [this](int column) {
      const auto found = std::find(columns_.begin(), columns_.end(), column);
      if (found != columns_.end()) {
        return static_cast<int>(found - columns_.begin());
      }
      columns_.push_back(column);
      return static_cast<int>(columns_.size() - 1);
    };
    for (const AggregateColumn& call : calls_) {
      values_.push_back(place_of(call.arguments[0]));
    }
    KeepSpec keep;
    keep.ties_to_last = calls_[0].ties_to_last;
    for (const OrderColumn& order : calls_[0].order) {
      keep.order.push_back({place_of(order.column), order.descending, order.nulls_first});
    }
    arrow::FieldVector fields;
    for (const int column : columns_) {
      fields.push_back(input.field(column));
    }
    keep.groups = {static_cast<int>(fields.size())};
    fields.push_back(arrow::field("group", arrow::uint32()));
    schema_ = arrow::schema(std::move(fields));
    spec_ = BindKeepSpec(keep, *schema_);
  }

  arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const override {
    return std::make_unique<WinnerState>(context, calls_[0], columns_, spec_);
  }

  arrow::Result<std::vector<AggregateResult>> Finish(QueryContext* context,
                                                     AggregateStates states) const override {
    std::vector<std::vector<CarriedRows::Batch>> parts;
    for (size_t worker = 0; worker < states.states.size(); ++worker) {
      auto& state = arrow::internal::checked_cast<WinnerState&>(*states.states[worker]);
      parts.push_back(state.rows().TakeBatches());
      for (CarriedRows::Batch& batch : parts.back()) {
        ARROW_ASSIGN_OR_RAISE(
            batch.rows, MapGroupColumn(*batch.rows, states.mappings[worker], context->pool()));
      }
      states.states[worker].reset();
    }
    ARROW_ASSIGN_OR_RAISE(CarriedRows::Kept kept,
                          CarriedRows::Finish(context, spec_, std::move(parts)));

    // A group without a winner points to a row of NULLs.
    auto order = std::make_shared<RowOrder>(context->budget());
    ARROW_RETURN_NOT_OK(order->Resize(states.group_count));
    std::fill(order->refs().begin(), order->refs().end(),
              RowPlace{static_cast<uint32_t>(kept.batches.size()), 0});
    for (const RowPlace ref : kept.order->refs()) {
      order->refs()[GroupsOf(*kept.batches[ref.batch])[ref.row]] = ref;
    }
    const double row_bytes = static_cast<double>(TotalBytes(kept.batches)) /
                             static_cast<double>(std::max<int64_t>(kept.order->size(), 1));
    ARROW_ASSIGN_OR_RAISE(auto nulls, NullRow(context));
    kept.batches.push_back(std::move(nulls));
    std::vector<AggregateResult> results;
    for (const int value : values_) {
      results.push_back({GatheredColumn(kept.batches, value, order, context->pool()),
                         row_bytes / static_cast<double>(values_.size())});
    }
    return results;
  }

 private:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NullRow(QueryContext* context) const {
    arrow::ArrayVector columns;
    for (const auto& field : schema_->fields()) {
      ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(field->type(), 1, context->pool()));
      columns.push_back(std::move(null));
    }
    return arrow::RecordBatch::Make(schema_, 1, std::move(columns));
  }

  std::vector<AggregateColumn> calls_;
  std::vector<int> columns_;  // of the input that are carried
  std::vector<int> values_;   // where each call's value is among them
  std::shared_ptr<arrow::Schema> schema_;
  BoundKeepSpec spec_;
};

}  // namespace

std::unique_ptr<AggregateStep> MakeWinnerStep(std::vector<AggregateColumn> columns,
                                              std::vector<size_t> outputs,
                                              const arrow::Schema& input) {
  return std::make_unique<WinnerStep>(std::move(columns), std::move(outputs), input);
}

}  // namespace keepone
