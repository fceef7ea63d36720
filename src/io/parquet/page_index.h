// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/page_index.h>

#include "io/parquet/parquet_file.h"

namespace keepone {

// Where the data pages of one column chunk lie.
struct PageLocations {
  std::vector<parquet::PageLocation> pages;  // ascending in offset and in first row, not empty
  int64_t row_count = 0;

  int64_t first_row(size_t page) const { return pages[page].first_row_index; }
  int64_t end_row(size_t page) const {
    return page + 1 < pages.size() ? pages[page + 1].first_row_index : row_count;
  }
};

// The bytes of a column chunk in its file, dictionary page included.
struct ChunkExtent {
  int64_t begin = 0;
  int64_t end = 0;
};

ChunkExtent ExtentOfChunk(const ParquetFile& file, int row_group, int leaf);

// The page index of some columns of one row group. Only what fits the column chunk is taken from
// it: writers exist whose offsets are wrong.
struct RowGroupIndex {
  // By leaf; a leaf that has no (usable) index is missing.
  std::map<int, std::shared_ptr<const PageLocations>> locations;
  std::map<int, std::shared_ptr<parquet::ColumnIndex>> statistics;
};

// Reads the locations of `leaves` and the statistics of `statistics_leaves`. Bytes read are added
// to `bytes_read`. A file without page index, or with one that cannot be read, gives an empty
// index.
RowGroupIndex ReadRowGroupIndex(const ParquetFile& file, int row_group,
                                const std::vector<int>& leaves,
                                const std::vector<int>& statistics_leaves, arrow::MemoryPool* pool,
                                int64_t* bytes_read);

}  // namespace keepone
