// SPDX-License-Identifier: Apache-2.0
#include "exec/window_input.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/byte_size.h"
#include "base/error.h"
#include "column/row_bytes.h"
#include "exec/keep_spec.h"
#include "exec/merge_runs.h"
#include "exec/metrics.h"
#include "exec/sort_rows.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// What cutting rows into partitions and sorting them takes for each, besides its encoded keys:
// its partition's number, its place, its entry and its position, and some more for results.
constexpr int64_t kWindowRowBytes = 64;

struct PlacedBatch {
  std::shared_ptr<arrow::RecordBatch> rows;
  int64_t position;  // of the first row
};

struct Worker {
  Worker(QueryContext* context, const AsideSpec* spec)
      : reserved(context->budget()), aside(context, spec) {}

  std::vector<PlacedBatch> batches;  // positions ascend
  int64_t bytes = 0;
  // What working the batches off will take, so that there is room for it when it is needed.
  MemoryReservation reserved;
  RowsAside aside;
};

arrow::Status PutAside(QueryContext* context, Worker* worker) {
  if (worker->batches.empty()) {
    return arrow::Status::OK();
  }
  NoteBytesHeld(worker->bytes);
  ARROW_RETURN_NOT_OK(worker->reserved.Resize(0));
  for (PlacedBatch& one : worker->batches) {
    ARROW_ASSIGN_OR_RAISE(auto placed, AddPositions(context, *one.rows, one.position));
    one.rows.reset();
    RowOrder order(context->budget());
    ARROW_RETURN_NOT_OK(ReferToAllRows({placed}, &order));
    ARROW_RETURN_NOT_OK(worker->aside.Add({placed}, order.refs()));
  }
  worker->batches.clear();
  worker->bytes = 0;
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<WindowInput> WindowInput::Read(QueryContext* context, BatchStream& input,
                                             const WindowSpec& spec) {
  WindowInput all;
  all.context_ = context;
  all.order_ = spec.order;
  all.aside_.schema = WithPosition(input.schema());
  all.aside_.groups = spec.partition;
  for (const int column : spec.partition) {
    all.aside_.group_keys.push_back({input.schema()->field(column)->type()});
  }
  all.aside_.is_possible = true;
  std::vector<std::unique_ptr<Worker>> workers(static_cast<size_t>(context->threads()));
  const auto add = [&](const MorselBatch& morsel) -> arrow::Status {
    std::unique_ptr<Worker>& worker = workers[static_cast<size_t>(morsel.worker)];
    if (worker == nullptr) {
      worker = std::make_unique<Worker>(context, &all.aside_);
    }
    const int64_t more = morsel.batch->num_rows() * kWindowRowBytes +
                         EncodedKeyBytes(*morsel.batch, spec.partition) +
                         EncodedKeyBytes(*morsel.batch, ColumnsOf(spec.order));
    worker->batches.push_back({morsel.batch, morsel.position()});
    worker->bytes += BatchBytes(*morsel.batch) + more;
    if (context->memory_bytes_max() >= 0) {
      ARROW_RETURN_NOT_OK(worker->reserved.Resize(worker->reserved.bytes() + more));
    }
    return worker->aside.IsWanted(worker->bytes) ? PutAside(context, worker.get())
                                                 : arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ForEachMorsel(context, input, add));
  std::erase(workers, nullptr);
  if (std::any_of(workers.begin(), workers.end(),
                  [](const auto& worker) { return worker->aside.is_used(); })) {
    for (const auto& worker : workers) {
      ARROW_RETURN_NOT_OK(PutAside(context, worker.get()));
      ARROW_RETURN_NOT_OK(worker->aside.Finish(&all.parts_));
    }
    return all;
  }
  std::vector<PlacedBatch> batches;
  for (const auto& worker : workers) {
    std::move(worker->batches.begin(), worker->batches.end(), std::back_inserter(batches));
  }
  std::sort(batches.begin(), batches.end(),
            [](const PlacedBatch& a, const PlacedBatch& b) { return a.position < b.position; });
  for (PlacedBatch& one : batches) {
    all.batches_.push_back(std::move(one.rows));
  }
  return all;
}

arrow::Status WindowInput::ForEachPart(const PartHandler& handle) {
  for (SpillRuns& part : parts_) {
    ARROW_RETURN_NOT_OK(HandlePart(std::move(part), /*level=*/1, handle));
  }
  return arrow::Status::OK();
}

int64_t WindowInput::BytesNeeded(const SpillRuns& files) const {
  // Keys are at most as wide as the rows; that they are half as wide is an estimate.
  return TotalBytes(files) + TotalBytes(files) / 2 + TotalRows(files) * kWindowRowBytes;
}

arrow::Status WindowInput::HandlePart(SpillRuns files, int level, const PartHandler& handle) {
  if (files.empty()) {
    return arrow::Status::OK();
  }
  const int64_t limit = context_->memory_bytes_max();
  const int64_t needed = BytesNeeded(files);
  if (limit >= 0 && needed > (limit - context_->budget()->bytes_allocated()) / 4 * 3) {
    const int64_t rows = TotalRows(files);
    if (!aside_.groups.empty()) {
      ARROW_ASSIGN_OR_RAISE(std::vector<SpillRuns> parts, Cut(std::move(files), level));
      const auto is_whole = [rows](const SpillRuns& part) { return TotalRows(part) == rows; };
      if (std::none_of(parts.begin(), parts.end(), is_whole)) {
        for (SpillRuns& part : parts) {
          ARROW_RETURN_NOT_OK(HandlePart(std::move(part), level + 1, handle));
        }
        return arrow::Status::OK();
      }
    }
    return WithHint(
        ResourceError(aside_.groups.empty() ? "a window function without PARTITION BY"
                                            : "a partition of a window function",
                      " holds ", rows, " rows, which take about ", FormatByteSize(needed),
                      ", more than the memory limit of ", FormatByteSize(limit), " leaves"),
        "raise it with --memory-limit or SET memory_limit");
  }
  arrow::RecordBatchVector batches;
  {
    const auto rows =
        MakeMergedRuns(context_, std::move(files), {{aside_.schema->num_fields() - 1}},
                       AllColumns(*aside_.schema), aside_.schema);
    ARROW_RETURN_NOT_OK(rows->Prepare());
    ARROW_ASSIGN_OR_RAISE(const auto morsel, rows->NextMorsel());
    for (;;) {
      ARROW_ASSIGN_OR_RAISE(auto batch, morsel->Next());
      if (batch == nullptr) {
        break;
      }
      batches.push_back(std::move(batch));
    }
  }
  return handle(std::move(batches));
}

arrow::Result<std::vector<SpillRuns>> WindowInput::Cut(SpillRuns files, int level) {
  AsideSpec spec = aside_;
  spec.level = level;
  std::vector<SpillRuns> parts;
  // One file after the other: each part's rows of a file keep their order.
  for (auto& file : files) {
    RowsAside aside(context_, &spec);
    ARROW_ASSIGN_OR_RAISE(const auto reader, file->Read());
    for (;;) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next());
      if (batch == nullptr) {
        break;
      }
      RowOrder order(context_->budget());
      ARROW_RETURN_NOT_OK(ReferToAllRows({batch}, &order));
      ARROW_RETURN_NOT_OK(aside.Add({batch}, order.refs()));
    }
    ARROW_RETURN_NOT_OK(aside.Finish(&parts));
    file.reset();
  }
  return parts;
}

}  // namespace keepone
