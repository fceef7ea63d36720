// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/page_index.h"

#include <algorithm>
#include <exception>
#include <limits>

#include <parquet/properties.h>

namespace keepone {

namespace {

constexpr int64_t kPaddingBytesMax = 100;

// Contiguous pages inside of the chunk, rows ascending from 0 and inside of the row group.
bool IsUsable(const std::vector<parquet::PageLocation>& pages, const ChunkExtent& extent,
              int64_t row_count) {
  if (pages.empty() || pages[0].first_row_index != 0 || pages[0].offset < extent.begin) {
    return false;
  }
  for (size_t i = 0; i < pages.size(); ++i) {
    const bool is_last = i + 1 == pages.size();
    const int64_t end = pages[i].offset + pages[i].compressed_page_size;
    if (pages[i].offset < 0 || pages[i].compressed_page_size <= 0 || end > extent.end) {
      return false;
    }
    if (is_last ? pages[i].first_row_index >= row_count
                : pages[i + 1].offset != end ||
                      pages[i + 1].first_row_index <= pages[i].first_row_index) {
      return false;
    }
  }
  return true;
}

}  // namespace

ChunkExtent ExtentOfChunk(const ParquetFile& file, int row_group, int leaf) {
  const auto chunk = file.metadata()->RowGroup(row_group)->ColumnChunk(leaf);
  ChunkExtent extent;
  extent.begin = chunk->data_page_offset();
  // Some writers say 0 when there is no dictionary.
  if (chunk->has_dictionary_page() && chunk->dictionary_page_offset() > 0) {
    extent.begin = std::min(extent.begin, chunk->dictionary_page_offset());
  }
  const int64_t file_bytes = file.identity().bytes;
  extent.begin = std::clamp<int64_t>(extent.begin, 0, file_bytes);
  int64_t length =
      std::clamp<int64_t>(chunk->total_compressed_size(), 0, file_bytes - extent.begin);
  // Early writers left the header of the dictionary page out of the size.
  if (file.metadata()->writer_version().VersionLt(
          parquet::ApplicationVersion::PARQUET_816_FIXED_VERSION())) {
    length = std::min(length + kPaddingBytesMax, file_bytes - extent.begin);
  }
  extent.end = extent.begin + length;
  return extent;
}

RowGroupIndex ReadRowGroupIndex(const ParquetFile& file, int row_group,
                                const std::vector<int>& leaves,
                                const std::vector<int>& statistics_leaves, arrow::MemoryPool* pool,
                                int64_t* bytes_read) {
  RowGroupIndex index;
  try {
    const auto metadata = file.metadata()->RowGroup(row_group);
    std::vector<int32_t> all(leaves.begin(), leaves.end());
    all.insert(all.end(), statistics_leaves.begin(), statistics_leaves.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const auto extents =
        parquet::PageIndexReader::DeterminePageIndexRangesInRowGroup(*metadata, all);
    if (!extents.offset_index.has_value()) {
      return index;
    }
    const bool with_statistics = extents.column_index.has_value() && !statistics_leaves.empty();
    const auto reader = parquet::PageIndexReader::Make(file.file().get(), file.metadata(),
                                                       parquet::ReaderProperties(pool));
    reader->WillNeed({row_group}, all, {with_statistics, true});
    const auto row_group_reader = reader->RowGroup(row_group);
    if (row_group_reader == nullptr) {
      return index;
    }
    *bytes_read += extents.offset_index->length;
    for (const int32_t leaf : all) {
      const auto offsets = row_group_reader->GetOffsetIndex(leaf);
      if (offsets != nullptr &&
          IsUsable(offsets->page_locations(), ExtentOfChunk(file, row_group, leaf),
                   metadata->num_rows())) {
        index.locations[leaf] = std::make_shared<PageLocations>(
            PageLocations{offsets->page_locations(), metadata->num_rows()});
      }
    }
    if (with_statistics) {
      *bytes_read += extents.column_index->length;
      for (const int leaf : statistics_leaves) {
        if (auto statistics = row_group_reader->GetColumnIndex(leaf)) {
          index.statistics[leaf] = std::move(statistics);
        }
      }
    }
  } catch (const std::exception&) {
    // The index is only a help: what it cannot tell is found by reading.
    return RowGroupIndex();
  }
  return index;
}

}  // namespace keepone
