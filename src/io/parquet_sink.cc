// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/compression.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include "base/error.h"
#include "column/row_bytes.h"
#include "io/format_sinks.h"
#include "io/parquet/dictionary_choice.h"

namespace keepone {

namespace {

// Rows are held until a row group is complete, which bounds the memory of a result, however long:
// wide rows make row groups of few rows. Two row groups are held: one is written while the next is
// gathered. Its columns are encoded on several threads, and then all stay encoded in memory until
// the last one is; where one column is most of the rows, that saves no time, and they are encoded
// and written one by one.
constexpr int64_t kRowGroupBytes = int64_t{6} << 20;
constexpr int64_t kPageBytes = int64_t{1} << 20;
constexpr double kDominantPart = 0.75;
constexpr double kFalsePositives = 0.01;  // of Bloom filters

// Whether one column holds most of the bytes.
bool OneColumnDominates(const arrow::RecordBatchVector& batches) {
  std::vector<int64_t> bytes(static_cast<size_t>(batches[0]->num_columns()));
  int64_t all = 0;
  for (const auto& batch : batches) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      const int64_t column =
          RowBytes(*batch->column_data(static_cast<int>(i)), 0, batch->num_rows());
      bytes[i] += column;
      all += column;
    }
  }
  const int64_t most = *std::max_element(bytes.begin(), bytes.end());
  return static_cast<double>(most) > kDominantPart * static_cast<double>(all);
}

enum class DictionaryUse { kNever, kWherePaying, kAlways };

struct ParquetOptions {
  int threads;
  arrow::Compression::type codec;
  int level;
  int64_t row_group_bytes;
  int64_t row_group_rows;
  int64_t page_bytes;
  DictionaryUse dictionary;
  std::vector<int> dictionary_columns;  // of kAlways
  bool page_index;
  std::vector<int> bloom_filter_columns;
  double bloom_filter_fpp;  // false positives
};

class ParquetSink final : public Sink {
 public:
  ParquetSink(QueryContext* context, std::shared_ptr<arrow::Schema> schema,
              const ParquetOptions& options, std::shared_ptr<arrow::io::OutputStream> output)
      : context_(context),
        schema_(std::move(schema)),
        options_(options),
        output_(std::move(output)) {}

  ~ParquetSink() override {
    if (written_.valid()) {
      written_.wait();
    }
  }

  // What every file of the schema is written with, and whether it can be.
  arrow::Status Prepare() {
    if (options_.threads > 1 && schema_->num_fields() > 1) {
      ARROW_ASSIGN_OR_RAISE(encoders_, arrow::internal::ThreadPool::Make(
                                           std::min(options_.threads, schema_->num_fields())));
    }
    parquet::ArrowWriterProperties::Builder arrow_properties;
    arrow_properties.store_schema();
    arrow_properties.set_use_threads(encoders_ != nullptr);
    arrow_properties.set_executor(encoders_.get());
    arrow_properties_ = arrow_properties.build();
    return parquet::arrow::ToParquetSchema(schema_.get(), *MakeProperties({}), *arrow_properties_,
                                           &parquet_schema_);
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

  arrow::Status Flush() override {
    ARROW_RETURN_NOT_OK(WriteRowGroup());
    return AwaitWritten();
  }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(Flush());
    ARROW_RETURN_NOT_OK(OpenWriter({}));
    return writer_->Close();
  }

 private:
  std::shared_ptr<parquet::WriterProperties> MakeProperties(
      const std::vector<std::string>& columns_without_dictionary) const {
    parquet::WriterProperties::Builder properties;
    properties.memory_pool(context_->pool())
        ->compression(options_.codec)
        ->max_row_group_length(options_.row_group_rows)
        ->data_pagesize(options_.page_bytes);
    if (!options_.page_index) {
      properties.disable_write_page_index();
    }
    if (options_.level != arrow::util::kUseDefaultCompressionLevel) {
      properties.compression_level(options_.level);
    }
    if (options_.dictionary != DictionaryUse::kWherePaying) {
      properties.disable_dictionary();
    }
    if (options_.dictionary == DictionaryUse::kAlways && parquet_schema_ != nullptr) {
      for (int i = 0; i < parquet_schema_->num_columns(); ++i) {
        const int column =
            parquet_schema_->group_node()->FieldIndex(*parquet_schema_->GetColumnRoot(i));
        if (std::find(options_.dictionary_columns.begin(), options_.dictionary_columns.end(),
                      column) != options_.dictionary_columns.end()) {
          properties.enable_dictionary(parquet_schema_->Column(i)->path());
        }
      }
    }
    for (const int column : options_.bloom_filter_columns) {
      parquet::BloomFilterOptions filter;
      filter.fpp = options_.bloom_filter_fpp;
      // Without it a filter is made for the most rows that a row group may have, which few have.
      filter.ndv = first_rows_;
      // The path of a column without leaves below it is its name, dots and all.
      properties.enable_bloom_filter(schema_->field(column)->name(), filter);
    }
    for (const std::string& path : columns_without_dictionary) {
      properties.disable_dictionary(path);
    }
    return properties.build();
  }

  // Once; `batches` are the first row group.
  arrow::Status OpenWriter(const arrow::RecordBatchVector& batches) {
    if (writer_ != nullptr) {
      return arrow::Status::OK();
    }
    first_rows_ = 0;
    for (const auto& batch : batches) {
      first_rows_ += batch->num_rows();
    }
    std::vector<std::string> columns;
    if (options_.dictionary == DictionaryUse::kWherePaying) {
      columns = ColumnsWithoutDictionary(*parquet_schema_, batches);
    }
    return parquet::arrow::FileWriter::Open(*schema_, context_->pool(), output_,
                                            MakeProperties(columns), arrow_properties_)
        .Value(&writer_);
  }

