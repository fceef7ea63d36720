// SPDX-License-Identifier: Apache-2.0
#include "exec/running_aggregate.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include "base/error.h"
#include "column/group_table.h"
#include "exec/selected_rows.h"
#include "exec/sort_rows.h"
#include "function/cast.h"
#include "function/exact_sum.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
__extension__ using Int128 = __int128;

arrow::Status NotRunning(const AggregateColumn& column) {
  return MakeError(ErrorKind::kUnsupported, std::nullopt,
                   column.function->name +
                       "() with ORDER BY in its window is not supported; count, sum, avg, min, "
                       "max, bool_and, bool_or, first_value, last_value, max_by and min_by are");
}

arrow::Status SumOutOfRange(const arrow::DataType& type) {
  return DataError("overflow: the sum leaves the range of ", SqlTypeName(type));
}

class RunningAggregate {
 public:
  RunningAggregate(QueryContext* context, const PartitionedRows& rows, AggregateColumn column,
                   RunningFrame frame)
      : context_(context),
        rows_(rows),
        column_(std::move(column)),
        frame_(frame),
        reserved_(context->budget()) {}

  arrow::Result<AggregateResult> Run() {
    const std::string& name = column_.function->name;
    if (column_.function->kind == AggregateKind::kCollect) {
      return NotRunning(column_);
    }
    if (column_.function->kind == AggregateKind::kWinner) {
      ARROW_RETURN_NOT_OK(FindCounted());
      return RunWinner();
    }
    column_.required.insert(column_.required.end(), column_.arguments.begin(),
                            column_.arguments.end());
    ARROW_RETURN_NOT_OK(FindCounted());
    if (name == "count" || name == "count_if") {
      return RunCount(name == "count_if");
    }
    if (name == "sum" || name == "avg") {
      return RunSums();
    }
    if (name == "min" || name == "bool_and") {
      column_.order = {OrderColumn{column_.arguments[0]}};
      return RunWinner();
    }
    if (name == "max" || name == "bool_or") {
      column_.order = {OrderColumn{column_.arguments[0], true}};
      return RunWinner();
    }
    return NotRunning(column_);
  }

 private:
  // Says of each row, by its number in the input, whether it counts.
  arrow::Status FindCounted() {
    ARROW_RETURN_NOT_OK(reserved_.Resize(rows_.row_count()));
    counted_.assign(static_cast<size_t>(rows_.row_count()), 1);
    std::vector<uint32_t> selected;
    size_t first = 0;
    for (const auto& batch : rows_.batches()) {
      const auto count = static_cast<size_t>(batch->num_rows());
      if (FindSelectedRows(*batch, column_, &selected)) {
        std::fill_n(counted_.begin() + static_cast<std::ptrdiff_t>(first), count, uint8_t{0});
        for (const uint32_t row : selected) {
          counted_[first + row] = 1;
        }
      }
      first += count;
    }
    return column_.distinct ? CountDistinct() : arrow::Status::OK();
  }

  // Of equal values of a partition only the first under the order counts.
  arrow::Status CountDistinct() {
    const arrow::Schema& schema = *rows_.batches()[0]->schema();
    std::vector<int> columns = column_.arguments;
    columns.push_back(schema.num_fields() - 1);
    std::vector<KeyField> types;
    for (const int column : columns) {
      types.push_back({schema.field(column)->type()});
    }
    arrow::RecordBatchVector keys;
    for (const auto& batch : rows_.batches()) {
      ARROW_ASSIGN_OR_RAISE(auto selected, batch->SelectColumns(columns));
      keys.push_back(std::move(selected));
    }
    ARROW_ASSIGN_OR_RAISE(auto seen, GroupTable::Make(std::move(types), context_->budget()));
    std::vector<RowPlace> refs;
    const auto insert = [&]() -> arrow::Status {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(auto block,
                            GatherPlaces(keys[0]->schema(), keys, refs, context_->pool()));
      std::vector<uint32_t> numbers(refs.size());
      uint32_t next = seen->group_count();
      ARROW_RETURN_NOT_OK(seen->Insert(block->columns(), block->num_rows(), numbers));
      for (size_t i = 0; i < refs.size(); ++i) {
        const bool fresh = numbers[i] == next;
        next += fresh ? 1 : 0;
        counted_[static_cast<size_t>(rows_.RowNumber(refs[i]))] = fresh ? 1 : 0;
      }
      refs.clear();
      return arrow::Status::OK();
    };
    for (const RowPlace ref : rows_.sorted()) {
      if (Counts(ref)) {
        refs.push_back(ref);
      }
      if (static_cast<int64_t>(refs.size()) == context_->batch_rows_max()) {
        ARROW_RETURN_NOT_OK(insert());
      }
    }
    return refs.empty() ? arrow::Status::OK() : insert();
  }

