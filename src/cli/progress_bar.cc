// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "base/byte_size.h"

namespace keepone {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFirstDrawing = std::chrono::milliseconds(300);
constexpr auto kInterval = std::chrono::milliseconds(200);
constexpr int64_t kBarWidth = 24;

std::string Bar(const ProgressReport& report) {
  if (report.rows_total <= 0) {
    return "";
  }
  const int64_t done = std::clamp<int64_t>(report.rows_scanned * kBarWidth / report.rows_total, 0,
                                           kBarWidth);
  return "[" + std::string(static_cast<size_t>(done), '=') +
         std::string(static_cast<size_t>(kBarWidth - done), ' ') + "] ";
}

std::string Line(const ProgressReport& report, double seconds) {
  std::array<char, 160> text;
  const double rows = static_cast<double>(report.rows_scanned + report.rows_fetched);
  std::snprintf(text.data(), text.size(), "%lld rows read, %lld fetched, %.2f M rows/s, %s read, %s",
                static_cast<long long>(report.rows_scanned),
                static_cast<long long>(report.rows_fetched), rows / std::max(seconds, 0.001) / 1e6,
                FormatByteSize(report.bytes_read).c_str(),
                (FormatByteSize(report.memory_bytes) + " memory").c_str());
  return Bar(report) + text.data();
}

class ProgressBarImpl final : public ProgressBar {
 public:
  explicit ProgressBarImpl(const Session* session)
      : session_(session), begin_(Clock::now()), thread_([this] { Run(); }) {}

  ~ProgressBarImpl() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
    if (drawn_) {
      std::fputs("\r\033[K", stderr);
      std::fflush(stderr);
    }
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    auto wait = kFirstDrawing;
    while (!changed_.wait_for(lock, wait, [this] { return done_; })) {
      const std::chrono::duration<double> seconds = Clock::now() - begin_;
      std::fputs(("\r" + Line(session_->progress(), seconds.count()) + "\033[K").c_str(), stderr);
      std::fflush(stderr);
      drawn_ = true;
      wait = kInterval;
    }
  }

  const Session* session_;
  Clock::time_point begin_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  bool drawn_ = false;
  std::thread thread_;  // last: it uses what stands above
};

}  // namespace

std::unique_ptr<ProgressBar> MakeProgressBar(const Session* session) {
  return std::make_unique<ProgressBarImpl>(session);
}

}  // namespace keepone
