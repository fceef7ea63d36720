// SPDX-License-Identifier: Apache-2.0
#include "exec/window.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "exec/aggregate_step.h"
#include "exec/breaker.h"
#include "exec/held_rows.h"
#include "exec/metrics.h"
#include "exec/number_rows.h"
#include "exec/partitioned_rows.h"
#include "exec/running_aggregate.h"
#include "exec/selected_rows.h"
#include "exec/shift_rows.h"

namespace keepone {

namespace {

// The aggregate of each row's whole partition.
arrow::Result<AggregateResult> AggregatePartitions(QueryContext* context,
                                                   const PartitionedRows& rows,
                                                   const AggregateColumn& column) {
  const auto steps = MakeAggregateSteps({column}, *rows.batches()[0]->schema());
  std::vector<std::unique_ptr<AggregateState>> state(1);
  ARROW_ASSIGN_OR_RAISE(state[0], steps[0]->MakeState(context));
  int64_t sequence = 0;
  int64_t position = 0;
  for (const auto& batch : rows.batches()) {
    ARROW_RETURN_NOT_OK(context->CheckStop());
    ARROW_RETURN_NOT_OK(
        state[0]->Update({*batch, sequence++, position, GroupsOf(*batch), rows.partition_count()}));
    position += batch->num_rows();
  }
  std::vector<std::vector<uint32_t>> mappings(1);
  mappings[0].resize(static_cast<size_t>(rows.partition_count()));
  std::iota(mappings[0].begin(), mappings[0].end(), 0u);
  ARROW_ASSIGN_OR_RAISE(
      std::vector<AggregateResult> results,
      steps[0]->Finish(context, {std::move(state), mappings, rows.partition_count()}));

  // The values of all partitions, in pieces that offsets can hold, spread over the rows.
  const auto bytes_max = static_cast<double>(context->batch_bytes_max());
  const int64_t piece = std::clamp<int64_t>(
      static_cast<int64_t>(bytes_max / std::max(results[0].row_bytes, 1.0)), 1, 1 << 16);
  arrow::RecordBatchVector pieces;
  for (int64_t first = 0; first < rows.partition_count(); first += piece) {
    ARROW_ASSIGN_OR_RAISE(
        auto values, results[0].values(first, std::min(piece, rows.partition_count() - first)));
    const int64_t count = values->length();
    auto piece_schema = arrow::schema({arrow::field("value", values->type())});
    pieces.push_back(arrow::RecordBatch::Make(std::move(piece_schema), count,
                                              arrow::ArrayVector{std::move(values)}));
  }
  auto order = std::make_shared<RowOrder>(context->budget());
  ARROW_RETURN_NOT_OK(order->Resize(rows.row_count()));
  for (const RowPlace ref : rows.sorted()) {
    const int64_t partition = rows.PartitionOf(ref);
    order->refs()[static_cast<size_t>(rows.RowNumber(ref))] = {
        static_cast<uint32_t>(partition / piece), static_cast<uint32_t>(partition % piece)};
  }
  AggregateResult result;
  result.row_bytes = results[0].row_bytes;
  result.values = GatheredColumn(std::move(pieces), 0, std::move(order), context->pool());
  return result;
}

arrow::Result<HeldRows> AddColumns(QueryContext* context, arrow::RecordBatchVector batches,
                                   const WindowSpec& spec) {
  HeldRows held;
  if (batches.empty()) {
    return held;
  }
  held.batches = batches;
  ARROW_ASSIGN_OR_RAISE(
      const std::unique_ptr<PartitionedRows> rows,
      PartitionedRows::Make(context, std::move(batches), spec.partition, spec.order));
  for (const WindowColumn& column : spec.columns) {
    AggregateResult result;
    if (column.kind == WindowColumn::Kind::kShift) {
      ARROW_ASSIGN_OR_RAISE(result, ShiftRows(context, *rows, column));
    } else if (column.kind != WindowColumn::Kind::kAggregate) {
      ARROW_ASSIGN_OR_RAISE(result, NumberRows(context, *rows, column));
    } else if (spec.order.empty() && !column.to_row) {
      ARROW_ASSIGN_OR_RAISE(result, AggregatePartitions(context, *rows, *column.aggregate));
    } else {
      const RunningFrame frame = column.to_row ? RunningFrame::kToRow : RunningFrame::kToPeers;
      ARROW_ASSIGN_OR_RAISE(result, RunAggregate(context, *rows, *column.aggregate, frame));
    }
    held.more.push_back(std::move(result.values));
    held.more_row_bytes += result.row_bytes;
  }
  NoteBytesHeld(TotalBytes(held.batches) +
                rows->row_count() * static_cast<int64_t>(sizeof(RowPlace)));
  return held;
}

}  // namespace

std::unique_ptr<BatchStream> MakeWindow(QueryContext* context, std::unique_ptr<BatchStream> input,
                                        WindowSpec spec, std::shared_ptr<arrow::Schema> schema) {
  BreakerRun run = [context, spec = std::move(spec),
                    schema](BatchStream& rows) -> arrow::Result<std::unique_ptr<BatchStream>> {
    ARROW_ASSIGN_OR_RAISE(arrow::RecordBatchVector batches, CollectInOrder(context, rows));
    ARROW_ASSIGN_OR_RAISE(HeldRows held, AddColumns(context, std::move(batches), spec));
    return MakeHeldRows(context, schema, std::move(held));
  };
  return MakeBreaker(std::move(input), std::move(schema), std::move(run));
}

}  // namespace keepone
