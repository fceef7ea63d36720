// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/winner_blocks.h"
#include "column/winner_table.h"

namespace keepone {

// One set of winner tables that all workers fill, each holding the groups of one partition by the
// hash of the group key: every group is held once, however many workers meet it, and nothing is
// left to be merged.
//
//   blocks of a worker  --hash-->  | lock, table | lock, table | lock, table | ...
//
// A worker gathers some blocks, then goes round the partitions, each under its lock, taking those
// that nobody else is at first. As winners do not depend on the order in which rows come, neither
// does the answer.
class WinnerPartitions {
 public:
  // REQUIRES: the spec has no group_count_max.
  static arrow::Result<std::unique_ptr<WinnerPartitions>> Make(QueryContext* context,
                                                               const WinnerSpec& spec);

  // The rows of one worker on their way; used by one thread at a time.
  class Feed {
   public:
    static arrow::Result<std::unique_ptr<Feed>> Make(WinnerPartitions* partitions);

    arrow::Status Consume(const arrow::ArrayVector& group_columns,
                          const arrow::ArrayVector& order_columns,
                          std::span<const int64_t> addresses);
    // Takes over all rows of a table, which is empty then.
    arrow::Status ConsumeTable(WinnerTable* table);

    // Passes on what is still gathered. To be called behind the last row.
    arrow::Status Finish();

   private:
    // A block with its rows sorted by partition: those of partition p are
    // rows[begins[p]] up to rows[begins[p + 1]].
    struct Block {
      const WinnerBlocks* block = nullptr;
      std::array<uint16_t, kBlockRows> rows;
      std::vector<uint16_t> begins;
    };

    explicit Feed(WinnerPartitions* partitions);
    void Add(const WinnerBlocks& block, int64_t rows);
    arrow::Status Flush();
    arrow::Status FlushTo(uint32_t partition);

    WinnerPartitions* partitions_;
    MemoryReservation reservation_;
    std::vector<std::unique_ptr<WinnerBlocks>> readers_;  // one for each block that is gathered
    std::vector<Block> blocks_;                           // the first block_count_ are gathered
    size_t block_count_ = 0;
    std::vector<uint32_t> row_partitions_;
    std::vector<uint32_t> busy_;  // partitions that somebody else was at
    uint32_t next_ = 0;           // where the next round begins
  };

  int64_t bytes_used() const;
  // Gives what stays. To be called once, when no Feed is in use any more.
  arrow::Result<Winners> Finish();

 private:
  struct Partition {
    std::mutex mutex;
    std::unique_ptr<WinnerTable> table;
  };

  WinnerPartitions(QueryContext* context, const WinnerSpec& spec, size_t count)
      : context_(context), spec_(spec), partitions_(count) {}

  QueryContext* context_;
  WinnerSpec spec_;
  std::vector<Partition> partitions_;
};

}  // namespace keepone
