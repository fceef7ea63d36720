// SPDX-License-Identifier: Apache-2.0
#include "column/winner_blocks.h"

#include <utility>

#include <arrow/array.h>

#include "base/check.h"
#include "column/winner_order.h"

namespace keepone {

WinnerBlocks::WinnerBlocks(const WinnerSpec& spec, std::unique_ptr<KeyReader> group_reader,
                           std::unique_ptr<KeyReader> order_reader)
    : group_reader_(std::move(group_reader)),
      order_reader_(std::move(order_reader)),
      flip_(spec.last_wins ? ~kRankBit : 0),
      nulls_first_(!spec.order_keys.empty() && spec.order_keys[0].nulls_first) {}

arrow::Result<std::unique_ptr<WinnerBlocks>> WinnerBlocks::Make(const WinnerSpec& spec,
                                                                arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto groups, KeyReader::Make(spec.group_keys, pool));
  ARROW_ASSIGN_OR_RAISE(auto orders, KeyReader::Make(spec.order_keys, pool));
  return std::unique_ptr<WinnerBlocks>(
      new WinnerBlocks(spec, std::move(groups), std::move(orders)));
}

arrow::Status WinnerBlocks::BindColumns(const arrow::ArrayVector& group_columns,
                                        const arrow::ArrayVector& order_columns, int64_t rows) {
  for (const auto* columns : {&group_columns, &order_columns}) {
    for (const auto& column : *columns) {
      KEEPONE_CHECK(column->length() == rows);
    }
  }
  rows_ = rows;
  offset_ = block_rows_ = 0;
  ARROW_RETURN_NOT_OK(group_reader_->Bind(group_columns));
  return order_reader_->Bind(order_columns);
}

arrow::Status WinnerBlocks::Bind(const arrow::ArrayVector& group_columns,
                                 const arrow::ArrayVector& order_columns,
                                 std::span<const int64_t> addresses) {
  addresses_ = addresses.data();
  return BindColumns(group_columns, order_columns, static_cast<int64_t>(addresses.size()));
}

arrow::Status WinnerBlocks::BindRange(const arrow::ArrayVector& group_columns,
                                      const arrow::ArrayVector& order_columns,
                                      int64_t first_address, int64_t rows) {
  addresses_ = nullptr;
  first_address_ = first_address;
  return BindColumns(group_columns, order_columns, rows);
}

arrow::Result<int64_t> WinnerBlocks::Next() {
  ARROW_ASSIGN_OR_RAISE(const int64_t rows, NextGroups());
  return rows == 0 ? rows : ReadRest();
}

arrow::Result<int64_t> WinnerBlocks::NextGroups() {
  offset_ += block_rows_;
  block_rows_ = 0;
  if (offset_ < rows_) {
    ARROW_ASSIGN_OR_RAISE(block_rows_, group_reader_->Read(offset_, rows_ - offset_, &groups));
  }
  return block_rows_;
}

arrow::Result<int64_t> WinnerBlocks::ReadRest() {
  ARROW_ASSIGN_OR_RAISE(block_rows_, order_reader_->Read(offset_, block_rows_, &orders));
  Hash(block_rows_);
  if (addresses_ != nullptr) {
    FillTies(addresses_ + offset_, block_rows_);
    return block_rows_;
  }
  const auto first = static_cast<uint64_t>(first_address_ + offset_);
  for (size_t i = 0; i < static_cast<size_t>(block_rows_); ++i) {
    ties[i] = (first + i) ^ flip_;
  }
  RankNulls(block_rows_);
  return block_rows_;
}

void WinnerBlocks::FillTies(const int64_t* addresses, int64_t rows) {
  for (size_t i = 0; i < static_cast<size_t>(rows); ++i) {
    ties[i] = static_cast<uint64_t>(addresses[i]) ^ flip_;
  }
  RankNulls(rows);
}

// A NULL order key is told from the value 0 by the top bit of the tie word, which comes first.
void WinnerBlocks::RankNulls(int64_t rows) {
  if (order_form() != KeyForm::kUInt64) {
    return;
  }
  const auto count = static_cast<size_t>(rows);
  if (!orders.has_nulls) {
    if (nulls_first_) {
      for (size_t i = 0; i < count; ++i) {
        ties[i] |= kRankBit;
      }
    }
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    ties[i] |= (orders.nulls[i] != 0) != nulls_first_ ? kRankBit : 0;
  }
}

}  // namespace keepone
