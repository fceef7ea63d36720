// SPDX-License-Identifier: Apache-2.0
#include "exec/held_rows.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/error.h"
#include "column/gather.h"
#include "column/row_bytes.h"

namespace keepone {

namespace {

constexpr int64_t kMorselBatches = 8;
constexpr double kWideRowBytes = 256;

// What the morsels of one stream share.
struct Held {
  QueryContext* context;
  std::shared_ptr<arrow::Schema> schema;
  HeldRows rows;
  std::shared_ptr<arrow::Schema> held_schema;  // of the batches; of no columns without a batch
  std::vector<double> row_bytes;               // of each batch, on average
  std::vector<int64_t> first_rows;             // of each batch, when the rows stand as they are

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish(
      const std::shared_ptr<arrow::RecordBatch>& batch, int64_t first) const {
    arrow::ArrayVector columns = batch->columns();
    for (const HeldRows::MoreColumn& more : rows.more) {
      ARROW_ASSIGN_OR_RAISE(auto column, more(first, batch->num_rows()));
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
  }
};

// Rows [first, end) of the order.
class OrderedMorsel final : public Morsel {
 public:
  OrderedMorsel(std::shared_ptr<const Held> held, int64_t first, int64_t end)
      : held_(std::move(held)), first_(first), end_(end) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (first_ == end_) {
      return nullptr;
    }
    if (pieces_.empty()) {
      ARROW_RETURN_NOT_OK(Gather());
    }
    const std::shared_ptr<arrow::RecordBatch> batch = std::move(pieces_.back());
    pieces_.pop_back();
    const int64_t first = first_;
    first_ += batch->num_rows();
    return held_->Finish(batch, first);
  }

 private:
  arrow::Status Gather() {
    ARROW_RETURN_NOT_OK(held_->context->CheckStop());
    const std::span<const RowPlace> left =
        std::span(held_->rows.order->refs())
            .subspan(static_cast<size_t>(first_), static_cast<size_t>(end_ - first_));
    const std::span<const RowPlace> refs = left.first(static_cast<size_t>(CountRows(left)));
    ARROW_ASSIGN_OR_RAISE(pieces_, GatherPieces(held_->held_schema, held_->rows.batches, refs,
                                                held_->context->pool()));
    std::reverse(pieces_.begin(), pieces_.end());
    return arrow::Status::OK();
  }

  int64_t CountRows(std::span<const RowPlace> refs) const {
    const auto rows_max = static_cast<size_t>(held_->context->batch_rows_max());
    const auto bytes_max = static_cast<double>(held_->context->batch_bytes_max());
    double bytes = 0;
    size_t count = 0;
    while (count < refs.size() && count < rows_max && bytes < bytes_max) {
      bytes += RowBytesAt(refs[count++]) + held_->rows.more_row_bytes;
    }
    return static_cast<int64_t>(count);
  }

  // Wide rows are measured one by one, as a few of them may be much wider than the others.
  double RowBytesAt(RowPlace place) const {
    const double average = held_->row_bytes[place.batch];
    if (average < kWideRowBytes) {
      return average;
    }
    int64_t bytes = 0;
    for (const auto& column : held_->rows.batches[place.batch]->column_data()) {
      bytes += RowBytes(*column, place.row, 1);
    }
    return static_cast<double>(bytes);
  }

  std::shared_ptr<const Held> held_;
  int64_t first_;
  int64_t end_;
  arrow::RecordBatchVector pieces_;  // gathered and not given yet, the next one last
};

// One batch as it stands.
class StandingMorsel final : public Morsel {
 public:
  StandingMorsel(std::shared_ptr<const Held> held, size_t index)
      : held_(std::move(held)), index_(index) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    const std::shared_ptr<arrow::RecordBatch>& batch = held_->rows.batches[index_];
    if (given_ == batch->num_rows()) {
      return nullptr;
    }
    ARROW_RETURN_NOT_OK(held_->context->CheckStop());
    const int64_t first = given_;
    const auto part = batch->Slice(first, RowsMax());
    given_ += part->num_rows();
    return held_->Finish(part, held_->first_rows[index_] + first);
  }

 private:
  // The batch itself is bounded already; what is put beside it may be wide.
  int64_t RowsMax() const {
    const auto bytes_max = static_cast<double>(held_->context->batch_bytes_max());
    const double rows = bytes_max / std::max(held_->rows.more_row_bytes, 1.0);
    return std::clamp<int64_t>(static_cast<int64_t>(rows), 1, held_->context->batch_rows_max());
  }

  std::shared_ptr<const Held> held_;
  size_t index_;
  int64_t given_ = 0;
};

class HeldRowsStream final : public BatchStream {
 public:
  explicit HeldRowsStream(std::shared_ptr<const Held> held) : held_(std::move(held)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return held_->schema; }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const int64_t index = next_.fetch_add(1);
    if (held_->rows.order == nullptr) {
      if (index >= static_cast<int64_t>(held_->rows.batches.size())) {
        return nullptr;
      }
      return std::make_unique<StandingMorsel>(held_, static_cast<size_t>(index));
    }
    const int64_t morsel_rows = held_->context->batch_rows_max() * kMorselBatches;
    const int64_t rows = held_->rows.order->size();
    if (index >= (rows + morsel_rows - 1) / morsel_rows) {
      return nullptr;
    }
    const int64_t first = index * morsel_rows;
    return std::make_unique<OrderedMorsel>(held_, first, std::min(first + morsel_rows, rows));
  }

