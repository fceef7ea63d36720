// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/group_table.h"
#include "exec/aggregate_step.h"
#include "exec/metrics.h"
#include "exec/selected_rows.h"
#include "exec/sort_rows.h"

namespace keepone {

namespace {

// What is held: the value, the order keys, the group.
class CollectState final : public AggregateState {
 public:
  struct Collected {
    int64_t sequence;
    std::shared_ptr<arrow::RecordBatch> rows;
  };

  CollectState(QueryContext* context, const AggregateColumn& column,
               const std::vector<int>& columns)
      : context_(context), column_(column), columns_(columns) {}

  arrow::Status Update(const GroupedBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const SelectedRows selected,
                          SelectRows(context_, batch, column_, columns_));
    if (selected.rows->num_rows() == 0) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto groups, GroupArray(selected.group_ids, context_->pool()));
    collected_.push_back({batch.sequence, WithGroupColumn(*selected.rows, std::move(groups))});
    return arrow::Status::OK();
  }

  std::vector<Collected>& collected() { return collected_; }

 private:
  QueryContext* context_;
  const AggregateColumn& column_;
  const std::vector<int>& columns_;
  std::vector<Collected> collected_;
};

// The lists of groups: that of group g holds the rows [ends[g - 1], ends[g]) of the order.
struct Lists {
  arrow::RecordBatchVector values;  // one column
  std::shared_ptr<RowOrder> order;
  std::vector<int64_t> ends;
  std::shared_ptr<arrow::DataType> type;
  arrow::MemoryPool* pool;

  int64_t begin(int64_t group) const {
    return group == 0 ? 0 : ends[static_cast<size_t>(group) - 1];
  }

  template <typename ListType>
  arrow::Result<std::shared_ptr<arrow::Array>> Make(int64_t first, int64_t count) const {
    using Offset = typename ListType::offset_type;
    const int64_t from = begin(first);
    const int64_t values_count = begin(first + count) - from;
    if (values_count > std::numeric_limits<Offset>::max()) {
      return ResourceError("the lists of ", count, " groups hold more than 2^31 values");
    }
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<arrow::Buffer> offsets,
        arrow::AllocateBuffer((count + 1) * static_cast<int64_t>(sizeof(Offset)), pool));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> valid,
                          arrow::AllocateEmptyBitmap(count, pool));
    auto* offset = reinterpret_cast<Offset*>(offsets->mutable_data());
    int64_t null_count = 0;
    offset[0] = 0;
    for (int64_t i = 0; i < count; ++i) {
      offset[i + 1] = static_cast<Offset>(begin(first + i + 1) - from);
      // No rows make no list.
      const bool is_null = offset[i + 1] == offset[i];
      null_count += is_null ? 1 : 0;
      arrow::bit_util::SetBitTo(valid->mutable_data(), i, !is_null);
    }
    const std::span<const RowPlace> refs =
        std::span(order->refs())
            .subspan(static_cast<size_t>(from), static_cast<size_t>(values_count));
    ARROW_ASSIGN_OR_RAISE(auto rows, GatherPlaces(values[0]->schema(), values, refs, pool));
    return std::make_shared<typename arrow::TypeTraits<ListType>::ArrayType>(
        type, count, std::move(offsets), rows->column(0), std::move(valid), null_count);
  }
};

class CollectStep final : public AggregateStep {
 public:
  CollectStep(AggregateColumn column, size_t output, const arrow::Schema& input)
      : column_(std::move(column)), columns_({column_.arguments[0]}) {
    outputs_ = {output};
    for (const OrderColumn& order : column_.order) {
      order_.push_back({static_cast<int>(columns_.size()), order.descending, order.nulls_first});
      columns_.push_back(order.column);
    }
    order_.insert(order_.begin(), OrderColumn{static_cast<int>(columns_.size())});
    value_field_ = input.field(column_.arguments[0]);
  }

  arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const override {
    return std::make_unique<CollectState>(context, column_, columns_);
  }

