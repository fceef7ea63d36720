// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <parquet/column_reader.h>

#include "io/parquet/page_index.h"
#include "io/parquet/page_scratch.h"
#include "io/parquet/parquet_file.h"
#include "io/parquet/row_range.h"
#include "io/source.h"

namespace keepone {

// What to read of one column chunk.
struct LeafRequest {
  std::shared_ptr<const ParquetFile> file;
  int row_group = 0;
  int leaf = 0;
  // The rows wanted; must outlive the reader.
  const RowRanges* rows = nullptr;
  // The part of the row group whose pages this reader accounts for as skipped.
  RowRange accounted;
  // Where the pages lie; nullptr when unknown, then pages are found by counting rows.
  std::shared_ptr<const PageLocations> locations;
  int64_t window_bytes = 0;
};

// Gives the pages of a column chunk such that they hold the wanted rows and no others; to the
// reader above it looks like a chunk that was written so.
//
//   page       | 0..399 | 400..799 | 800..1199 |      wanted: 450, 453, 800 .. 1300
//   given      |        | 450 453  | 800..1199 |  ...
//                 not read  rewritten  as it is
//
// Pages without a wanted row are not read where their rows are known beforehand, or only their
// levels are. Pages wanted whole are decompressed and given as they are. Of all others the wanted
// values are copied into a new, uncompressed page; decompression stops behind the last of them.
// Memory: one page of output; the rest is `scratch`, which must outlive the reader.
// As Arrow's interface has it, errors are thrown: parquet::ParquetException, around a Status.
std::unique_ptr<parquet::PageReader> MakeLeafPageReader(LeafRequest request, PageScratch* scratch,
                                                        std::shared_ptr<SourceCounters> counters);

}  // namespace keepone
