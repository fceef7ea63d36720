// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include <arrow/memory_pool.h>
#include <arrow/status.h>

#include "base/error.h"
#include "column/key_block.h"
#include "column/order_bits.h"
#include "column/pool_storage.h"
#include "column/slot_table.h"

namespace keepone {

// Group keys of one form with a fixed number of state bytes each: the table under GroupTable and
// WinnerTable. Groups are numbered from 0 in order of first appearance.
//
//   slots -> record  [ key | state ]      kUInt64: the value          kFixed: the bytes
//                                         kBytes: pointer, length, low half of the hash
//
// Not for use by several threads at once. After an error only destruction is defined.
template <KeyForm form>
class GroupIndex {
 public:
  static constexpr uint32_t kNone = SlotTable::kNone;

  GroupIndex(arrow::MemoryPool* pool, int32_t key_width, int64_t state_bytes)
      : key_width_(key_width),
        key_bytes_(KeyBytes(key_width)),
        slots_(pool),
        records_(pool, key_bytes_ + state_bytes),
        arena_(pool) {}

  uint32_t count() const { return count_; }
  uint8_t* state(uint32_t group) const { return records_.Get(group) + key_bytes_; }
  int64_t bytes_used() const {
    return slots_.bytes_used() + records_.bytes_used() + arena_.bytes_used();
  }

  // Finds or makes the group of each of `rows` of the block and calls
  // visit(row, group, state, is_new) -> Status for each in turn.
  template <typename Visit>
  arrow::Status Upsert(const KeyBlock& block, std::span<const uint16_t> rows, Visit&& visit) {
    ARROW_RETURN_NOT_OK(Reserve(static_cast<int64_t>(rows.size())));
    Prefetch(block, rows);
    for (const uint16_t row : rows) {
      uint64_t position = 0;
      uint32_t group = Find(block, row, &position);
      const bool is_new = group == kNone;
      if (is_new) {
        group = count_;
        ARROW_RETURN_NOT_OK(Append(block, row, position));
      }
      ARROW_RETURN_NOT_OK(visit(row, group, state(group), is_new));
    }
    return arrow::Status::OK();
  }

  // Calls visit(row, group) for each row; group is kNone where there is none.
  template <typename Visit>
  void FindAll(const KeyBlock& block, std::span<const uint16_t> rows, Visit&& visit) const {
    if (count_ > 0) {
      Prefetch(block, rows);
    }
    for (const uint16_t row : rows) {
      uint64_t position = 0;
      visit(row, count_ == 0 ? kNone : Find(block, row, &position));
    }
  }

  // Copies the key of a group into a row of a block, as KeyReader would read it, without its hash.
  // REQUIRES: block->has_nulls is set by the caller before the first, to false.
  void LoadKey(uint32_t group, int64_t row, KeyBlock* block) const {
    const auto at = static_cast<size_t>(row);
    const uint8_t* record = records_.Get(group);
    if constexpr (form == KeyForm::kUInt64) {
      block->values[at] = LoadAs<uint64_t>(record);
      block->nulls[at] = group == null_group_ ? 1 : 0;
      block->has_nulls |= group == null_group_;
    } else if constexpr (form == KeyForm::kFixed) {
      block->data[at] = record;
      block->lengths[at] = static_cast<uint32_t>(key_width_);
    } else if constexpr (form == KeyForm::kBytes) {
      block->data[at] = LoadAs<const uint8_t*>(record);
      block->lengths[at] = LoadAs<uint32_t>(record + 8);
    }
  }

  uint32_t Partition(uint32_t group, uint32_t partition_count) const {
    if constexpr (form == KeyForm::kNone) {
      return 0;
    } else {
      return HashPartition(HashLow(group), partition_count);
    }
  }

  // Negative, zero or positive as the key of `a` comes before, with or after that of `b`.
  int Compare(uint32_t a, uint32_t b, bool nulls_first) const {
    if constexpr (form == KeyForm::kNone) {
      return 0;
    } else if constexpr (form == KeyForm::kUInt64) {
      const bool null_a = a == null_group_;
      const bool null_b = b == null_group_;
      if (null_a != null_b) {
        return null_a == nulls_first ? -1 : 1;
      }
      const auto value_a = LoadAs<uint64_t>(records_.Get(a));
      const auto value_b = LoadAs<uint64_t>(records_.Get(b));
      return value_a < value_b ? -1 : (value_a > value_b ? 1 : 0);
    } else if constexpr (form == KeyForm::kFixed) {
      return std::memcmp(records_.Get(a), records_.Get(b), static_cast<size_t>(key_width_));
    } else {
      const uint8_t* record_a = records_.Get(a);
      const uint8_t* record_b = records_.Get(b);
      return CompareBytes(LoadAs<const uint8_t*>(record_a), LoadAs<uint32_t>(record_a + 8),
                          LoadAs<const uint8_t*>(record_b), LoadAs<uint32_t>(record_b + 8));
    }
  }

