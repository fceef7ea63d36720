// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/chunk_dictionary.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/parquet/value_select.h"

namespace keepone {

bool ChunkDictionary::Supports(const parquet::ColumnDescriptor& column) {
  return column.physical_type() == parquet::Type::BYTE_ARRAY || PlainWidth(column) > 0;
}

arrow::Result<std::unique_ptr<ChunkDictionary>> ChunkDictionary::Make(
    const parquet::ColumnDescriptor& column, std::shared_ptr<arrow::Buffer> body, int64_t count,
    arrow::MemoryPool* pool) {
  std::unique_ptr<ChunkDictionary> dictionary(new ChunkDictionary());
  dictionary->body_ = std::move(body);
  dictionary->count_ = count;
  dictionary->width_ = PlainWidth(column);
  dictionary->value_bytes_max_ = dictionary->width_;
  const int64_t bytes_min = count * (dictionary->width_ > 0 ? dictionary->width_ : 4);
  if (bytes_min > dictionary->body_->size()) {
    return arrow::Status::Invalid("corrupt dictionary: it has fewer values than its header says");
  }
  if (dictionary->width_ == 0) {
    ARROW_RETURN_NOT_OK(dictionary->FindValues(pool));
  }
  return dictionary;
}

arrow::Status ChunkDictionary::FindValues(arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(
      offsets_, arrow::AllocateBuffer((count_ + 1) * static_cast<int64_t>(sizeof(uint32_t)), pool));
  auto* const offsets = reinterpret_cast<uint32_t*>(offsets_->mutable_data());
  int64_t position = 0;
  for (int64_t i = 0; i < count_; ++i) {
    offsets[i] = static_cast<uint32_t>(position);
    uint32_t length;
    if (position + 4 > body_->size()) {
      return arrow::Status::Invalid("corrupt dictionary: a value reaches behind its end");
    }
    std::memcpy(&length, body_->data() + position, sizeof(length));
    const int64_t bytes = 4 + static_cast<int64_t>(length);
    if (bytes > body_->size() - position) {
      return arrow::Status::Invalid("corrupt dictionary: a value reaches behind its end");
    }
    value_bytes_max_ = std::max(value_bytes_max_, bytes);
    position += bytes;
  }
  offsets[count_] = static_cast<uint32_t>(position);
  return arrow::Status::OK();
}

arrow::Status ChunkDictionary::Append(std::span<const uint32_t> indices,
                                      arrow::BufferBuilder* out) const {
  const uint32_t* const offsets =
      width_ == 0 ? reinterpret_cast<const uint32_t*>(offsets_->data()) : nullptr;
  for (const uint32_t index : indices) {
    if (index >= count_) {
      return arrow::Status::Invalid("corrupt page: an index that is not in the dictionary");
    }
    const int64_t begin = width_ == 0 ? offsets[index] : index * width_;
    const int64_t end = width_ == 0 ? offsets[index + 1] : begin + width_;
    ARROW_RETURN_NOT_OK(out->Append(body_->data() + begin, end - begin));
  }
  return arrow::Status::OK();
}

}  // namespace keepone