  arrow::Status AwaitWritten() { return written_.valid() ? written_.get() : arrow::Status::OK(); }

  arrow::Status WriteRowGroup() {
    ARROW_RETURN_NOT_OK(AwaitWritten());
    if (rows_ == 0) {
      return arrow::Status::OK();
    }
    rows_ = 0;
    bytes_ = 0;
    const bool in_background = options_.threads > 1;
    written_ = std::async(in_background ? std::launch::async : std::launch::deferred,
                          [this, batches = std::exchange(batches_, {})]() mutable {
                            return Encode(std::move(batches));
                          });
    return in_background ? arrow::Status::OK() : AwaitWritten();
  }

  arrow::Status Encode(arrow::RecordBatchVector batches) {
    ARROW_RETURN_NOT_OK(OpenWriter(batches));
    if (encoders_ == nullptr || OneColumnDominates(batches)) {
      ARROW_ASSIGN_OR_RAISE(const auto table,
                            arrow::Table::FromRecordBatches(schema_, std::move(batches)));
      return writer_->WriteTable(*table, table->num_rows());
    }
    ARROW_RETURN_NOT_OK(writer_->NewBufferedRowGroup());
    for (auto& batch : batches) {
      ARROW_RETURN_NOT_OK(writer_->WriteRecordBatch(*batch));
      batch.reset();
    }
    return arrow::Status::OK();
  }

  QueryContext* const context_;
  const std::shared_ptr<arrow::Schema> schema_;
  const ParquetOptions options_;
  const std::shared_ptr<arrow::io::OutputStream> output_;
  std::shared_ptr<arrow::internal::ThreadPool> encoders_;  // of columns; nullptr: one after another
  std::shared_ptr<parquet::ArrowWriterProperties> arrow_properties_;
  std::shared_ptr<parquet::SchemaDescriptor> parquet_schema_;
  std::unique_ptr<parquet::arrow::FileWriter> writer_;  // open from the first row group on
  arrow::RecordBatchVector batches_;                    // of the row group that is being gathered
  int64_t bytes_ = 0;
  int64_t rows_ = 0;
  int64_t first_rows_ = 0;              // of the first row group
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

// The columns that get Bloom filters: those named, or of all those that can have one.
arrow::Result<std::vector<int>> BloomFilterColumns(const arrow::Schema& schema,
                                                   SinkOptionReader* reader) {
  const std::string name = "bloom_filter";
  const bool is_named = reader->IsList(name);
  ARROW_ASSIGN_OR_RAISE(const std::vector<int> columns, reader->Columns(name, schema, {}));
  std::vector<int> filtered;
  for (const int column : columns) {
    const arrow::Field& field = *schema.field(column);
    const arrow::Type::type type = field.type()->id();
    if (arrow::is_integer(type) || arrow::is_floating(type) || arrow::is_decimal(type) ||
        arrow::is_temporal(type) || arrow::is_base_binary_like(type) ||
        type == arrow::Type::FIXED_SIZE_BINARY) {
      filtered.push_back(column);
    } else if (is_named) {
      return reader->Error(name, "option \"", name, "\" names \"", field.name(),
                           "\", but columns of its type have no Bloom filters");
    }
  }
  return filtered;
}

}  // namespace

arrow::Result<std::unique_ptr<Sink>> MakeParquetSink(
    QueryContext* context, int threads, const std::shared_ptr<arrow::Schema>& schema,
    SinkOptionReader* reader, std::shared_ptr<arrow::io::OutputStream> output) {
  ARROW_RETURN_NOT_OK(CheckTypes(*schema));
  ParquetOptions options = {};
  options.threads = threads;
  ARROW_ASSIGN_OR_RAISE(options.codec, reader->Codec("compression", arrow::Compression::SNAPPY));
  ARROW_ASSIGN_OR_RAISE(options.level, reader->CodecLevel("compression_level", options.codec));
  ARROW_ASSIGN_OR_RAISE(options.row_group_bytes, reader->Bytes("row_group_bytes", kRowGroupBytes));
  ARROW_ASSIGN_OR_RAISE(options.row_group_rows,
                        reader->Integer("row_group_size", 1 << 20, 1, INT32_MAX));
  ARROW_ASSIGN_OR_RAISE(options.page_bytes, reader->Bytes("page_bytes", kPageBytes));
  const bool dictionary_given = reader->Has("dictionary");
  ARROW_ASSIGN_OR_RAISE(options.dictionary_columns, reader->Columns("dictionary", *schema, {}));
  options.dictionary = !dictionary_given                    ? DictionaryUse::kWherePaying
                       : options.dictionary_columns.empty() ? DictionaryUse::kNever
                                                            : DictionaryUse::kAlways;
  ARROW_ASSIGN_OR_RAISE(options.page_index, reader->Flag("page_index", true));
  ARROW_ASSIGN_OR_RAISE(options.bloom_filter_columns, BloomFilterColumns(*schema, reader));
  ARROW_ASSIGN_OR_RAISE(options.bloom_filter_fpp,
                        reader->Fraction("bloom_filter_false_positive_ratio", kFalsePositives));
  auto sink = std::make_unique<ParquetSink>(context, schema, options, std::move(output));
  ARROW_RETURN_NOT_OK(sink->Prepare());
  return sink;
}

}  // namespace keepone
