// SPDX-License-Identifier: Apache-2.0
#include "io/arrow/arrow_morsel.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/compute/cast.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>

#include "column/gather.h"
#include "io/arrow/arrow_file.h"
#include "io/decoded_type.h"

namespace keepone {

namespace {

// Rows of a first batch whose size nothing foretells: dictionaries and runs hide it.
constexpr int64_t kFirstBatchRows = 256;
constexpr int64_t kRowsGrowth = 8;

class ArrowMorsel final : public Morsel {
 public:
  ArrowMorsel(QueryContext* context, ArrowMorselRequest request,
              std::shared_ptr<SourceCounters> counters)
      : context_(context), request_(std::move(request)), counters_(std::move(counters)) {
    next_ = request_.wanted == nullptr ? 0 : request_.wanted_begin;
    end_ = request_.wanted == nullptr ? request_.rows : request_.wanted_end;
    copies_ = request_.wanted != nullptr && end_ - next_ < request_.rows;
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    auto batch = MakeBatch();
    if (!batch.ok() && !batch.status().IsCancelled()) {
      // What looks like corruption may be another file in the place of ours.
      ARROW_RETURN_NOT_OK(request_.check());
      return WithBatch(batch.status(), request_.path, request_.batch_number);
    }
    return batch;
  }

 private:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeBatch() {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    if (next_ >= end_) {
      read_ = nullptr;
      ARROW_RETURN_NOT_OK(request_.check());
      return nullptr;
    }
    if (read_ == nullptr && !request_.columns->fields.empty()) {
      ARROW_RETURN_NOT_OK(Read());
    }
    while (true) {
      const int64_t rows = BatchRows();
      auto batch = Assemble(rows);
      if (batch.ok() || !batch.status().IsCapacityError() || rows == 1) {
        ARROW_RETURN_NOT_OK(batch.status());
        ARROW_RETURN_NOT_OK(Account(**batch));
        return batch;
      }
      rows_limit_ = std::max<int64_t>(rows / 8, 1);
    }
  }

  arrow::Status Read() {
    const int64_t before = counters_->bytes_read.load(std::memory_order_relaxed);
    ARROW_ASSIGN_OR_RAISE(read_, request_.read());
    context_->progress().bytes_read.fetch_add(
        counters_->bytes_read.load(std::memory_order_relaxed) - before, std::memory_order_relaxed);
    for (const auto& field : read_->schema()->fields()) {
      if (!DecodedType(field->type())->Equals(*field->type())) {
        rows_limit_ = kFirstBatchRows;
      }
    }
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*read_));
    row_bytes_ = bytes / std::max<int64_t>(request_.rows, 1);
    return arrow::Status::OK();
  }

  int64_t BatchRows() const {
    const int64_t by_bytes = context_->batch_bytes_max() / std::max<int64_t>(row_bytes_, 1);
    return std::clamp<int64_t>(std::min({by_bytes, context_->batch_rows_max(), rows_limit_}), 1,
                               end_ - next_);
  }

  // The row of the record batch that is the i-th to be given.
  int64_t RowOf(int64_t i) const {
    return request_.wanted == nullptr ? i : request_.wanted->Value(i) - request_.address_base;
  }

  std::vector<ChunkRange> RangesOf(int64_t rows) const {
    std::vector<ChunkRange> ranges;
    for (int64_t i = next_; i < next_ + rows; ++i) {
      const int64_t row = RowOf(i);
      if (!ranges.empty() && ranges.back().begin + ranges.back().count == row) {
        ++ranges.back().count;
      } else {
        ranges.push_back({0, row, 1});
      }
    }
    return ranges;
  }

