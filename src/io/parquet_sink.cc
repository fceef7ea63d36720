// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "base/error.h"
#include "io/format_sinks.h"

namespace keepone {

namespace {

// The writer holds the encoded pages of a row group until it is complete, so this bounds the memory
// of a result, however long: wide rows make row groups of few rows.
constexpr int64_t kRowGroupBytes = int64_t{32} << 20;
constexpr int64_t kPageBytes = int64_t{1} << 20;
// A dictionary is kept in memory for each leaf column; past this size it pays for few columns.
constexpr int64_t kDictionaryBytes = int64_t{256} << 10;

class ParquetSink final : public Sink {
 public:
  ParquetSink(std::unique_ptr<parquet::arrow::FileWriter> writer, int64_t row_group_bytes,
              int64_t row_group_rows)
      : writer_(std::move(writer)),
        row_group_bytes_(row_group_bytes),
        row_group_rows_(row_group_rows) {}

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    if (!in_row_group_) {
      ARROW_RETURN_NOT_OK(writer_->NewBufferedRowGroup());
      in_row_group_ = true;
    }
    ARROW_RETURN_NOT_OK(writer_->WriteRecordBatch(*batch));
    ARROW_ASSIGN_OR_RAISE(const int64_t batch_bytes, arrow::util::ReferencedBufferSize(*batch));
    bytes_ += batch_bytes;
    rows_ += batch->num_rows();
    if (bytes_ >= row_group_bytes_ || rows_ >= row_group_rows_) {
      // The next NewBufferedRowGroup closes this one.
      in_row_group_ = false;
      bytes_ = 0;
      rows_ = 0;
    }
    return arrow::Status::OK();
  }

  arrow::Status Finish() override { return writer_->Close(); }

 private:
  std::unique_ptr<parquet::arrow::FileWriter> writer_;
  int64_t row_group_bytes_;
  int64_t row_group_rows_;
  bool in_row_group_ = false;
  int64_t bytes_ = 0;
  int64_t rows_ = 0;
};

}  // namespace

arrow::Result<std::unique_ptr<Sink>> MakeParquetSink(
    QueryContext* context, const std::shared_ptr<arrow::Schema>& schema, SinkOptionReader* reader,
    std::shared_ptr<arrow::io::OutputStream> output) {
  ARROW_ASSIGN_OR_RAISE(const auto codec,
                        reader->Codec("compression", arrow::Compression::SNAPPY));
  ARROW_ASSIGN_OR_RAISE(
      const int64_t level,
      reader->Integer("compression_level", arrow::util::kUseDefaultCompressionLevel, INT32_MIN, 22));
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
      ->dictionary_pagesize_limit(kDictionaryBytes)
      ->enable_write_page_index();
  if (level != arrow::util::kUseDefaultCompressionLevel) {
    properties.compression_level(static_cast<int>(level));
  }
  if (!dictionary) {
    properties.disable_dictionary();
  }
  parquet::ArrowWriterProperties::Builder arrow_properties;
  arrow_properties.store_schema()->set_use_threads(context->threads() > 1);
  ARROW_ASSIGN_OR_RAISE(
      auto writer,
      parquet::arrow::FileWriter::Open(*schema, context->pool(), std::move(output),
                                       properties.build(), arrow_properties.build()));
  return std::make_unique<ParquetSink>(std::move(writer), row_group_bytes, row_group_rows);
}

}  // namespace keepone
