// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/row_group_reader.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include "base/error.h"
#include "io/parquet/leaf_page_reader.h"

namespace keepone {

namespace {

// Windows of all leaves together stay below this.
constexpr int64_t kWindowBytesTotal = 2 << 20;
constexpr int64_t kWindowBytesMin = 4 << 10;
constexpr int64_t kWindowBytesMax = 64 << 10;

// What the page readers of one row group share.
struct Shared {
  RowGroupRequest request;
  PageScratch* scratch = nullptr;
  std::shared_ptr<SourceCounters> counters;
  int64_t window_bytes = 0;
  parquet::ReaderProperties properties;
};

// The row group as Arrow's reader sees it: every column chunk holds just the wanted rows.
class SelectedRowGroup final : public parquet::RowGroupReader::Contents {
 public:
  explicit SelectedRowGroup(std::shared_ptr<const Shared> shared)
      : shared_(std::move(shared)),
        metadata_(shared_->request.file->metadata()->RowGroup(shared_->request.row_group)) {}

  std::unique_ptr<parquet::PageReader> GetColumnPageReader(int leaf) override {
    const RowGroupRequest& request = shared_->request;
    if (metadata_->ColumnChunk(leaf)->crypto_metadata() != nullptr) {
      throw parquet::ParquetStatusException(
          arrow::Status::NotImplemented("encrypted columns are not supported"));
    }
    LeafRequest leaf_request{.file = request.file,
                             .row_group = request.row_group,
                             .leaf = leaf,
                             .rows = &request.rows,
                             .accounted = request.accounted,
                             .locations = nullptr,
                             .window_bytes = shared_->window_bytes};
    if (request.index != nullptr) {
      const auto found = request.index->locations.find(leaf);
      if (found != request.index->locations.end()) {
        leaf_request.locations = found->second;
      }
    }
    return MakeLeafPageReader(std::move(leaf_request), shared_->scratch, shared_->counters);
  }
  const parquet::RowGroupMetaData* metadata() const override { return metadata_.get(); }
  const parquet::ReaderProperties* properties() const override { return &shared_->properties; }

 private:
  std::shared_ptr<const Shared> shared_;
  std::unique_ptr<parquet::RowGroupMetaData> metadata_;
};

class SelectedFile final : public parquet::ParquetFileReader::Contents {
 public:
  explicit SelectedFile(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}

  void Close() override {}
  std::shared_ptr<parquet::RowGroupReader> GetRowGroup(int /*row_group*/) override {
    return std::make_shared<parquet::RowGroupReader>(std::make_unique<SelectedRowGroup>(shared_));
  }
  std::shared_ptr<parquet::FileMetaData> metadata() const override {
    return shared_->request.file->metadata();
  }
  std::shared_ptr<parquet::PageIndexReader> GetPageIndexReader() override { return nullptr; }
  parquet::BloomFilterReader& GetBloomFilterReader() override {
    throw parquet::ParquetException("no bloom filters here");
  }

 private:
  std::shared_ptr<const Shared> shared_;
};

class RowGroupReaderImpl final : public RowGroupReader {
 public:
  RowGroupReaderImpl(std::shared_ptr<const Shared> shared, arrow::MemoryPool* pool)
      : shared_(std::move(shared)), pool_(pool), rows_left_(CountRows(shared_->request.rows)) {}

  arrow::Status Open() {
    auto parquet_reader = std::make_unique<parquet::ParquetFileReader>();
    parquet_reader->Open(std::make_unique<SelectedFile>(shared_));
    parquet::ArrowReaderProperties properties = MakeArrowReaderProperties();
    properties.set_batch_size(1);
    ARROW_ASSIGN_OR_RAISE(
        reader_, parquet::arrow::FileReader::Make(pool_, std::move(parquet_reader), properties));
    // A reader per field: an error then tells its column, and fields keep the order asked for.
    const RowGroupRequest& request = shared_->request;
    for (const int field : request.fields) {
      Column column;
      column.field = request.file->schema()->field(field);
      if (!request.file->leaves(field).empty()) {
        auto reader = Guard([&] {
          return reader_->GetRecordBatchReader({request.row_group}, request.file->leaves(field));
        });
        ARROW_RETURN_NOT_OK(Told(reader.status(), column));
        column.reader = *std::move(reader);
      }
      columns_.push_back(std::move(column));
    }
    return arrow::Status::OK();
  }

