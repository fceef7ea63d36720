// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <arrow/status.h>

#include "column/key_block.h"
#include "column/order_bits.h"
#include "column/pool_storage.h"

namespace keepone {

// The form of winner_order.h for order keys of any length; those that an item cannot hold lie in an
// arena, whose dead bytes the owner of the items has to have compacted.
//
// [ length 4 | up to 20 bytes, or 12 bytes and a pointer to all | tie 8 ]
class BytesOrder {
 public:
  BytesOrder(arrow::MemoryPool* pool, int32_t) : pool_(pool), arena_(pool) {}

  int64_t item_bytes() const { return 32; }
  static uint64_t Tie(const uint8_t* item) { return LoadAs<uint64_t>(item + 24); }
  int64_t bytes_used() const { return arena_.bytes_used(); }

  int CompareOrder(const KeyBlock& block, uint16_t row, uint64_t, const uint8_t* item) const {
    const uint32_t length = LoadAs<uint32_t>(item);
    const uint32_t common = std::min(block.lengths[row], length);
    // The beginning lies in the item; most keys differ there.
    const uint32_t near = std::min(common, kPrefix);
    int order = std::memcmp(block.data[row], item + 4, near);
    if (order == 0 && common > near) {
      order = std::memcmp(block.data[row] + near, Data(item) + near, common - near);
    }
    return order != 0 ? order : CompareLengths(block.lengths[row], length);
  }
  int CompareItems(const uint8_t* a, const uint8_t* b) const {
    const uint32_t length_a = LoadAs<uint32_t>(a);
    const uint32_t length_b = LoadAs<uint32_t>(b);
    const int order = std::memcmp(Data(a), Data(b), std::min(length_a, length_b));
    return order != 0 ? order : CompareLengths(length_a, length_b);
  }
  bool Less(const KeyBlock& block, uint16_t row, uint64_t tie, const uint8_t* item) const {
    const int order = CompareOrder(block, row, tie, item);
    return order != 0 ? order < 0 : tie < Tie(item);
  }

  arrow::Status Store(const KeyBlock& block, uint16_t row, uint64_t tie, uint8_t* item) {
    uint8_t* out_of_line = nullptr;
    if (block.lengths[row] > kInline) {
      ARROW_RETURN_NOT_OK(arena_.Allocate(block.lengths[row], &out_of_line));
      bytes_live_ += ByteArena::Padded(block.lengths[row]);
      bytes_held_ += ByteArena::Padded(block.lengths[row]);
    }
    Fill(block.data[row], block.lengths[row], tie, out_of_line, item);
    return arrow::Status::OK();
  }
  arrow::Status Replace(const KeyBlock& block, uint16_t row, uint64_t tie, uint8_t* item) {
    const uint32_t old_length = LoadAs<uint32_t>(item);
    const uint32_t length = block.lengths[row];
    if (old_length > kInline && length > kInline &&
        ByteArena::Padded(length) == ByteArena::Padded(old_length)) {
      Fill(block.data[row], length, tie, LoadAs<uint8_t*>(item + 16), item);
      return arrow::Status::OK();
    }
    Drop(item);
    return Store(block, row, tie, item);
  }
  void Drop(const uint8_t* item) {
    const uint32_t length = LoadAs<uint32_t>(item);
    bytes_live_ -= length > kInline ? ByteArena::Padded(length) : 0;
  }
  void Load(const uint8_t* item, uint16_t row, KeyBlock* block, uint64_t* tie) const {
    block->data[row] = Data(item);
    block->lengths[row] = LoadAs<uint32_t>(item);
    *tie = Tie(item);
  }

  // Whether the dead bytes outnumber the living.
  bool wants_compaction() const {
    return bytes_held_ > kCompactionBytesMin && bytes_held_ > 2 * bytes_live_;
  }
  // To compact: BeginCompaction(), Move() each item once, then EndCompaction().
  void BeginCompaction() {
    std::swap(arena_, old_arena_);
    bytes_held_ = bytes_live_ = 0;
  }
  arrow::Status Move(uint8_t* item) {
    const uint32_t length = LoadAs<uint32_t>(item);
    if (length > kInline) {
      uint8_t* fresh = nullptr;
      ARROW_RETURN_NOT_OK(arena_.Allocate(length, &fresh));
      std::memcpy(fresh, LoadAs<const uint8_t*>(item + 16), length);
      StoreAs(item + 16, fresh);
      bytes_held_ += ByteArena::Padded(length);
    }
    bytes_live_ = bytes_held_;
    return arrow::Status::OK();
  }
  void EndCompaction() { old_arena_.Clear(); }

 private:
  static constexpr uint32_t kPrefix = 12;
  static constexpr uint32_t kInline = 20;
  static constexpr int64_t kCompactionBytesMin = 1 << 20;

  static int CompareLengths(uint32_t a, uint32_t b) { return a < b ? -1 : (a > b ? 1 : 0); }
  static const uint8_t* Data(const uint8_t* item) {
    return LoadAs<uint32_t>(item) > kInline ? LoadAs<const uint8_t*>(item + 16) : item + 4;
  }
  static void Fill(const uint8_t* data, uint32_t length, uint64_t tie, uint8_t* out_of_line,
                   uint8_t* item) {
    StoreAs(item, length);
    if (length > kInline) {
      std::memcpy(item + 4, data, kPrefix);
      std::memcpy(out_of_line, data, length);
      StoreAs(item + 16, out_of_line);
    } else {
      std::memcpy(item + 4, data, length);
    }
    StoreAs(item + 24, tie);
  }

  arrow::MemoryPool* pool_;
  ByteArena arena_;
  ByteArena old_arena_{pool_};
  int64_t bytes_live_ = 0;
  int64_t bytes_held_ = 0;
};

}  // namespace keepone
