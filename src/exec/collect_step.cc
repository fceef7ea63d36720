// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
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
#include "exec/grouped_rows.h"
#include "exec/selected_rows.h"
#include "exec/sort_rows.h"

namespace keepone {

namespace {

// The lists of groups: that of group g holds the rows [ends[g - 1], ends[g]) of the order.
struct Lists {
  const arrow::RecordBatchVector& batches;  // the first column has the values
  const RowOrder& order;
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
      return ResourceError("the list of a group holds more than 2^31 values");
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
        std::span(order.refs())
            .subspan(static_cast<size_t>(from), static_cast<size_t>(values_count));
    ARROW_ASSIGN_OR_RAISE(auto rows, GatherPlaces(batches[0]->schema(), batches, refs, pool));
    return std::make_shared<typename arrow::TypeTraits<ListType>::ArrayType>(
        type, count, std::move(offsets), rows->column(0), std::move(valid), null_count);
  }
};

// What is held: the value, the order keys, the position.
class CollectState final : public AggregateState {
 public:
  CollectState(QueryContext* context, const AggregateColumn& column,
               const std::vector<int>& columns, const std::vector<OrderColumn>& order,
               std::shared_ptr<arrow::Schema> held)
      : context_(context),
        column_(column),
        columns_(columns),
        order_(order),
        rows_(std::make_unique<GroupedRows>(context, std::move(held))) {}

  arrow::Status Update(const GroupedBatch& batch) override {
    ARROW_ASSIGN_OR_RAISE(const SelectedRows selected,
                          SelectRows(context_, batch, column_, columns_));
    ARROW_ASSIGN_OR_RAISE(auto positions, PositionArray(selected.positions, context_->pool()));
    arrow::ArrayVector held = selected.rows->columns();
    held.push_back(std::move(positions));
    const auto rows =
        arrow::RecordBatch::Make(rows_->schema(), selected.rows->num_rows(), std::move(held));
    ARROW_RETURN_NOT_OK(rows_->Append(*rows, selected.group_ids));
    return Thin();
  }

  arrow::Status PrepareExport(int64_t group_count) override { return rows_->Index(group_count); }

  arrow::Result<arrow::ArrayVector> Export(std::span<const uint32_t> groups) const override {
    ARROW_ASSIGN_OR_RAISE(auto lists, rows_->Export(groups));
    return arrow::ArrayVector{std::move(lists)};
  }

  arrow::Status Merge(const arrow::ArrayVector& state, std::span<const uint32_t> group_ids,
                      int64_t /*group_count*/) override {
    ARROW_ASSIGN_OR_RAISE(const UnpackedRows unpacked,
                          UnpackGroupedRows(*state[0], group_ids, context_->pool()));
    ARROW_RETURN_NOT_OK(rows_->Append(*unpacked.rows, unpacked.group_ids));
    return Thin();
  }

  arrow::Result<std::vector<GroupValues>> Finish(int64_t group_count) override {
    ARROW_RETURN_NOT_OK(rows_->Flush());
    RowOrder order(context_->budget());
    ARROW_RETURN_NOT_OK(ReferToAllRows(rows_->batches(), &order));
    ARROW_RETURN_NOT_OK(SortRows(context_, rows_->batches(), order_, &order));
    if (column_.distinct) {
      ARROW_RETURN_NOT_OK(KeepDistinct(&order));
    }
    if (column_.limit.has_value()) {
      ARROW_RETURN_NOT_OK(KeepFirst(*column_.limit, &order));
    }
    ARROW_ASSIGN_OR_RAISE(const arrow::RecordBatchVector values, ValuesOnly());
    Lists lists{values, order, {}, column_.function->result_type, context_->pool()};
    lists.ends.resize(static_cast<size_t>(group_count));
    for (const RowPlace ref : order.refs()) {
      ++lists.ends[GroupOf(ref)];
    }
    for (size_t group = 1; group < lists.ends.size(); ++group) {
      lists.ends[group] += lists.ends[group - 1];
    }
    ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector chunks, MakeChunks(lists, group_count));
    return std::vector<GroupValues>{ValuesInOrder(std::move(chunks))};
  }

  int64_t bytes_used() const override { return rows_->bytes_used(); }

 private:
  // Where only the first rows of each group are wanted, the others go when they may outnumber them.
  arrow::Status Thin() {
    const int64_t bytes_max = 2 * bytes_thinned_ + kBatchesMax * context_->batch_bytes_max();
    if (!column_.limit.has_value() || column_.distinct || rows_->bytes_used() <= bytes_max) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(rows_->Flush());
    RowOrder order(context_->budget());
    ARROW_RETURN_NOT_OK(ReferToAllRows(rows_->batches(), &order));
    ARROW_RETURN_NOT_OK(SortRows(context_, rows_->batches(), order_, &order));
    ARROW_RETURN_NOT_OK(KeepFirst(*column_.limit, &order));
    auto kept = std::make_unique<GroupedRows>(context_, rows_->schema());
    const auto block_rows = static_cast<size_t>(context_->batch_rows_max());
    for (size_t first = 0; first < order.refs().size(); first += block_rows) {
      const size_t count = std::min(block_rows, order.refs().size() - first);
      ARROW_ASSIGN_OR_RAISE(
          auto rows, GatherPlaces(rows_->batches()[0]->schema(), rows_->batches(),
                                  std::span(order.refs()).subspan(first, count), context_->pool()));
      ARROW_RETURN_NOT_OK(kept->Append(*rows, GroupsOf(*rows)));
    }
    rows_ = std::move(kept);
    bytes_thinned_ = rows_->bytes_used();
    return arrow::Status::OK();
  }

