// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "column/batch_stream.h"
#include "io/source.h"

namespace keepone {

// What one operator of a running query has done. Written by its workers at any time.
struct OperatorMetrics {
  std::atomic<int64_t> rows{0};            // given out
  std::atomic<int64_t> batches{0};         // given out
  std::atomic<int64_t> self_nanos{0};      // spent in the operator itself, summed over all threads
  std::atomic<int64_t> bytes_peak{0};      // most that it held at once, where it knows
  std::atomic<int64_t> bytes_spilled{0};   // written to temporary files
  std::shared_ptr<SourceCounters> source;  // of a scan or a fetch, else nullptr
};

// The metrics of a plan: an operator with those of its inputs.
struct MetricsTree {
  std::string name;  // the operator's: "Filter"
  std::shared_ptr<OperatorMetrics> metrics;
  std::vector<MetricsTree> inputs;

  // Time of the operator and of everything below it, summed over all threads.
  int64_t inclusive_nanos() const;
};

// Counts the time of its scope, less that of scopes opened within it on the same thread, as the
// operator's own. With nullptr the time is nobody's: for waiting.
class OperatorTimer {
 public:
  explicit OperatorTimer(OperatorMetrics* metrics);
  ~OperatorTimer();
  OperatorTimer(const OperatorTimer&) = delete;
  OperatorTimer& operator=(const OperatorTimer&) = delete;

  // The metrics of the innermost scope of this thread, or nullptr.
  static OperatorMetrics* Current();

 private:
  using Clock = std::chrono::steady_clock;
  OperatorMetrics* metrics_;
  OperatorTimer* outer_;
  Clock::time_point since_;
};

// Tells the operator whose scope this thread is in that `bytes` are held.
void NoteBytesHeld(int64_t bytes);
void NoteBytesHeld(OperatorMetrics* metrics, int64_t bytes);

// Tells it that `bytes` were written to temporary files.
void NoteBytesSpilled(int64_t bytes);

// Passes a stream on and counts what it does.
std::unique_ptr<BatchStream> MakeMeasured(std::unique_ptr<BatchStream> stream,
                                          std::shared_ptr<OperatorMetrics> metrics);

// The tree as JSON: {"operator": .., "rows": .., .., "inputs": [..]}.
std::string MetricsToJson(const MetricsTree& tree);

// "rows 12, batches 1, time 0.003 s (self 0.001 s), peak 2.1 MB, read 5.0 MB in 12 pages".
std::string DescribeMetrics(const MetricsTree& tree);

}  // namespace keepone
