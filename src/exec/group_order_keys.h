// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "column/key_encoder.h"

namespace keepone {

// The order key of one row of each group, and those of the rows of a batch to compare them with.
// Groups are numbered by the caller. Without order columns all keys are equal.
// Used by one thread at a time, but for what is const.
class GroupOrderKeys {
 public:
  static arrow::Result<GroupOrderKeys> Make(std::vector<KeyField> order, arrow::MemoryPool* pool);

  // The exported form: UINT64 in the order and UINT8 (1, 2, 3: NULL first, a value, NULL last) for
  // one column of at most 8 bytes, otherwise BINARY as KeyEncoder encodes the columns.
  arrow::DataTypeVector state_types() const;

  // The rows that row numbers refer to from now on: order columns, or exported keys, of which the
  // first is state[first]. They must stay.
  arrow::Status Bind(const arrow::ArrayVector& columns);
  void BindState(const arrow::ArrayVector& state, size_t first);

  // Makes groups [0, count) valid; new ones have no key.
  void Resize(size_t count);
  bool Has(uint32_t group) const { return ranks_[group] != 0; }
  // Negative, zero or positive as the row comes before, with or after the group's. REQUIRES: Has().
  int Compare(uint32_t row, uint32_t group) const {
    switch (form_) {
      case Form::kNone:
        return 0;
      case Form::kNarrow:
        return Compare(row_ranks_[row], row_values_[row], ranks_[group], values_[group]);
      default:
        return row_keys_[row].compare(keys_[group]);
    }
  }
  // The row's key is the group's from now on.
  void Set(uint32_t row, uint32_t group);

  // The same for the key of a group of other keys.
  int CompareGroups(const GroupOrderKeys& other, uint32_t other_group, uint32_t group) const;
  void CopyFrom(const GroupOrderKeys& other, uint32_t other_group, uint32_t group);

  // Appends the exported keys of groups; what stands for a group without one has no meaning.
  arrow::Status Export(std::span<const uint32_t> groups, arrow::MemoryPool* pool,
                       arrow::ArrayVector* state) const;

  void Clear();
  int64_t bytes_used() const;

 private:
  enum class Form { kNone, kNarrow, kBytes };

  explicit GroupOrderKeys(arrow::MemoryPool* pool) : encoded_(pool) {}
  static int Compare(uint8_t rank_a, uint64_t value_a, uint8_t rank_b, uint64_t value_b) {
    if (rank_a != rank_b) {
      return rank_a < rank_b ? -1 : 1;
    }
    return value_a < value_b ? -1 : (value_a > value_b ? 1 : 0);
  }
  void SetBytes(std::string_view key, uint32_t group);

  Form form_ = Form::kNone;
  std::vector<KeyField> order_;
  std::unique_ptr<KeyEncoder> encoder_;  // kBytes

  std::vector<uint8_t> ranks_;  // of each group; 0: it has no key
  std::vector<uint64_t> values_;
  std::vector<std::string> keys_;
  int64_t key_bytes_ = 0;  // outside of the strings

  // Of the rows that are bound.
  EncodedKeys encoded_;
  std::vector<uint8_t> own_ranks_;
  std::vector<uint64_t> own_values_;
  std::span<const uint8_t> row_ranks_;
  std::span<const uint64_t> row_values_;
  std::vector<std::string_view> row_keys_;
};

}  // namespace keepone
