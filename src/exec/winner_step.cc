// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/checked_cast.h>

#include "exec/aggregate_step.h"
#include "exec/group_order_keys.h"
#include "exec/keep_spec.h"
#include "exec/selected_rows.h"
#include "exec/sort_rows.h"
#include "exec/winner_arena.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

// What WinnerState needs to know; the columns are the input's.
struct WinnerPlan {
  std::vector<AggregateColumn> calls;  // peers: they share the winner
  std::vector<int> values;             // columns that are carried, each once
  std::vector<size_t> outputs;         // where each call's value is among them
  std::vector<int> columns;            // the values, then the order
  std::vector<KeyField> order;
  std::shared_ptr<arrow::Schema> schema;  // of the values
};

class WinnerState final : public AggregateState {
 public:
  WinnerState(QueryContext* context, const WinnerPlan& plan, GroupOrderKeys keys)
      : context_(context),
        plan_(plan),
        keys_(std::move(keys)),
        arena_(context, plan.schema),
        reserved_(context->budget()) {}

  arrow::Status Update(const GroupedBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(SelectedRows selected,
                          SelectRows(context_, batch, plan_.calls[0], plan_.columns));
    arrow::ArrayVector values = selected.rows->columns();
    const auto order_begin = values.begin() + static_cast<std::ptrdiff_t>(plan_.values.size());
    ARROW_RETURN_NOT_OK(keys_.Bind(arrow::ArrayVector(order_begin, values.end())));
    values.erase(order_begin, values.end());
    const auto rows =
        arrow::RecordBatch::Make(plan_.schema, selected.rows->num_rows(), std::move(values));
    return Offer(rows, selected.positions, selected.group_ids, batch.group_count, nullptr);
  }

  arrow::Status PrepareExport(int64_t group_count) override { return Resize(group_count); }

  arrow::Result<arrow::ArrayVector> Export(std::span<const uint32_t> groups) const override {
    ARROW_ASSIGN_OR_RAISE(auto positions, PositionArray(PositionsOf(groups), context_->pool()));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> valid,
                          arrow::AllocateEmptyBitmap(positions->length(), context_->pool()));
    for (size_t i = 0; i < groups.size(); ++i) {
      arrow::bit_util::SetBitTo(valid->mutable_data(), static_cast<int64_t>(i),
                                keys_.Has(groups[i]));
    }
    const auto data = positions->data()->Copy();
    data->buffers[0] = std::move(valid);
    data->null_count = arrow::kUnknownNullCount;
    arrow::ArrayVector state = {arrow::MakeArray(data)};
    ARROW_RETURN_NOT_OK(keys_.Export(groups, context_->pool(), &state));
    ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector values, arena_.Gather(groups));
    state.insert(state.end(), values.begin(), values.end());
    return state;
  }

  arrow::Status Merge(const arrow::ArrayVector& state, std::span<const uint32_t> group_ids,
                      int64_t group_count) override {
    const size_t values_begin = 1 + keys_.state_types().size();
    const auto& positions = checked_cast<const arrow::Int64Array&>(*state[0]);
    keys_.BindState(state, 1);
    const auto rows = arrow::RecordBatch::Make(
        plan_.schema, positions.length(),
        arrow::ArrayVector(state.begin() + static_cast<std::ptrdiff_t>(values_begin), state.end()));
    return Offer(rows, std::span(positions.raw_values(), group_ids.size()), group_ids, group_count,
                 &positions);
  }

  arrow::Status MergeLast(const AggregateState& other_state, std::span<const uint32_t> groups,
                          std::span<const uint32_t> group_ids, int64_t group_count) override {
    const auto& other = checked_cast<const WinnerState&>(other_state);
    ARROW_RETURN_NOT_OK(Resize(group_count));
    ARROW_RETURN_NOT_OK(arena_.Resize(group_count));
    const uint32_t first_chunk = arena_.Adopt(other.arena_);
    for (size_t i = 0; i < groups.size(); ++i) {
      const uint32_t group = group_ids[i];
      if (!other.keys_.Has(groups[i])) {
        continue;
      }
      const int64_t position = other.positions_[groups[i]];
      if (!keys_.Has(group) ||
          ComesFirst(keys_.CompareGroups(other.keys_, groups[i], group), position, group)) {
        keys_.CopyFrom(other.keys_, groups[i], group);
        positions_[group] = position;
        arena_.PutAdopted(other.arena_, first_chunk, groups[i], group);
      }
    }
    return CountBytes();
  }

  arrow::Result<std::vector<GroupValues>> Finish(int64_t group_count) override {
    keys_.Clear();
    positions_ = std::vector<int64_t>();
    ARROW_RETURN_NOT_OK(CountBytes());
    ARROW_ASSIGN_OR_RAISE(WinnerArena::Finished finished, arena_.Finish(group_count));
    std::vector<GroupValues> results;
    for (const size_t output : plan_.outputs) {
      results.push_back({finished.columns[output],
                         finished.places,
                         {},
                         finished.row_bytes / static_cast<double>(plan_.outputs.size())});
    }
    return results;
  }

  int64_t bytes_used() const override { return reserved_.bytes() + arena_.bytes_used(); }

 private:
  arrow::Status Resize(int64_t group_count) {
    const auto count = static_cast<size_t>(group_count);
    if (count > positions_.capacity()) {
      positions_.reserve(std::max(count, positions_.capacity() + positions_.capacity() / 2));
    }
    positions_.resize(count);
    keys_.Resize(count);
    return CountBytes();
  }

  arrow::Status CountBytes() {
    return reserved_.Resize(static_cast<int64_t>(positions_.capacity()) * 8 + keys_.bytes_used());
  }

  // Whether a row with this order key, compared with the group's, and position is the winner.
  bool ComesFirst(int order, int64_t position, uint32_t group) const {
    if (order != 0) {
      return order < 0;
    }
    return plan_.calls[0].ties_to_last ? position > positions_[group]
                                       : position < positions_[group];
  }

  // Offers the rows whose order keys are bound; with `present` only those where it is not NULL.
  arrow::Status Offer(const std::shared_ptr<arrow::RecordBatch>& rows,
                      std::span<const int64_t> positions, std::span<const uint32_t> group_ids,
                      int64_t group_count, const arrow::Array* present) {
    ARROW_RETURN_NOT_OK(Resize(group_count));
    std::vector<uint32_t> won;
    for (uint32_t row = 0; row < group_ids.size(); ++row) {
      const uint32_t group = group_ids[row];
      if (present != nullptr && present->IsNull(row)) {
        continue;
      }
      if (!keys_.Has(group) || ComesFirst(keys_.Compare(row, group), positions[row], group)) {
        keys_.Set(row, group);
        positions_[group] = positions[row];
        won.push_back(row);
      }
    }
    // Rows that another one of the batch has beaten are not copied.
    std::erase_if(won, [&](uint32_t row) { return positions_[group_ids[row]] != positions[row]; });
    ARROW_RETURN_NOT_OK(arena_.Put(rows, won, group_ids, group_count));
    return CountBytes();
  }

  std::vector<int64_t> PositionsOf(std::span<const uint32_t> groups) const {
    std::vector<int64_t> positions;
    positions.reserve(groups.size());
    for (const uint32_t group : groups) {
      positions.push_back(positions_[group]);
    }
    return positions;
  }

  QueryContext* context_;
  const WinnerPlan& plan_;
  GroupOrderKeys keys_;             // of each group's winner
  std::vector<int64_t> positions_;  // likewise
  WinnerArena arena_;
  MemoryReservation reserved_;
};

