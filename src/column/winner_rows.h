// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include <arrow/status.h>

#include "base/error.h"
#include "column/key_block.h"
#include "column/order_bits.h"
#include "column/pool_storage.h"
#include "column/winner_table.h"

namespace keepone {

// The rows that a group keeps when it may keep several. A group of one row, the common case where
// groups are near-unique, holds it in its state; more rows lie in a block that doubles.
//
//   state  [ count 4 | bounded 4 | item ]                      one row
//          [ count 4 | bounded 4 | block 8 | size class 8 ]    several
//
// A row that surely does not stay is dropped by one comparison with the bound: the last of the
// first `bounded` items, which were sorted and complete when last cut. Others are appended; a full
// block is sorted and cut to what stays, and doubles if that is still more than half of it.
template <typename Order>
class WinnerRows {
 public:
  WinnerRows(arrow::MemoryPool* pool, KeepRule rule, int64_t n, Order* order)
      : rule_(rule),
        n_(static_cast<uint32_t>(std::min<int64_t>(n, std::numeric_limits<uint32_t>::max()))),
        order_(order),
        item_bytes_(order->item_bytes()),
        extents_(pool) {}

  int64_t state_bytes() const { return 8 + std::max<int64_t>(item_bytes_, 16); }
  int64_t bytes_used() const { return extents_.bytes_used(); }

  arrow::Status Start(const KeyBlock& block, uint16_t row, uint64_t tie, uint8_t* state) {
    SetCounts(state, 1, n_ == 1 ? 1 : 0);
    return order_->Store(block, row, tie, state + 8);
  }

  arrow::Status Add(const KeyBlock& block, uint16_t row, uint64_t tie, uint8_t* state) {
    const auto bounded = LoadAs<uint32_t>(state + 4);
    if (bounded > 0) {
      const uint8_t* bound = Item(state, bounded - 1);
      const bool beyond = rule_ == KeepRule::kRowNumber
                              ? !order_->Less(block, row, tie, bound)
                              : order_->CompareOrder(block, row, tie, bound) > 0;
      if (beyond) {
        return arrow::Status::OK();
      }
    }
    ARROW_RETURN_NOT_OK(MakeRoom(state));
    const uint32_t count = Count(state);
    uint8_t* items = LoadAs<uint8_t*>(state + 8);
    ARROW_RETURN_NOT_OK(order_->Store(block, row, tie, items + int64_t{count} * item_bytes_));
    StoreAs(state, count + 1);
    return arrow::Status::OK();
  }

  static uint32_t Count(const uint8_t* state) { return LoadAs<uint32_t>(state); }
  uint8_t* Item(uint8_t* state, uint32_t index) const {
    return Items(state) + static_cast<int64_t>(index) * item_bytes_;
  }

  // Sorts the rows of a group and cuts them to those that stay.
  void Cut(uint8_t* state) {
    const uint32_t count = Count(state);
    if (count > 1) {
      Sort(Items(state), count);
    }
    uint32_t kept = 0;
    int64_t number = 0;
    for (; kept < count; ++kept) {
      number = NextNumber(state, kept, number);
      if (number > n_) {
        break;
      }
    }
    // Whether a row beyond the last one kept can never stay.
    const bool complete = rule_ == KeepRule::kDenseRank ? kept < count || number >= n_ : kept >= n_;
    for (uint32_t i = kept; i < count; ++i) {
      order_->Drop(Item(state, i));
    }
    SetCounts(state, kept, complete ? kept : 0);
    // One row is always in the state, wherever it lay before.
    if (kept == 1 && count > 1) {
      uint8_t* block = LoadAs<uint8_t*>(state + 8);
      const int size_class = SizeClass(state);
      std::memcpy(scratch_item_.data(), block, static_cast<size_t>(item_bytes_));
      extents_.Free(size_class, block);
      std::memcpy(state + 8, scratch_item_.data(), static_cast<size_t>(item_bytes_));
    }
  }