  bool Counts(RowPlace ref) const {
    return counted_[static_cast<size_t>(rows_.RowNumber(ref))] != 0;
  }

  // Calls begin() at each partition, add(ref) for each row that counts, and end() after each run
  // of peers (or each row, as the frame says); every row of the run gets the number of the end()
  // call, from 0.
  template <typename Begin, typename Add, typename End>
  arrow::Result<std::shared_ptr<RowOrder>> ForEachPeers(Begin&& begin, Add&& add, End&& end) {
    auto peers = std::make_shared<RowOrder>(context_->budget());
    ARROW_RETURN_NOT_OK(peers->Resize(rows_.row_count()));
    const std::vector<RowPlace>& sorted = rows_.sorted();
    uint32_t run = 0;
    for (size_t at = 0; at < sorted.size(); ++at) {
      if (rows_.BeginsPartition(at)) {
        begin();
      }
      if (Counts(sorted[at])) {
        add(sorted[at]);
      }
      peers->refs()[static_cast<size_t>(rows_.RowNumber(sorted[at]))] = {0, run};
      if (at + 1 == sorted.size() || rows_.BeginsPeers(at + 1) || frame_ == RunningFrame::kToRow) {
        ARROW_RETURN_NOT_OK(end());
        ++run;
      }
    }
    return peers;
  }

  AggregateResult SpreadOverPeers(std::shared_ptr<arrow::Array> values,
                                  std::shared_ptr<RowOrder> peers, int64_t row_bytes) const {
    const int64_t count = values->length();
    auto schema = arrow::schema({arrow::field("value", values->type())});
    arrow::RecordBatchVector batches = {
        arrow::RecordBatch::Make(std::move(schema), count, arrow::ArrayVector{std::move(values)})};
    return {GatheredColumn(std::move(batches), 0, std::move(peers), context_->pool()),
            static_cast<double>(row_bytes)};
  }

  arrow::Result<AggregateResult> RunCount(bool only_true) {
    arrow::Int64Builder values(context_->pool());
    int64_t count = 0;
    const auto add = [&](RowPlace ref) {
      count += !only_true || checked_cast<const arrow::BooleanArray&>(Argument(ref)).Value(ref.row)
                   ? 1
                   : 0;
    };
    ARROW_ASSIGN_OR_RAISE(
        auto peers, ForEachPeers([&] { count = 0; }, add, [&] { return values.Append(count); }));
    ARROW_ASSIGN_OR_RAISE(auto array, values.Finish());
    return SpreadOverPeers(std::move(array), std::move(peers), 8);
  }

  const arrow::Array& Argument(RowPlace ref) const {
    return *rows_.batches()[ref.batch]->column(column_.arguments[0]);
  }

  // `Sum` begins as zero; add(ref, &sum) adds a value, append(sum, builder) gives one.
  template <typename Sum, typename Add, typename Append>
  arrow::Result<AggregateResult> RunSum(Add&& add_value, Append&& append,
                                        arrow::ArrayBuilder* builder) {
    Sum sum = {};
    const auto begin = [&] { values_summed_ = 0; };
    const auto add = [&](RowPlace ref) {
      // Set back only where it is used: an exact sum may hold memory.
      if (values_summed_++ == 0) {
        sum = {};
      }
      add_value(ref, &sum);
    };
    const auto end = [&]() -> arrow::Status {
      return values_summed_ > 0 ? append(sum) : builder->AppendNull();
    };
    ARROW_ASSIGN_OR_RAISE(auto peers, ForEachPeers(begin, add, end));
    ARROW_ASSIGN_OR_RAISE(auto array, builder->Finish());
    return SpreadOverPeers(std::move(array), std::move(peers), 16);
  }

