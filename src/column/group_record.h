// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <arrow/status.h>

#include "column/key_block.h"
#include "column/order_bits.h"
#include "column/pool_storage.h"

namespace keepone {

// Less, equal or greater by bytes, the shorter first when one is the beginning of the other.
inline int CompareBytes(const uint8_t* a, uint32_t length_a, const uint8_t* b, uint32_t length_b) {
  const uint32_t common = std::min(length_a, length_b);
  const int order = common == 0 ? 0 : std::memcmp(a, b, common);
  return order != 0 ? order : (length_a < length_b ? -1 : (length_a > length_b ? 1 : 0));
}

// How a group key of one form lies at the beginning of a record.
//
//   kNone  [ ]      kUInt64  [ value 8 ]      kFixed  [ bytes, padded to 8 ]
//   kBytes  [ pointer to bytes 8 | length 4 | low half of the hash 4 ]
//
// NULLs of kUInt64 are not seen here: at most one group of a table is NULL.
template <KeyForm form>
class GroupRecord {
 public:
  explicit GroupRecord(int32_t key_width) : key_width_(key_width) {}

  int64_t bytes() const {
    switch (form) {
      case KeyForm::kNone:
        return 0;
      case KeyForm::kUInt64:
        return 8;
      case KeyForm::kFixed:
        return ByteArena::Padded(key_width_);
      case KeyForm::kBytes:
        return 16;
    }
    return 0;
  }

  // Copies the key of a block's row, with its bytes into `arena`.
  arrow::Status Store(const KeyBlock& block, uint16_t row, ByteArena* arena,
                      uint8_t* record) const {
    if constexpr (form == KeyForm::kUInt64) {
      StoreAs(record, block.values[row]);
    } else if constexpr (form == KeyForm::kFixed) {
      std::memcpy(record, block.data[row], static_cast<size_t>(key_width_));
    } else if constexpr (form == KeyForm::kBytes) {
      uint8_t* key = nullptr;
      ARROW_RETURN_NOT_OK(arena->Allocate(block.lengths[row], &key));
      std::memcpy(key, block.data[row], block.lengths[row]);
      StoreAs(record, key);
      StoreAs(record + 8, block.lengths[row]);
      StoreAs(record + 12, static_cast<uint32_t>(block.hashes[row]));
    }
    return arrow::Status::OK();
  }

  // The way back, as KeyReader would give it, without the hash.
  void Load(const uint8_t* record, size_t row, KeyBlock* block) const {
    if constexpr (form == KeyForm::kUInt64) {
      block->values[row] = LoadAs<uint64_t>(record);
    } else if constexpr (form == KeyForm::kFixed) {
      block->data[row] = record;
      block->lengths[row] = static_cast<uint32_t>(key_width_);
    } else if constexpr (form == KeyForm::kBytes) {
      block->data[row] = LoadAs<const uint8_t*>(record);
      block->lengths[row] = LoadAs<uint32_t>(record + 8);
    }
  }

  bool Equal(const KeyBlock& block, uint16_t row, const uint8_t* record) const {
    if constexpr (form == KeyForm::kNone) {
      return true;
    } else if constexpr (form == KeyForm::kUInt64) {
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

  // Negative, zero or positive as the key of `a` comes before, with or after that of `b`.
  int Compare(const uint8_t* a, const uint8_t* b) const {
    if constexpr (form == KeyForm::kNone) {
      return 0;
    } else if constexpr (form == KeyForm::kUInt64) {
      const auto value_a = LoadAs<uint64_t>(a);
      const auto value_b = LoadAs<uint64_t>(b);
      return value_a < value_b ? -1 : (value_a > value_b ? 1 : 0);
    } else if constexpr (form == KeyForm::kFixed) {
      return std::memcmp(a, b, static_cast<size_t>(key_width_));
    } else {
      return CompareBytes(LoadAs<const uint8_t*>(a), LoadAs<uint32_t>(a + 8),
                          LoadAs<const uint8_t*>(b), LoadAs<uint32_t>(b + 8));
    }
  }

  // The key's hash, of which only the low half is right.
  uint64_t HashLow(const uint8_t* record) const {
    if constexpr (form == KeyForm::kNone) {
      return 0;
    } else if constexpr (form == KeyForm::kUInt64) {
      return HashUInt64(LoadAs<uint64_t>(record));
    } else if constexpr (form == KeyForm::kFixed) {
      return HashBytes(record, key_width_);
    } else {
      return LoadAs<uint32_t>(record + 12);
    }
  }

 private:
  int32_t key_width_;
};

}  // namespace keepone
