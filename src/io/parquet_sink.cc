// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <future>
#include <memory>
#include <utility>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "base/error.h"
#include "column/row_bytes.h"
#include "io/format_sinks.h"

namespace keepone {

namespace {

// Rows are held until a row group is complete and then written column by column, so that one
// column's encoder is at work at a time. This bounds the memory of a result, however long: wide
// rows make row groups of few rows. Two row groups are held: one is written while the next is
// gathered.
constexpr int64_t kRowGroupBytes = int64_t{6} << 20;
constexpr int64_t kPageBytes = int64_t{1} << 20;
class ParquetSink final : public Sink {
 public:
  struct Options {
    int64_t row_group_bytes;
    int64_t row_group_rows;
    bool in_background;  // encode on a thread of its own
  };

  ParquetSink(std::unique_ptr<parquet::arrow::FileWriter> writer,
              std::shared_ptr<arrow::Schema> schema, Options options)
      : writer_(std::move(writer)), schema_(std::move(schema)), options_(options) {}

  ~ParquetSink() override {
    if (written_.valid()) {
      written_.wait();
    }
  }

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    int64_t begin = 0;
    while (begin < batch->num_rows()) {
      const int64_t count = std::min(batch->num_rows() - begin, options_.row_group_rows - rows_);
      auto part = count == batch->num_rows() ? batch : batch->Slice(begin, count);
      bytes_ += BatchBytes(*part);
      rows_ += count;
      begin += count;
      batches_.push_back(std::move(part));
      if (bytes_ >= options_.row_group_bytes || rows_ >= options_.row_group_rows) {
        ARROW_RETURN_NOT_OK(WriteRowGroup());
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(WriteRowGroup());
    ARROW_RETURN_NOT_OK(AwaitWritten());
    return writer_->Close();
  }

 private:
  arrow::Status AwaitWritten() { return written_.valid() ? written_.get() : arrow::Status::OK(); }

  arrow::Status WriteRowGroup() {
    ARROW_RETURN_NOT_OK(AwaitWritten());
    if (rows_ == 0) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto table,
                          arrow::Table::FromRecordBatches(schema_, std::exchange(batches_, {})));
    bytes_ = 0;
    const auto policy = options_.in_background ? std::launch::async : std::launch::deferred;
    written_ = std::async(policy, [this, table = std::move(table), rows = std::exchange(rows_, 0)] {
      return writer_->WriteTable(*table, rows);
    });
    return options_.in_background ? arrow::Status::OK() : AwaitWritten();
  }

  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  std::shared_ptr<arrow::Schema> schema_;
  Options options_;
  arrow::RecordBatchVector batches_;  // of the row group that is being gathered
  int64_t bytes_ = 0;
  int64_t rows_ = 0;
  std::future<arrow::Status> written_;  // of the row group before it
};

// Whether a type is or holds an interval, for which Parquet has no type that Arrow writes.
bool HoldsInterval(const arrow::DataType& type) {
  if (arrow::is_interval(type.id())) {
    return true;
  }
  if (type.id() == arrow::Type::DICTIONARY) {
    return HoldsInterval(*static_cast<const arrow::DictionaryType&>(type).value_type());
  }
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const auto& field) { return HoldsInterval(*field->type()); });
}

arrow::Status CheckTypes(const arrow::Schema& schema) {
  for (const auto& field : schema.fields()) {
    if (HoldsInterval(*field->type())) {
      return WithHint(
          UnsupportedError({}, "column \"", field->name(),
                           "\" is or holds an INTERVAL, which Parquet files cannot keep"),
          "CAST it to VARCHAR, or write an Arrow file");
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::unique_ptr<Sink>> MakeParquetSink(
    QueryContext* context, const std::shared_ptr<arrow::Schema>& schema, SinkOptionReader* reader,
    std::shared_ptr<arrow::io::OutputStream> output) {
  ARROW_RETURN_NOT_OK(CheckTypes(*schema));
  ARROW_ASSIGN_OR_RAISE(const auto codec, reader->Codec("compression", arrow::Compression::SNAPPY));
  ARROW_ASSIGN_OR_RAISE(const int64_t level, reader->CodecLevel("compression_level", codec));
  ARROW_ASSIGN_OR_RAISE(const int64_t row_group_bytes,
                        reader->Bytes("row_group_bytes", kRowGroupBytes));
  ARROW_ASSIGN_OR_RAISE(const int64_t row_group_rows,
                        reader->Integer("row_group_size", 1 << 20, 1, INT32_MAX));
  ARROW_ASSIGN_OR_RAISE(const int64_t page_bytes, reader->Bytes("page_bytes", kPageBytes));
  ARROW_ASSIGN_OR_RAISE(const bool dictionary, reader->Flag("dictionary", true));

  parquet::WriterProperties::Builder properties;
  properties.memory_pool(context->pool())
      ->compression(codec)
      ->max_row_group_length(row_group_rows)
      ->data_pagesize(page_bytes)
      ->enable_write_page_index();
  if (level != arrow::util::kUseDefaultCompressionLevel) {
    properties.compression_level(static_cast<int>(level));
  }
  if (!dictionary) {
    properties.disable_dictionary();
  }
  parquet::ArrowWriterProperties::Builder arrow_properties;
  arrow_properties.store_schema();
  ARROW_ASSIGN_OR_RAISE(
      auto writer, parquet::arrow::FileWriter::Open(*schema, context->pool(), std::move(output),
                                                    properties.build(), arrow_properties.build()));
  return std::make_unique<ParquetSink>(
      std::move(writer), schema,
      ParquetSink::Options{row_group_bytes, row_group_rows, context->threads() > 1});
}

}  // namespace keepone
