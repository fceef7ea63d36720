// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"

namespace keepone {

// A row of one of several batches. Half the size of what gather.h takes, as there may be one for
// every row that is held.
struct RowPlace {
  uint32_t batch = 0;
  uint32_t row = 0;
};

// The rows at these places, in that order; in several pieces where offsets would overflow.
arrow::Result<arrow::RecordBatchVector> GatherPieces(const std::shared_ptr<arrow::Schema>& schema,
                                                     const arrow::RecordBatchVector& batches,
                                                     std::span<const RowPlace> places,
                                                     arrow::MemoryPool* pool);
// The same as one batch; a resource error where that cannot hold them.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> GatherPlaces(
    const std::shared_ptr<arrow::Schema>& schema, const arrow::RecordBatchVector& batches,
    std::span<const RowPlace> places, arrow::MemoryPool* pool);

// Row references whose memory is counted in the query's budget.
class RowOrder {
 public:
  explicit RowOrder(MemoryBudget* budget) : reservation_(budget) {}

  // Makes room for `rows` in all, set to {0, 0}.
  arrow::Status Resize(int64_t rows);
  std::vector<RowPlace>& refs() { return refs_; }
  const std::vector<RowPlace>& refs() const { return refs_; }
  int64_t size() const { return static_cast<int64_t>(refs_.size()); }

 private:
  MemoryReservation reservation_;
  std::vector<RowPlace> refs_;
};

// Rows in memory, ready to be given out: those of `batches` in `order`, or as they stand when that
// is nullptr, each with the values of `more` behind its columns.
struct HeldRows {
  // Gives the values of rows [first, first + count) of the output. Called by many threads.
  using MoreColumn =
      std::function<arrow::Result<std::shared_ptr<arrow::Array>>(int64_t first, int64_t count)>;

  arrow::RecordBatchVector batches;
  std::unique_ptr<RowOrder> order;
  std::vector<MoreColumn> more;
  double more_row_bytes = 0;  // of `more`, on average: only to bound batches
};

// One more column for held rows.
struct AggregateResult {
  HeldRows::MoreColumn values;
  double row_bytes = 0;  // on average
};

// Gives the rows under the names of `schema`, in batches bounded by rows and bytes, and in morsels
// that are gathered in parallel.
std::unique_ptr<BatchStream> MakeHeldRows(QueryContext* context,
                                          std::shared_ptr<arrow::Schema> schema, HeldRows rows);

// Slices of an array, as a column of HeldRows.
HeldRows::MoreColumn SlicesOf(std::shared_ptr<arrow::Array> array);
// Slices of chunks, likewise.
HeldRows::MoreColumn SlicesOf(std::shared_ptr<arrow::ChunkedArray> chunks, arrow::MemoryPool* pool);

// The values of one column of `batches` at `order`, likewise.
HeldRows::MoreColumn GatheredColumn(arrow::RecordBatchVector batches, int column,
                                    std::shared_ptr<const RowOrder> order, arrow::MemoryPool* pool);

// Bytes of all batches.
int64_t TotalBytes(const arrow::RecordBatchVector& batches);

}  // namespace keepone
