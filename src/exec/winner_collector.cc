// SPDX-License-Identifier: Apache-2.0
#include "exec/winner_collector.h"

#include <utility>

#include <arrow/array.h>

#include "exec/winner_merge.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// Below so many groups a worker's table lies in the cache and is merged in no time.
constexpr uint32_t kSharedWinnersMin = 1 << 16;
// From so many on even a second copy of old groups costs more than sharing.
constexpr uint32_t kOwnWinnersMax = 1 << 18;
// In between a worker shares if at least one of so many rows makes a new group.
constexpr int64_t kRowsOfNewWinner = 8;
constexpr int64_t kRowsBetweenLooks = 1 << 15;

}  // namespace

WinnerCollector::WinnerCollector(QueryContext* context, WinnerSpec spec)
    : context_(context),
      spec_(std::move(spec)),
      workers_(static_cast<size_t>(context->threads())) {}

arrow::Status WinnerCollector::Consume(int worker_number, const arrow::ArrayVector& group_columns,
                                       const arrow::ArrayVector& order_columns,
                                       std::span<const int64_t> addresses) {
  Worker& worker = workers_[static_cast<size_t>(worker_number)];
  if (worker.feed != nullptr) {
    return worker.feed->Consume(group_columns, order_columns, addresses);
  }
  if (worker.table == nullptr) {
    ARROW_ASSIGN_OR_RAISE(worker.table, WinnerTable::Make(spec_, context_->budget()));
  }
  ARROW_RETURN_NOT_OK(worker.table->Consume(group_columns, order_columns, addresses));
  worker.rows += static_cast<int64_t>(addresses.size());
  return WantsToShare(&worker) ? Share(&worker) : arrow::Status::OK();
}

bool WinnerCollector::WantsToShare(Worker* worker) const {
  if (spec_.group_keys.empty() || spec_.group_count_max >= 0) {
    return false;
  }
  if (context_->ShouldSpill(worker->table->bytes_used())) {
    return true;
  }
  const uint32_t groups = worker->table->group_count();
  if (groups < kSharedWinnersMin || worker->rows < kRowsBetweenLooks) {
    return false;
  }
  const int64_t new_groups = groups - worker->groups;
  const bool wants = groups >= kOwnWinnersMax || new_groups * kRowsOfNewWinner >= worker->rows;
  worker->groups = groups;
  worker->rows = 0;
  return wants;
}

arrow::Status WinnerCollector::Share(Worker* worker) {
  {
    const std::lock_guard lock(mutex_);
    if (shared_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(shared_, WinnerPartitions::Make(context_, spec_));
    }
  }
  ARROW_ASSIGN_OR_RAISE(worker->feed, WinnerPartitions::Feed::Make(shared_.get()));
  ARROW_RETURN_NOT_OK(worker->feed->ConsumeTable(worker->table.get()));
  worker->table.reset();
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<BatchStream>> WinnerCollector::Finish(
    std::shared_ptr<arrow::Schema> schema) {
  if (shared_ != nullptr) {
    ARROW_RETURN_NOT_OK(PassOnRest());
    return shared_->Finish(std::move(schema));
  }
  std::vector<std::unique_ptr<WinnerTable>> tables;
  for (Worker& worker : workers_) {
    tables.push_back(std::move(worker.table));
  }
  ARROW_ASSIGN_OR_RAISE(const Winners winners, MergeWinners(context_, spec_, std::move(tables)));
  return MakeWinnerStream(context_, winners, std::move(schema));
}

arrow::Status WinnerCollector::PassOnRest() {
  const auto pass_on = [this](int64_t index) -> arrow::Status {
    Worker& worker = workers_[static_cast<size_t>(index)];
    if (worker.table != nullptr) {
      ARROW_RETURN_NOT_OK(Share(&worker));
    }
    ARROW_RETURN_NOT_OK(worker.feed != nullptr ? worker.feed->Finish() : arrow::Status::OK());
    worker.feed.reset();
    return arrow::Status::OK();
  };
  return ForEachTask(context_, static_cast<int64_t>(workers_.size()), pass_on);
}

}  // namespace keepone
