// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/util/compression.h>

namespace keepone {

// Memory that grows to the largest use and is used again; contents do not outlive the next Reserve.
class ReusableBytes {
 public:
  explicit ReusableBytes(arrow::MemoryPool* pool) : pool_(pool) {}

  arrow::Result<uint8_t*> Reserve(int64_t bytes);

 private:
  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::ResizableBuffer> buffer_;
};

// A stretch of the values of a page: `skip` of them unwanted, then `take` of them wanted.
struct ValueRun {
  int64_t skip = 0;
  int64_t take = 0;
};

// What reading a page needs for a moment, shared by all columns that one worker reads.
// Used by one thread at a time.
class PageScratch {
 public:
  explicit PageScratch(arrow::MemoryPool* pool) : compressed(pool), body(pool), pool_(pool) {}

  arrow::Result<arrow::util::Codec*> codec(arrow::Compression::type type);
  // Ready for a new stream; nullptr when pages of this codec can only be decompressed whole.
  arrow::Result<arrow::util::Decompressor*> decompressor(arrow::Compression::type type);
  arrow::MemoryPool* pool() const { return pool_; }

  ReusableBytes compressed;
  ReusableBytes body;
  std::vector<int16_t> definition_levels;
  std::vector<int16_t> repetition_levels;
  std::vector<int16_t> kept_definition_levels;
  std::vector<int16_t> kept_repetition_levels;
  std::vector<ValueRun> runs;
  std::vector<uint32_t> indices;
  std::vector<uint8_t> bytes;

 private:
  arrow::MemoryPool* pool_;
  std::array<std::unique_ptr<arrow::util::Codec>, 16> codecs_;
  std::array<std::shared_ptr<arrow::util::Decompressor>, 16> decompressors_;
};

}  // namespace keepone
