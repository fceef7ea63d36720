// SPDX-License-Identifier: Apache-2.0
#include "exec/aggregate.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/row_bytes.h"
#include "exec/breaker.h"
#include "exec/group_partitions.h"
#include "exec/group_rows.h"
#include "exec/group_spill.h"
#include "exec/group_states.h"
#include "exec/metrics.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// Below so many groups those of a worker lie in the cache and are merged in no time.
constexpr uint32_t kSharedGroupsMin = 1 << 16;
// From so many on even a second copy of old groups costs more than sharing.
constexpr uint32_t kOwnGroupsMax = 1 << 18;
// In between a worker shares if at least one of so many rows makes a new group.
constexpr int64_t kRowsOfNewGroup = 8;
constexpr int64_t kRowsBetweenQuestions = 1 << 15;
// Wider rows are not passed on but merged at the end, when what did not win is gone.
constexpr int64_t kSharedRowBytesMax = 512;
// So many groups of all workers are merged by one.
constexpr int64_t kMergedAloneMax = 4096;

// A worker begins with groups of its own, which is fast while there are few; once there are many,
// and more with every batch, it passes its rows on to those that workers share.
struct GroupWorker {
  std::unique_ptr<GroupStates> groups;          // its own, until it shares
  std::unique_ptr<GroupPartitions::Feed> feed;  // from then on
  std::vector<int64_t> positions;               // of one batch
  // Since when last asked whether to share.
  int64_t rows = 0;
  int64_t bytes = 0;
  uint32_t group_count = 0;
};

class AggregateRun {
 public:
  AggregateRun(QueryContext* context, std::vector<int> groups, std::vector<AggregateColumn> columns,
               std::shared_ptr<arrow::Schema> schema)
      : context_(context),
        groups_(std::move(groups)),
        columns_(std::move(columns)),
        schema_(std::move(schema)),
        workers_(static_cast<size_t>(context->threads())) {}

  arrow::Result<std::unique_ptr<BatchStream>> Run(BatchStream& input) {
    ARROW_ASSIGN_OR_RAISE(
        layout_, AggregateLayout::Make(context_, groups_, columns_, *input.schema(), *schema_));
    const auto update = [this](const MorselBatch& morsel) { return Update(morsel); };
    ARROW_RETURN_NOT_OK(ForEachMorsel(context_, input, update));
    if (spill_ != nullptr || !MayFinishInMemory()) {
      return FinishSpilled();
    }
    ARROW_ASSIGN_OR_RAISE(std::vector<FinishedGroups> parts,
                          shared_ != nullptr ? FinishShared() : MergeWorkers());
    workers_.clear();
    shared_.reset();
    ARROW_ASSIGN_OR_RAISE(const auto rows, GroupRows::Make(context_, schema_, std::move(parts)));
    ARROW_RETURN_NOT_OK(rows->DropPositions());
    return MakeGroupStream(rows);
  }

 private:
  arrow::Status Update(const MorselBatch& morsel) {
    GroupWorker& worker = workers_[static_cast<size_t>(morsel.worker)];
    const auto rows = layout_->Narrow(*morsel.batch);
    if (worker.feed != nullptr) {
      ARROW_RETURN_NOT_OK(worker.feed->Add(rows, morsel.position()));
      if (context_->ShouldSpill(shared_->bytes_used())) {
        ARROW_RETURN_NOT_OK(EnsureSpill());
        return shared_->Spill(spill_.get());
      }
      return arrow::Status::OK();
    }
    if (worker.groups == nullptr) {
      ARROW_ASSIGN_OR_RAISE(worker.groups, GroupStates::Make(context_, *layout_));
    }
    worker.positions.resize(static_cast<size_t>(rows->num_rows()));
    std::iota(worker.positions.begin(), worker.positions.end(), morsel.position());
    ARROW_RETURN_NOT_OK(worker.groups->Update(*rows, worker.positions));
    worker.rows += rows->num_rows();
    worker.bytes += BatchBytes(*rows);
    if (CanSpill() && context_->ShouldSpill(worker.groups->bytes_used())) {
      return SpillOwn(&worker);
    }
    return WantsToShare(&worker) ? Share(&worker) : arrow::Status::OK();
  }

  // All rows are one group without keys, and that cannot be merged in parts.
  bool CanSpill() const { return !groups_.empty(); }

  arrow::Status EnsureSpill() {
    const std::lock_guard lock(mutex_);
    if (spill_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(spill_, GroupSpill::Make(context_, *layout_, schema_));
    }
    return arrow::Status::OK();
  }

  arrow::Status SpillOwn(GroupWorker* worker) {
    ARROW_RETURN_NOT_OK(EnsureSpill());
    ARROW_RETURN_NOT_OK(spill_->Put(worker->groups.get()));
    worker->groups.reset();
    worker->rows = worker->bytes = 0;
    worker->group_count = 0;
    return arrow::Status::OK();
  }

  static bool WantsToShare(GroupWorker* worker) {
    const uint32_t groups = worker->groups->group_count();
    if (groups < kSharedGroupsMin || worker->rows < kRowsBetweenQuestions) {
      return false;
    }
    const int64_t new_groups = groups - worker->group_count;
    const bool wants = (groups >= kOwnGroupsMax || new_groups * kRowsOfNewGroup >= worker->rows) &&
                       worker->bytes <= worker->rows * kSharedRowBytesMax;
    worker->group_count = groups;
    worker->rows = worker->bytes = 0;
    return wants;
  }