class WinnerStep final : public AggregateStep {
 public:
  WinnerStep(std::vector<AggregateColumn> calls, std::vector<size_t> outputs,
             const arrow::Schema& input) {
    outputs_ = std::move(outputs);
    plan_.calls = std::move(calls);
    arrow::FieldVector fields;
    for (const AggregateColumn& call : plan_.calls) {
      const auto found = std::find(plan_.values.begin(), plan_.values.end(), call.arguments[0]);
      plan_.outputs.push_back(static_cast<size_t>(found - plan_.values.begin()));
      if (found == plan_.values.end()) {
        plan_.values.push_back(call.arguments[0]);
        fields.push_back(input.field(call.arguments[0]));
      }
    }
    plan_.schema = arrow::schema(std::move(fields));
    plan_.columns = plan_.values;
    for (const int column : ColumnsOf(plan_.calls[0].order)) {
      plan_.columns.push_back(column);
    }
    plan_.order = KeyFieldsOf(plan_.calls[0].order, input);
  }

  arrow::Result<arrow::DataTypeVector> state_types(QueryContext* context) const override {
    ARROW_ASSIGN_OR_RAISE(const GroupOrderKeys keys,
                          GroupOrderKeys::Make(plan_.order, context->pool()));
    arrow::DataTypeVector types = {arrow::int64()};
    for (const auto& type : keys.state_types()) {
      types.push_back(type);
    }
    for (const auto& field : plan_.schema->fields()) {
      types.push_back(field->type());
    }
    return types;
  }

  arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const override {
    ARROW_ASSIGN_OR_RAISE(GroupOrderKeys keys, GroupOrderKeys::Make(plan_.order, context->pool()));
    return std::make_unique<WinnerState>(context, plan_, std::move(keys));
  }

 private:
  WinnerPlan plan_;
};

}  // namespace

std::unique_ptr<AggregateStep> MakeWinnerStep(std::vector<AggregateColumn> columns,
                                              std::vector<size_t> outputs,
                                              const arrow::Schema& input) {
  return std::make_unique<WinnerStep>(std::move(columns), std::move(outputs), input);
}

}  // namespace keepone
