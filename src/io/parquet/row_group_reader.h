// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "io/parquet/page_index.h"
#include "io/parquet/page_scratch.h"
#include "io/parquet/parquet_file.h"
#include "io/parquet/row_range.h"
#include "io/source.h"

namespace keepone {

// What to read of one row group.
struct RowGroupRequest {
  std::shared_ptr<const ParquetFile> file;
  int row_group = 0;
  std::vector<int> fields;  // top-level fields of the file
  RowRanges rows;
  RowRange accounted;  // as in LeafRequest
  std::shared_ptr<const RowGroupIndex> index;
};

// Reads the wanted rows of some columns, a few rows at a time. Used by one thread.
class RowGroupReader {
 public:
  virtual ~RowGroupReader() = default;

  // The next `row_count` rows: an array per field. Fewer only at the end or where Arrow cuts a
  // column in pieces (beyond 2 GiB); never none while rows are left.
  virtual arrow::Result<arrow::ArrayVector> Read(int64_t row_count) = 0;
};

// `scratch` must outlive the reader. Errors name the file, the column and the row group.
arrow::Result<std::unique_ptr<RowGroupReader>> MakeRowGroupReader(
    RowGroupRequest request, arrow::MemoryPool* pool, PageScratch* scratch,
    std::shared_ptr<SourceCounters> counters);

}  // namespace keepone