  arrow::Result<std::vector<AggregateResult>> Finish(QueryContext* context,
                                                     AggregateStates states) const override {
    ARROW_ASSIGN_OR_RAISE(arrow::RecordBatchVector batches, InInputOrder(context, &states));
    auto lists = std::make_shared<Lists>();
    lists->order = std::make_shared<RowOrder>(context->budget());
    lists->type = column_.function->result_type;
    lists->pool = context->pool();
    ARROW_RETURN_NOT_OK(ReferToAllRows(batches, lists->order.get()));
    ARROW_RETURN_NOT_OK(SortRows(context, batches, order_, lists->order.get()));
    if (column_.distinct) {
      ARROW_RETURN_NOT_OK(KeepDistinct(context, batches, lists->order.get()));
    }
    lists->ends.resize(static_cast<size_t>(states.group_count));
    for (const RowPlace ref : lists->order->refs()) {
      ++lists->ends[GroupsOf(*batches[ref.batch])[ref.row]];
    }
    for (size_t group = 1; group < lists->ends.size(); ++group) {
      lists->ends[group] += lists->ends[group - 1];
    }
    ARROW_ASSIGN_OR_RAISE(lists->values, ValuesOf(batches));
    std::vector<AggregateResult> results(1);
    results[0].row_bytes = static_cast<double>(TotalBytes(lists->values)) /
                           static_cast<double>(std::max<int64_t>(states.group_count, 1));
    results[0].values = [lists](int64_t first, int64_t count) {
      return lists->type->id() == arrow::Type::LARGE_LIST
                 ? lists->Make<arrow::LargeListType>(first, count)
                 : lists->Make<arrow::ListType>(first, count);
    };
    return results;
  }

 private:
  arrow::Result<arrow::RecordBatchVector> InInputOrder(QueryContext* context,
                                                       AggregateStates* states) const {
    std::vector<CollectState::Collected> all;
    for (size_t worker = 0; worker < states->states.size(); ++worker) {
      auto& state = arrow::internal::checked_cast<CollectState&>(*states->states[worker]);
      for (CollectState::Collected& one : state.collected()) {
        ARROW_ASSIGN_OR_RAISE(one.rows,
                              MapGroupColumn(*one.rows, states->mappings[worker], context->pool()));
        all.push_back(std::move(one));
      }
      states->states[worker].reset();
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
    arrow::RecordBatchVector batches;
    for (CollectState::Collected& one : all) {
      batches.push_back(std::move(one.rows));
    }
    NoteBytesHeld(TotalBytes(batches));
    return batches;
  }

  // Leaves of equal values of a group the first.
  arrow::Status KeepDistinct(QueryContext* context, const arrow::RecordBatchVector& batches,
                             RowOrder* order) const {
    ARROW_ASSIGN_OR_RAISE(auto seen, GroupTable::Make({{value_field_->type()}, {arrow::uint32()}},
                                                      context->budget()));
    const auto block_rows = static_cast<size_t>(context->batch_rows_max());
    std::vector<RowPlace>& refs = order->refs();
    const int group_column = static_cast<int>(columns_.size());
    size_t kept = 0;
    for (size_t first = 0; first < refs.size(); first += block_rows) {
      ARROW_RETURN_NOT_OK(context->CheckStop());
      const size_t count = std::min(block_rows, refs.size() - first);
      ARROW_ASSIGN_OR_RAISE(auto rows,
                            GatherPlaces(batches[0]->schema(), batches,
                                         std::span(refs).subspan(first, count), context->pool()));
      std::vector<uint32_t> numbers(count);
      uint32_t next = seen->group_count();
      ARROW_RETURN_NOT_OK(
          seen->Insert({rows->column(0), rows->column(group_column)}, rows->num_rows(), numbers));
      for (size_t i = 0; i < count; ++i) {
        if (numbers[i] == next) {
          refs[kept++] = refs[first + i];
          ++next;
        }
      }
    }
    return order->Resize(static_cast<int64_t>(kept));
  }

  arrow::Result<arrow::RecordBatchVector> ValuesOf(const arrow::RecordBatchVector& batches) const {
    const auto schema = arrow::schema({value_field_});
    arrow::RecordBatchVector values;
    for (const auto& batch : batches) {
      values.push_back(arrow::RecordBatch::Make(schema, batch->num_rows(),
                                                arrow::ArrayVector{batch->column(0)}));
    }
    if (values.empty()) {
      ARROW_ASSIGN_OR_RAISE(auto none, arrow::RecordBatch::MakeEmpty(schema));
      values.push_back(std::move(none));
    }
    return values;
  }

  AggregateColumn column_;
  std::vector<int> columns_;        // of the input that are held
  std::vector<OrderColumn> order_;  // of what is held: the group first
  std::shared_ptr<arrow::Field> value_field_;
};

}  // namespace

std::unique_ptr<AggregateStep> MakeCollectStep(AggregateColumn column, size_t output,
                                               const arrow::Schema& input) {
  return std::make_unique<CollectStep>(std::move(column), output, input);
}

}  // namespace keepone
