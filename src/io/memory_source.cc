// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include "base/check.h"
#include "column/gather.h"
#include "io/open.h"

namespace keepone {

namespace {

// Rows of one morsel of a scan, and addresses of one of a fetch.
constexpr int64_t kMorselRows = 64 << 10;

struct MemoryTable {
  std::string name;
  std::shared_ptr<arrow::Schema> schema;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  std::vector<int64_t> begins;  // of each batch, and the end
  std::vector<int64_t> column_bytes;

  int64_t row_count() const { return begins.back(); }
  // The batch that has the row.
  size_t BatchOf(int64_t row) const {
    return static_cast<size_t>(std::upper_bound(begins.begin(), begins.end(), row) -
                               begins.begin()) -
           1;
  }
  int64_t row_bytes() const {
    int64_t bytes = 0;
    for (const int64_t column : column_bytes) {
      bytes += column;
    }
    return bytes / std::max<int64_t>(row_count(), 1);
  }
};

// What the morsels of one stream share.
struct MemoryRead {
  std::shared_ptr<const MemoryTable> table;
  QueryContext* context = nullptr;
  std::vector<int> columns;
  std::shared_ptr<arrow::Schema> schema;
  std::shared_ptr<SourceCounters> counters;
  bool with_addresses = false;
  int64_t batch_rows = 1;
  arrow::RecordBatchVector projected;  // the batches with the wanted columns; for a fetch

  // Counts rows given out.
  void Account(int64_t rows, std::atomic<int64_t>* progress) const {
    progress->fetch_add(rows, std::memory_order_relaxed);
    counters->rows_read.fetch_add(rows, std::memory_order_relaxed);
  }
};

std::shared_ptr<MemoryRead> MakeRead(std::shared_ptr<const MemoryTable> table,
                                     QueryContext* context, std::vector<int> columns,
                                     bool with_addresses,
                                     std::shared_ptr<SourceCounters> counters) {
  auto read = std::make_shared<MemoryRead>();
  arrow::FieldVector fields;
  for (const int column : columns) {
    fields.push_back(table->schema->field(column));
  }
  if (with_addresses) {
    fields.push_back(arrow::field(kRowAddressName, arrow::int64(), /*nullable=*/false));
  }
  read->schema = arrow::schema(std::move(fields));
  read->batch_rows =
      std::clamp<int64_t>(context->batch_bytes_max() / std::max<int64_t>(table->row_bytes(), 1), 1,
                          context->batch_rows_max());
  read->table = std::move(table);
  read->context = context;
  read->columns = std::move(columns);
  read->with_addresses = with_addresses;
  read->counters = counters != nullptr ? std::move(counters) : std::make_shared<SourceCounters>();
  return read;
}

class ScanMorsel final : public Morsel {
 public:
  ScanMorsel(std::shared_ptr<const MemoryRead> read, int64_t begin, int64_t end)
      : read_(std::move(read)), next_(begin), end_(end) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    ARROW_RETURN_NOT_OK(read_->context->CheckStop());
    if (next_ >= end_) {
      return nullptr;
    }
    const MemoryTable& table = *read_->table;
    const size_t number = table.BatchOf(next_);
    const arrow::RecordBatch& batch = *table.batches[number];
    const int64_t offset = next_ - table.begins[number];
    const int64_t rows = std::min({read_->batch_rows, end_ - next_, batch.num_rows() - offset});
    arrow::ArrayVector arrays;
    for (const int column : read_->columns) {
      arrays.push_back(batch.column(column)->Slice(offset, rows));
    }
    if (read_->with_addresses) {
      ARROW_ASSIGN_OR_RAISE(auto addresses, MakeAddresses(rows));
      arrays.push_back(std::move(addresses));
    }
    next_ += rows;
    read_->Account(rows, &read_->context->progress().rows_scanned);
    return arrow::RecordBatch::Make(read_->schema, rows, std::move(arrays));
  }

 private:
  arrow::Result<std::shared_ptr<arrow::Array>> MakeAddresses(int64_t rows) const {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(int64_t)),
                                                read_->context->pool()));
    auto* const values = reinterpret_cast<int64_t*>(buffer->mutable_data());
    for (int64_t i = 0; i < rows; ++i) {
      values[i] = next_ + i;
    }
    return std::make_shared<arrow::Int64Array>(rows, std::move(buffer));
  }

  std::shared_ptr<const MemoryRead> read_;
  int64_t next_;
  int64_t end_;
};

class ScanStream final : public BatchStream {
 public:
  explicit ScanStream(std::shared_ptr<const MemoryRead> read) : read_(std::move(read)) {
    read_->context->progress().rows_total.fetch_add(read_->table->row_count(),
                                                    std::memory_order_relaxed);
  }
  const std::shared_ptr<arrow::Schema>& schema() const override { return read_->schema; }
  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const int64_t begin = next_.fetch_add(kMorselRows);
    const int64_t row_count = read_->table->row_count();
    if (begin >= row_count) {
      return nullptr;
    }
    return std::make_unique<ScanMorsel>(read_, begin, std::min(begin + kMorselRows, row_count));
  }

 private:
  std::shared_ptr<const MemoryRead> read_;
  std::atomic<int64_t> next_{0};
};

