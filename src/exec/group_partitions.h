// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "exec/group_spill.h"
#include "exec/group_states.h"
#include "exec/key_partitioner.h"

namespace keepone {

// The groups of all workers, cut into partitions by hash of the key: every group is held once,
// however many workers meet it.
//
//   rows of a worker  --hash-->  | lock, groups | lock, groups | lock, groups | ...
//
// A worker gathers some rows, then goes round the partitions, each under its lock, taking those
// that nobody else is at first.
class GroupPartitions {
 public:
  static arrow::Result<std::unique_ptr<GroupPartitions>> Make(QueryContext* context,
                                                              const AggregateLayout& layout);

  uint32_t count() const { return static_cast<uint32_t>(partitions_.size()); }
  int64_t bytes_used() const { return bytes_.load(std::memory_order_relaxed); }

  // Puts all groups aside where the query's memory still asks for it when it is this caller's turn.
  arrow::Status Spill(GroupSpill* spill);
  // Puts all groups aside.
  arrow::Status SpillAll(GroupSpill* spill);

  // The rows of one worker on their way; used by one thread at a time.
  class Feed {
   public:
    static arrow::Result<std::unique_ptr<Feed>> Make(GroupPartitions* partitions);

    // Takes narrowed rows, the first of which is at `position` in the input; positions ascend.
    arrow::Status Add(std::shared_ptr<arrow::RecordBatch> rows, int64_t position);
    // Takes all groups of a worker.
    arrow::Status AddGroups(GroupStates* groups);
    // Passes on what is still gathered.
    arrow::Status Flush();

   private:
    struct Pending {
      std::shared_ptr<arrow::RecordBatch> rows;
      int64_t position;
    };
    // Rows for a partition, or groups, and then without positions.
    struct Piece {
      std::shared_ptr<arrow::RecordBatch> rows;
      std::vector<int64_t> positions;
    };
    using Pieces = std::vector<std::vector<Piece>>;  // of each partition

    explicit Feed(GroupPartitions* partitions) : partitions_(partitions) {}
    arrow::Status Sort(Pieces* pieces);
    arrow::Status PassOn(const Pieces& pieces);
    arrow::Status PassOnTo(uint32_t partition, const std::vector<Piece>& pieces);

    GroupPartitions* partitions_;
    std::unique_ptr<KeyPartitioner> partitioner_;
    std::vector<Pending> pending_;
    int64_t pending_rows_ = 0;
    int64_t pending_bytes_ = 0;
    uint32_t next_ = 0;  // where the next round begins
  };

  // Gives the groups of each partition. To be called once, when no Feed is in use any more.
  arrow::Result<std::vector<FinishedGroups>> Finish();

 private:
  struct Partition {
    std::mutex mutex;
    std::unique_ptr<GroupStates> groups;
    int64_t bytes = 0;
  };

  GroupPartitions(QueryContext* context, const AggregateLayout& layout, size_t count)
      : context_(context), layout_(layout), partitions_(count) {}

  QueryContext* context_;
  const AggregateLayout& layout_;
  std::vector<Partition> partitions_;
  std::atomic<int64_t> bytes_{0};
  std::mutex spill_mutex_;  // whoever puts groups aside
};

}  // namespace keepone
