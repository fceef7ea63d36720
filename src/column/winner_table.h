// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/memory_budget.h"
#include "column/winner_spec.h"

namespace keepone {

class WinnerBlocks;

// The addresses of the rows that stay, ascending, and what numbers they have in their groups.
struct Winners {
  std::shared_ptr<arrow::Int64Array> addresses;
  // By the rule: row_number(), rank() or dense_rank(). nullptr where all are 1.
  std::shared_ptr<arrow::Int64Array> numbers;
};

// Picks, of each group, the rows that come first: group key -> best order key and row address.
//
//   k   o   address            group k, order o
//   a   3   0
//   b   1   1       ------->   addresses 1, 2
//   a   2   2
//
// Rows of a group are ordered by the order keys (as KeyEncoder does), then by address: the smaller
// comes first, or the larger with `last_wins`. So the answer depends neither on the order in which
// rows are consumed nor on how they are spread over tables that are merged.
// Group keys are equal as in GroupTable; any type is a group or order key.
//
// Memory: 24 bytes and 11 to 21 bytes of slots per group for one group and one order column of at
// most 8 bytes; otherwise the encoded keys. Further rows of a group take their items, at most
// twice. With group_count_max = g it does not grow with the groups beyond 2 g + 1024. All of it is
// taken from the budget.
// Not for use by several threads at once. After an error only destruction is defined.
class WinnerTable {
 public:
  // `budget` must outlive the table.
  static arrow::Result<std::unique_ptr<WinnerTable>> Make(WinnerSpec spec, MemoryBudget* budget);
  virtual ~WinnerTable() = default;

  // Takes in rows. REQUIRES: every column has as many rows as there are addresses, which are at
  // least 0, and unique over all calls and all tables to be merged.
  virtual arrow::Status Consume(const arrow::ArrayVector& group_columns,
                                const arrow::ArrayVector& order_columns,
                                std::span<const int64_t> addresses) = 0;
  // The same for rows with the addresses first_address, first_address + 1, ...
  virtual arrow::Status ConsumeRange(const arrow::ArrayVector& group_columns,
                                     const arrow::ArrayVector& order_columns, int64_t first_address,
                                     int64_t rows) = 0;

  // The same for some rows of a block, which was read by another object of the same spec. What the
  // table will look at is asked for ahead by calling the first, then the second of these for the
  // same rows. REQUIRES: the rows are numbers of rows of the block.
  virtual void PrefetchSlots(const WinnerBlocks& block, std::span<const uint16_t> rows) const = 0;
  virtual void PrefetchGroups(const WinnerBlocks& block, std::span<const uint16_t> rows) const = 0;
  virtual arrow::Status ConsumeBlock(const WinnerBlocks& block, std::span<const uint16_t> rows) = 0;

  // Gives all rows that are held, as blocks: their first `rows` rows, with hashes. The keys' bytes
  // stand until the table changes. REQUIRES: the visitor does not use the table.
  using BlockVisitor = std::function<arrow::Status(const WinnerBlocks& block, int64_t rows)>;
  virtual arrow::Status ReadBack(const BlockVisitor& visit) = 0;
  // Forgets all rows and gives their memory back.
  virtual void Clear() = 0;

  // Takes in the rows of one partition (by hash of the group key) of a table of the same spec,
  // which stays as it is: several threads may merge different partitions of it at once.
  // REQUIRES: partition_count is 1 if the spec has group_count_max.
  virtual arrow::Status MergeFrom(const WinnerTable& other, uint32_t partition,
                                  uint32_t partition_count) = 0;

  virtual uint32_t group_count() const = 0;
  virtual int64_t bytes_used() const = 0;

  // Gives what stays in tables of one spec that have no group in common, and empties them.
  static arrow::Result<Winners> Finish(std::span<const std::unique_ptr<WinnerTable>> tables,
                                       MemoryBudget* budget);

 private:
  // Cuts every group to the rows that stay and gives their number.
  virtual arrow::Result<int64_t> Seal() = 0;
  virtual bool has_numbers() const = 0;
  // Writes the addresses, and the numbers unless that is nullptr, of the sealed rows and frees
  // what the table holds.
  virtual void Drain(int64_t* addresses, int64_t* numbers) = 0;
};

}  // namespace keepone
