// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <arrow/buffer.h>
#include <arrow/buffer_builder.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <parquet/schema.h>

namespace keepone {

// The dictionary of a column chunk, for a reader that takes few values of it: half the memory of
// the form in which Arrow's decoder keeps it, and gone as soon as pages come without indices.
class ChunkDictionary {
 public:
  // Whether columns of this kind have dictionaries that can be looked up here.
  static bool Supports(const parquet::ColumnDescriptor& column);

  // `body` is the decompressed dictionary page: `count` values, PLAIN. REQUIRES: Supports(column).
  static arrow::Result<std::unique_ptr<ChunkDictionary>> Make(
      const parquet::ColumnDescriptor& column, std::shared_ptr<arrow::Buffer> body, int64_t count,
      arrow::MemoryPool* pool);

  // The bytes of the longest value, as PLAIN.
  int64_t value_bytes_max() const { return value_bytes_max_; }

  // Appends the values, PLAIN. An index that is not in the dictionary is an error.
  arrow::Status Append(std::span<const uint32_t> indices, arrow::BufferBuilder* out) const;

 private:
  ChunkDictionary() = default;
  arrow::Status FindValues(arrow::MemoryPool* pool);

  std::shared_ptr<arrow::Buffer> body_;
  int64_t count_ = 0;
  int64_t width_ = 0;                       // 0: byte arrays
  std::shared_ptr<arrow::Buffer> offsets_;  // of byte arrays: uint32, one more than values
  int64_t value_bytes_max_ = 0;
};

}  // namespace keepone