  // The next rows of a column that was read, plain.
  arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(int column, int64_t rows,
                                                        const std::vector<ChunkRange>& ranges) {
    std::shared_ptr<arrow::Array> array = read_->column(column);
    if (!copies_) {
      array = array->Slice(RowOf(next_), rows);
    } else {
      ARROW_ASSIGN_OR_RAISE(const auto gathered,
                            GatherRanges(array->type(), {array}, ranges, context_->pool()));
      if (gathered->num_chunks() != 1) {
        return arrow::Status::CapacityError("values of more than 2 GiB in one batch");
      }
      array = gathered->chunk(0);
    }
    return DecodedArray(array, context_->pool());
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Assemble(int64_t rows) {
    const ArrowColumns& columns = *request_.columns;
    const std::vector<ChunkRange> ranges = copies_ ? RangesOf(rows) : std::vector<ChunkRange>();
    arrow::ArrayVector taken(columns.fields.size());
    for (size_t i = 0; i < taken.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(taken[i], TakeRows(static_cast<int>(i), rows, ranges));
    }
    arrow::ArrayVector arrays;
    for (size_t i = 0; i < columns.places.size(); ++i) {
      const auto& type = columns.schema->field(static_cast<int>(i))->type();
      if (columns.places[i] < 0) {
        ARROW_ASSIGN_OR_RAISE(auto nulls, arrow::MakeArrayOfNull(type, rows, context_->pool()));
        arrays.push_back(std::move(nulls));
        continue;
      }
      std::shared_ptr<arrow::Array> array = taken[static_cast<size_t>(columns.places[i])];
      if (!array->type()->Equals(*type)) {
        arrow::compute::ExecContext exec(context_->pool());
        ARROW_ASSIGN_OR_RAISE(
            array, arrow::compute::Cast(*array, type, arrow::compute::CastOptions::Safe(), &exec));
      }
      arrays.push_back(std::move(array));
    }
    if (columns.with_addresses) {
      ARROW_ASSIGN_OR_RAISE(auto addresses, MakeAddresses(rows));
      arrays.push_back(std::move(addresses));
    }
    return arrow::RecordBatch::Make(columns.schema, rows, std::move(arrays));
  }

  arrow::Result<std::shared_ptr<arrow::Array>> MakeAddresses(int64_t rows) const {
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<arrow::Buffer> buffer,
        arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(int64_t)), context_->pool()));
    auto* const out = reinterpret_cast<int64_t*>(buffer->mutable_data());
    for (int64_t i = 0; i < rows; ++i) {
      out[i] = request_.address_base + RowOf(next_ + i);
    }
    return std::make_shared<arrow::Int64Array>(rows, std::move(buffer));
  }

  arrow::Status Account(const arrow::RecordBatch& batch) {
    const int64_t rows = batch.num_rows();
    next_ += rows;
    counters_->rows_read.fetch_add(rows, std::memory_order_relaxed);
    QueryProgress& progress = context_->progress();
    (request_.wanted != nullptr ? progress.rows_fetched : progress.rows_scanned)
        .fetch_add(rows, std::memory_order_relaxed);
    if (rows_limit_ < INT64_MAX) {
      ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(batch));
      row_bytes_ = std::max<int64_t>(bytes / rows, 1);
      rows_limit_ = std::min(rows_limit_ * kRowsGrowth, context_->batch_rows_max());
    }
    return arrow::Status::OK();
  }

  QueryContext* context_;
  ArrowMorselRequest request_;
  std::shared_ptr<SourceCounters> counters_;
  std::shared_ptr<arrow::RecordBatch> read_;
  bool copies_ = false;
  int64_t next_ = 0;  // a row, or an index of `wanted`
  int64_t end_ = 0;
  int64_t row_bytes_ = 0;
  int64_t rows_limit_ = INT64_MAX;
};

}  // namespace

ArrowColumns MakeArrowColumns(const arrow::Schema& schema, const std::vector<int>& wanted,
                              const std::vector<int>& fields_of, bool with_addresses) {
  ArrowColumns columns;
  arrow::FieldVector fields;
  for (const int column : wanted) {
    fields.push_back(schema.field(column));
    const int field = fields_of[static_cast<size_t>(column)];
    if (field >= 0) {
      columns.fields.push_back(field);
    }
  }
  std::sort(columns.fields.begin(), columns.fields.end());
  columns.fields.erase(std::unique(columns.fields.begin(), columns.fields.end()),
                       columns.fields.end());
  for (const int column : wanted) {
    const int field = fields_of[static_cast<size_t>(column)];
    const auto place = std::lower_bound(columns.fields.begin(), columns.fields.end(), field);
    columns.places.push_back(field < 0 ? -1 : static_cast<int>(place - columns.fields.begin()));
  }
  if (with_addresses) {
    fields.push_back(arrow::field(kRowAddressName, arrow::int64(), /*nullable=*/false));
  }
  columns.schema = arrow::schema(std::move(fields));
  columns.with_addresses = with_addresses;
  return columns;
}

std::unique_ptr<Morsel> MakeArrowMorsel(QueryContext* context, ArrowMorselRequest request,
                                        std::shared_ptr<SourceCounters> counters) {
  return std::make_unique<ArrowMorsel>(context, std::move(request), std::move(counters));
}

}  // namespace keepone
