// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

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
constexpr int64_t kBarWidth = 16;

// How much of what is scanned is done; nothing foretells how much is then fetched.
std::string Bar(const ProgressReport& report) {
  if (report.rows_total <= 0 || report.rows_fetched > 0) {
    return "";
  }
  const int64_t done =
      std::clamp<int64_t>(report.rows_scanned * kBarWidth / report.rows_total, 0, kBarWidth);
  return "[" + std::string(static_cast<size_t>(done), '=') +
         std::string(static_cast<size_t>(kBarWidth - done), ' ') + "] ";
}

std::string Line(const ProgressReport& report, double seconds) {
  std::string fetched;
  if (report.rows_fetched > 0) {
    fetched = std::to_string(report.rows_fetched) + " fetched, ";
  }
  std::array<char, 32> time;
  std::snprintf(time.data(), time.size(), "%.1f s", seconds);
  return Bar(report) + std::to_string(report.rows_scanned) + " rows scanned, " + fetched +
         FormatByteSize(report.bytes_read) + " read, " + FormatByteSize(report.memory_bytes) +
         " held, " + time.data();
}

// A line that wraps could not be drawn over. The last column stays free, as some terminals wrap
// there.
std::string CutToTerminal(std::string line) {
  struct winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    line.resize(std::min<size_t>(line.size(), size.ws_col - size_t{1}));
  }
  return line;
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
      const std::string line = CutToTerminal(Line(session_->progress(), seconds.count()));
      std::fputs(("\r" + line + "\033[K").c_str(), stderr);
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
