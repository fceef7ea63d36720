// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <arrow/result.h>
#include <arrow/status.h>

#include "io/parquet/page_scratch.h"

namespace keepone {

// The body of a page, decompressed only as far as it is asked for where the codec can stop early.
class PageBody {
 public:
  // Whether most of the body will be needed: one piece is then cheaper than many.
  enum class Need { kWhole, kPart };

  // Views `compressed`, which must outlive the body. `codec` UNCOMPRESSED gives the bytes as they
  // are. The decompressed bytes lie in `output`, or in a buffer of `scratch` when that is nullptr.
  static arrow::Result<PageBody> Open(std::span<const uint8_t> compressed, int64_t size,
                                      arrow::Compression::type codec, Need need, uint8_t* output,
                                      PageScratch* scratch);

  const uint8_t* data() const { return data_; }
  // In all, decompressed or not.
  int64_t size() const { return size_; }
  // Decompressed up to now.
  int64_t available() const { return available_; }

  // Makes the first `bytes` bytes available; an error when the body has fewer.
  arrow::Status Require(int64_t bytes) {
    return bytes <= available_ ? arrow::Status::OK() : Decompress(bytes);
  }

 private:
  PageBody() = default;
  arrow::Status Decompress(int64_t bytes);
  arrow::Status DecompressWhole(PageScratch* scratch, arrow::Compression::type codec);

  const uint8_t* data_ = nullptr;
  int64_t size_ = 0;
  int64_t available_ = 0;
  std::span<const uint8_t> compressed_;                // what is left of it
  arrow::util::Decompressor* decompressor_ = nullptr;  // set while streaming
  uint8_t* output_ = nullptr;
};

}  // namespace keepone
