// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/page_cursor.h"

#include <algorithm>
#include <utility>

namespace keepone {

namespace {

// Enough for most headers; statistics of long strings make larger ones.
constexpr int64_t kHeaderBytes = 1 << 10;
constexpr int64_t kHeaderBytesMax = 16 << 20;

bool Holds(std::span<const uint8_t> view, int64_t view_begin, int64_t offset, int64_t bytes) {
  return offset >= view_begin && offset + bytes <= view_begin + static_cast<int64_t>(view.size());
}

}  // namespace

void PageCursor::Seek(int64_t offset, int64_t useful_end, int64_t end) {
  offset_ = offset;
  useful_end_ = std::min(useful_end, end);
  end_ = end;
  header_bytes_ = 0;
  shared_view_ = {};
}

int64_t PageCursor::TakeBytesRead() {
  return std::exchange(bytes_read_, 0);
}

arrow::Result<std::span<const uint8_t>> PageCursor::ReadInto(ReusableBytes* target, int64_t offset,
                                                             int64_t bytes) {
  ARROW_ASSIGN_OR_RAISE(uint8_t* const data, target->Reserve(bytes));
  ARROW_ASSIGN_OR_RAISE(const int64_t got, file_->ReadAt(offset, bytes, data));
  bytes_read_ += got;
  return std::span<const uint8_t>(data, static_cast<size_t>(got));
}

arrow::Result<std::span<const uint8_t>> PageCursor::Read(int64_t offset, int64_t bytes) {
  bytes = std::min(bytes, end_ - offset);
  if (Holds(window_view_, window_begin_, offset, bytes)) {
    return window_view_.subspan(static_cast<size_t>(offset - window_begin_));
  }
  if (Holds(shared_view_, shared_begin_, offset, bytes)) {
    return shared_view_.subspan(static_cast<size_t>(offset - shared_begin_));
  }
  const int64_t wanted = std::max(bytes, useful_end_ - offset);
  if (wanted > window_bytes_) {
    // A large page: through the buffer that all columns share.
    ARROW_ASSIGN_OR_RAISE(shared_view_, ReadInto(&scratch_->compressed, offset, wanted));
    shared_begin_ = offset;
    return shared_view_;
  }
  window_view_ = {};
  ARROW_ASSIGN_OR_RAISE(window_view_, ReadInto(&window_, offset, wanted));
  window_begin_ = offset;
  return window_view_;
}

arrow::Result<bool> PageCursor::ReadHeader(PageHeader* header) {
  if (offset_ >= end_) {
    return false;
  }
  for (int64_t bytes = kHeaderBytes; bytes <= kHeaderBytesMax; bytes *= 4) {
    ARROW_ASSIGN_OR_RAISE(const auto data, Read(offset_, bytes));
    ARROW_ASSIGN_OR_RAISE(header_bytes_, ParsePageHeader(data, header));
    if (header_bytes_ > 0) {
      return true;
    }
    if (offset_ + bytes >= end_) {
      break;
    }
  }
  return arrow::Status::Invalid("corrupt page header, or the file was cut off");
}

arrow::Result<std::span<const uint8_t>> PageCursor::ReadBody(const PageHeader& header) {
  const int64_t begin = offset_ + header_bytes_;
  if (header.compressed_bytes > end_ - begin) {
    return arrow::Status::Invalid("corrupt page: it reaches behind the end of its column");
  }
  ARROW_ASSIGN_OR_RAISE(const auto data, Read(begin, header.compressed_bytes));
  if (static_cast<int64_t>(data.size()) < header.compressed_bytes) {
    return arrow::Status::Invalid("the file ends inside of a page");
  }
  return data.first(static_cast<size_t>(header.compressed_bytes));
}

void PageCursor::Advance(const PageHeader& header, bool was_wanted) {
  offset_ += header_bytes_ + header.compressed_bytes;
  // Behind a large page another large one is likely: then a window would be read twice.
  useful_end_ = was_wanted && header.compressed_bytes < window_bytes_
                    ? std::min(end_, offset_ + window_bytes_)
                    : offset_;
  header_bytes_ = 0;
  shared_view_ = {};
}

}  // namespace keepone
