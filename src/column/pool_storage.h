// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/status.h>

namespace keepone {

// One block of memory from a pool, freed with its owner.
class PoolBlock {
 public:
  PoolBlock() = default;
  PoolBlock(PoolBlock&& other) noexcept { *this = std::move(other); }
  PoolBlock& operator=(PoolBlock&& other) noexcept;
  ~PoolBlock() { Free(); }

  arrow::Status Allocate(arrow::MemoryPool* pool, int64_t bytes);
  void Free();
  uint8_t* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  arrow::MemoryPool* pool_ = nullptr;
  uint8_t* data_ = nullptr;
  int64_t bytes_ = 0;
};

// Records of one width, numbered from 0, in chunks: growing copies nothing and never holds twice
// the memory. Records do not move.
class RecordChunks {
 public:
  // `width` is a multiple of 8.
  RecordChunks(arrow::MemoryPool* pool, int64_t width) : pool_(pool), width_(width) {}

  int64_t width() const { return width_; }
  // Makes room for records [0, count); what is in them is not defined.
  arrow::Status Reserve(int64_t count);
  uint8_t* Get(uint32_t index) const {
    return chunks_[index >> kChunkBits].data() + static_cast<int64_t>(index & kChunkMask) * width_;
  }
  int64_t bytes_used() const { return bytes_; }
  void Clear();

 private:
  static constexpr int kChunkBits = 12;
  static constexpr uint32_t kChunkMask = (1u << kChunkBits) - 1;

  arrow::MemoryPool* pool_;
  int64_t width_;
  std::vector<PoolBlock> chunks_;
  int64_t bytes_ = 0;
};

// Byte strings in chunks, freed all at once. Strings do not move.
class ByteArena {
 public:
  explicit ByteArena(arrow::MemoryPool* pool) : pool_(pool) {}

  // Gives room for `bytes` bytes at an address that 8 divides.
  arrow::Status Allocate(int64_t bytes, uint8_t** out) {
    const int64_t padded = Padded(bytes);
    if (padded > left_) [[unlikely]] {
      ARROW_RETURN_NOT_OK(AddChunk(padded));
    }
    *out = next_;
    next_ += padded;
    left_ -= padded;
    return arrow::Status::OK();
  }
  static int64_t Padded(int64_t bytes) { return (bytes + 7) & ~int64_t{7}; }
  int64_t bytes_used() const { return bytes_; }
  void Clear();

 private:
  arrow::Status AddChunk(int64_t bytes_min);

  arrow::MemoryPool* pool_;
  std::vector<PoolBlock> chunks_;
  uint8_t* next_ = nullptr;
  int64_t left_ = 0;
  int64_t bytes_ = 0;
};

// Blocks of changing sizes: a freed block serves the next request of its size class.
class ExtentPool {
 public:
  explicit ExtentPool(arrow::MemoryPool* pool) : arena_(pool) {}

  // Gives 2^size_class bytes. REQUIRES: 4 <= size_class < 48.
  arrow::Status Allocate(int size_class, uint8_t** out);
  void Free(int size_class, uint8_t* block);
  int64_t bytes_used() const { return arena_.bytes_used(); }

 private:
  ByteArena arena_;
  std::array<uint8_t*, 48> free_{};  // a free block begins with the address of the next one
};

}  // namespace keepone
