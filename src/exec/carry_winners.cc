// SPDX-License-Identifier: Apache-2.0
#include "exec/carry_winners.h"

#include <mutex>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "exec/breaker.h"
#include "exec/carried_rows.h"
#include "exec/held_rows.h"
#include "exec/merge_runs.h"
#include "exec/sorted_run.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// One run of the operator.
class WinnerCarrier {
 public:
  WinnerCarrier(QueryContext* context, const KeepSpec& spec, std::vector<int> payload,
                std::shared_ptr<arrow::Schema> schema)
      : context_(context),
        gives_number_(spec.gives_number),
        payload_(std::move(payload)),
        schema_(std::move(schema)),
        spec_(spec) {}

  arrow::Result<std::unique_ptr<BatchStream>> Run(BatchStream& input) {
    bound_ = BindKeepSpec(spec_, *input.schema());
    placed_schema_ = WithPosition(input.schema());
    auto carried = CarriedRows::Make(context_, bound_, placed_schema_, context_->threads(), 0);
    ARROW_RETURN_NOT_OK(CarryRows(context_, input, carried.get()));
    if (!carried->has_put_aside()) {
      ARROW_ASSIGN_OR_RAISE(CarriedRows::Kept kept, carried->Finish());
      return Give(std::move(kept), payload_, schema_);
    }
    ARROW_ASSIGN_OR_RAISE(std::vector<SpillRuns> partitions, carried->FinishAside());
    carried.reset();
    return Merge(std::move(partitions));
  }

 private:
  // The rows' `columns`, then the number.
  arrow::Result<std::unique_ptr<BatchStream>> Give(CarriedRows::Kept kept,
                                                   const std::vector<int>& columns,
                                                   std::shared_ptr<arrow::Schema> schema) const {
    HeldRows held;
    const auto first_field = schema->fields().begin();
    const auto selected = arrow::schema(
        arrow::FieldVector(first_field, first_field + static_cast<std::ptrdiff_t>(columns.size())));
    for (auto& batch : kept.batches) {
      held.batches.push_back(
          arrow::RecordBatch::Make(selected, batch->num_rows(), SelectColumns(*batch, columns)));
      batch.reset();
    }
    if (gives_number_) {
      std::shared_ptr<arrow::Array> numbers = kept.numbers;
      if (numbers == nullptr) {
        ARROW_ASSIGN_OR_RAISE(numbers,
                              arrow::MakeArrayFromScalar(arrow::Int64Scalar(1), kept.order->size(),
                                                         context_->pool()));
      }
      held.more.push_back(SlicesOf(std::move(numbers)));
    }
    held.order = std::move(kept.order);
    return MakeHeldRows(context_, std::move(schema), std::move(held));
  }

  // Picks in each partition by itself, and merges what stays by position.
  arrow::Result<std::unique_ptr<BatchStream>> Merge(std::vector<SpillRuns> partitions) {
    run_columns_ = payload_;
    run_columns_.push_back(placed_schema_->num_fields() - 1);
    const auto position = static_cast<int>(payload_.size());
    arrow::FieldVector fields = schema_->fields();
    fields.insert(fields.begin() + position, placed_schema_->fields().back());
    run_schema_ = arrow::schema(std::move(fields));

    std::mutex mutex;
    SpillRuns runs;
    const auto pick = [&](int64_t index) -> arrow::Status {
      SpillRuns own;
      ARROW_RETURN_NOT_OK(
          PickIn(std::move(partitions[static_cast<size_t>(index)]), /*level=*/1, &own));
      const std::lock_guard lock(mutex);
      std::move(own.begin(), own.end(), std::back_inserter(runs));
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(ForEachTask(context_, static_cast<int64_t>(partitions.size()), pick));
    std::vector<int> output(static_cast<size_t>(schema_->num_fields()));
    std::iota(output.begin(), output.begin() + position, 0);
    std::iota(output.begin() + position, output.end(), position + 1);
    return MakeMergedRuns(context_, std::move(runs), {{position}}, std::move(output), schema_);
  }

  arrow::Status PickIn(SpillRuns files, int level, SpillRuns* runs) const {
    if (files.empty()) {
      return arrow::Status::OK();
    }
    auto carried = CarriedRows::Make(context_, bound_, placed_schema_, /*workers=*/1, level);
    for (auto& file : files) {
      ARROW_ASSIGN_OR_RAISE(const auto reader, file->Read());
      for (;;) {
        ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next());
        if (batch == nullptr) {
          break;
        }
        ARROW_RETURN_NOT_OK(carried->Add(0, batch));
      }
      file.reset();
    }
    if (carried->has_put_aside()) {
      ARROW_ASSIGN_OR_RAISE(std::vector<SpillRuns> partitions, carried->FinishAside());
      carried.reset();
      for (SpillRuns& partition : partitions) {
        ARROW_RETURN_NOT_OK(PickIn(std::move(partition), level + 1, runs));
      }
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(CarriedRows::Kept kept, carried->Finish());
    carried.reset();
    ARROW_ASSIGN_OR_RAISE(const auto rows, Give(std::move(kept), run_columns_, run_schema_));
    ARROW_ASSIGN_OR_RAISE(auto run, WriteRun(context_, *rows));
    runs->push_back(std::move(run));
    return arrow::Status::OK();
  }

  QueryContext* context_;
  bool gives_number_;
  std::vector<int> payload_;
  std::shared_ptr<arrow::Schema> schema_;
  const KeepSpec& spec_;
  BoundKeepSpec bound_;
  std::shared_ptr<arrow::Schema> placed_schema_;  // of the input's rows, then the position
  // Of runs: the payload, the position, the number.
  std::vector<int> run_columns_;
  std::shared_ptr<arrow::Schema> run_schema_;
};

}  // namespace

std::unique_ptr<BatchStream> MakeCarryWinners(QueryContext* context,
                                              std::unique_ptr<BatchStream> input, KeepSpec spec,
                                              std::vector<int> payload,
                                              std::shared_ptr<arrow::Schema> schema) {
  BreakerRun run = [context, spec = std::move(spec), payload = std::move(payload),
                    schema](BatchStream& rows) -> arrow::Result<std::unique_ptr<BatchStream>> {
    return WinnerCarrier(context, spec, payload, schema).Run(rows);
  };
  return MakeBreaker(std::move(input), std::move(schema), std::move(run));
}

}  // namespace keepone
