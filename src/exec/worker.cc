// SPDX-License-Identifier: Apache-2.0
#include "exec/worker.h"

#include <atomic>
#include <limits>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

#include "exec/metrics.h"

namespace keepone {

namespace {

// Runs `work(worker)` on the calling thread and on up to `workers - 1` others, and waits for all.
// `work` must not throw. A thread that cannot be started is done without.
void RunWorkers(int workers, const std::function<void(int)>& work) {
  OperatorMetrics* metrics = OperatorTimer::Current();
  std::vector<std::thread> threads;
  for (int worker = 1; worker < workers; ++worker) {
    try {
      threads.emplace_back([&work, worker, metrics] {
        const OperatorTimer timer(metrics);
        work(worker);
      });
    } catch (const std::system_error&) {
      break;
    }
  }
  work(0);
  const OperatorTimer waiting(nullptr);
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Keeps the error of the lowest number and tells later work to stop.
class FirstError {
 public:
  void Set(int64_t number, arrow::Status status) {
    const std::lock_guard lock(mutex_);
    if (number < number_.load(std::memory_order_relaxed)) {
      number_.store(number, std::memory_order_relaxed);
      status_ = std::move(status);
    }
  }
  // Whether work of this number is in vain.
  bool IsBefore(int64_t number) const { return number_.load(std::memory_order_relaxed) < number; }
  arrow::Status status() const { return status_; }

 private:
  std::mutex mutex_;
  std::atomic<int64_t> number_{std::numeric_limits<int64_t>::max()};
  arrow::Status status_;
};

template <typename Work>
arrow::Status CatchBadAlloc(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("the system gives no more memory");
  }
}

class MorselRun {
 public:
  MorselRun(QueryContext* context, BatchStream& input,
            const std::function<arrow::Status(const MorselBatch&)>& handle)
      : context_(context), input_(input), handle_(handle) {}

  void Work(int worker) {
    while (true) {
      std::unique_ptr<Morsel> morsel;
      const int64_t sequence = Claim(&morsel);
      if (morsel == nullptr) {
        return;
      }
      arrow::Status status =
          CatchBadAlloc([&] { return RunMorsel(worker, sequence, std::move(morsel)); });
      if (!status.ok()) {
        error_.Set(sequence, std::move(status));
        return;
      }
    }
  }

  arrow::Status status() const { return error_.status(); }

 private:
  // The sequence number of the next morsel; without a morsel there is none.
  int64_t Claim(std::unique_ptr<Morsel>* morsel) {
    const std::lock_guard lock(mutex_);
    const int64_t sequence = next_sequence_;
    if (ended_ || error_.IsBefore(sequence)) {
      return sequence;
    }
    arrow::Status status = CatchBadAlloc([&]() -> arrow::Status {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(*morsel, input_.NextMorsel());
      return arrow::Status::OK();
    });
    if (!status.ok()) {
      error_.Set(sequence, std::move(status));
    }
    ended_ = *morsel == nullptr;
    ++next_sequence_;
    return sequence;
  }

  arrow::Status RunMorsel(int worker, int64_t sequence, std::unique_ptr<Morsel> morsel) {
    int64_t first_row = 0;
    while (!error_.IsBefore(sequence)) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, morsel->Next());
      if (batch == nullptr) {
        break;
      }
      const int64_t rows = batch->num_rows();
      ARROW_RETURN_NOT_OK(handle_({worker, sequence, first_row, std::move(batch)}));
      first_row += rows;
    }
    return arrow::Status::OK();
  }

  QueryContext* context_;
  BatchStream& input_;
  const std::function<arrow::Status(const MorselBatch&)>& handle_;
  FirstError error_;
  std::mutex mutex_;  // guards the claim: the next two and the order of NextMorsel calls
  int64_t next_sequence_ = 0;
  bool ended_ = false;
};

}  // namespace

arrow::Status ForEachMorsel(QueryContext* context, BatchStream& input,
                            const std::function<arrow::Status(const MorselBatch&)>& handle) {
  ARROW_RETURN_NOT_OK(input.Prepare());
  MorselRun run(context, input, handle);
  RunWorkers(context->threads(), [&run](int worker) { run.Work(worker); });
  return run.status();
}

arrow::Status ForEachTask(QueryContext* context, int64_t count,
                          const std::function<arrow::Status(int64_t)>& task) {
  std::atomic<int64_t> next{0};
  FirstError error;
  const auto work = [&](int /*worker*/) {
    while (true) {
      const int64_t index = next.fetch_add(1);
      if (index >= count || error.IsBefore(index)) {
        return;
      }
      arrow::Status status = CatchBadAlloc([&]() -> arrow::Status {
        ARROW_RETURN_NOT_OK(context->CheckStop());
        return task(index);
      });
      if (!status.ok()) {
        error.Set(index, std::move(status));
      }
    }
  };
  RunWorkers(static_cast<int>(std::min<int64_t>(context->threads(), count)), work);
  return error.status();
}

}  // namespace keepone