class MemoryFetchMorsel final : public Morsel {
 public:
  MemoryFetchMorsel(std::shared_ptr<const MemoryRead> read,
                    std::shared_ptr<arrow::Int64Array> addresses, int64_t begin, int64_t end)
      : read_(std::move(read)), addresses_(std::move(addresses)), next_(begin), end_(end) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    ARROW_RETURN_NOT_OK(read_->context->CheckStop());
    if (ready_.empty()) {
      if (next_ >= end_) {
        return nullptr;
      }
      ARROW_RETURN_NOT_OK(Gather());
    }
    auto batch = std::move(ready_.front());
    ready_.pop_front();
    read_->Account(batch->num_rows(), &read_->context->progress().rows_fetched);
    return batch;
  }

 private:
  // Makes at least one batch ready: rows in one piece as a slice, others copied together.
  arrow::Status Gather() {
    const int64_t count = std::min(read_->batch_rows, end_ - next_);
    ARROW_ASSIGN_OR_RAISE(const auto ranges, FindRanges(count));
    next_ += count;
    if (ranges.size() == 1) {
      const auto& batch = read_->projected[static_cast<size_t>(ranges[0].chunk)];
      ready_.push_back(batch->Slice(ranges[0].begin, ranges[0].count));
    } else if (read_->columns.empty()) {
      ready_.push_back(arrow::RecordBatch::Make(read_->schema, count, arrow::ArrayVector()));
    } else {
      ARROW_ASSIGN_OR_RAISE(auto batches, GatherBatches(read_->schema, read_->projected, ranges,
                                                        read_->context->pool()));
      ready_.insert(ready_.end(), batches.begin(), batches.end());
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::vector<ChunkRange>> FindRanges(int64_t count) const {
    const MemoryTable& table = *read_->table;
    std::vector<ChunkRange> ranges;
    size_t batch = 0;
    for (int64_t i = next_; i < next_ + count; ++i) {
      const int64_t row = addresses_->Value(i);
      KEEPONE_CHECK(row >= 0 && row < table.row_count());
      if (ranges.empty() || row >= table.begins[batch + 1]) {
        batch = table.BatchOf(row);
      } else if (ranges.back().begin + ranges.back().count == row - table.begins[batch]) {
        ++ranges.back().count;
        continue;
      }
      ranges.push_back({static_cast<int32_t>(batch), row - table.begins[batch], 1});
    }
    return ranges;
  }

  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
  std::shared_ptr<const MemoryRead> read_;
  std::shared_ptr<arrow::Int64Array> addresses_;
  int64_t next_;
  int64_t end_;
};

class FetchStream final : public BatchStream {
 public:
  FetchStream(std::shared_ptr<const MemoryRead> read, std::shared_ptr<arrow::Int64Array> addresses)
      : read_(std::move(read)), addresses_(std::move(addresses)) {}
  const std::shared_ptr<arrow::Schema>& schema() const override { return read_->schema; }
  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const int64_t begin = next_.fetch_add(kMorselRows);
    if (begin >= addresses_->length()) {
      return nullptr;
    }
    return std::make_unique<MemoryFetchMorsel>(read_, addresses_, begin,
                                               std::min(begin + kMorselRows, addresses_->length()));
  }

 private:
  std::shared_ptr<const MemoryRead> read_;
  std::shared_ptr<arrow::Int64Array> addresses_;
  std::atomic<int64_t> next_{0};
};

class MemorySource final : public Source {
 public:
  explicit MemorySource(std::shared_ptr<const MemoryTable> table) : table_(std::move(table)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return table_->schema; }
  std::string description() const override { return "memory table " + table_->name; }
  SourceStatistics statistics() const override {
    return {table_->row_count(), table_->column_bytes};
  }
  bool can_fetch() const override { return true; }

  arrow::Result<std::unique_ptr<BatchStream>> Scan(
      QueryContext* context, ScanRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    return std::make_unique<ScanStream>(MakeRead(table_, context, std::move(request.columns),
                                                 request.with_addresses, std::move(counters)));
  }

  arrow::Result<std::unique_ptr<BatchStream>> Fetch(
      QueryContext* context, FetchRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    auto read = MakeRead(table_, context, std::move(request.columns), /*with_addresses=*/false,
                         std::move(counters));
    for (const auto& batch : table_->batches) {
      arrow::ArrayVector arrays;
      for (const int column : read->columns) {
        arrays.push_back(batch->column(column));
      }
      read->projected.push_back(
          arrow::RecordBatch::Make(read->schema, batch->num_rows(), std::move(arrays)));
    }
    return std::make_unique<FetchStream>(std::move(read), std::move(request.addresses));
  }

 private:
  std::shared_ptr<const MemoryTable> table_;
};

}  // namespace

std::shared_ptr<const Source> MakeMemorySource(
    std::string name, std::shared_ptr<arrow::Schema> schema,
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches) {
  auto table = std::make_shared<MemoryTable>();
  table->name = std::move(name);
  table->column_bytes.assign(static_cast<size_t>(schema->num_fields()), 0);
  table->schema = std::move(schema);
  table->begins = {0};
  for (auto& batch : batches) {
    if (batch->num_rows() == 0) {
      continue;
    }
    for (int column = 0; column < batch->num_columns(); ++column) {
      table->column_bytes[static_cast<size_t>(column)] +=
          arrow::util::ReferencedBufferSize(*batch->column(column)).ValueOr(0);
    }
    table->begins.push_back(table->begins.back() + batch->num_rows());
    table->batches.push_back(std::move(batch));
  }
  return std::make_shared<MemorySource>(std::move(table));
}

}  // namespace keepone
