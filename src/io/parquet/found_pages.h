// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include <arrow/type_fwd.h>

#include "io/parquet/page_index.h"
#include "io/parquet/parquet_file.h"

namespace keepone {

// The places of the data pages of a column chunk, as a page index would tell them, found by going
// from page header to page header; bodies are not read. nullptr where headers do not tell the rows
// of a page (columns with repetition, in V1 pages), where pages and row group do not agree, or
// where there are too many pages to keep. Bytes read are added to `bytes_read`.
std::shared_ptr<const PageLocations> FindPages(const ParquetFile& file, int row_group, int leaf,
                                               arrow::MemoryPool* pool, int64_t* bytes_read);

// Remembers what FindPages said for the column chunks of a source. Safe for concurrent use; keeps
// no more than some thousands of chunks and pages and forgets them all when they become more.
class FoundPages {
 public:
  // `file_number` tells the files of the source apart.
  std::shared_ptr<const PageLocations> Find(const ParquetFile& file, size_t file_number,
                                            int row_group, int leaf, arrow::MemoryPool* pool,
                                            int64_t* bytes_read);

 private:
  using Chunk = std::tuple<size_t, int, int>;  // file, row group, leaf

  std::mutex mutex_;
  std::map<Chunk, std::shared_ptr<const PageLocations>> chunks_;  // nullptr: not to be found
  size_t page_count_ = 0;
};

}  // namespace keepone