  // Passes the worker's groups on, and from now on its rows.
  arrow::Status Share(GroupWorker* worker) {
    {
      const std::lock_guard lock(mutex_);
      if (shared_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(shared_, GroupPartitions::Make(context_, *layout_));
      }
    }
    ARROW_ASSIGN_OR_RAISE(worker->feed, GroupPartitions::Feed::Make(shared_.get()));
    if (worker->groups != nullptr) {
      ARROW_RETURN_NOT_OK(worker->feed->AddGroups(worker->groups.get()));
      worker->groups.reset();
    }
    return arrow::Status::OK();
  }

  // Merging groups of workers, sorting and finishing may take as much again as they hold.
  bool MayFinishInMemory() const {
    const int64_t limit = context_->memory_bytes_max();
    if (!CanSpill() || limit < 0 || shared_ != nullptr) {
      return true;
    }
    int64_t bytes = 0;
    for (const GroupWorker& worker : workers_) {
      bytes += worker.groups == nullptr ? 0 : worker.groups->bytes_used();
    }
    return 2 * bytes <= limit - context_->budget()->bytes_allocated();
  }

  arrow::Result<std::unique_ptr<BatchStream>> FinishSpilled() {
    ARROW_RETURN_NOT_OK(EnsureSpill());
    const auto put_aside = [this](int64_t index) -> arrow::Status {
      GroupWorker& worker = workers_[static_cast<size_t>(index)];
      if (worker.feed != nullptr) {
        return worker.feed->Flush();
      }
      return worker.groups != nullptr ? SpillOwn(&worker) : arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(ForEachTask(context_, static_cast<int64_t>(workers_.size()), put_aside));
    workers_.clear();
    if (shared_ != nullptr) {
      ARROW_RETURN_NOT_OK(shared_->SpillAll(spill_.get()));
      shared_.reset();
    }
    return spill_->Finish();
  }

  arrow::Result<std::vector<FinishedGroups>> FinishShared() {
    const auto pass_on = [this](int64_t index) -> arrow::Status {
      GroupWorker& worker = workers_[static_cast<size_t>(index)];
      if (worker.feed == nullptr) {
        ARROW_RETURN_NOT_OK(Share(&worker));
      }
      return worker.feed->Flush();
    };
    ARROW_RETURN_NOT_OK(ForEachTask(context_, static_cast<int64_t>(workers_.size()), pass_on));
    return shared_->Finish();
  }

  arrow::Result<std::vector<FinishedGroups>> MergeWorkers() {
    std::vector<GroupStates*> all;
    int64_t group_count = 0;
    int64_t bytes = 0;
    for (const GroupWorker& worker : workers_) {
      if (worker.groups != nullptr) {
        all.push_back(worker.groups.get());
        group_count += worker.groups->group_count();
        bytes += worker.groups->bytes_used();
      }
    }
    NoteBytesHeld(bytes);
    if (all.empty()) {
      ARROW_ASSIGN_OR_RAISE(workers_[0].groups, GroupStates::Make(context_, *layout_));
      all.push_back(workers_[0].groups.get());
    }
    if (all.size() == 1 || group_count <= kMergedAloneMax) {
      for (size_t i = 1; i < all.size(); ++i) {
        ARROW_RETURN_NOT_OK(all[i]->Cut(1, 0, 1));
        ARROW_RETURN_NOT_OK(all[0]->MergeLast(*all[i], 0));
      }
      std::vector<FinishedGroups> parts(1);
      ARROW_ASSIGN_OR_RAISE(parts[0], all[0]->Finish());
      return parts;
    }
    return MergePartitions(all);
  }

  arrow::Result<std::vector<FinishedGroups>> MergePartitions(const std::vector<GroupStates*>& all) {
    const auto count = static_cast<uint32_t>(context_->threads());
    const auto cut = [&](int64_t index) {
      return all[static_cast<size_t>(index)]->Cut(count, 0, count);
    };
    ARROW_RETURN_NOT_OK(ForEachTask(context_, static_cast<int64_t>(all.size()), cut));
    std::vector<FinishedGroups> parts(count);
    const auto merge = [&](int64_t index) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(const auto merged, GroupStates::Make(context_, *layout_));
      for (const GroupStates* groups : all) {
        ARROW_RETURN_NOT_OK(merged->MergeLast(*groups, static_cast<uint32_t>(index)));
      }
      ARROW_ASSIGN_OR_RAISE(parts[static_cast<size_t>(index)], merged->Finish());
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(ForEachTask(context_, count, merge));
    return parts;
  }

  QueryContext* context_;
  std::vector<int> groups_;
  std::vector<AggregateColumn> columns_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<AggregateLayout> layout_;
  std::vector<GroupWorker> workers_;
  std::mutex mutex_;  // of the making of the next two
  std::unique_ptr<GroupPartitions> shared_;
  std::unique_ptr<GroupSpill> spill_;
};

}  // namespace

std::unique_ptr<BatchStream> MakeAggregate(QueryContext* context,
                                           std::unique_ptr<BatchStream> input,
                                           std::vector<int> groups,
                                           std::vector<AggregateColumn> columns,
                                           std::shared_ptr<arrow::Schema> schema) {
  auto run = std::make_shared<AggregateRun>(context, std::move(groups), std::move(columns), schema);
  return MakeBreaker(std::move(input), std::move(schema),
                     [run](BatchStream& rows) { return run->Run(rows); });
}

}  // namespace keepone