  arrow::Result<arrow::ArrayVector> Read(int64_t row_count) override {
    row_count = std::min(row_count, rows_left_);
    reader_->set_batch_size(std::max<int64_t>(row_count, 1));
    for (Column& column : columns_) {
      if (column.pending == nullptr || column.pending->length() == 0) {
        ARROW_RETURN_NOT_OK(Told(Refill(row_count, &column), column));
      }
    }
    int64_t rows = row_count;
    for (const Column& column : columns_) {
      rows = std::min(rows, column.pending->length());
    }
    arrow::ArrayVector arrays;
    for (Column& column : columns_) {
      const bool whole = column.pending->length() == rows;
      arrays.push_back(whole ? std::move(column.pending) : column.pending->Slice(0, rows));
      column.pending = whole ? nullptr : column.pending->Slice(rows);
    }
    rows_left_ -= rows;
    return arrays;
  }

 private:
  struct Column {
    std::shared_ptr<arrow::Field> field;
    std::unique_ptr<arrow::RecordBatchReader> reader;  // nullptr for a struct without fields
    std::shared_ptr<arrow::Array> pending;             // read and not yet given
  };

  // Arrow turns exceptions of Parquet into a Status almost everywhere.
  template <typename Call>
  static auto Guard(Call&& call) -> decltype(call()) {
    try {
      return call();
    } catch (const parquet::ParquetStatusException& error) {
      return error.status();
    } catch (const parquet::ParquetException& error) {
      return arrow::Status::Invalid(error.what());
    }
  }

  arrow::Status Told(const arrow::Status& status, const Column& column) const {
    return WithColumn(status, shared_->request.file->path(), column.field->name(),
                      shared_->request.row_group);
  }

  arrow::Status Refill(int64_t row_count, Column* column) {
    if (column->reader == nullptr) {
      ARROW_ASSIGN_OR_RAISE(column->pending, MakeEmptyStructs(*column, row_count));
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(const auto batch, Guard([&] { return column->reader->Next(); }));
    if (batch == nullptr || batch->num_rows() == 0) {
      return arrow::Status::Invalid("it has fewer rows than the row group");
    }
    column->pending = batch->column(0);
    return arrow::Status::OK();
  }

  // Nothing in the file tells whether such a struct is NULL.
  arrow::Result<std::shared_ptr<arrow::Array>> MakeEmptyStructs(const Column& column,
                                                                int64_t row_count) const {
    if (column.field->type()->id() != arrow::Type::STRUCT) {
      return arrow::Status::NotImplemented("a column of type ", column.field->type()->ToString(),
                                           " that stores no values");
    }
    ARROW_ASSIGN_OR_RAISE(auto nulls,
                          arrow::MakeArrayOfNull(column.field->type(), row_count, pool_));
    return arrow::MakeArray(arrow::ArrayData::Make(column.field->type(), row_count, {nullptr},
                                                   nulls->data()->child_data, 0));
  }

  std::shared_ptr<const Shared> shared_;
  arrow::MemoryPool* pool_;
  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::vector<Column> columns_;
  int64_t rows_left_;
};

}  // namespace

arrow::Result<std::unique_ptr<RowGroupReader>> MakeRowGroupReader(
    RowGroupRequest request, arrow::MemoryPool* pool, PageScratch* scratch,
    std::shared_ptr<SourceCounters> counters) {
  int64_t leaf_count = 1;
  for (const int field : request.fields) {
    leaf_count += static_cast<int64_t>(request.file->leaves(field).size());
  }
  auto shared = std::make_shared<Shared>();
  shared->request = std::move(request);
  shared->scratch = scratch;
  shared->counters = std::move(counters);
  shared->window_bytes =
      std::clamp(kWindowBytesTotal / leaf_count, kWindowBytesMin, kWindowBytesMax);
  shared->properties = parquet::ReaderProperties(pool);
  const std::string& path = shared->request.file->path();
  auto reader = std::make_unique<RowGroupReaderImpl>(shared, pool);
  ARROW_RETURN_NOT_OK(WithPath(reader->Open(), path));
  return reader;
}

}  // namespace keepone
