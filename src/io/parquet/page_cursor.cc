// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/page_cursor.h"

#include <algorithm>
#include <utility>

namespace keepone {

namespace {

// Enough for most headers; statistics of long strings make larger ones.
constexpr int64_t kHeaderBytes = 1 << 10;
constexpr int64_t kHeaderBytesMax = 16 << 20;

// Announced at once where small pages are read one behind the other.
constexpr int64_t kAnnouncedBytes = 256 << 10;

// Bytes before the body of a large page that nothing stands in.
constexpr int64_t kBodyRoom = 64;

bool Holds(std::span<const uint8_t> view, int64_t view_begin, int64_t offset, int64_t bytes) {
  return offset >= view_begin && offset + bytes <= view_begin + static_cast<int64_t>(view.size());
}

arrow::Status CutOff() {
  return arrow::Status::Invalid("the file ends inside of a page");
}

}  // namespace

void PageCursor::Seek(int64_t offset, int64_t useful_end, int64_t end) {
  offset_ = offset;
  useful_end_ = std::min(useful_end, end);
  end_ = end;
  header_bytes_ = 0;
  body_ = nullptr;
  in_order_ = false;
}

int64_t PageCursor::TakeBytesRead() {
  return std::exchange(bytes_read_, 0);
}

arrow::Result<int64_t> PageCursor::ReadInto(uint8_t* target, int64_t offset, int64_t bytes) {
  ARROW_ASSIGN_OR_RAISE(const int64_t got, file_->ReadAt(offset, bytes, target));
  bytes_read_ += got;
  return got;
}

arrow::Result<std::span<uint8_t>> PageCursor::Read(int64_t offset, int64_t bytes) {
  bytes = std::min(bytes, end_ - offset);
  if (!Holds(window_view_, window_begin_, offset, bytes)) {
    const int64_t ahead = useful_end_ - offset;
    const int64_t wanted = ahead <= window_bytes_ ? std::max(bytes, ahead) : bytes;
    window_view_ = {};
    ARROW_ASSIGN_OR_RAISE(uint8_t* const data, window_.Reserve(wanted));
    if (in_order_ && offset + wanted + window_bytes_ > announced_end_) {
      Announce(offset + wanted, kAnnouncedBytes);
      announced_end_ = offset + wanted + kAnnouncedBytes;
    }
    ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadInto(data, offset, wanted));
    window_view_ = {data, static_cast<size_t>(got)};
    window_begin_ = offset;
  }
  return window_view_.subspan(static_cast<size_t>(offset - window_begin_));
}

arrow::Result<bool> PageCursor::ReadHeader(PageHeader* header) {
  if (offset_ >= end_) {
    return false;
  }
  body_ = nullptr;
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

arrow::Result<PageBytes> PageCursor::ReadBody(const PageHeader& header, int64_t bytes) {
  const int64_t begin = offset_ + header_bytes_;
  const int64_t size = header.compressed_bytes;
  if (size > end_ - begin) {
    return arrow::Status::Invalid("corrupt page: it reaches behind the end of its column");
  }
  if (body_ == nullptr &&
      (size <= window_bytes_ || Holds(window_view_, window_begin_, begin, size))) {
    ARROW_ASSIGN_OR_RAISE(const auto data, Read(begin, size));
    if (static_cast<int64_t>(data.size()) < size) {
      return CutOff();
    }
    return PageBytes{data.first(static_cast<size_t>(size)), data.data() - window_view_.data()};
  }
  // A large page: through the buffer that all columns share.
  if (body_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(uint8_t* const buffer, scratch_->compressed.Reserve(kBodyRoom + size));
    body_ = buffer + kBodyRoom;
    body_bytes_ = 0;
  }
  bytes = std::min(bytes, size);
  if (bytes > body_bytes_) {
    ARROW_ASSIGN_OR_RAISE(const int64_t got,
                          ReadInto(body_ + body_bytes_, begin + body_bytes_, bytes - body_bytes_));
    body_bytes_ += got;
    if (body_bytes_ < bytes) {
      return CutOff();
    }
  }
  return PageBytes{{body_, static_cast<size_t>(body_bytes_)}, kBodyRoom};
}

void PageCursor::Announce(int64_t offset, int64_t bytes) const {
  bytes = std::min(bytes, end_ - offset);
  if (bytes > 0) {
    static_cast<void>(file_->WillNeed({{offset, bytes}}));
  }
}

void PageCursor::Advance(const PageHeader& header, bool was_wanted) {
  offset_ += header_bytes_ + header.compressed_bytes;
  // Behind a large page another large one is likely: then a window would be read twice.
  in_order_ = was_wanted && header.compressed_bytes < window_bytes_;
  useful_end_ = in_order_ ? std::min(end_, offset_ + window_bytes_) : offset_;
  header_bytes_ = 0;
  body_ = nullptr;
}

}  // namespace keepone
