// SPDX-License-Identifier: Apache-2.0
#include "base/memory_budget.h"

#include "base/byte_size.h"
#include "base/error.h"

namespace keepone {

arrow::Status MemoryBudget::Take(int64_t bytes) {
  const int64_t held = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (bytes > 0 && bytes_max_ >= 0 && held > bytes_max_) {
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return WithHint(ResourceError("memory limit of ", FormatByteSize(bytes_max_),
                                  " exceeded: ", FormatByteSize(held - bytes), " are held and ",
                                  FormatByteSize(bytes), " more are needed"),
                    "raise it with --memory-limit or SET memory_limit");
  }
  int64_t peak = bytes_peak_.load(std::memory_order_relaxed);
  while (held > peak && !bytes_peak_.compare_exchange_weak(peak, held, std::memory_order_relaxed)) {
  }
  return arrow::Status::OK();
}

arrow::Status MemoryBudget::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  ARROW_RETURN_NOT_OK(Take(size));
  const arrow::Status status = base_->Allocate(size, alignment, out);
  if (!status.ok()) {
    Release(size);
    return status;
  }
  uses_.fetch_add(1, std::memory_order_relaxed);
  bytes_total_.fetch_add(size, std::memory_order_relaxed);
  allocations_.fetch_add(1, std::memory_order_relaxed);
  return status;
}

arrow::Status MemoryBudget::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                                       uint8_t** ptr) {
  ARROW_RETURN_NOT_OK(Take(new_size - old_size));
  const arrow::Status status = base_->Reallocate(old_size, new_size, alignment, ptr);
  if (!status.ok()) {
    Release(new_size - old_size);
    return status;
  }
  if (new_size > old_size) {
    bytes_total_.fetch_add(new_size - old_size, std::memory_order_relaxed);
  }
  allocations_.fetch_add(1, std::memory_order_relaxed);
  return status;
}

void MemoryBudget::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  base_->Free(buffer, size, alignment);
  Release(size);
  DropUse();
}

void MemoryBudget::DropUse() {
  // The order makes every use of the budget by other threads happen before its end.
  if (uses_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete this;
  }
}

arrow::Status MemoryBudget::Reserve(int64_t bytes) {
  return Take(bytes);
}

void MemoryBudget::Release(int64_t bytes) {
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

arrow::Status MemoryReservation::Resize(int64_t bytes) {
  if (bytes > bytes_) {
    ARROW_RETURN_NOT_OK(budget_->Reserve(bytes - bytes_));
  } else {
    budget_->Release(bytes_ - bytes);
  }
  bytes_ = bytes;
  return arrow::Status::OK();
}

}  // namespace keepone
