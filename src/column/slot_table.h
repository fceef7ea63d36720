// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <arrow/status.h>

#include "column/pool_storage.h"
#include "column/prefetch.h"

namespace keepone {

// The slots of an open-addressing hash table: 32 bits of the hash and the number of a record that
// lies elsewhere. The place of a slot comes from the same 32 bits, so that growing reads no record.
//
//   hash  [ tag 32 | low 32 ]     slots  .. [tag|index+1] [0|0] [tag|index+1] ..
//           ^ its upper bits are the home slot; collisions go to the next slot
class SlotTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit SlotTable(arrow::MemoryPool* pool) : pool_(pool) {}

  // Makes room so that `count` entries in all fill at most three quarters.
  arrow::Status Reserve(int64_t count) {
    if (count <= capacity_) {
      return arrow::Status::OK();
    }
    return Grow(count);
  }

  // The index of the entry with this hash for which equal(index) holds, or kNone; then *position
  // is the free slot for Insert. REQUIRES: Reserve() was called for at least one entry.
  template <typename Equal>
  uint32_t Find(uint64_t hash, uint64_t* position, Equal&& equal) const {
    const auto tag = static_cast<uint32_t>(hash >> 32);
    const Slot* slots = Slots();
    uint64_t at = Home(tag);
    while (true) {
      const Slot slot = slots[at];
      if (slot.index_plus_1 == 0) {
        *position = at;
        return kNone;
      }
      if (slot.tag == tag && equal(slot.index_plus_1 - 1)) {
        return slot.index_plus_1 - 1;
      }
      at = (at + 1) & mask_;
    }
  }

  void Insert(uint64_t position, uint64_t hash, uint32_t index) {
    Slots()[position] = {static_cast<uint32_t>(hash >> 32), index + 1};
  }

  // Large enough that looking ahead pays.
  bool exceeds_cache() const { return mask_ >= (1u << 14); }
  void Prefetch(uint64_t hash) const {
    keepone::Prefetch(Slots() + Home(static_cast<uint32_t>(hash >> 32)));
  }
  // The record that is probably meant, or kNone: a guess for prefetching.
  uint32_t Guess(uint64_t hash) const {
    const auto tag = static_cast<uint32_t>(hash >> 32);
    uint64_t at = Home(tag);
    for (int i = 0; i < 4; ++i) {
      const Slot slot = Slots()[at];
      if (slot.tag == tag || slot.index_plus_1 == 0) {
        return slot.index_plus_1 - 1;
      }
      at = (at + 1) & mask_;
    }
    return kNone;
  }

  int64_t bytes_used() const { return block_.bytes(); }
  void Clear();

 private:
  struct Slot {
    uint32_t tag;
    uint32_t index_plus_1;  // 0: free
  };

  arrow::Status Grow(int64_t count);
  Slot* Slots() const { return reinterpret_cast<Slot*>(block_.data()); }
  uint64_t Home(uint32_t tag) const { return (uint64_t{tag} << 32) >> shift_; }

  arrow::MemoryPool* pool_;
  PoolBlock block_;
  int64_t capacity_ = 0;
  uint64_t mask_ = 0;
  int shift_ = 63;
};

}  // namespace keepone