 private:
  std::shared_ptr<const Held> held_;
  std::atomic<int64_t> next_{0};
};

}  // namespace

arrow::Result<arrow::RecordBatchVector> GatherPieces(const std::shared_ptr<arrow::Schema>& schema,
                                                     const arrow::RecordBatchVector& batches,
                                                     std::span<const RowPlace> places,
                                                     arrow::MemoryPool* pool) {
  std::vector<RowRef> rows;
  rows.reserve(places.size());
  if (batches.size() <= 2 * places.size()) {
    for (const RowPlace place : places) {
      rows.push_back({static_cast<int32_t>(place.batch), static_cast<int64_t>(place.row)});
    }
    return GatherBatchRows(schema, batches, rows, pool);
  }
  // A few rows of many batches: looking at every batch would cost more than the rows.
  arrow::RecordBatchVector used;
  std::unordered_map<uint32_t, int32_t> chunks;
  for (const RowPlace place : places) {
    const auto [chunk, is_new] = chunks.try_emplace(place.batch, static_cast<int32_t>(used.size()));
    if (is_new) {
      used.push_back(batches[place.batch]);
    }
    rows.push_back({chunk->second, static_cast<int64_t>(place.row)});
  }
  return GatherBatchRows(schema, used, rows, pool);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> GatherPlaces(
    const std::shared_ptr<arrow::Schema>& schema, const arrow::RecordBatchVector& batches,
    std::span<const RowPlace> places, arrow::MemoryPool* pool) {
  if (places.empty()) {
    return arrow::RecordBatch::MakeEmpty(schema, pool);
  }
  ARROW_ASSIGN_OR_RAISE(arrow::RecordBatchVector pieces,
                        GatherPieces(schema, batches, places, pool));
  if (pieces.size() != 1) {
    return ResourceError(places.size(), " rows do not fit one batch: a column of theirs has more ",
                         "than 2^31 bytes or values");
  }
  return std::move(pieces[0]);
}

arrow::Status RowOrder::Resize(int64_t rows) {
  ARROW_RETURN_NOT_OK(reservation_.Resize(rows * static_cast<int64_t>(sizeof(RowPlace))));
  refs_.resize(static_cast<size_t>(rows));
  return arrow::Status::OK();
}

std::unique_ptr<BatchStream> MakeHeldRows(QueryContext* context,
                                          std::shared_ptr<arrow::Schema> schema, HeldRows rows) {
  auto held = std::make_shared<Held>();
  held->context = context;
  held->schema = std::move(schema);
  held->held_schema = rows.batches.empty() ? arrow::schema({}) : rows.batches[0]->schema();
  int64_t first_row = 0;
  for (const auto& batch : rows.batches) {
    const auto batch_rows = static_cast<double>(std::max<int64_t>(batch->num_rows(), 1));
    held->row_bytes.push_back(static_cast<double>(BatchBytes(*batch)) / batch_rows);
    held->first_rows.push_back(first_row);
    first_row += batch->num_rows();
  }
  held->rows = std::move(rows);
  return std::make_unique<HeldRowsStream>(std::move(held));
}

HeldRows::MoreColumn SlicesOf(std::shared_ptr<arrow::Array> array) {
  return [array = std::move(array)](int64_t first,
                                    int64_t count) -> arrow::Result<std::shared_ptr<arrow::Array>> {
    return array->Slice(first, count);
  };
}

HeldRows::MoreColumn SlicesOf(std::shared_ptr<arrow::ChunkedArray> chunks,
                              arrow::MemoryPool* pool) {
  return [chunks = std::move(chunks), pool](
             int64_t first, int64_t count) -> arrow::Result<std::shared_ptr<arrow::Array>> {
    const std::shared_ptr<arrow::ChunkedArray> slice = chunks->Slice(first, count);
    if (slice->num_chunks() == 1) {
      return slice->chunk(0);
    }
    return arrow::Concatenate(slice->chunks(), pool);
  };
}

HeldRows::MoreColumn GatheredColumn(arrow::RecordBatchVector batches, int column,
                                    std::shared_ptr<const RowOrder> order,
                                    arrow::MemoryPool* pool) {
  arrow::RecordBatchVector selected;
  for (const auto& batch : batches) {
    selected.push_back(arrow::RecordBatch::Make(arrow::schema({batch->schema()->field(column)}),
                                                batch->num_rows(),
                                                arrow::ArrayVector{batch->column(column)}));
  }
  return [selected = std::move(selected), order = std::move(order), pool](
             int64_t first, int64_t count) -> arrow::Result<std::shared_ptr<arrow::Array>> {
    const std::span<const RowPlace> refs =
        std::span(order->refs()).subspan(static_cast<size_t>(first), static_cast<size_t>(count));
    ARROW_ASSIGN_OR_RAISE(auto rows, GatherPlaces(selected[0]->schema(), selected, refs, pool));
    return rows->column(0);
  };
}

int64_t TotalBytes(const arrow::RecordBatchVector& batches) {
  int64_t bytes = 0;
  for (const auto& batch : batches) {
    bytes += BatchBytes(*batch);
  }
  return bytes;
}

}  // namespace keepone
