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

// Walks over the pages of a stretch of a file. Bodies are read only when asked for.
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

  // The body of the page whose header was read last; the bytes stand until the next call of
  // anything that uses the same scratch. Does not move.
  arrow::Result<std::span<const uint8_t>> ReadBody(const PageHeader& header);

  // Goes behind that page. Pages that follow are read from the file in larger pieces when this one
  // was wanted.
  void Advance(const PageHeader& header, bool was_wanted);

  // Bytes read from the file since the last call.
  int64_t TakeBytesRead();

 private:
  // At least `bytes` bytes from `offset` on; less only at the end.
  arrow::Result<std::span<const uint8_t>> Read(int64_t offset, int64_t bytes);
  arrow::Result<std::span<const uint8_t>> ReadInto(ReusableBytes* target, int64_t offset,
                                                   int64_t bytes);

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t window_bytes_;
  ReusableBytes window_;
  PageScratch* scratch_;
  int64_t window_begin_ = 0;
  std::span<const uint8_t> window_view_;
  int64_t shared_begin_ = 0;
  std::span<const uint8_t> shared_view_;  // of the shared buffer, while it is ours
  int64_t offset_ = 0;
  int64_t useful_end_ = 0;
  int64_t end_ = 0;
  int64_t header_bytes_ = 0;
  int64_t bytes_read_ = 0;
};

}  // namespace keepone
