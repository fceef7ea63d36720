// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/found_pages.h"

#include <exception>
#include <utility>

#include <parquet/metadata.h>
#include <parquet/schema.h>

#include "io/parquet/page_cursor.h"
#include "io/parquet/page_header.h"
#include "io/parquet/page_scratch.h"

namespace keepone {

namespace {

// Where pages are as small as this, many of them are read at once.
constexpr int64_t kSmallPageBytes = 4 << 10;
constexpr int64_t kWindowBytes = 32 << 10;

constexpr size_t kPagesMax = 32 << 10;  // of a chunk
constexpr size_t kPagesKept = 64 << 10;
constexpr size_t kChunksKept = 4 << 10;

class PageWalk {
 public:
  PageWalk(const ParquetFile& file, int row_group, int leaf, arrow::MemoryPool* pool)
      : scratch_(pool),
        cursor_(file.file(), kWindowBytes, &scratch_),
        extent_(ExtentOfChunk(file, row_group, leaf)) {
    const auto metadata = file.metadata()->RowGroup(row_group);
    repeats_ = file.metadata()->schema()->Column(leaf)->max_repetition_level() > 0;
    value_count_ = metadata->ColumnChunk(leaf)->num_values();
    row_count_ = metadata->num_rows();
    cursor_.Seek(extent_.begin, extent_.begin, extent_.end);
  }

  std::shared_ptr<const PageLocations> Run(int64_t* bytes_read) {
    auto locations = std::make_shared<PageLocations>();
    locations->row_count = row_count_;
    bool good = true;
    while (good && values_ < value_count_) {
      good = Step(locations.get());
    }
    *bytes_read += cursor_.TakeBytesRead();
    good = good && values_ == value_count_ && rows_ == row_count_ && !locations->pages.empty();
    return good ? std::move(locations) : nullptr;
  }

 private:
  bool Step(PageLocations* locations) {
    PageHeader header;
    const auto found = cursor_.ReadHeader(&header);
    if (!found.ok() || !*found) {
      return false;
    }
    const int64_t bytes = cursor_.header_bytes() + header.compressed_bytes;
    if (bytes > extent_.end - cursor_.offset() || bytes > INT32_MAX) {
      return false;
    }
    if (header.kind == PageHeader::Kind::kDictionary) {
      if (cursor_.offset() != extent_.begin) {
        return false;
      }
    } else if (header.kind != PageHeader::Kind::kOther && header.value_count > 0) {
      if (repeats_ && header.kind != PageHeader::Kind::kDataV2) {
        return false;
      }
      const int64_t rows = repeats_ ? header.row_count : header.value_count;
      if (rows <= 0 || rows > row_count_ - rows_ || locations->pages.size() >= kPagesMax) {
        return false;
      }
      parquet::PageLocation location;
      location.offset = cursor_.offset();
      location.compressed_page_size = static_cast<int32_t>(bytes);
      location.first_row_index = rows_;
      locations->pages.push_back(location);
      rows_ += rows;
      values_ += header.value_count;
    }
    cursor_.Advance(header, header.compressed_bytes < kSmallPageBytes);
    return true;
  }

  PageScratch scratch_;
  PageCursor cursor_;
  ChunkExtent extent_;
  bool repeats_ = false;
  int64_t value_count_ = 0;
  int64_t row_count_ = 0;
  int64_t values_ = 0;  // in the pages up to here
  int64_t rows_ = 0;    // the same
};

}  // namespace

std::shared_ptr<const PageLocations> FindPages(const ParquetFile& file, int row_group, int leaf,
                                               arrow::MemoryPool* pool, int64_t* bytes_read) {
  try {
    return PageWalk(file, row_group, leaf, pool).Run(bytes_read);
  } catch (const std::exception&) {
    // Metadata that cannot be read: whoever reads the chunk itself tells.
    return nullptr;
  }
}

std::shared_ptr<const PageLocations> FoundPages::Find(const ParquetFile& file, size_t file_number,
                                                      int row_group, int leaf,
                                                      arrow::MemoryPool* pool,
                                                      int64_t* bytes_read) {
  const Chunk chunk{file_number, row_group, leaf};
  {
    const std::lock_guard lock(mutex_);
    const auto known = chunks_.find(chunk);
    if (known != chunks_.end()) {
      return known->second;
    }
  }
  auto locations = FindPages(file, row_group, leaf, pool, bytes_read);
  const size_t pages = locations != nullptr ? locations->pages.size() : 0;
  const std::lock_guard lock(mutex_);
  if (chunks_.size() >= kChunksKept || page_count_ + pages > kPagesKept) {
    chunks_.clear();
    page_count_ = 0;
  }
  if (chunks_.emplace(chunk, locations).second) {
    page_count_ += pages;
  }
  return locations;
}

}  // namespace keepone
