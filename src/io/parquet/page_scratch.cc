// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/page_scratch.h"

#include <algorithm>

namespace keepone {

namespace {

constexpr int64_t kGranularity = 64 << 10;

}  // namespace

arrow::Result<uint8_t*> ReusableBytes::Reserve(int64_t bytes) {
  if (buffer_ == nullptr || buffer_->size() < bytes) {
    // A new buffer, not a larger one: growing would copy what nobody needs any more.
    buffer_.reset();
    const int64_t size =
        (std::max<int64_t>(bytes, 1) + kGranularity - 1) / kGranularity * kGranularity;
    ARROW_ASSIGN_OR_RAISE(buffer_, arrow::AllocateResizableBuffer(size, pool_));
  }
  return buffer_->mutable_data();
}

arrow::Result<arrow::util::Codec*> PageScratch::codec(arrow::Compression::type type) {
  auto& codec = codecs_[static_cast<size_t>(type)];
  if (codec == nullptr) {
    ARROW_ASSIGN_OR_RAISE(codec, arrow::util::Codec::Create(type));
  }
  return codec.get();
}

arrow::Result<arrow::util::Decompressor*> PageScratch::decompressor(arrow::Compression::type type) {
  if (type != arrow::Compression::ZSTD && type != arrow::Compression::GZIP) {
    return nullptr;
  }
  auto& decompressor = decompressors_[static_cast<size_t>(type)];
  if (decompressor == nullptr) {
    ARROW_ASSIGN_OR_RAISE(arrow::util::Codec * made, codec(type));
    ARROW_ASSIGN_OR_RAISE(decompressor, made->MakeDecompressor());
  } else {
    ARROW_RETURN_NOT_OK(decompressor->Reset());
  }
  return decompressor.get();
}

}  // namespace keepone
