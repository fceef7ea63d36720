// SPDX-License-Identifier: Apache-2.0
#include "column/pool_storage.h"

#include <algorithm>

#include "column/order_bits.h"

namespace keepone {

PoolBlock& PoolBlock::operator=(PoolBlock&& other) noexcept {
  if (this != &other) {
    Free();
    pool_ = std::exchange(other.pool_, nullptr);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

arrow::Status PoolBlock::Allocate(arrow::MemoryPool* pool, int64_t bytes) {
  Free();
  ARROW_RETURN_NOT_OK(pool->Allocate(bytes, &data_));
  pool_ = pool;
  bytes_ = bytes;
  return arrow::Status::OK();
}

void PoolBlock::Free() {
  if (data_ != nullptr) {
    pool_->Free(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
  }
}

arrow::Status RecordChunks::Reserve(int64_t count) {
  const int64_t chunk_bytes = width_ << kChunkBits;
  while ((static_cast<int64_t>(chunks_.size()) << kChunkBits) < count) {
    PoolBlock chunk;
    ARROW_RETURN_NOT_OK(chunk.Allocate(pool_, std::max<int64_t>(chunk_bytes, 1)));
    bytes_ += chunk.bytes();
    chunks_.push_back(std::move(chunk));
  }
  return arrow::Status::OK();
}

void RecordChunks::Clear() {
  chunks_.clear();
  bytes_ = 0;
}

arrow::Status ByteArena::AddChunk(int64_t bytes_min) {
  // Small at first, as there may be many arenas; then a fixed size, so that little is wasted.
  const int64_t bytes = std::max(bytes_min, std::clamp<int64_t>(bytes_, 4 << 10, 256 << 10));
  PoolBlock chunk;
  ARROW_RETURN_NOT_OK(chunk.Allocate(pool_, bytes));
  bytes_ += bytes;
  next_ = chunk.data();
  left_ = bytes;
  chunks_.push_back(std::move(chunk));
  return arrow::Status::OK();
}

void ByteArena::Clear() {
  chunks_.clear();
  next_ = nullptr;
  left_ = 0;
  bytes_ = 0;
}

arrow::Status ExtentPool::Allocate(int size_class, uint8_t** out) {
  uint8_t*& head = free_[static_cast<size_t>(size_class)];
  if (head != nullptr) {
    *out = head;
    head = LoadAs<uint8_t*>(head);
    return arrow::Status::OK();
  }
  return arena_.Allocate(int64_t{1} << size_class, out);
}

void ExtentPool::Free(int size_class, uint8_t* block) {
  uint8_t*& head = free_[static_cast<size_t>(size_class)];
  StoreAs(block, head);
  head = block;
}

}  // namespace keepone
