// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/parquet_morsel.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <parquet/size_statistics.h>

#include "base/error.h"
#include "io/parquet/row_group_reader.h"

namespace keepone {

namespace {

// Rows of a first batch whose size nothing foretells.
constexpr int64_t kProbeRows = 256;
constexpr int64_t kBatchGrowth = 8;

RowRanges RangesOfAddresses(const MorselRequest& request) {
  RowRanges ranges;
  const int64_t* const addresses = request.wanted->raw_values();
  for (int64_t i = request.wanted_begin; i < request.wanted_end; ++i) {
    const int64_t row = addresses[i] - request.address_base;
    AppendRange(row, row + 1, &ranges);
  }
  return ranges;
}

class ParquetMorsel final : public Morsel {
 public:
  ParquetMorsel(std::shared_ptr<MorselSharing> sharing, MorselRequest request)
      : sharing_(std::move(sharing)), request_(std::move(request)) {}

  ~ParquetMorsel() override {
    reader_.reset();
    if (scratch_ != nullptr) {
      sharing_->GiveScratch(std::move(scratch_));
    }
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    auto batch = ReadBatch();
    if (!batch.ok() && !batch.status().IsCancelled()) {
      // What looks like corruption may be another file in the place of ours.
      ARROW_RETURN_NOT_OK(request_.file->CheckUnchanged());
    }
    return batch;
  }

 private:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadBatch() {
    ARROW_RETURN_NOT_OK(sharing_->context()->CheckStop());
    if (scratch_ == nullptr) {
      ARROW_RETURN_NOT_OK(Start());
    }
    if (rows_left_ == 0) {
      reader_.reset();
      ARROW_RETURN_NOT_OK(request_.file->CheckUnchanged());
      return nullptr;
    }
    ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector arrays, ReadArrays());
    const int64_t rows = read_fields_.empty() ? BatchRows() : arrays[0]->length();
    ARROW_ASSIGN_OR_RAISE(auto batch, Assemble(arrays, rows));
    ARROW_RETURN_NOT_OK(Account(*batch));
    return batch;
  }

  arrow::Status Start() {
    scratch_ = sharing_->TakeScratch();
    if (request_.wanted != nullptr) {
      request_.rows = RangesOfAddresses(request_);
    }
    rows_left_ = CountRows(request_.rows);
    for (const int field : request_.fields) {
      if (field >= 0) {
        read_fields_.push_back(field);
      }
    }
    row_bytes_ = sharing_->row_bytes();
    if (row_bytes_ == 0) {
      row_bytes_ = EstimateRowBytes();
    }
    return read_fields_.empty() ? arrow::Status::OK() : OpenReader(request_.rows);
  }

  arrow::Status OpenReader(RowRanges rows) {
    reader_.reset();
    RowGroupRequest request{.file = request_.file,
                            .row_group = request_.row_group,
                            .fields = read_fields_,
                            .rows = std::move(rows),
                            .accounted = request_.accounted,
                            .index = request_.index};
    ARROW_ASSIGN_OR_RAISE(
        reader_, MakeRowGroupReader(std::move(request), sharing_->context()->pool(), scratch_.get(),
                                    sharing_->counters()));
    return arrow::Status::OK();
  }

  // From the footer; encodings may hide how long values are, then a small batch shows.
  int64_t EstimateRowBytes() {
    const auto row_group = request_.file->metadata()->RowGroup(request_.row_group);
    int64_t bytes = 0;
    for (const int field : read_fields_) {
      for (const int leaf : request_.file->leaves(field)) {
        const auto chunk = row_group->ColumnChunk(leaf);
        bytes += std::max<int64_t>(chunk->total_uncompressed_size(), 0);
        if (row_group->schema()->Column(leaf)->physical_type() == parquet::Type::BYTE_ARRAY &&
            chunk->has_dictionary_page()) {
          batch_rows_limit_ = kProbeRows;
        }
      }
    }
    return bytes / std::max<int64_t>(row_group->num_rows(), 1);
  }

  int64_t BatchRows() const {
    const QueryContext& context = *sharing_->context();
    const int64_t by_bytes = context.batch_bytes_max() / std::max<int64_t>(row_bytes_, 1);
    return std::clamp<int64_t>(std::min({by_bytes, context.batch_rows_max(), batch_rows_limit_}), 1,
                               rows_left_);
  }

