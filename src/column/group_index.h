// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include <arrow/memory_pool.h>
#include <arrow/status.h>

#include "base/error.h"
#include "column/group_record.h"
#include "column/key_block.h"
#include "column/pool_storage.h"
#include "column/prefetch.h"
#include "column/slot_table.h"

namespace keepone {

// Group keys of one form with a fixed number of state bytes each: the table under GroupTable and
// WinnerTable. Groups are numbered from 0 in order of first appearance.
//
//   slots -> record  [ key | state ]
//
// Not for use by several threads at once. After an error only destruction is defined.
template <KeyForm form>
class GroupIndex {
 public:
  static constexpr uint32_t kNone = SlotTable::kNone;

  GroupIndex(arrow::MemoryPool* pool, int32_t key_width, int64_t state_bytes)
      : record_(key_width),
        key_bytes_(record_.bytes()),
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

  // What Upsert does first, for who has several blocks at hand: asks for the memory of the slots of
  // these rows; then, when that is there, for that of their records.
  void PrefetchSlots(const KeyBlock& block, std::span<const uint16_t> rows) const {
    if constexpr (form != KeyForm::kNone) {
      if (slots_.exceeds_cache()) {
        for (const uint16_t row : rows) {
          slots_.Prefetch(block.hashes[row]);
        }
      }
    }
  }
  void PrefetchRecords(const KeyBlock& block, std::span<const uint16_t> rows) const {
    if constexpr (form != KeyForm::kNone) {
      if (!slots_.exceeds_cache()) {
        return;
      }
      for (const uint16_t row : rows) {
        const uint32_t group = slots_.Guess(block.hashes[row]);
        if (group != kNone) {
          keepone::Prefetch(records_.Get(group));
        }
      }
      if constexpr (form == KeyForm::kBytes) {
        for (const uint16_t row : rows) {
          const uint32_t group = slots_.Guess(block.hashes[row]);
          if (group != kNone) {
            keepone::Prefetch(LoadAs<const uint8_t*>(records_.Get(group)));
          }
        }
      }
    }
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
    record_.Load(records_.Get(group), at, block);
    if constexpr (form == KeyForm::kUInt64) {
      block->nulls[at] = group == null_group_ ? 1 : 0;
      block->has_nulls |= group == null_group_;
    }
  }

  uint32_t Partition(uint32_t group, uint32_t partition_count) const {
    const bool null = form == KeyForm::kUInt64 && group == null_group_;
    return HashPartition(null ? kNullHash : record_.HashLow(records_.Get(group)), partition_count);
  }

  // Negative, zero or positive as the key of `a` comes before, with or after that of `b`.
  int Compare(uint32_t a, uint32_t b, bool nulls_first) const {
    if constexpr (form == KeyForm::kUInt64) {
      const bool null_a = a == null_group_;
      const bool null_b = b == null_group_;
      if (null_a || null_b) {
        return null_a == null_b ? 0 : (null_a == nulls_first ? -1 : 1);
      }
    }
    return record_.Compare(records_.Get(a), records_.Get(b));
  }

 private:
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
    PrefetchSlots(block, rows);
    PrefetchRecords(block, rows);
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
      return slots_.Find(block.hashes[row], position, [&](uint32_t group) {
        return record_.Equal(block, row, records_.Get(group));
      });
    }
  }

  arrow::Status Append(const KeyBlock& block, uint16_t row, uint64_t position) {
    if (count_ == kNone) [[unlikely]] {
      return ResourceError("more than ", std::numeric_limits<uint32_t>::max(), " groups");
    }
    ARROW_RETURN_NOT_OK(record_.Store(block, row, &arena_, records_.Get(count_)));
    if constexpr (form == KeyForm::kUInt64) {
      if (block.has_nulls && block.nulls[row] != 0) {
        null_group_ = count_++;
        return arrow::Status::OK();
      }
    }
    if constexpr (form != KeyForm::kNone) {
      slots_.Insert(position, block.hashes[row], count_);
    }
    ++count_;
    return arrow::Status::OK();
  }

  GroupRecord<form> record_;
  int64_t key_bytes_;
  SlotTable slots_;
  RecordChunks records_;
  ByteArena arena_;
  uint32_t count_ = 0;
  uint32_t null_group_ = kNone;  // kUInt64 only; it has no slot
};

}  // namespace keepone
