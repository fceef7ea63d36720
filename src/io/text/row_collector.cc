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

void RowCollector::AddAddress(int64_t offset) {
  if (reading_->with_addresses) {
    addresses_.push_back((static_cast<int64_t>(file_) << kFileShift) | offset);
  }
}

arrow::Status RowCollector::Append(std::string_view record, int64_t offset,
                                   const std::optional<int64_t>& line) {
  begins_.clear();
  size_t position = 0;
  ARROW_RETURN_NOT_OK(parser_->AppendSome(record, 1, &position, &begins_));
  if (begins_.empty()) {
    return AppendOne(record, offset, line);
  }
  AddAddress(offset);
  return arrow::Status::OK();
}

arrow::Status RowCollector::AppendOne(std::string_view record, int64_t offset,
                                      const std::optional<int64_t>& line) {
  size_t error_offset = 0;
  const arrow::Status status = parser_->Append(record, &error_offset);
  if (!status.ok()) {
    return Refuse(status, record, error_offset, offset, line);
  }
  AddAddress(offset);
  return status;
}

arrow::Status RowCollector::Refuse(const arrow::Status& status, std::string_view record,
                                   size_t error_offset, int64_t offset,
                                   const std::optional<int64_t>& line) {
  if (reading_->source->options.ignore_errors && IsDataError(status)) {
    reading_->counters->records_left_out.fetch_add(1, std::memory_order_relaxed);
    return arrow::Status::OK();
  }
  return WithLine(status, file(), offset, record.substr(0, std::min(error_offset, record.size())),
                  line);
}

std::optional<int64_t> RowCollector::LineIn(const TextPart& part, size_t position) {
  if (!part.line.has_value()) {
    return std::nullopt;
  }
  if (counted_part_ != part.offset || position < counted_) {
    counted_part_ = part.offset;
    counted_ = 0;
    line_ends_ = 0;
  }
  line_ends_ += CountLineEnds(part.text.substr(counted_, position - counted_));
  counted_ = position;
  return *part.line + line_ends_;
}

arrow::Result<bool> RowCollector::AppendSome(const TextPart& part, size_t* position) {
  if (*position >= part.text.size()) {
    return false;
  }
  begins_.clear();
  const int64_t rows_max = std::max<int64_t>(1, reading_->context->batch_rows_max() - rows());
  ARROW_RETURN_NOT_OK(parser_->AppendSome(part.text, rows_max, position, &begins_));
  if (!begins_.empty()) {
    for (const size_t begin : begins_) {
      AddAddress(part.offset + static_cast<int64_t>(begin));
    }
    return true;
  }
  const auto found = file().format->FindRecord(part.text, *position, /*is_last=*/true);
  if (!found.ok()) {
    // What has no end is left out up to the end of its line.
    const size_t begin = std::min(part.text.find_first_not_of("\r\n", *position), part.text.size());
    const size_t line_end = part.text.find('\n', begin);
    *position = line_end == std::string_view::npos ? part.text.size() : line_end + 1;
    ARROW_RETURN_NOT_OK(Refuse(found.status(), part.text.substr(begin, *position - begin), 0,
                               part.offset + static_cast<int64_t>(begin), LineIn(part, begin)));
    return true;
  }
  if (!found->has_value()) {
    *position = part.text.size();
    return false;
  }
  const TextRecord record = **found;
  *position = record.next;
  ARROW_RETURN_NOT_OK(AppendOne(part.text.substr(record.begin, record.end - record.begin),
                                part.offset + static_cast<int64_t>(record.begin),
                                LineIn(part, record.begin)));
  return true;
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