  static int CompareBytes(const uint8_t* a, uint32_t length_a, const uint8_t* b,
                          uint32_t length_b) {
    const uint32_t common = std::min(length_a, length_b);
    const int order = common == 0 ? 0 : std::memcmp(a, b, common);
    return order != 0 ? order : (length_a < length_b ? -1 : (length_a > length_b ? 1 : 0));
  }

 private:
  static int64_t KeyBytes(int32_t key_width) {
    switch (form) {
      case KeyForm::kNone:
        return 0;
      case KeyForm::kUInt64:
        return 8;
      case KeyForm::kFixed:
        return ByteArena::Padded(key_width);
      case KeyForm::kBytes:
        return 16;
    }
    return 0;
  }

  arrow::Status Reserve(int64_t more) {
    if constexpr (form == KeyForm::kNone) {
      return records_.Reserve(1);
    }
    // The number of a group and the sign for none must fit 32 bits.
    const int64_t wanted = std::min<int64_t>(count_ + more, kNone);
    ARROW_RETURN_NOT_OK(records_.Reserve(wanted));
    return slots_.Reserve(wanted);
  }

  void Prefetch(const KeyBlock& block, std::span<const uint16_t> rows) const {
    if constexpr (form != KeyForm::kNone) {
      if (!slots_.exceeds_cache()) {
        return;
      }
      for (const uint16_t row : rows) {
        slots_.Prefetch(block.hashes[row]);
      }
      for (const uint16_t row : rows) {
        const uint32_t group = slots_.Guess(block.hashes[row]);
        if (group != kNone) {
          __builtin_prefetch(records_.Get(group));
        }
      }
      if constexpr (form == KeyForm::kBytes) {
        for (const uint16_t row : rows) {
          const uint32_t group = slots_.Guess(block.hashes[row]);
          if (group != kNone) {
            __builtin_prefetch(LoadAs<const uint8_t*>(records_.Get(group)));
          }
        }
      }
    }
  }

  bool Equal(const KeyBlock& block, uint16_t row, uint32_t group) const {
    const uint8_t* record = records_.Get(group);
    if constexpr (form == KeyForm::kUInt64) {
      return LoadAs<uint64_t>(record) == block.values[row];
    } else if constexpr (form == KeyForm::kFixed) {
      return std::memcmp(record, block.data[row], static_cast<size_t>(key_width_)) == 0;
    } else {
      const uint32_t length = block.lengths[row];
      return LoadAs<uint32_t>(record + 8) == length &&
             LoadAs<uint32_t>(record + 12) == static_cast<uint32_t>(block.hashes[row]) &&
             std::memcmp(LoadAs<const uint8_t*>(record), block.data[row], length) == 0;
    }
  }

  uint32_t Find(const KeyBlock& block, uint16_t row, uint64_t* position) const {
    if constexpr (form == KeyForm::kNone) {
      return count_ == 0 ? kNone : 0;
    } else {
      if constexpr (form == KeyForm::kUInt64) {
        if (block.has_nulls && block.nulls[row] != 0) {
          return null_group_;
        }
      }
      return slots_.Find(block.hashes[row], position,
                         [&](uint32_t group) { return Equal(block, row, group); });
    }
  }

  arrow::Status Append(const KeyBlock& block, uint16_t row, uint64_t position) {
    if (count_ == kNone) [[unlikely]] {
      return ResourceError("more than ", std::numeric_limits<uint32_t>::max(), " groups");
    }
    uint8_t* record = records_.Get(count_);
    if constexpr (form == KeyForm::kUInt64) {
      StoreAs(record, block.values[row]);
      if (block.has_nulls && block.nulls[row] != 0) {
        null_group_ = count_++;
        return arrow::Status::OK();
      }
    } else if constexpr (form == KeyForm::kFixed) {
      std::memcpy(record, block.data[row], static_cast<size_t>(key_width_));
    } else if constexpr (form == KeyForm::kBytes) {
      uint8_t* key = nullptr;
      ARROW_RETURN_NOT_OK(arena_.Allocate(block.lengths[row], &key));
      std::memcpy(key, block.data[row], block.lengths[row]);
      StoreAs(record, key);
      StoreAs(record + 8, block.lengths[row]);
      StoreAs(record + 12, static_cast<uint32_t>(block.hashes[row]));
    }
    if constexpr (form != KeyForm::kNone) {
      slots_.Insert(position, block.hashes[row], count_);
    }
    ++count_;
    return arrow::Status::OK();
  }

  uint64_t HashLow(uint32_t group) const {
    const uint8_t* record = records_.Get(group);
    if constexpr (form == KeyForm::kUInt64) {
      return group == null_group_ ? kNullHash : HashUInt64(LoadAs<uint64_t>(record));
    } else if constexpr (form == KeyForm::kFixed) {
      return HashBytes(record, key_width_);
    } else {
      return LoadAs<uint32_t>(record + 12);
    }
  }

  int32_t key_width_;
  int64_t key_bytes_;
  SlotTable slots_;
  RecordChunks records_;
  ByteArena arena_;
  uint32_t count_ = 0;
  uint32_t null_group_ = kNone;  // kUInt64 only; it has no slot
};

}  // namespace keepone
