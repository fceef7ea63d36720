// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "column/batch_stream.h"
#include "io/parquet/found_pages.h"
#include "io/parquet/parquet_file.h"
#include "io/source.h"

namespace keepone {

// One file of a source.
struct ParquetSourceFile {
  std::string path;
  ParquetFile::Known known;
  // The address of the first row of each row group, and behind the last one the end.
  std::vector<int64_t> group_addresses;
  // For each column of the source its top-level field in the file, or -1.
  std::vector<int> fields;

  int64_t begin_address() const { return group_addresses.front(); }
  int64_t end_address() const { return group_addresses.back(); }
  int group_count() const { return static_cast<int>(group_addresses.size()) - 1; }
};

// What the streams of a source share with it.
struct ParquetSourceData {
  std::shared_ptr<arrow::Schema> schema;
  std::vector<ParquetSourceFile> files;  // in address order
  int64_t row_count = 0;
  std::vector<int64_t> column_bytes;
  int64_t group_count = 0;
  // Of row groups without page index, found when they are first needed.
  std::shared_ptr<FoundPages> found_pages = std::make_shared<FoundPages>();
};

std::unique_ptr<BatchStream> MakeParquetScan(std::shared_ptr<const ParquetSourceData> source,
                                             QueryContext* context, ScanRequest request,
                                             std::shared_ptr<SourceCounters> counters);

std::unique_ptr<BatchStream> MakeParquetFetch(std::shared_ptr<const ParquetSourceData> source,
                                              QueryContext* context, FetchRequest request,
                                              std::shared_ptr<SourceCounters> counters);

}  // namespace keepone
