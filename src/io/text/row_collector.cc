// SPDX-License-Identifier: Apache-2.0
#include "io/text/row_collector.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>

namespace keepone {

arrow::Status RowCollector::Open() {
  ARROW_ASSIGN_OR_RAISE(parser_, file().format->MakeParser(reading_->fields, reading_->types,
                                                           reading_->context->pool()));
  return arrow::Status::OK();
}

arrow::Status RowCollector::Append(std::string_view record, int64_t offset,
                                   const std::optional<int64_t>& line) {
  size_t error_offset = 0;
  const arrow::Status status = parser_->Append(record, &error_offset);
  if (status.ok()) {
    if (reading_->with_addresses) {
      addresses_.push_back((static_cast<int64_t>(file_) << kFileShift) | offset);
    }
    return status;
  }
  if (reading_->source->options.ignore_errors && IsDataError(status)) {
    reading_->counters->records_left_out.fetch_add(1, std::memory_order_relaxed);
    return arrow::Status::OK();
  }
  return WithLine(status, file(), offset, record.substr(0, std::min(error_offset, record.size())),
                  line);
}

bool RowCollector::is_full() const {
  return parser_->rows() >= reading_->context->batch_rows_max() ||
         (parser_->rows() > 0 && parser_->bytes() >= reading_->context->batch_bytes_max());
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> RowCollector::Finish() {
  ARROW_ASSIGN_OR_RAISE(const auto parsed, parser_->Finish());
  const int64_t rows = parsed->num_rows();
  arrow::ArrayVector arrays;
  for (const int place : reading_->places) {
    arrays.push_back(parsed->column(place));
  }
  if (reading_->with_addresses) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(rows * static_cast<int64_t>(sizeof(int64_t)),
                                                reading_->context->pool()));
    std::memcpy(buffer->mutable_data(), addresses_.data(), addresses_.size() * sizeof(int64_t));
    arrays.push_back(std::make_shared<arrow::Int64Array>(rows, std::move(buffer)));
    addresses_.clear();
  }
  reading_->counters->rows_read.fetch_add(rows, std::memory_order_relaxed);
  QueryProgress& progress = reading_->context->progress();
  (reading_->is_fetch ? progress.rows_fetched : progress.rows_scanned)
      .fetch_add(rows, std::memory_order_relaxed);
  return arrow::RecordBatch::Make(reading_->schema, rows, std::move(arrays));
}

}  // namespace keepone
