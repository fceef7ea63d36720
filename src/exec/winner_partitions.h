// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "column/winner_blocks.h"
#include "column/winner_table.h"
#include "exec/spill_file.h"

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
//
// Under memory pressure partitions are put aside on disk and begun anew; in the end each is read
// back by itself, in parts where it is still too large, and its winners' addresses are sorted runs
// that are merged as they are given out.
class WinnerPartitions {
 public:
  // REQUIRES: the spec has group keys and no group_count_max.
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

  int64_t bytes_used() const { return bytes_.load(std::memory_order_relaxed); }
  // Puts the winners of one partition after another aside, as winner states (winner_state.h), for
  // as long as the query's memory asks for it.
  arrow::Status SpillIfWanted();

  // Gives what stays as a stream of addresses, ascending, and the numbers if the schema has two
  // columns. To be called once, when no Feed is in use any more.
  arrow::Result<std::unique_ptr<BatchStream>> Finish(std::shared_ptr<arrow::Schema> schema);

 private:
  struct Partition {
    std::mutex mutex;
    std::unique_ptr<WinnerTable> table;
    int64_t bytes = 0;                // of the table, as counted in bytes_
    std::unique_ptr<SpillFile> file;  // nullptr: nothing was put aside
  };

  WinnerPartitions(QueryContext* context, const WinnerSpec& spec, size_t count)
      : context_(context), spec_(spec), partitions_(count), reservation_(context->budget()) {}

  void CountBytes(Partition* partition);
  arrow::Status Spill(Partition* partition);
  arrow::Result<std::unique_ptr<BatchStream>> FinishSpilled(std::shared_ptr<arrow::Schema> schema);
  // Into how many parts a partition is cut so that the winners of each fit the memory.
  uint32_t PartCount(const SpillFile& file) const;
  // Picks again among what was put aside of a part, and gives its winners as a run.
  arrow::Result<std::unique_ptr<SpillFile>> FinishPart(
      const SpillFile& file, uint32_t part, uint32_t part_count,
      const std::shared_ptr<arrow::Schema>& schema) const;

  QueryContext* context_;
  WinnerSpec spec_;
  std::vector<Partition> partitions_;
  MemoryReservation reservation_;
  std::atomic<int64_t> bytes_{0};
  std::mutex spill_mutex_;    // whoever puts aside
  size_t next_to_spill_ = 0;  // under spill_mutex_
};

// Winners in memory as a stream of the columns of `schema`: addresses, and numbers if it has two.
arrow::Result<std::unique_ptr<BatchStream>> MakeWinnerStream(QueryContext* context,
                                                             const Winners& winners,
                                                             std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
