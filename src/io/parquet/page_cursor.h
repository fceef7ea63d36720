// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include "io/parquet/page_header.h"
#include "io/parquet/page_scratch.h"

namespace keepone {

// Bytes of a page as they are in the file. They may be changed, and so may the `room` bytes before
// them, by whoever puts back what was there.
struct PageBytes {
  std::span<uint8_t> data;
  int64_t room = 0;
};

// Walks over the pages of a stretch of a file. Bodies are read only when asked for, and only as
// far.
class PageCursor {
 public:
  // `window_bytes` is what is read at once where pages are small.
  PageCursor(std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t window_bytes,
             PageScratch* scratch)
      : file_(std::move(file)),
        window_bytes_(window_bytes),
        window_(scratch->pool()),
        scratch_(scratch) {}

  // Goes to the page that begins at `offset`. [offset, useful_end) will be read: one page, or
  // several that fit into the window. Nothing at or behind `end` is read.
  void Seek(int64_t offset, int64_t useful_end, int64_t end);

  // The header of the page here; false at the end. Does not move.
  arrow::Result<bool> ReadHeader(PageHeader* header);
  // Of the header that was read last.
  int64_t header_bytes() const { return header_bytes_; }
  int64_t offset() const { return offset_; }
  int64_t end() const { return end_; }

  // At least the first `bytes` bytes of the body of the page whose header was read last, or all of
  // it. To ask again for more of the same page reads the rest and moves nothing; otherwise the
  // bytes stand until the next call of anything that uses the same scratch. Does not move on.
  arrow::Result<PageBytes> ReadBody(const PageHeader& header, int64_t bytes);

  // Goes behind that page. Pages that follow are read from the file in larger pieces when this one
  // was wanted.
  void Advance(const PageHeader& header, bool was_wanted);

  // Has the system fetch these bytes while something else is done. Only a hint.
  void Announce(int64_t offset, int64_t bytes) const;

  // Bytes read from the file since the last call.
  int64_t TakeBytesRead();

 private:
  // At least `bytes` bytes from `offset` on; less only at the end. Through the window.
  arrow::Result<std::span<uint8_t>> Read(int64_t offset, int64_t bytes);
  arrow::Result<int64_t> ReadInto(uint8_t* target, int64_t offset, int64_t bytes);

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t window_bytes_;
  ReusableBytes window_;
  PageScratch* scratch_;
  int64_t window_begin_ = 0;
  std::span<uint8_t> window_view_;
  uint8_t* body_ = nullptr;  // in the shared buffer, while it is ours: the page's body
  int64_t body_bytes_ = 0;   // of it that are read
  int64_t offset_ = 0;
  int64_t useful_end_ = 0;
  int64_t end_ = 0;
  int64_t header_bytes_ = 0;
  int64_t bytes_read_ = 0;
  bool in_order_ = false;  // small pages are read, one behind the other
  int64_t announced_end_ = 0;
};

}  // namespace keepone
