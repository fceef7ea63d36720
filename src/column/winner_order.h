// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include <arrow/status.h>

#include "column/key_block.h"
#include "column/order_bits.h"
#include "column/pool_storage.h"

namespace keepone {

// The order of rows within a group: an order key and a tie word, held as an item of some bytes.
// The tie word is the address of the row, turned so that the smaller one wins; its top bit ranks a
// NULL of a kUInt64 key. An item is better when it is less.
//
// Three forms with the same members; `row` is a row of an order KeyBlock, `tie` its tie word:
//   item_bytes                      the width of an item, a multiple of 8
//   CompareOrder(block, row, tie, item), CompareItems(a, b)
//                                   < 0, 0, > 0 by the order key alone
//   Less(block, row, tie, item)     whether the row comes first by order key, then address
//   Store(block, row, tie, item)    makes an item of raw memory
//   Replace(block, row, tie, item)  overwrites an item
//   Drop(item)                      forgets what an item holds elsewhere
//   Load(item, row, block, tie)     the way back, as KeyReader would give it
constexpr uint64_t kRankBit = uint64_t{1} << 63;

inline uint64_t AddressOfTie(uint64_t tie, bool last_wins) {
  const uint64_t word = tie & ~kRankBit;
  return last_wins ? ~kRankBit - word : word;
}

// [ value 8 | tie 8 ]
class UInt64Order {
 public:
  UInt64Order(arrow::MemoryPool*, int32_t) {}

  int64_t item_bytes() const { return 16; }
  static uint64_t Tie(const uint8_t* item) { return LoadAs<uint64_t>(item + 8); }
  int64_t bytes_used() const { return 0; }
  bool wants_compaction() const { return false; }

  int CompareOrder(const KeyBlock& block, uint16_t row, uint64_t tie, const uint8_t* item) const {
    return Compare(block.values[row], tie, LoadAs<uint64_t>(item), Tie(item));
  }
  int CompareItems(const uint8_t* a, const uint8_t* b) const {
    return Compare(LoadAs<uint64_t>(a), Tie(a), LoadAs<uint64_t>(b), Tie(b));
  }
  bool Less(const KeyBlock& block, uint16_t row, uint64_t tie, const uint8_t* item) const {
    const uint64_t other_tie = Tie(item);
    if (((tie ^ other_tie) & kRankBit) != 0) [[unlikely]] {
      return tie < other_tie;
    }
    const uint64_t value = block.values[row];
    const auto other = LoadAs<uint64_t>(item);
    return value != other ? value < other : tie < other_tie;
  }
  arrow::Status Store(const KeyBlock& block, uint16_t row, uint64_t tie, uint8_t* item) {
    StoreAs(item, block.values[row]);
    StoreAs(item + 8, tie);
    return arrow::Status::OK();
  }
  arrow::Status Replace(const KeyBlock& block, uint16_t row, uint64_t tie, uint8_t* item) {
    return Store(block, row, tie, item);
  }
  void Drop(const uint8_t*) {}
  void Load(const uint8_t* item, uint16_t row, KeyBlock* block, uint64_t* tie) const {
    block->values[row] = LoadAs<uint64_t>(item);
    *tie = Tie(item);
  }

 private:
  static int Compare(uint64_t a, uint64_t tie_a, uint64_t b, uint64_t tie_b) {
    if (((tie_a ^ tie_b) & kRankBit) != 0) {
      return tie_a < tie_b ? -1 : 1;
    }
    return a < b ? -1 : (a > b ? 1 : 0);
  }
};

// [ key, padded to 8 | tie 8 ]; a width of 0 serves tables without an order.
class FixedOrder {
 public:
  FixedOrder(arrow::MemoryPool*, int32_t width) : width_(width) {}

  int64_t item_bytes() const { return ByteArena::Padded(width_) + 8; }
  uint64_t Tie(const uint8_t* item) const {
    return LoadAs<uint64_t>(item + ByteArena::Padded(width_));
  }
  int64_t bytes_used() const { return 0; }
  bool wants_compaction() const { return false; }

  int CompareOrder(const KeyBlock& block, uint16_t row, uint64_t, const uint8_t* item) const {
    return width_ == 0 ? 0 : std::memcmp(block.data[row], item, static_cast<size_t>(width_));
  }
  int CompareItems(const uint8_t* a, const uint8_t* b) const {
    return std::memcmp(a, b, static_cast<size_t>(width_));
  }
  bool Less(const KeyBlock& block, uint16_t row, uint64_t tie, const uint8_t* item) const {
    const int order = CompareOrder(block, row, tie, item);
    return order != 0 ? order < 0 : tie < Tie(item);
  }
  arrow::Status Store(const KeyBlock& block, uint16_t row, uint64_t tie, uint8_t* item) {
    if (width_ > 0) {
      std::memcpy(item, block.data[row], static_cast<size_t>(width_));
    }
    StoreAs(item + ByteArena::Padded(width_), tie);
    return arrow::Status::OK();
  }
  arrow::Status Replace(const KeyBlock& block, uint16_t row, uint64_t tie, uint8_t* item) {
    return Store(block, row, tie, item);
  }
  void Drop(const uint8_t*) {}
  void Load(const uint8_t* item, uint16_t row, KeyBlock* block, uint64_t* tie) const {
    block->data[row] = item;
    block->lengths[row] = static_cast<uint32_t>(width_);
    *tie = Tie(item);
  }

 private:
  int32_t width_;
};

}  // namespace keepone
