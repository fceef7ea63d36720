// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include <arrow/result.h>
#include <arrow/status.h>

namespace keepone {

// A directory of one query's own for what does not fit its memory, made at the first use below
// `parent` as keepone-<process>-<random> and removed with all it holds by the destructor. What a
// process that died left behind is removed when a later one makes its first directory beside it: a
// directory holds a file that its process keeps locked as long as it lives.
// Safe for concurrent use.
class TempDirectory {
 public:
  // `parent` empty: TMPDIR, or /tmp. `bytes_max` < 0: no cap.
  TempDirectory(std::string parent, int64_t bytes_max);
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  // A path in the directory that no other call gives.
  arrow::Result<std::string> NewPath();

  // Counts bytes that are to be written, and bytes whose file was removed. Reserve gives a
  // resource error, which names the cap and the setting, where the cap would be exceeded.
  arrow::Status Reserve(int64_t bytes);
  void Release(int64_t bytes);
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  int64_t bytes_peak() const { return bytes_peak_.load(std::memory_order_relaxed); }

 private:
  arrow::Status Make();

  const std::string parent_;
  const int64_t bytes_max_;
  std::mutex mutex_;  // of the two below
  std::string path_;  // empty until made
  int lock_file_ = -1;
  std::atomic<int64_t> next_{0};
  std::atomic<int64_t> bytes_{0};
  std::atomic<int64_t> bytes_peak_{0};
};

}  // namespace keepone
