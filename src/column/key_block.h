// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "column/key_encoder.h"

namespace keepone {

// How the keys of a table are held.
enum class KeyForm {
  kNone,    // no key columns: all rows are equal
  kUInt64,  // one column of at most 8 bytes: an integer and a NULL flag
  kFixed,   // encoded bytes, all of one short width
  kBytes,   // encoded bytes
};

// Rows are handled in blocks of this many, so that memory can be fetched ahead.
constexpr int64_t kBlockRows = 512;

// The keys of up to kBlockRows rows, in the arrays that the form uses.
struct KeyBlock {
  std::array<uint64_t, kBlockRows> hashes;  // of group keys only

  std::array<uint64_t, kBlockRows> values;  // kUInt64; 0 where NULL
  std::array<uint8_t, kBlockRows> nulls;
  bool has_nulls = false;

  std::array<const uint8_t*, kBlockRows> data;  // kFixed and kBytes
  std::array<uint32_t, kBlockRows> lengths;     // kBytes
};

// A strong mix of all bits.
inline uint64_t HashUInt64(uint64_t value) {
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93u;
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93u;
  value ^= value >> 32;
  return value;
}
uint64_t HashBytes(const uint8_t* data, int64_t length);

// The hash of a NULL in a kUInt64 key.
constexpr uint64_t kNullHash = 0x9E3779B97F4A7C15u;

// The partition of a hash: from the bits that SlotTable does not use.
inline uint32_t HashPartition(uint64_t hash, uint32_t partition_count) {
  return static_cast<uint32_t>(((hash & 0xFFFFFFFFu) * partition_count) >> 32);
}

// Computes the hashes of a block's first `rows` keys.
void HashBlock(KeyForm form, int32_t width, int64_t rows, KeyBlock* block);

// Reads key columns in blocks.
class KeyReader {
 public:
  static arrow::Result<std::unique_ptr<KeyReader>> Make(std::vector<KeyField> fields,
                                                        arrow::MemoryPool* pool);

  KeyForm form() const { return form_; }
  // The bytes of a key of form kFixed.
  int32_t width() const { return width_; }

  // The columns must stay until the last Read().
  arrow::Status Bind(const arrow::ArrayVector& columns);
  // Reads rows [offset, offset + rows), or fewer when their keys are long, and gives their number,
  // at least one. The block's pointers stand until the next Read().
  arrow::Result<int64_t> Read(int64_t offset, int64_t rows, KeyBlock* block);

 private:
  explicit KeyReader(arrow::MemoryPool* pool) : keys_(pool) {}

  KeyForm form_ = KeyForm::kNone;
  int32_t width_ = 0;
  std::vector<KeyField> fields_;
  std::unique_ptr<KeyEncoder> encoder_;
  EncodedKeys keys_;
  std::shared_ptr<arrow::Array> column_;
};

}  // namespace keepone
