// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/type.h>
#include <parquet/metadata.h>

#include "base/error.h"
#include "io/file_list.h"
#include "io/open.h"
#include "io/parquet/parquet_file.h"
#include "io/parquet/parquet_stream.h"
#include "io/schema_union.h"

namespace keepone {

namespace {

// Footers are kept in memory as long as they take no more than this as they are in the files (and
// some times as much when parsed); those of further files are read again when their turn comes.
constexpr int64_t kFooterBytesKept = 4 << 20;

class ParquetSource final : public Source {
 public:
  ParquetSource(std::shared_ptr<const ParquetSourceData> data, std::string description)
      : data_(std::move(data)), description_(std::move(description)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return data_->schema; }
  std::string description() const override { return description_; }
  SourceStatistics statistics() const override { return {data_->row_count, data_->column_bytes}; }
  bool can_fetch() const override { return true; }
  std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    for (const ParquetSourceFile& file : data_->files) {
      paths.push_back(file.path);
    }
    return paths;
  }

  arrow::Result<std::unique_ptr<BatchStream>> Scan(
      QueryContext* context, ScanRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    return MakeParquetScan(data_, context, std::move(request), OrNew(std::move(counters)));
  }

  arrow::Result<std::unique_ptr<BatchStream>> Fetch(
      QueryContext* context, FetchRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    return MakeParquetFetch(data_, context, std::move(request), OrNew(std::move(counters)));
  }

 private:
  static std::shared_ptr<SourceCounters> OrNew(std::shared_ptr<SourceCounters> counters) {
    return counters != nullptr ? std::move(counters) : std::make_shared<SourceCounters>();
  }

  std::shared_ptr<const ParquetSourceData> data_;
  std::string description_;
};

// The uncompressed bytes of each top-level field of one file.
std::vector<int64_t> FieldBytes(const ParquetFile& file, int field_count) {
  std::vector<int64_t> bytes(static_cast<size_t>(field_count), 0);
  for (int group = 0; group < file.metadata()->num_row_groups(); ++group) {
    const auto metadata = file.metadata()->RowGroup(group);
    for (int field = 0; field < field_count; ++field) {
      for (const int leaf : file.leaves(field)) {
        bytes[static_cast<size_t>(field)] +=
            std::max<int64_t>(metadata->ColumnChunk(leaf)->total_uncompressed_size(), 0);
      }
    }
  }
  return bytes;
}

// The addresses of row groups, from what they say themselves: footers exist whose total is wrong.
arrow::Result<std::vector<int64_t>> GroupAddresses(const ParquetFile& file, int64_t first) {
  std::vector<int64_t> addresses = {first};
  for (int group = 0; group < file.metadata()->num_row_groups(); ++group) {
    const int64_t rows = file.metadata()->RowGroup(group)->num_rows();
    if (rows < 0 || rows > INT64_MAX / 2 - addresses.back()) {
      return DataError(file.path(), ": corrupt footer: row group ", group, " has ", rows, " rows");
    }
    addresses.push_back(addresses.back() + rows);
  }
  return addresses;
}

struct OpenedFiles {
  std::vector<ParquetSourceFile> files;
  std::vector<std::shared_ptr<arrow::Schema>> schemas;
  std::vector<std::vector<int64_t>> field_bytes;
  SchemaUnion schema_union;
};

arrow::Status AddFile(const std::string& path, arrow::MemoryPool* pool, int64_t* footer_bytes,
                      OpenedFiles* opened) {
  ARROW_ASSIGN_OR_RAISE(const auto file, ParquetFile::Open(path, pool));
  const auto schema = file->schema();
  ARROW_RETURN_NOT_OK(opened->schema_union.Add(path, *schema));
  ParquetSourceFile source_file;
  source_file.path = path;
  source_file.known.identity = file->identity();
  *footer_bytes += file->footer_bytes();
  if (opened->files.empty() || *footer_bytes <= kFooterBytesKept) {
    source_file.known.metadata = file->metadata();
  }
  const int64_t first = opened->files.empty() ? 0 : opened->files.back().end_address();
  try {
    ARROW_ASSIGN_OR_RAISE(source_file.group_addresses, GroupAddresses(*file, first));
    opened->field_bytes.push_back(FieldBytes(*file, schema->num_fields()));
  } catch (const std::exception& error) {
    return DataError(path, ": corrupt footer: ", error.what());
  }
  opened->files.push_back(std::move(source_file));
  opened->schemas.push_back(schema);
  return arrow::Status::OK();
}

std::shared_ptr<const ParquetSourceData> MakeData(OpenedFiles opened) {
  auto data = std::make_shared<ParquetSourceData>();
  data->schema = opened.schema_union.Finish();
  data->files = std::move(opened.files);
  data->row_count = data->files.back().end_address();
  data->column_bytes.assign(static_cast<size_t>(data->schema->num_fields()), 0);
  for (size_t i = 0; i < data->files.size(); ++i) {
    ParquetSourceFile& file = data->files[i];
    file.fields = opened.schema_union.FieldsOf(*opened.schemas[i]);
    data->group_count += file.group_count();
    for (size_t column = 0; column < file.fields.size(); ++column) {
      if (file.fields[column] >= 0) {
        data->column_bytes[column] +=
            opened.field_bytes[i][static_cast<size_t>(file.fields[column])];
      }
    }
  }
  return data;
}

}  // namespace

arrow::Result<std::shared_ptr<const Source>> OpenParquet(const std::vector<std::string>& paths,
                                                         arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ListFiles(paths, {".parquet"}));
  if (files.empty()) {
    return DataError("no files to read");
  }
  OpenedFiles opened;
  int64_t footer_bytes = 0;
  for (const std::string& path : files) {
    ARROW_RETURN_NOT_OK(AddFile(path, pool, &footer_bytes, &opened));
  }
  return std::make_shared<ParquetSource>(MakeData(std::move(opened)),
                                         DescribeFiles(paths, files.size()));
}

}  // namespace keepone