  arrow::Result<AggregateResult> RunSums() {
    const TypePtr& result = column_.function->result_type;
    ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(result, context_->pool()));
    const bool averages = column_.function->name == "avg";
    const auto append_average = [&](double sum) {
      return checked_cast<arrow::DoubleBuilder&>(*builder).Append(
          sum / static_cast<double>(values_summed_));
    };
    switch (column_.function->argument_types[0]->id()) {
      case arrow::Type::INT64: {
        const auto add = [this](RowPlace ref, Int128* sum) {
          *sum += checked_cast<const arrow::Int64Array&>(Argument(ref)).Value(ref.row);
        };
        const auto append = [&](Int128 sum) -> arrow::Status {
          if (averages) {
            return append_average(static_cast<double>(sum));
          }
          if (sum > std::numeric_limits<int64_t>::max() ||
              sum < std::numeric_limits<int64_t>::min()) {
            return SumOutOfRange(*result);
          }
          return checked_cast<arrow::Int64Builder&>(*builder).Append(static_cast<int64_t>(sum));
        };
        return RunSum<Int128>(add, append, builder.get());
      }
      case arrow::Type::DOUBLE: {
        const auto add = [this](RowPlace ref, ExactSum* sum) {
          sum->Add(checked_cast<const arrow::DoubleArray&>(Argument(ref)).Value(ref.row));
        };
        const auto append = [&](const ExactSum& sum) -> arrow::Status {
          return averages ? append_average(sum.Round())
                          : checked_cast<arrow::DoubleBuilder&>(*builder).Append(sum.Round());
        };
        return RunSum<ExactSum>(add, append, builder.get());
      }
      case arrow::Type::DECIMAL128:
      case arrow::Type::DECIMAL256:
        return RunDecimalSum(averages, append_average, builder.get());
      default:
        return NotRunning(column_);
    }
  }

  template <typename AppendAverage>
  arrow::Result<AggregateResult> RunDecimalSum(bool averages, AppendAverage&& append_average,
                                               arrow::ArrayBuilder* builder) {
    const arrow::DataType& argument = *column_.function->argument_types[0];
    const arrow::DataType& result = *column_.function->result_type;
    const int32_t scale = checked_cast<const arrow::DecimalType&>(argument).scale();
    const bool narrow = argument.id() == arrow::Type::DECIMAL128;
    const auto add = [&](RowPlace ref, arrow::Decimal256* sum) {
      if (narrow) {
        const auto& values = checked_cast<const arrow::Decimal128Array&>(Argument(ref));
        *sum += arrow::Decimal256(arrow::Decimal128(values.GetValue(ref.row)));
      } else {
        const auto& values = checked_cast<const arrow::Decimal256Array&>(Argument(ref));
        *sum += arrow::Decimal256(values.GetValue(ref.row));
      }
    };
    const auto append = [&](const arrow::Decimal256& sum) -> arrow::Status {
      if (averages) {
        return append_average(sum.ToDouble(scale));
      }
      if (!sum.FitsInPrecision(checked_cast<const arrow::DecimalType&>(result).precision())) {
        return SumOutOfRange(result);
      }
      if (result.id() == arrow::Type::DECIMAL256) {
        return checked_cast<arrow::Decimal256Builder&>(*builder).Append(sum);
      }
      const auto words = sum.little_endian_array();
      return checked_cast<arrow::Decimal128Builder&>(*builder).Append(
          arrow::Decimal128(static_cast<int64_t>(words[1]), words[0]));
    };
    return RunSum<arrow::Decimal256>(add, append, builder);
  }

  // The row that comes first under the aggregate's own order, or at its `nth` place, of those so
  // far.
  arrow::Result<AggregateResult> RunWinner() {
    RowOrder by_rank(context_->budget());
    std::vector<uint8_t> begins;
    ARROW_RETURN_NOT_OK(ReferToAllRows(rows_.batches(), &by_rank));
    ARROW_RETURN_NOT_OK(SortRows(context_, rows_.batches(), column_.order, &by_rank, &begins));
    if (column_.ties_to_last) {
      ReverseTies(begins, &by_rank.refs());
    }
    std::vector<int64_t> ranks(by_rank.refs().size());
    MemoryReservation ranks_reserved(context_->budget());
    const auto nth = static_cast<size_t>(column_.nth);
    ARROW_RETURN_NOT_OK(ranks_reserved.Resize(
        static_cast<int64_t>(ranks.size() + std::min(nth, ranks.size())) * 8));
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      ranks[static_cast<size_t>(rows_.RowNumber(by_rank.refs()[rank]))] =
          static_cast<int64_t>(rank);
    }
    // The winning rank after each run of peers; beyond the last one: none.
    const auto none = static_cast<int64_t>(ranks.size());
    std::vector<int64_t> winners;
    std::vector<int64_t>
        best;  // the `nth` best ranks, or fewer, as a heap: the last of them on top
    const auto add = [&](RowPlace ref) {
      const int64_t rank = ranks[static_cast<size_t>(rows_.RowNumber(ref))];
      if (best.size() == nth && rank > best.front()) {
        return;
      }
      if (best.size() == nth) {
        std::pop_heap(best.begin(), best.end());
        best.pop_back();
      }
      best.push_back(rank);
      std::push_heap(best.begin(), best.end());
    };
    const auto end = [&]() -> arrow::Status {
      winners.push_back(best.size() == nth ? best.front() : none);
      return arrow::Status::OK();
    };
    ARROW_ASSIGN_OR_RAISE(auto order, ForEachPeers([&] { best.clear(); }, add, end));
    arrow::RecordBatchVector values;
    int64_t bytes = 0;
    for (const auto& batch : rows_.batches()) {
      ARROW_ASSIGN_OR_RAISE(auto value, batch->SelectColumns({column_.arguments[0]}));
      values.push_back(std::move(value));
    }
    bytes = TotalBytes(values) / std::max<int64_t>(rows_.row_count(), 1);
    const RowPlace null_row{static_cast<uint32_t>(values.size()), 0};
    ARROW_ASSIGN_OR_RAISE(
        auto null, arrow::MakeArrayOfNull(values[0]->column(0)->type(), 1, context_->pool()));
    values.push_back(
        arrow::RecordBatch::Make(values[0]->schema(), 1, arrow::ArrayVector{std::move(null)}));
    for (RowPlace& ref : order->refs()) {
      const int64_t winner = winners[ref.row];
      ref = winner == none ? null_row : by_rank.refs()[static_cast<size_t>(winner)];
    }
    return AggregateResult{GatheredColumn(std::move(values), 0, std::move(order), context_->pool()),
                           static_cast<double>(bytes)};
  }

  static void ReverseTies(const std::vector<uint8_t>& begins, std::vector<RowPlace>* refs) {
    size_t first = 0;
    for (size_t at = 1; at <= refs->size(); ++at) {
      if (at == refs->size() || begins[at] != 0) {
        std::reverse(refs->begin() + static_cast<std::ptrdiff_t>(first),
                     refs->begin() + static_cast<std::ptrdiff_t>(at));
        first = at;
      }
    }
  }

  QueryContext* context_;
  const PartitionedRows& rows_;
  AggregateColumn column_;
  RunningFrame frame_;
  MemoryReservation reserved_;
  std::vector<uint8_t> counted_;  // by the row's number in the input
  int64_t values_summed_ = 0;
};

}  // namespace

arrow::Result<AggregateResult> RunAggregate(QueryContext* context, const PartitionedRows& rows,
                                            const AggregateColumn& column, RunningFrame frame) {
  return RunningAggregate(context, rows, column, frame).Run();
}

}  // namespace keepone
