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
#include "exec/merge_runs.h"
#include "exec/metrics.h"
#include "exec/number_rows.h"
#include "exec/partitioned_rows.h"
#include "exec/running_aggregate.h"
#include "exec/selected_rows.h"
#include "exec/shift_rows.h"
#include "exec/sorted_run.h"
#include "exec/window_input.h"

namespace keepone {

namespace {

// The aggregate of each row's whole partition.
arrow::Result<AggregateResult> AggregatePartitions(QueryContext* context,
                                                   const PartitionedRows& rows,
                                                   const AggregateColumn& column) {
  const auto steps = MakeAggregateSteps({column}, *rows.batches()[0]->schema());
  ARROW_ASSIGN_OR_RAISE(const auto state, steps[0]->MakeState(context));
  std::vector<int64_t> positions;
  int64_t position = 0;
  for (const auto& batch : rows.batches()) {
    ARROW_RETURN_NOT_OK(context->CheckStop());
    positions.resize(static_cast<size_t>(batch->num_rows()));
    std::iota(positions.begin(), positions.end(), position);
    ARROW_RETURN_NOT_OK(
        state->Update({*batch, positions, GroupsOf(*batch), rows.partition_count()}));
    position += batch->num_rows();
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<GroupValues> values,
                        state->Finish(rows.partition_count()));

  // The values of all partitions, spread over the rows.
  arrow::RecordBatchVector pieces;
  for (const auto& chunk : values[0].chunks) {
    pieces.push_back(arrow::RecordBatch::Make(arrow::schema({arrow::field("value", chunk->type())}),
                                              chunk->length(), arrow::ArrayVector{chunk}));
  }
  auto order = std::make_shared<RowOrder>(context->budget());
  ARROW_RETURN_NOT_OK(order->Resize(rows.row_count()));
  for (const RowPlace ref : rows.sorted()) {
    order->refs()[static_cast<size_t>(rows.RowNumber(ref))] =
        values[0].PlaceOf(rows.PartitionOf(ref));
  }
  AggregateResult result;
  result.row_bytes = values[0].row_bytes;
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

// Works off each part by itself and merges the rows by position.
arrow::Result<std::unique_ptr<BatchStream>> AddColumnsByPart(
    QueryContext* context, WindowInput input, const WindowSpec& spec,
    std::shared_ptr<arrow::Schema> schema) {
  const int position = input.placed_schema()->num_fields() - 1;
  arrow::FieldVector fields = schema->fields();
  fields.insert(fields.begin() + position, input.placed_schema()->field(position));
  const auto run_schema = arrow::schema(std::move(fields));
  SpillRuns runs;
  const auto handle = [&](arrow::RecordBatchVector rows) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(HeldRows held, AddColumns(context, std::move(rows), spec));
    ARROW_ASSIGN_OR_RAISE(auto run,
                          WriteRun(context, *MakeHeldRows(context, run_schema, std::move(held))));
    runs.push_back(std::move(run));
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(input.ForEachPart(handle));
  std::vector<int> output(static_cast<size_t>(schema->num_fields()));
  std::iota(output.begin(), output.begin() + position, 0);
  std::iota(output.begin() + position, output.end(), position + 1);
  return MakeMergedRuns(context, std::move(runs), {{position}}, std::move(output),
                        std::move(schema));
}

}  // namespace

std::unique_ptr<BatchStream> MakeWindow(QueryContext* context, std::unique_ptr<BatchStream> input,
                                        WindowSpec spec, std::shared_ptr<arrow::Schema> schema) {
  BreakerRun run = [context, spec = std::move(spec),
                    schema](BatchStream& rows) -> arrow::Result<std::unique_ptr<BatchStream>> {
    ARROW_ASSIGN_OR_RAISE(WindowInput all, WindowInput::Read(context, rows, spec));
    if (all.is_aside()) {
      return AddColumnsByPart(context, std::move(all), spec, schema);
    }
    ARROW_ASSIGN_OR_RAISE(HeldRows held, AddColumns(context, all.TakeBatches(), spec));
    return MakeHeldRows(context, schema, std::move(held));
  };
  return MakeBreaker(std::move(input), std::move(schema), std::move(run));
}

}  // namespace keepone
