// SPDX-License-Identifier: Apache-2.0
#include "column/gather.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_block_counter.h>
#include <arrow/util/bit_run_reader.h>

#include "base/check.h"
#include "column/gather_array.h"

namespace keepone {

namespace {

using Ranges = ArrayGather::Ranges;

Ranges RangesOf(std::span<const RowRef> rows) {
  Ranges ranges;
  for (const RowRef& row : rows) {
    ArrayGather::AppendRange({row.chunk, row.row, 1}, &ranges);
  }
  return ranges;
}

template <typename Index>
Ranges RangesOfIndices(std::span<const Index> indices) {
  Ranges ranges;
  for (const Index index : indices) {
    ArrayGather::AppendRange({index < 0 ? ChunkRange::kNullChunk : 0, index < 0 ? 0 : index, 1},
                             &ranges);
  }
  return ranges;
}

// The first half of the rows and the rest.
std::pair<Ranges, Ranges> Halve(const Ranges& ranges, int64_t rows) {
  std::pair<Ranges, Ranges> halves;
  int64_t left = rows / 2;
  for (const ChunkRange& range : ranges) {
    const int64_t count = std::min(left, range.count);
    left -= count;
    ArrayGather::AppendRange({range.chunk, range.begin, count}, &halves.first);
    ArrayGather::AppendRange({range.chunk, range.begin + count, range.count - count},
                             &halves.second);
  }
  return halves;
}

arrow::Status TooLarge(const arrow::DataType& type) {
  return DataError("a value of type ", type.ToString(), " is too large for that type");
}

ArrayGather::Chunks DataOf(const arrow::ArrayVector& chunks) {
  ArrayGather::Chunks data;
  for (const auto& chunk : chunks) {
    data.push_back(chunk->data().get());
  }
  return data;
}

arrow::Status GatherPieces(const std::shared_ptr<arrow::DataType>& type,
                           const ArrayGather::Chunks& chunks, const Ranges& ranges,
                           arrow::MemoryPool* pool, arrow::ArrayVector* out) {
  const int64_t rows = ArrayGather::CountRows(ranges);
  ArrayGather gather(pool);
  auto result = gather.Gather(type, chunks, ranges, rows);
  if (gather.overflowed()) {
    if (rows <= 1) {
      return TooLarge(*type);
    }
    const auto [first, second] = Halve(ranges, rows);
    ARROW_RETURN_NOT_OK(GatherPieces(type, chunks, first, pool, out));
    return GatherPieces(type, chunks, second, pool, out);
  }
  ARROW_RETURN_NOT_OK(result);
  out->push_back(arrow::MakeArray(std::move(result).ValueUnsafe()));
  return arrow::Status::OK();
}

// Rows of batches, column by column.
class BatchGather {
 public:
  BatchGather(const std::shared_ptr<arrow::Schema>& schema, const arrow::RecordBatchVector& batches,
              arrow::MemoryPool* pool)
      : schema_(schema), pool_(pool) {
    columns_.resize(static_cast<size_t>(schema->num_fields()));
    for (const auto& batch : batches) {
      for (size_t i = 0; i < columns_.size(); ++i) {
        columns_[i].push_back(batch->column_data(static_cast<int>(i)).get());
      }
    }
  }

  // One batch, or nullptr when it would overflow; then overflowed_type() is the column's type.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> GatherOne(const Ranges& ranges, int64_t rows) {
    std::vector<std::shared_ptr<arrow::ArrayData>> out;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto& type = schema_->field(static_cast<int>(i))->type();
      ArrayGather gather(pool_);
      auto result = gather.Gather(type, columns_[i], ranges, rows);
      if (gather.overflowed()) {
        overflowed_type_ = type;
        return nullptr;
      }
      ARROW_RETURN_NOT_OK(result);
      out.push_back(std::move(result).ValueUnsafe());
    }
    return arrow::RecordBatch::Make(schema_, rows, std::move(out));
  }

  arrow::Status GatherAll(const Ranges& ranges, arrow::RecordBatchVector* out) {
    const int64_t rows = ArrayGather::CountRows(ranges);
    if (rows == 0) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto batch, GatherOne(ranges, rows));
    if (batch != nullptr) {
      out->push_back(std::move(batch));
      return arrow::Status::OK();
    }
    if (rows == 1) {
      return TooLarge(*overflowed_type_);
    }
    const auto [first, second] = Halve(ranges, rows);
    ARROW_RETURN_NOT_OK(GatherAll(first, out));
    return GatherAll(second, out);
  }

  const std::shared_ptr<arrow::DataType>& overflowed_type() const { return overflowed_type_; }

 private:
  const std::shared_ptr<arrow::Schema>& schema_;
  arrow::MemoryPool* pool_;
  std::vector<ArrayGather::Chunks> columns_;
  std::shared_ptr<arrow::DataType> overflowed_type_;
};

