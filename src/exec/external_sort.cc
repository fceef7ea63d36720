// SPDX-License-Identifier: Apache-2.0
#include "exec/external_sort.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/row_bytes.h"
#include "exec/held_rows.h"
#include "exec/join_spill.h"
#include "exec/keep_spec.h"
#include "exec/merge_runs.h"
#include "exec/metrics.h"
#include "exec/sort_rows.h"
#include "exec/sorted_run.h"
#include "exec/spill_file.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// What sorting takes for each row besides its encoded key: its place, and its entry.
constexpr int64_t kSortedRowBytes = 32;

class ExternalSort {
 public:
  ExternalSort(QueryContext* context, std::shared_ptr<arrow::Schema> schema,
               const std::vector<OrderColumn>& keys)
      : context_(context),
        schema_(std::move(schema)),
        keys_(keys),
        run_keys_(keys),
        workers_(static_cast<size_t>(context->threads())) {
    run_keys_.push_back({schema_->num_fields()});
  }

  arrow::Result<std::unique_ptr<BatchStream>> Run(BatchStream& input) {
    const auto add = [this](const MorselBatch& morsel) { return Add(morsel); };
    ARROW_RETURN_NOT_OK(ForEachMorsel(context_, input, add));
    if (runs_.empty()) {
      return SortInMemory();
    }
    for (auto& worker : workers_) {
      ARROW_RETURN_NOT_OK(PutAside(worker.get()));
    }
    return MakeMergedRuns(context_, std::move(runs_), run_keys_, AllColumns(*schema_), schema_);
  }

 private:
  struct PlacedBatch {
    std::shared_ptr<arrow::RecordBatch> rows;
    int64_t position;  // of the first row
  };
  struct Worker {
    explicit Worker(QueryContext* context) : reserved(context->budget()) {}
    std::vector<PlacedBatch> batches;  // positions ascend
    int64_t bytes = 0;
    // What sorting the batches will take, so that there is room for it when it is needed.
    MemoryReservation reserved;
  };

  arrow::Status Add(const MorselBatch& morsel) {
    std::unique_ptr<Worker>& worker = workers_[static_cast<size_t>(morsel.worker)];
    if (worker == nullptr) {
      worker = std::make_unique<Worker>(context_);
    }
    const int64_t sort_bytes = SortBytes(*morsel.batch);
    if (context_->memory_bytes_max() >= 0) {
      ARROW_RETURN_NOT_OK(worker->reserved.Resize(worker->reserved.bytes() + sort_bytes));
    }
    worker->batches.push_back({morsel.batch, morsel.position()});
    worker->bytes += BatchBytes(*morsel.batch) + sort_bytes;
    return context_->ShouldSpill(worker->bytes) ? PutAside(worker.get()) : arrow::Status::OK();
  }

  int64_t SortBytes(const arrow::RecordBatch& batch) const {
    return batch.num_rows() * kSortedRowBytes + EncodedKeyBytes(batch, ColumnsOf(keys_));
  }

  // The batches of all workers in the order of the input.
  arrow::Result<std::unique_ptr<BatchStream>> SortInMemory() {
    std::vector<PlacedBatch> all;
    for (auto& worker : workers_) {
      if (worker != nullptr) {
        std::move(worker->batches.begin(), worker->batches.end(), std::back_inserter(all));
        worker.reset();
      }
    }
    std::sort(all.begin(), all.end(),
              [](const PlacedBatch& a, const PlacedBatch& b) { return a.position < b.position; });
    HeldRows held;
    for (PlacedBatch& one : all) {
      held.batches.push_back(std::move(one.rows));
    }
    NoteBytesHeld(TotalBytes(held.batches));
    held.order = std::make_unique<RowOrder>(context_->budget());
    ARROW_RETURN_NOT_OK(ReferToAllRows(held.batches, held.order.get()));
    ARROW_RETURN_NOT_OK(SortRows(context_, held.batches, keys_, held.order.get()));
    return MakeHeldRows(context_, schema_, std::move(held));
  }

  arrow::Status PutAside(Worker* worker) {
    if (worker == nullptr || worker->batches.empty()) {
      return arrow::Status::OK();
    }
    NoteBytesHeld(worker->bytes);
    ARROW_RETURN_NOT_OK(worker->reserved.Resize(0));
    arrow::RecordBatchVector batches;
    for (PlacedBatch& one : worker->batches) {
      ARROW_ASSIGN_OR_RAISE(auto placed, AddPositions(context_, *one.rows, one.position));
      one.rows.reset();
      batches.push_back(std::move(placed));
    }
    worker->batches.clear();
    worker->bytes = 0;
    auto order = std::make_unique<RowOrder>(context_->budget());
    ARROW_RETURN_NOT_OK(ReferToAllRows(batches, order.get()));
    ARROW_RETURN_NOT_OK(SortRows(context_, batches, keys_, order.get()));
    const auto schema = batches[0]->schema();
    HeldRows held;
    held.batches = std::move(batches);
    held.order = std::move(order);
    ARROW_ASSIGN_OR_RAISE(auto run,
                          WriteRun(context_, *MakeHeldRows(context_, schema, std::move(held))));
    const std::lock_guard lock(mutex_);
    runs_.push_back(std::move(run));
    return arrow::Status::OK();
  }

  QueryContext* context_;
  std::shared_ptr<arrow::Schema> schema_;
  const std::vector<OrderColumn>& keys_;
  std::vector<OrderColumn> run_keys_;  // with the position
  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex mutex_;  // of the next one
  std::vector<std::unique_ptr<SpillFile>> runs_;
};

}  // namespace

arrow::Result<std::unique_ptr<BatchStream>> SortAll(QueryContext* context, BatchStream& input,
                                                    const std::vector<OrderColumn>& keys) {
  return ExternalSort(context, input.schema(), keys).Run(input);
}

}  // namespace keepone