  uint32_t GroupOf(RowPlace ref) const { return GroupsOf(*rows_->batches()[ref.batch])[ref.row]; }

  // Leaves of equal values of a group the first.
  arrow::Status KeepDistinct(RowOrder* order) const {
    ARROW_ASSIGN_OR_RAISE(auto seen,
                          GroupTable::Make({{rows_->schema()->field(0)->type()}, {arrow::uint32()}},
                                           context_->budget()));
    const auto block_rows = static_cast<size_t>(context_->batch_rows_max());
    const arrow::RecordBatchVector& batches = rows_->batches();
    std::vector<RowPlace>& refs = order->refs();
    size_t kept = 0;
    for (size_t first = 0; first < refs.size(); first += block_rows) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      const size_t count = std::min(block_rows, refs.size() - first);
      ARROW_ASSIGN_OR_RAISE(auto rows,
                            GatherPlaces(batches[0]->schema(), batches,
                                         std::span(refs).subspan(first, count), context_->pool()));
      std::vector<uint32_t> numbers(count);
      uint32_t next = seen->group_count();
      ARROW_RETURN_NOT_OK(seen->Insert({rows->column(0), rows->column(rows->num_columns() - 1)},
                                       rows->num_rows(), numbers));
      for (size_t i = 0; i < count; ++i) {
        if (numbers[i] == next) {
          refs[kept++] = refs[first + i];
          ++next;
        }
      }
    }
    return order->Resize(static_cast<int64_t>(kept));
  }

  arrow::Status KeepFirst(int64_t limit, RowOrder* order) const {
    std::vector<RowPlace>& refs = order->refs();
    size_t kept = 0;
    int64_t of_group = 0;
    uint32_t group = 0;
    for (const RowPlace ref : refs) {
      of_group = kept > 0 && GroupOf(ref) == group ? of_group + 1 : 1;
      group = GroupOf(ref);
      if (of_group <= limit) {
        refs[kept++] = ref;
      }
    }
    return order->Resize(static_cast<int64_t>(kept));
  }

  arrow::Result<arrow::RecordBatchVector> ValuesOnly() const {
    const auto schema = arrow::schema({rows_->schema()->field(0)});
    arrow::RecordBatchVector values;
    for (const auto& batch : rows_->batches()) {
      values.push_back(arrow::RecordBatch::Make(schema, batch->num_rows(),
                                                arrow::ArrayVector{batch->column(0)}));
    }
    if (values.empty()) {
      ARROW_ASSIGN_OR_RAISE(auto none, arrow::RecordBatch::MakeEmpty(schema, context_->pool()));
      values.push_back(std::move(none));
    }
    return values;
  }

  // Chunks of a bounded size, unless the list of one group exceeds it.
  arrow::Result<arrow::ArrayVector> MakeChunks(const Lists& lists, int64_t group_count) const {
    const double value_bytes = static_cast<double>(TotalBytes(lists.batches)) /
                               static_cast<double>(std::max<int64_t>(lists.order.size(), 1));
    const auto values_max =
        static_cast<int64_t>(static_cast<double>(kChunkBytesMax) / std::max(value_bytes, 1.0));
    arrow::ArrayVector chunks;
    int64_t first = 0;
    do {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      int64_t count = std::min<int64_t>(1, group_count - first);
      while (first + count < group_count &&
             lists.begin(first + count + 1) - lists.begin(first) <= values_max) {
        ++count;
      }
      ARROW_ASSIGN_OR_RAISE(auto chunk, lists.type->id() == arrow::Type::LARGE_LIST
                                            ? lists.Make<arrow::LargeListType>(first, count)
                                            : lists.Make<arrow::ListType>(first, count));
      chunks.push_back(std::move(chunk));
      first += count;
    } while (first < group_count);
    return chunks;
  }

  static constexpr int64_t kChunkBytesMax = int64_t{16} << 20;
  static constexpr int64_t kBatchesMax = 4;  // that are held before any row goes

  QueryContext* context_;
  const AggregateColumn& column_;
  const std::vector<int>& columns_;
  const std::vector<OrderColumn>& order_;
  std::unique_ptr<GroupedRows> rows_;
  int64_t bytes_thinned_ = 0;  // that were left when rows last went
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
    arrow::FieldVector fields;
    for (const int index : columns_) {
      fields.push_back(input.field(index));
    }
    // Behind these stand the position, which decides last, and the group, which decides first.
    const auto position = static_cast<int>(fields.size());
    order_.push_back({position});
    order_.insert(order_.begin(), OrderColumn{position + 1});
    fields.push_back(arrow::field("position", arrow::int64(), false));
    held_ = arrow::schema(std::move(fields));
  }

  arrow::Result<arrow::DataTypeVector> state_types(QueryContext* context) const override {
    return arrow::DataTypeVector{GroupedRows(context, held_).list_type()};
  }

  arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const override {
    return std::make_unique<CollectState>(context, column_, columns_, order_, held_);
  }

 private:
  AggregateColumn column_;
  std::vector<int> columns_;        // of the input that are held
  std::vector<OrderColumn> order_;  // of what is held
  std::shared_ptr<arrow::Schema> held_;
};

}  // namespace

std::unique_ptr<AggregateStep> MakeCollectStep(AggregateColumn column, size_t output,
                                               const arrow::Schema& input) {
  return std::make_unique<CollectStep>(std::move(column), output, input);
}

}  // namespace keepone
