// SPDX-License-Identifier: Apache-2.0
#include "exec/shift_rows.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/memory_budget.h"
#include "exec/held_rows.h"

namespace keepone {

namespace {

// The places of a partition, [begin, end) of the sorted rows, that a shift counts.
class CountedPlaces {
 public:
  CountedPlaces(const PartitionedRows& rows, const WindowColumn& column)
      : rows_(rows), column_(column) {}

  void Enter(size_t begin, size_t end) {
    begin_ = begin;
    end_ = end;
    if (column_.ignores_nulls) {
      valued_.clear();
      for (size_t at = begin; at < end; ++at) {
        if (HasValue(rows_.sorted()[at])) {
          valued_.push_back(static_cast<int64_t>(at));
        }
      }
    }
  }

  // Where the row stands whose value is taken at `at`.
  std::optional<size_t> Shifted(size_t at) const {
    const auto place = static_cast<int64_t>(at);
    const int64_t offset = column_.offset;
    if (!column_.ignores_nulls || offset == 0) {
      const int64_t most = static_cast<int64_t>(end_) - 1 - place;
      const int64_t least = static_cast<int64_t>(begin_) - place;
      return offset > most || offset < least ? std::nullopt : std::optional(at + AsSize(offset));
    }
    const auto beside = offset < 0 ? std::lower_bound(valued_.begin(), valued_.end(), place)
                                   : std::upper_bound(valued_.begin(), valued_.end(), place);
    const int64_t first = beside - valued_.begin() - (offset < 0 ? 0 : 1);
    if (offset > static_cast<int64_t>(valued_.size()) - 1 - first || offset < -first) {
      return std::nullopt;
    }
    return static_cast<size_t>(valued_[static_cast<size_t>(first + offset)]);
  }

 private:
  // Wraps, as the sum with it then wraps back.
  static size_t AsSize(int64_t offset) { return static_cast<size_t>(offset); }

  bool HasValue(RowPlace ref) const {
    return rows_.batches()[ref.batch]->column(column_.arguments[0])->IsValid(ref.row);
  }

  const PartitionedRows& rows_;
  const WindowColumn& column_;
  size_t begin_ = 0;
  size_t end_ = 0;
  std::vector<int64_t> valued_;
};

// One column of all batches, by the name of "value".
arrow::RecordBatchVector ColumnOf(const PartitionedRows& rows, int column) {
  arrow::RecordBatchVector values;
  for (const auto& batch : rows.batches()) {
    auto schema = arrow::schema({arrow::field("value", batch->column(column)->type())});
    values.push_back(arrow::RecordBatch::Make(std::move(schema), batch->num_rows(),
                                              arrow::ArrayVector{batch->column(column)}));
  }
  return values;
}

}  // namespace

arrow::Result<AggregateResult> ShiftRows(QueryContext* context, const PartitionedRows& rows,
                                         const WindowColumn& column) {
  arrow::RecordBatchVector values = ColumnOf(rows, column.arguments[0]);
  int64_t bytes = TotalBytes(values);
  const auto value_batches = static_cast<uint32_t>(values.size());
  const bool has_fallback = column.arguments.size() > 1;
  if (has_fallback) {
    const arrow::RecordBatchVector fallbacks = ColumnOf(rows, column.arguments[1]);
    bytes += TotalBytes(fallbacks);
    values.insert(values.end(), fallbacks.begin(), fallbacks.end());
  } else {
    ARROW_ASSIGN_OR_RAISE(auto null,
                          arrow::MakeArrayOfNull(values[0]->column(0)->type(), 1, context->pool()));
    values.push_back(
        arrow::RecordBatch::Make(values[0]->schema(), 1, arrow::ArrayVector{std::move(null)}));
  }
  auto order = std::make_shared<RowOrder>(context->budget());
  ARROW_RETURN_NOT_OK(order->Resize(rows.row_count()));
  MemoryReservation counted_reserved(context->budget());
  if (column.ignores_nulls) {
    ARROW_RETURN_NOT_OK(counted_reserved.Resize(rows.row_count() * 8));
  }
  CountedPlaces counted(rows, column);
  const std::vector<RowPlace>& sorted = rows.sorted();
  size_t end = 0;
  for (size_t begin = 0; begin < sorted.size(); begin = end) {
    end = begin + 1;
    while (end < sorted.size() && !rows.BeginsPartition(end)) {
      ++end;
    }
    counted.Enter(begin, end);
    for (size_t at = begin; at < end; ++at) {
      const RowPlace own = sorted[at];
      const std::optional<size_t> shifted = counted.Shifted(at);
      RowPlace& ref = order->refs()[static_cast<size_t>(rows.RowNumber(own))];
      if (shifted.has_value()) {
        ref = sorted[*shifted];
      } else if (has_fallback) {
        ref = {value_batches + own.batch, own.row};
      } else {
        ref = {value_batches, 0};
      }
    }
  }
  AggregateResult result;
  result.row_bytes =
      static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(rows.row_count(), 1));
  result.values = GatheredColumn(std::move(values), 0, std::move(order), context->pool());
  return result;
}

}  // namespace keepone
