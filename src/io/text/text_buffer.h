// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "io/text/text_format.h"

namespace keepone {

// A buffer that grows, with the padding that formats want behind its text.
class TextBuffer {
 public:
  explicit TextBuffer(arrow::MemoryPool* pool) : pool_(pool) {}

  std::string_view text() const {
    return {reinterpret_cast<const char*>(data()), static_cast<size_t>(size_)};
  }
  int64_t size() const { return size_; }

  // Makes room for `bytes` behind the text; they count once Grow has been called.
  arrow::Result<uint8_t*> Reserve(int64_t bytes) {
    const int64_t needed = size_ + bytes + static_cast<int64_t>(kTextPaddingBytes);
    if (buffer_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(buffer_, arrow::AllocateResizableBuffer(needed, pool_));
    } else if (needed > buffer_->size()) {
      ARROW_RETURN_NOT_OK(buffer_->Resize(needed, /*shrink_to_fit=*/false));
    }
    return buffer_->mutable_data() + size_;
  }
  void Grow(int64_t bytes) {
    size_ += bytes;
    std::memset(buffer_->mutable_data() + size_, 0, kTextPaddingBytes);
  }
  void Clear() { size_ = 0; }

 private:
  const uint8_t* data() const { return buffer_ == nullptr ? kNothing : buffer_->data(); }

  static constexpr uint8_t kNothing[kTextPaddingBytes] = {};
  arrow::MemoryPool* pool_;
  std::unique_ptr<arrow::ResizableBuffer> buffer_;
  int64_t size_ = 0;
};

}  // namespace keepone
