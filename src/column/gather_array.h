// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "column/gather.h"

namespace keepone {

// One gathering of arrays, the recursive part of gather.h. Rows of a range count from the offset of
// their chunk.
class ArrayGather {
 public:
  using Chunks = std::vector<const arrow::ArrayData*>;
  using Ranges = std::vector<ChunkRange>;
  using Data = std::shared_ptr<arrow::ArrayData>;

  explicit ArrayGather(arrow::MemoryPool* pool) : pool_(pool) {}

  // `rows` is the sum of the counts.
  arrow::Result<Data> Gather(const std::shared_ptr<arrow::DataType>& type, const Chunks& chunks,
                             const Ranges& ranges, int64_t rows);

  // Whether Gather() failed since the result would not fit the offsets or indices of its type.
  bool overflowed() const { return overflowed_; }

  // Appends a range, to the last one if it continues that.
  static void AppendRange(const ChunkRange& range, Ranges* ranges);
  static int64_t CountRows(const Ranges& ranges);

 private:
  arrow::Status Overflow();
  arrow::Result<std::shared_ptr<arrow::Buffer>> Allocate(int64_t bytes);
  // The validity bitmap, or nullptr where there is no NULL.
  arrow::Status GatherValidity(const Chunks& chunks, const Ranges& ranges, int64_t rows,
                               arrow::ArrayData* out);

  arrow::Status GatherBits(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);
  arrow::Status GatherFixed(int64_t width, const Chunks& chunks, const Ranges& ranges,
                            arrow::ArrayData* out);
  template <typename Offset>
  arrow::Status GatherStrings(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);
  arrow::Status GatherViews(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);

  arrow::Status GatherNested(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);
  template <typename Offset>
  arrow::Status GatherLists(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);
  template <typename Offset>
  arrow::Status GatherListViews(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);
  arrow::Status GatherFixedSizeLists(const Chunks& chunks, const Ranges& ranges,
                                     arrow::ArrayData* out);
  arrow::Status GatherStructs(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);
  arrow::Status GatherUnions(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);
  arrow::Status GatherDictionary(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);
  template <typename RunEnd>
  arrow::Status GatherRunEnds(const Chunks& chunks, const Ranges& ranges, arrow::ArrayData* out);
  arrow::Status GatherChild(size_t child, const Chunks& chunks, const Ranges& ranges,
                            arrow::ArrayData* out);

  arrow::MemoryPool* pool_;
  bool overflowed_ = false;
};

}  // namespace keepone
