// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/page_body.h"

#include <algorithm>

namespace keepone {

namespace {

// Zstandard works in blocks of this size; to ask for less saves nothing.
constexpr int64_t kStepBytes = 128 << 10;

arrow::Status Corrupt() {
  return arrow::Status::Invalid("corrupt page: it does not decompress to its size");
}

}  // namespace

arrow::Result<PageBody> PageBody::Open(std::span<const uint8_t> compressed, int64_t size,
                                       arrow::Compression::type codec, Need need, uint8_t* output,
                                       PageScratch* scratch) {
  PageBody body;
  body.size_ = size;
  if (codec == arrow::Compression::UNCOMPRESSED || size == 0) {
    if (size > static_cast<int64_t>(compressed.size())) {
      return arrow::Status::Invalid("corrupt page: its body is shorter than its size");
    }
    body.data_ = compressed.data();
    body.available_ = size;
    return body;
  }
  body.compressed_ = compressed;
  body.output_ = output;
  if (output == nullptr) {
    ARROW_ASSIGN_OR_RAISE(body.output_, scratch->body.Reserve(size));
  }
  body.data_ = body.output_;
  if (need == Need::kPart && size > kStepBytes) {
    ARROW_ASSIGN_OR_RAISE(body.decompressor_, scratch->decompressor(codec));
  }
  if (body.decompressor_ == nullptr) {
    ARROW_RETURN_NOT_OK(body.DecompressWhole(scratch, codec));
  }
  return body;
}

arrow::Status PageBody::DecompressWhole(PageScratch* scratch, arrow::Compression::type codec) {
  ARROW_ASSIGN_OR_RAISE(arrow::util::Codec * decoder, scratch->codec(codec));
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes,
                        decoder->Decompress(static_cast<int64_t>(compressed_.size()),
                                            compressed_.data(), size_, output_));
  if (bytes != size_) {
    return Corrupt();
  }
  available_ = size_;
  return arrow::Status::OK();
}

arrow::Status PageBody::Decompress(int64_t bytes) {
  if (bytes > size_) {
    return arrow::Status::Invalid("corrupt page: values reach behind its end");
  }
  const int64_t target = std::min(size_, (bytes + kStepBytes - 1) / kStepBytes * kStepBytes);
  while (available_ < target) {
    if (decompressor_->IsFinished()) {
      // A body may be several streams, one behind the other.
      if (compressed_.empty()) {
        return Corrupt();
      }
      ARROW_RETURN_NOT_OK(decompressor_->Reset());
    }
    ARROW_ASSIGN_OR_RAISE(
        const auto step,
        decompressor_->Decompress(static_cast<int64_t>(compressed_.size()), compressed_.data(),
                                  target - available_, output_ + available_));
    compressed_ = compressed_.subspan(static_cast<size_t>(step.bytes_read));
    available_ += step.bytes_written;
    if (step.bytes_read == 0 && step.bytes_written == 0) {
      return Corrupt();
    }
  }
  return arrow::Status::OK();
}

}  // namespace keepone
