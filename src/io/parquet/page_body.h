// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <arrow/result.h>
#include <arrow/status.h>

#include "io/parquet/page_cursor.h"
#include "io/parquet/page_header.h"
#include "io/parquet/page_scratch.h"

namespace keepone {

// What the pages of a column chunk have shown about how they are compressed.
struct BodyTraits {
  bool has_unusual_blocks = false;  // Zstandard blocks of other sizes than most writers make
};

// The body of a page, read from the file and decompressed only as far as it is asked for where the
// codec can stop early: uncompressed, Zstandard and gzip.
class PageBody {
 public:
  // How to open a page; all pointers outlive the body.
  struct Source {
    PageCursor* cursor = nullptr;  // stands on the page, and is not moved while the body is used
    const PageHeader* header = nullptr;
    arrow::Compression::type codec = arrow::Compression::UNCOMPRESSED;
    BodyTraits* traits = nullptr;
    uint8_t* output = nullptr;  // where decompressed bytes go; nullptr: to a buffer of the scratch
    PageScratch* scratch = nullptr;
  };

  // Makes the first `bytes` bytes available, or a few more, as far as the body has them. It pays to
  // ask for what will be needed: to go on later may begin anew.
  static arrow::Result<PageBody> Open(const Source& source, int64_t bytes);

  // The levels of a V2 page, which stand before the rest and are not compressed; else empty.
  std::span<const uint8_t> levels() const { return levels_; }
  // The rest; of other pages, everything.
  const uint8_t* data() const { return data_; }
  // In all, decompressed or not.
  int64_t size() const { return size_; }
  // Decompressed up to now.
  int64_t available() const { return available_; }

  // Makes the first `bytes` bytes available; an error when the body has fewer.
  arrow::Status Require(int64_t bytes) {
    return bytes <= available_ ? arrow::Status::OK() : Decompress(bytes);
  }
  // Foretells that about `bytes` bytes will be needed in all; does nothing yet.
  void Expect(int64_t bytes) { expected_ = bytes; }

 private:
  explicit PageBody(const Source& source) : source_(source) {}

  arrow::Status Read(int64_t bytes);
  arrow::Status Decompress(int64_t bytes);
  arrow::Status DecompressWhole();
  arrow::Result<bool> DecompressAsFrame();
  arrow::Result<bool> DecompressBlocks(int64_t bytes);
  arrow::Result<bool> OpenStream();
  arrow::Status DecompressStream(int64_t bytes);

  Source source_;
  std::span<const uint8_t> levels_;
  std::span<uint8_t> compressed_;  // what is read of it
  int64_t compressed_size_ = 0;    // in all
  int64_t room_ = 0;               // bytes before it that may be written to
  const uint8_t* data_ = nullptr;
  uint8_t* output_ = nullptr;
  int64_t size_ = 0;
  int64_t available_ = 0;
  int64_t expected_ = 0;
  int pieces_ = 0;                                     // times it was begun anew
  arrow::util::Decompressor* decompressor_ = nullptr;  // set while streaming
  int64_t stream_position_ = 0;
};

}  // namespace keepone