arrow::Result<std::shared_ptr<arrow::RecordBatch>> GatherOneBatch(const arrow::RecordBatch& batch,
                                                                  const Ranges& ranges,
                                                                  arrow::MemoryPool* pool) {
  // The batch is borrowed: nothing here keeps it.
  const std::shared_ptr<arrow::RecordBatch> borrowed =
      arrow::RecordBatch::Make(batch.schema(), batch.num_rows(), batch.column_data());
  BatchGather gather(borrowed->schema(), {borrowed}, pool);
  const int64_t rows = ArrayGather::CountRows(ranges);
  ARROW_ASSIGN_OR_RAISE(auto out, gather.GatherOne(ranges, rows));
  if (out == nullptr) {
    return ResourceError(rows, " rows of type ", gather.overflowed_type()->ToString(),
                         " are too large for one batch");
  }
  return out;
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::ChunkedArray>> GatherRanges(
    const std::shared_ptr<arrow::DataType>& type, const arrow::ArrayVector& chunks,
    std::span<const ChunkRange> ranges, arrow::MemoryPool* pool) {
  Ranges joined;
  for (const ChunkRange& range : ranges) {
    ArrayGather::AppendRange(range, &joined);
  }
  arrow::ArrayVector out;
  ARROW_RETURN_NOT_OK(GatherPieces(type, DataOf(chunks), joined, pool, &out));
  return std::make_shared<arrow::ChunkedArray>(std::move(out), type);
}

arrow::Result<std::shared_ptr<arrow::ChunkedArray>> GatherRows(
    const std::shared_ptr<arrow::DataType>& type, const arrow::ArrayVector& chunks,
    std::span<const RowRef> rows, arrow::MemoryPool* pool) {
  arrow::ArrayVector out;
  ARROW_RETURN_NOT_OK(GatherPieces(type, DataOf(chunks), RangesOf(rows), pool, &out));
  return std::make_shared<arrow::ChunkedArray>(std::move(out), type);
}

arrow::Result<arrow::RecordBatchVector> GatherBatches(const std::shared_ptr<arrow::Schema>& schema,
                                                      const arrow::RecordBatchVector& batches,
                                                      std::span<const ChunkRange> ranges,
                                                      arrow::MemoryPool* pool) {
  Ranges joined;
  for (const ChunkRange& range : ranges) {
    ArrayGather::AppendRange(range, &joined);
  }
  arrow::RecordBatchVector out;
  ARROW_RETURN_NOT_OK(BatchGather(schema, batches, pool).GatherAll(joined, &out));
  return out;
}

arrow::Result<arrow::RecordBatchVector> GatherBatchRows(
    const std::shared_ptr<arrow::Schema>& schema, const arrow::RecordBatchVector& batches,
    std::span<const RowRef> rows, arrow::MemoryPool* pool) {
  arrow::RecordBatchVector out;
  ARROW_RETURN_NOT_OK(BatchGather(schema, batches, pool).GatherAll(RangesOf(rows), &out));
  return out;
}

arrow::Result<arrow::RecordBatchVector> ConcatenateBatches(
    const std::shared_ptr<arrow::Schema>& schema, const arrow::RecordBatchVector& batches,
    arrow::MemoryPool* pool) {
  Ranges ranges;
  for (size_t i = 0; i < batches.size(); ++i) {
    ArrayGather::AppendRange({static_cast<int32_t>(i), 0, batches[i]->num_rows()}, &ranges);
  }
  arrow::RecordBatchVector out;
  ARROW_RETURN_NOT_OK(BatchGather(schema, batches, pool).GatherAll(ranges, &out));
  return out;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const arrow::RecordBatch& batch,
                                                            std::span<const int64_t> indices,
                                                            arrow::MemoryPool* pool) {
  return GatherOneBatch(batch, RangesOfIndices(indices), pool);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const arrow::RecordBatch& batch,
                                                            std::span<const int32_t> indices,
                                                            arrow::MemoryPool* pool) {
  return GatherOneBatch(batch, RangesOfIndices(indices), pool);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> FilterRows(const arrow::RecordBatch& batch,
                                                              const arrow::BooleanArray& mask,
                                                              arrow::MemoryPool* pool) {
  KEEPONE_CHECK(mask.length() == batch.num_rows());
  Ranges ranges;
  if (mask.length() > 0) {
    const uint8_t* values = mask.values()->data();
    const auto append = [&](int64_t begin, int64_t count) {
      ArrayGather::AppendRange({0, begin, count}, &ranges);
    };
    if (mask.null_count() == 0) {
      arrow::internal::VisitSetBitRunsVoid(values, mask.offset(), mask.length(), append);
    } else {
      for (int64_t i = 0; i < mask.length(); ++i) {
        append(i, mask.IsValid(i) && mask.Value(i) ? 1 : 0);
      }
    }
  }
  return GatherOneBatch(batch, ranges, pool);
}

}  // namespace keepone
