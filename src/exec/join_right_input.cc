// SPDX-License-Identifier: Apache-2.0
#include "exec/join_right_input.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <utility>

#include <arrow/record_batch.h>

#include "base/memory_budget.h"
#include "column/row_bytes.h"
#include "exec/join_table.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// The right rows of one worker, held until they have to go.
struct RightWorker {
  explicit RightWorker(QueryContext* context) : for_table(context->budget()) {}

  struct Held {
    int64_t position;
    std::shared_ptr<arrow::RecordBatch> batch;
  };
  std::vector<Held> held;
  int64_t rows = 0;
  MemoryReservation for_table;  // what the table of these rows will take
  std::unique_ptr<JoinSpill> spill;
};

class RightReader {
 public:
  RightReader(QueryContext* context, const JoinShape& shape)
      : context_(context), shape_(shape), workers_(static_cast<size_t>(context->threads())) {}

  arrow::Result<JoinRightInput> Read(BatchStream& right) {
    ARROW_RETURN_NOT_OK(
        ForEachMorsel(context_, right, [this](const MorselBatch& morsel) { return Add(morsel); }));
    std::erase(workers_, nullptr);
    JoinRightInput input;
    input.is_spilled = spilled_.load();
    if (input.is_spilled) {
      std::vector<SpillRuns> written;
      for (std::unique_ptr<RightWorker>& worker : workers_) {
        ARROW_RETURN_NOT_OK(SpillHeld(worker.get()));
        ARROW_ASSIGN_OR_RAISE(SpillRuns runs, worker->spill->Finish());
        written.push_back(std::move(runs));
        worker.reset();
      }
      input.partitions = RunsByPartition(std::move(written));
      return input;
    }
    std::vector<RightWorker::Held> all;
    for (std::unique_ptr<RightWorker>& worker : workers_) {
      std::move(worker->held.begin(), worker->held.end(), std::back_inserter(all));
    }
    std::sort(all.begin(), all.end(), [](const RightWorker::Held& a, const RightWorker::Held& b) {
      return a.position < b.position;
    });
    for (RightWorker::Held& one : all) {
      input.batches.push_back(std::move(one.batch));
    }
    return input;
  }

 private:
  arrow::Status Add(const MorselBatch& morsel) {
    std::unique_ptr<RightWorker>& worker = workers_[static_cast<size_t>(morsel.worker)];
    if (worker == nullptr) {
      worker = std::make_unique<RightWorker>(context_);
    }
    worker->held.push_back({morsel.position(), morsel.batch});
    if (!spilled_.load()) {
      worker->rows += morsel.batch->num_rows();
      const int64_t rows = rows_.fetch_add(morsel.batch->num_rows()) + morsel.batch->num_rows();
      const int64_t bytes = bytes_.fetch_add(BatchBytes(*morsel.batch)) + rows * kJoinTableRowBytes;
      const bool reserved = worker->for_table.Resize(worker->rows * kJoinTableRowBytes).ok();
      if (!reserved || context_->ShouldSpill(bytes) || rows >= JoinTable::kRowsMax) {
        spilled_.store(true);
      }
    }
    return spilled_.load() ? SpillHeld(worker.get()) : arrow::Status::OK();
  }

  arrow::Status SpillHeld(RightWorker* worker) {
    ARROW_RETURN_NOT_OK(worker->for_table.Resize(0));
    if (worker->spill == nullptr) {
      ARROW_ASSIGN_OR_RAISE(
          worker->spill,
          JoinSpill::Make(context_, WithPosition(shape_.right_schema), shape_.right_keys,
                          shape_.key_fields, JoinPartitionCount(*context_), 0));
    }
    for (RightWorker::Held& one : worker->held) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, AddPositions(context_, *one.batch, one.position));
      one.batch.reset();
      ARROW_RETURN_NOT_OK(worker->spill->Append(*batch));
    }
    worker->held.clear();
    return arrow::Status::OK();
  }

  QueryContext* context_;
  const JoinShape& shape_;
  std::vector<std::unique_ptr<RightWorker>> workers_;
  std::atomic<bool> spilled_{false};
  std::atomic<int64_t> rows_{0};
  std::atomic<int64_t> bytes_{0};
};

}  // namespace

arrow::Result<JoinRightInput> ReadJoinRight(QueryContext* context, const JoinShape& shape,
                                            BatchStream& right) {
  return RightReader(context, shape).Read(right);
}

arrow::Status SpillJoinRight(QueryContext* context, const JoinShape& shape, JoinRightInput* input) {
  ARROW_ASSIGN_OR_RAISE(const auto spill,
                        JoinSpill::Make(context, WithPosition(shape.right_schema), shape.right_keys,
                                        shape.key_fields, JoinPartitionCount(*context), 0));
  int64_t position = 0;
  for (std::shared_ptr<arrow::RecordBatch>& one : input->batches) {
    ARROW_RETURN_NOT_OK(context->CheckStop());
    ARROW_ASSIGN_OR_RAISE(const auto batch, AddPositions(context, *one, position));
    position += one->num_rows();
    one.reset();
    ARROW_RETURN_NOT_OK(spill->Append(*batch));
  }
  input->batches.clear();
  std::vector<SpillRuns> written(1);
  ARROW_ASSIGN_OR_RAISE(written[0], spill->Finish());
  input->partitions = RunsByPartition(std::move(written));
  input->is_spilled = true;
  return arrow::Status::OK();
}

}  // namespace keepone
