// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <arrow/memory_pool.h>

namespace keepone {

// The memory of one query: an Arrow pool that counts what it gives and refuses what would exceed
// the limit, with a resource error that says the limit, what is held and what was asked for.
// Memory that no pool sees (hash tables in std containers) is reported by Reserve and Release.
// All methods are safe for concurrent use; the limit holds exactly across threads.
//
// A result's buffers may outlive the query, and each frees itself through its pool: a budget made
// by `new` and given up by Retire() stays until the last of them is gone.
class MemoryBudget final : public arrow::MemoryPool {
 public:
  // `bytes_max` < 0 means no limit. `base` must outlive the budget.
  MemoryBudget(arrow::MemoryPool* base, int64_t bytes_max) : base_(base), bytes_max_(bytes_max) {}

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;
  void ReleaseUnused() override { base_->ReleaseUnused(); }
  int64_t bytes_allocated() const override { return bytes_.load(std::memory_order_relaxed); }
  int64_t max_memory() const override { return bytes_peak_.load(std::memory_order_relaxed); }
  int64_t total_bytes_allocated() const override {
    return bytes_total_.load(std::memory_order_relaxed);
  }
  int64_t num_allocations() const override { return allocations_.load(std::memory_order_relaxed); }
  std::string backend_name() const override { return base_->backend_name(); }

  // Counts `bytes` that were or will be allocated elsewhere.
  arrow::Status Reserve(int64_t bytes);
  void Release(int64_t bytes);

  int64_t bytes_max() const { return bytes_max_; }

  // Deletes the budget as soon as nothing that it gave is in use. REQUIRES: made by `new`, and
  // called once, as the owner's last use; reservations are gone.
  void Retire() { DropUse(); }

 private:
  arrow::Status Take(int64_t bytes);
  void DropUse();

  arrow::MemoryPool* base_;
  int64_t bytes_max_;
  std::atomic<int64_t> bytes_{0};
  std::atomic<int64_t> bytes_peak_{0};
  std::atomic<int64_t> bytes_total_{0};
  std::atomic<int64_t> allocations_{0};
  std::atomic<int64_t> uses_{1};  // the owner and each allocation in use
};

// Keeps a part of a budget reserved as long as it lives.
class MemoryReservation {
 public:
  explicit MemoryReservation(MemoryBudget* budget) : budget_(budget) {}
  ~MemoryReservation() { budget_->Release(bytes_); }
  MemoryReservation(const MemoryReservation&) = delete;
  MemoryReservation& operator=(const MemoryReservation&) = delete;

  // Makes the reservation `bytes` in all; on an error it stays as it was.
  arrow::Status Resize(int64_t bytes);
  int64_t bytes() const { return bytes_; }

 private:
  MemoryBudget* budget_;
  int64_t bytes_ = 0;
};

}  // namespace keepone
