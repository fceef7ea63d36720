// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace keepone {

// Rows [begin, begin + count) of one of several chunks; kNullChunk stands for `count` NULLs.
struct ChunkRange {
  static constexpr int32_t kNullChunk = -1;

  int32_t chunk = 0;
  int64_t begin = 0;
  int64_t count = 0;
};

// One row of one of several chunks, or a NULL.
struct RowRef {
  int32_t chunk = 0;
  int64_t row = 0;
};

// Everything here builds fresh, compact arrays of any type, nested ones included: a result shares
// no buffer with its input, has offset 0 and holds only what its rows need (list views and string
// views are packed, dictionaries cut to the values in use and joined by value). Values keep their
// bits. Offsets of sliced inputs are honoured. Memory comes from `pool`.
//
// Where a 32-bit offset or a short dictionary or run-end index would overflow, a result is cut into
// several pieces. A single value that is too large for its type is a data error.
// Chunks and rows must exist: they are not checked.

// Gathers rows of `chunks`, which all have `type`, in the order given. No rows give one empty
// chunk.
arrow::Result<std::shared_ptr<arrow::ChunkedArray>> GatherRanges(
    const std::shared_ptr<arrow::DataType>& type, const arrow::ArrayVector& chunks,
    std::span<const ChunkRange> ranges, arrow::MemoryPool* pool);
arrow::Result<std::shared_ptr<arrow::ChunkedArray>> GatherRows(
    const std::shared_ptr<arrow::DataType>& type, const arrow::ArrayVector& chunks,
    std::span<const RowRef> rows, arrow::MemoryPool* pool);

// The same for whole rows of batches of one schema. No rows give no batch.
arrow::Result<arrow::RecordBatchVector> GatherBatches(const std::shared_ptr<arrow::Schema>& schema,
                                                      const arrow::RecordBatchVector& batches,
                                                      std::span<const ChunkRange> ranges,
                                                      arrow::MemoryPool* pool);
arrow::Result<arrow::RecordBatchVector> GatherBatchRows(
    const std::shared_ptr<arrow::Schema>& schema, const arrow::RecordBatchVector& batches,
    std::span<const RowRef> rows, arrow::MemoryPool* pool);

// All rows of all batches in as few batches as possible.
arrow::Result<arrow::RecordBatchVector> ConcatenateBatches(
    const std::shared_ptr<arrow::Schema>& schema, const arrow::RecordBatchVector& batches,
    arrow::MemoryPool* pool);

// The rows of a batch at `indices`, in that order; an index may occur more than once, and -1 is a
// row of NULLs. A resource error where the result does not fit one batch.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const arrow::RecordBatch& batch,
                                                            std::span<const int64_t> indices,
                                                            arrow::MemoryPool* pool);
arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const arrow::RecordBatch& batch,
                                                            std::span<const int32_t> indices,
                                                            arrow::MemoryPool* pool);

// The rows where `mask` is true, not false or NULL, in order. REQUIRES: one mask value a row.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> FilterRows(const arrow::RecordBatch& batch,
                                                              const arrow::BooleanArray& mask,
                                                              arrow::MemoryPool* pool);

}  // namespace keepone