  // The number by the rule of the item at `index` of sorted rows; `previous` is that of the one
  // before it, 0 at the first.
  int64_t NextNumber(uint8_t* state, uint32_t index, int64_t previous) const {
    if (rule_ == KeepRule::kRowNumber || index == 0) {
      return int64_t{index} + 1;
    }
    if (order_->CompareItems(Item(state, index - 1), Item(state, index)) == 0) {
      return previous;
    }
    return rule_ == KeepRule::kRank ? int64_t{index} + 1 : previous + 1;
  }

 private:
  static constexpr int64_t kItemBytesMax = 40;

  static void SetCounts(uint8_t* state, uint32_t count, uint32_t bounded) {
    StoreAs(state, count);
    StoreAs(state + 4, bounded);
  }
  static int SizeClass(const uint8_t* state) {
    return static_cast<int>(LoadAs<uint64_t>(state + 16));
  }
  uint8_t* Items(uint8_t* state) const {
    return Count(state) == 1 ? state + 8 : LoadAs<uint8_t*>(state + 8);
  }

  // ENSURES: the rows lie in a block with room for one more. The count stays, so while it is 1 the
  // caller must store the next row at once.
  arrow::Status MakeRoom(uint8_t* state) {
    uint32_t count = Count(state);
    if (count > 1) {
      const int64_t capacity = (int64_t{1} << SizeClass(state)) / item_bytes_;
      if (count < capacity) {
        return arrow::Status::OK();
      }
      Cut(state);
      count = Count(state);
      if (count > 1 && count <= capacity / 2) {
        return arrow::Status::OK();
      }
      if (count == std::numeric_limits<uint32_t>::max() - 1) {
        return ResourceError("more than ", count, " rows of one group are kept");
      }
    }
    return Enlarge(state, count);
  }

  arrow::Status Enlarge(uint8_t* state, uint32_t count) {
    const bool has_block = count > 1;
    const int old_class = has_block ? SizeClass(state) : 0;
    const auto least = static_cast<uint64_t>(item_bytes_) * 2;
    const int size_class = has_block ? old_class + 1 : static_cast<int>(std::bit_width(least - 1));
    uint8_t* block = nullptr;
    ARROW_RETURN_NOT_OK(extents_.Allocate(size_class, &block));
    const uint8_t* items = Items(state);
    std::memcpy(block, items, static_cast<size_t>(count) * static_cast<size_t>(item_bytes_));
    if (has_block) {
      extents_.Free(old_class, LoadAs<uint8_t*>(state + 8));
    }
    StoreAs(state + 8, block);
    StoreAs(state + 16, static_cast<uint64_t>(size_class));
    return arrow::Status::OK();
  }

  void Sort(uint8_t* items, uint32_t count) {
    const auto less = [&](uint32_t a, uint32_t b) {
      const uint8_t* item_a = items + int64_t{a} * item_bytes_;
      const uint8_t* item_b = items + int64_t{b} * item_bytes_;
      const int order = order_->CompareItems(item_a, item_b);
      return order != 0 ? order < 0 : order_->Tie(item_a) < order_->Tie(item_b);
    };
    permutation_.resize(count);
    std::iota(permutation_.begin(), permutation_.end(), 0u);
    if (std::is_sorted(permutation_.begin(), permutation_.end(), less)) {
      return;
    }
    std::sort(permutation_.begin(), permutation_.end(), less);
    const auto width = static_cast<size_t>(item_bytes_);
    scratch_.resize(count * width);
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(scratch_.data() + i * width, items + permutation_[i] * width, width);
    }
    std::memcpy(items, scratch_.data(), count * width);
  }

  KeepRule rule_;
  uint32_t n_;
  Order* order_;
  int64_t item_bytes_;
  ExtentPool extents_;
  std::vector<uint32_t> permutation_;
  std::vector<uint8_t> scratch_;
  std::array<uint8_t, kItemBytesMax> scratch_item_;
};

}  // namespace keepone