  // Arrow cannot assemble a nested value in one batch when a column below it is beyond 2 GiB:
  // smaller batches can.
  arrow::Result<arrow::ArrayVector> ReadArrays() {
    if (read_fields_.empty()) {
      return arrow::ArrayVector();
    }
    while (true) {
      const int64_t rows = BatchRows();
      auto arrays = reader_->Read(rows);
      if (arrays.ok() || rows == 1 ||
          arrays.status().message().find("chunked array outputs") == std::string::npos) {
        return arrays;
      }
      batch_rows_limit_ = std::max<int64_t>(rows / 8, 1);
      ARROW_RETURN_NOT_OK(OpenReader(DropRows(request_.rows, rows_given_)));
    }
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Assemble(const arrow::ArrayVector& arrays,
                                                              int64_t rows) {
    arrow::MemoryPool* const pool = sharing_->context()->pool();
    arrow::ArrayVector columns;
    size_t next = 0;
    for (size_t i = 0; i < request_.fields.size(); ++i) {
      const auto& field = request_.schema->field(static_cast<int>(i));
      if (request_.fields[i] < 0) {
        ARROW_ASSIGN_OR_RAISE(auto nulls, arrow::MakeArrayOfNull(field->type(), rows, pool));
        columns.push_back(std::move(nulls));
        continue;
      }
      std::shared_ptr<arrow::Array> array = arrays[next++];
      if (!array->type()->Equals(*field->type())) {
        arrow::compute::ExecContext exec(pool);
        auto widened =
            arrow::compute::Cast(*array, field->type(), arrow::compute::CastOptions::Safe(), &exec);
        ARROW_RETURN_NOT_OK(
            WithColumn(widened.status(), request_.file->path(), field->name(), request_.row_group));
        array = *std::move(widened);
      }
      columns.push_back(std::move(array));
    }
    if (request_.with_addresses) {
      ARROW_ASSIGN_OR_RAISE(auto addresses, MakeAddresses(rows));
      columns.push_back(std::move(addresses));
    } else {
      SkipAddresses(rows);
    }
    return arrow::RecordBatch::Make(request_.schema, rows, std::move(columns));
  }

  void SkipAddresses(int64_t rows) { rows_given_ += rows; }

  arrow::Result<std::shared_ptr<arrow::Array>> MakeAddresses(int64_t rows) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(int64_t)),
                                                sharing_->context()->pool()));
    auto* out = reinterpret_cast<int64_t*>(buffer->mutable_data());
    for (int64_t left = rows; left > 0;) {
      const RowRange& range = request_.rows[address_range_];
      const int64_t begin = range.begin + address_offset_;
      const int64_t count = std::min(left, range.end - begin);
      for (int64_t i = 0; i < count; ++i) {
        *out++ = request_.address_base + begin + i;
      }
      left -= count;
      address_offset_ += count;
      if (begin + count == range.end) {
        ++address_range_;
        address_offset_ = 0;
      }
    }
    rows_given_ += rows;
    return std::make_shared<arrow::Int64Array>(rows, std::move(buffer));
  }

  arrow::Status Account(const arrow::RecordBatch& batch) {
    const int64_t rows = batch.num_rows();
    rows_left_ -= rows;
    SourceCounters& counters = *sharing_->counters();
    counters.rows_read.fetch_add(rows, std::memory_order_relaxed);
    QueryProgress& progress = sharing_->context()->progress();
    (request_.wanted != nullptr ? progress.rows_fetched : progress.rows_scanned)
        .fetch_add(rows, std::memory_order_relaxed);
    progress.bytes_read.fetch_add(sharing_->TakeBytesRead(), std::memory_order_relaxed);
    if (!read_fields_.empty()) {
      ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(batch));
      sharing_->LearnRowBytes(std::max<int64_t>(bytes / rows, 1));
      row_bytes_ = sharing_->row_bytes();
      batch_rows_limit_ = std::max(batch_rows_limit_, rows) < INT64_MAX / kBatchGrowth
                              ? std::max(batch_rows_limit_, rows) * kBatchGrowth
                              : INT64_MAX;
    }
    return arrow::Status::OK();
  }

  std::shared_ptr<MorselSharing> sharing_;
  MorselRequest request_;
  std::unique_ptr<PageScratch> scratch_;
  std::unique_ptr<RowGroupReader> reader_;  // uses scratch_
  std::vector<int> read_fields_;
  int64_t rows_left_ = 0;
  int64_t rows_given_ = 0;
  int64_t row_bytes_ = 0;
  int64_t batch_rows_limit_ = INT64_MAX;
  size_t address_range_ = 0;
  int64_t address_offset_ = 0;  // rows of that range given already
};

}  // namespace

std::unique_ptr<PageScratch> MorselSharing::TakeScratch() {
  const std::lock_guard lock(mutex_);
  if (scratch_.empty()) {
    return std::make_unique<PageScratch>(context_->pool());
  }
  auto scratch = std::move(scratch_.back());
  scratch_.pop_back();
  return scratch;
}

void MorselSharing::GiveScratch(std::unique_ptr<PageScratch> scratch) {
  const std::lock_guard lock(mutex_);
  scratch_.push_back(std::move(scratch));
}

int64_t MorselSharing::TakeBytesRead() {
  const int64_t bytes = counters_->bytes_read.load(std::memory_order_relaxed);
  // Where two threads cross, one takes a negative rest of what the other took: the sum is right.
  return bytes - bytes_read_taken_.exchange(bytes, std::memory_order_relaxed);
}

void MorselSharing::LearnRowBytes(int64_t bytes) {
  // Up at once, down slowly: a batch too large costs more than one too small.
  const int64_t known = row_bytes();
  row_bytes_.store(std::max(bytes, (3 * known + bytes) / 4), std::memory_order_relaxed);
}

std::unique_ptr<Morsel> MakeParquetMorsel(std::shared_ptr<MorselSharing> sharing,
                                          MorselRequest request) {
  return std::make_unique<ParquetMorsel>(std::move(sharing), std::move(request));
}

}  // namespace keepone
