// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "exec/held_rows.h"

namespace keepone {

// The columns of the winning row of each group, by number of the group.
//
//   group   0  1  2            chunk 0   chunk 1       a winner takes the place of the one before;
//   place   |  |  +----------> row 0     (dead)        a chunk without living rows goes at once,
//   and
//           |  +----------------------->  row 1        when dead rows are half the living ones,
//           +----------------> row 1                   those of the chunks concerned are copied
//
// So what is held is about half more than what lives, or a few batches, and the cost follows the
// number of wins. Used by one thread at a time, but for what is const.
class WinnerArena {
 public:
  WinnerArena(QueryContext* context, std::shared_ptr<arrow::Schema> schema);

  // Rows `chosen[i]` of the batch are the winners of group_ids[chosen[i]] from now on.
  // REQUIRES: a group is there once at most, and below `group_count`.
  arrow::Status Put(const std::shared_ptr<arrow::RecordBatch>& rows,
                    std::span<const uint32_t> chosen, std::span<const uint32_t> group_ids,
                    int64_t group_count);

  // The winners of groups, NULL where there is none.
  arrow::Result<arrow::ArrayVector> Gather(std::span<const uint32_t> groups) const;

  // Takes the chunks of another arena, not its places. Nothing but PutAdopted() and Finish() may
  // follow. Gives the number of the first.
  uint32_t Adopt(const WinnerArena& other);
  // The winner of a group of `other`, which was adopted as `first_chunk`, is that of `group`.
  void PutAdopted(const WinnerArena& other, uint32_t first_chunk, uint32_t other_group,
                  uint32_t group) {
    const RowPlace place = other.places_[other_group];
    places_[group] = {first_chunk + place.batch, place.row};
  }
  arrow::Status Resize(int64_t group_count);

  // Everything, column by column: the chunks and where the groups' rows are in them; a row of NULLs
  // stands for those without one.
  struct Finished {
    std::vector<arrow::ArrayVector> columns;
    std::shared_ptr<RowOrder> places;
    double row_bytes = 0;  // of all columns, on average
  };
  arrow::Result<Finished> Finish(int64_t group_count);

  int64_t bytes_used() const {
    return static_cast<int64_t>(living_.bytes + dead_.bytes) + reserved_.bytes();
  }

 private:
  static constexpr uint32_t kNoChunk = UINT32_MAX;

  struct Chunk {
    std::shared_ptr<arrow::RecordBatch> rows;  // nullptr when the number is free
    std::vector<uint32_t> groups;              // of each row, whether it lives or not
    int64_t living = 0;
    double row_bytes = 0;
  };
  struct Amount {
    int64_t rows = 0;
    double bytes = 0;
    void Add(int64_t more, double row_bytes) {
      rows += more;
      bytes += static_cast<double>(more) * row_bytes;
    }
  };

  // Gives the chunk's number. Its rows have their places yet to get.
  uint32_t AddChunk(std::shared_ptr<arrow::RecordBatch> rows, std::vector<uint32_t> groups);
  void PutChunk(std::shared_ptr<arrow::RecordBatch> rows, std::vector<uint32_t> groups);
  void Kill(RowPlace place);
  void Free(uint32_t chunk);
  bool IsLarge(int64_t rows, double bytes) const;
  arrow::Status Settle();
  arrow::Status Thin();
  // Copies the living rows of chunks to new ones.
  arrow::Status Rewrite(const std::vector<uint32_t>& chunks);
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NullRow() const;

  QueryContext* context_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<RowPlace> places_;  // of each group
  std::vector<Chunk> chunks_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> pieces_;  // chunks that are small and will be joined
  Amount in_pieces_;
  Amount living_;
  Amount dead_;
  MemoryReservation reserved_;
};

}  // namespace keepone
