// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <arrow/status.h>

#include "base/memory_budget.h"
#include "base/temp_directory.h"

namespace keepone {

// Asks a running query to stop; safe to set from a signal handler or another thread.
class StopFlag {
 public:
  void Set() { set_.store(true, std::memory_order_relaxed); }
  void Clear() { set_.store(false, std::memory_order_relaxed); }
  bool IsSet() const { return set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> set_{false};
};

// What a query has done so far; written by its workers, read by progress bars and reports.
struct QueryProgress {
  std::atomic<int64_t> rows_scanned{0};
  std::atomic<int64_t> rows_total{0};  // of all scans that have begun; an estimate
  std::atomic<int64_t> bytes_read{0};
  std::atomic<int64_t> rows_fetched{0};
  std::atomic<int64_t> rows_written{0};
};

// What every part of one query's execution shares. Lives longer than its operators.
class QueryContext {
 public:
  struct Options {
    int threads = 1;                    // at least 1
    int64_t memory_bytes_max = -1;      // < 0: no limit
    std::string temp_directory;         // for what does not fit the memory; empty: TMPDIR, or /tmp
    int64_t temp_bytes_max = -1;        // most bytes there at once; < 0: no limit
    bool force_spill = false;           // spill what can be, however little it is: for tests
    int64_t batch_rows_max = 8192;      // at least 1
    int64_t batch_bytes_max = 4 << 20;  // a batch ends at the first row that reaches it
    uint64_t random_seed = 0;
    StopFlag* stop = nullptr;                // may be nullptr
    arrow::MemoryPool* base_pool = nullptr;  // nullptr: Arrow's default
  };

  explicit QueryContext(const Options& options)
      : options_(options),
        budget_(new MemoryBudget(
            options.base_pool != nullptr ? options.base_pool : arrow::default_memory_pool(),
            options.memory_bytes_max)),
        temp_(options.temp_directory, options.temp_bytes_max) {}
  // Results keep the budget alive, see MemoryBudget.
  ~QueryContext() { budget_->Retire(); }
  QueryContext(const QueryContext&) = delete;
  QueryContext& operator=(const QueryContext&) = delete;

  int threads() const { return options_.threads; }
  int64_t batch_rows_max() const { return options_.batch_rows_max; }
  int64_t batch_bytes_max() const { return options_.batch_bytes_max; }
  uint64_t random_seed() const { return options_.random_seed; }
  // When the query began, in microseconds since 1970 UTC: what now() means in all of it.
  int64_t start_us() const { return start_us_; }
  int64_t memory_bytes_max() const { return options_.memory_bytes_max; }
  bool force_spill() const { return options_.force_spill; }
  TempDirectory& temp() { return temp_; }
  // Whether an operator that holds `own_bytes`, and can put them aside, should: when most of the
  // memory is taken and its part of it is worth the while. What is left is for putting aside itself
  // and for operators that cannot.
  bool ShouldSpill(int64_t own_bytes) const {
    if (options_.force_spill) {
      return own_bytes > 0;
    }
    const int64_t limit = options_.memory_bytes_max;
    return limit >= 0 && budget_->bytes_allocated() > limit / 8 * 5 &&
           own_bytes > limit / 16 / options_.threads;
  }
  MemoryBudget* budget() { return budget_; }
  arrow::MemoryPool* pool() { return budget_; }
  QueryProgress& progress() { return progress_; }

  // Called once a batch by everything that loops: Cancelled after the user asked to stop.
  arrow::Status CheckStop() const {
    if (options_.stop != nullptr && options_.stop->IsSet()) [[unlikely]] {
      return arrow::Status::Cancelled("query interrupted");
    }
    return arrow::Status::OK();
  }

 private:
  Options options_;
  MemoryBudget* budget_;
  TempDirectory temp_;
  QueryProgress progress_;
  const int64_t start_us_ = std::chrono::duration_cast<std::chrono::microseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count();
};

}  // namespace keepone
