// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "column/key_block.h"
#include "column/winner_spec.h"

namespace keepone {

// Rows on their way into winner tables: their group keys, order keys and addresses, read in blocks.
//
//   columns, addresses   --->   | block | block | ...      each of up to kBlockRows rows
//
// One object serves one thread; the block that it holds may be given to several tables of its spec.
class WinnerBlocks {
 public:
  static arrow::Result<std::unique_ptr<WinnerBlocks>> Make(const WinnerSpec& spec,
                                                           arrow::MemoryPool* pool);

  // What to read. Columns and addresses must stay until all blocks are read.
  // REQUIRES: every column has as many rows as there are addresses, which are at least 0.
  arrow::Status Bind(const arrow::ArrayVector& group_columns,
                     const arrow::ArrayVector& order_columns, std::span<const int64_t> addresses);
  // The same for rows with the addresses first_address, first_address + 1, ...
  arrow::Status BindRange(const arrow::ArrayVector& group_columns,
                          const arrow::ArrayVector& order_columns, int64_t first_address,
                          int64_t rows);

  // The next block begins at this row of what is bound.
  void StartAt(int64_t row) {
    offset_ = row;
    block_rows_ = 0;
  }
  // Reads the next block whole and gives the number of its rows, 0 behind the last one.
  arrow::Result<int64_t> Next();
  // The same in two steps, for who may not want the rows once their group keys are known: the group
  // keys alone; then all else, perhaps of fewer rows: the number that the block has now.
  arrow::Result<int64_t> NextGroups();
  arrow::Result<int64_t> ReadRest();

  // For blocks whose keys were written by hand: makes the tie words, of the order keys' NULLs too;
  // makes the hashes of the group keys.
  void FillTies(const int64_t* addresses, int64_t rows);
  void Hash(int64_t rows) { HashBlock(group_form(), group_width(), rows, &groups); }

  KeyForm group_form() const { return group_reader_->form(); }
  KeyForm order_form() const { return order_reader_->form(); }
  int32_t group_width() const { return group_reader_->width(); }
  int32_t order_width() const { return order_reader_->width(); }

  // The block at hand.
  KeyBlock groups;
  KeyBlock orders;
  std::array<uint64_t, kBlockRows> ties;  // tie words, see winner_order.h

 private:
  WinnerBlocks(const WinnerSpec& spec, std::unique_ptr<KeyReader> groups,
               std::unique_ptr<KeyReader> orders);

  arrow::Status BindColumns(const arrow::ArrayVector& group_columns,
                            const arrow::ArrayVector& order_columns, int64_t rows);
  void RankNulls(int64_t rows);

  std::unique_ptr<KeyReader> group_reader_;
  std::unique_ptr<KeyReader> order_reader_;
  uint64_t flip_;  // turns addresses for ties to the last
  bool nulls_first_;
  // What is bound.
  const int64_t* addresses_ = nullptr;  // nullptr: consecutive ones
  int64_t first_address_ = 0;
  int64_t rows_ = 0;
  // The block at hand is rows [offset_, offset_ + block_rows_).
  int64_t offset_ = 0;
  int64_t block_rows_ = 0;
};

}  // namespace keepone
