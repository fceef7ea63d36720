// SPDX-License-Identifier: Apache-2.0
#include "exec/ordered_reader.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

#include "base/error.h"
#include "column/row_bytes.h"
#include "exec/metrics.h"

namespace keepone {

namespace {

// What a batch costs beside its buffers; also keeps batches without columns from being free.
constexpr int64_t kBatchOverheadBytes = 1024;

class InlineReader final : public arrow::RecordBatchReader {
 public:
  InlineReader(QueryContext* context, std::unique_ptr<BatchStream> stream)
      : context_(context), stream_(std::move(stream)), schema_(stream_->schema()) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    ARROW_RETURN_NOT_OK(status_);
    status_ = Read(out);
    return status_;
  }

  arrow::Status Close() override {
    morsel_.reset();
    stream_.reset();
    if (status_.ok()) {
      status_ = arrow::Status::Invalid("the reader is closed");
    }
    return arrow::Status::OK();
  }

 private:
  arrow::Status Read(std::shared_ptr<arrow::RecordBatch>* out) {
    if (!prepared_) {
      ARROW_RETURN_NOT_OK(stream_->Prepare());
      prepared_ = true;
    }
    while (!ended_) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      if (morsel_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(morsel_, stream_->NextMorsel());
        ended_ = morsel_ == nullptr;
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(*out, morsel_->Next());
      if (*out != nullptr) {
        return arrow::Status::OK();
      }
      morsel_.reset();
    }
    return arrow::Status::OK();
  }

  QueryContext* context_;
  std::unique_ptr<BatchStream> stream_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<Morsel> morsel_;
  arrow::Status status_;
  bool prepared_ = false;
  bool ended_ = false;
};

// How many full batches each worker may be ahead: fewer, and workers wait for the morsel at the
// head for a third of the time; more, and the memory shows.
constexpr int64_t kBatchesAhead = 3;

class ThreadedReader final : public arrow::RecordBatchReader {
 public:
  ThreadedReader(QueryContext* context, std::unique_ptr<BatchStream> stream)
      : context_(context),
        stream_(std::move(stream)),
        schema_(stream_->schema()),
        bytes_max_(kBatchesAhead * context->threads() * context->batch_bytes_max()) {}
  ~ThreadedReader() override { Stop(); }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    ARROW_RETURN_NOT_OK(status_);
    arrow::Status status = Read(out);
    if (!status.ok()) {
      Stop();
      status_ = status;
    }
    return status;
  }

  arrow::Status Close() override {
    Stop();
    if (status_.ok()) {
      status_ = arrow::Status::Invalid("the reader is closed");
    }
    return arrow::Status::OK();
  }

 private:
  struct Buffered {
    std::shared_ptr<arrow::RecordBatch> batch;
    int64_t bytes;
  };
  // A morsel that a worker has claimed.
  struct Claimed {
    std::deque<Buffered> batches;
    arrow::Status status;
    bool done = false;
  };

  arrow::Status Read(std::shared_ptr<arrow::RecordBatch>* out) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    if (!started_) {
      ARROW_RETURN_NOT_OK(stream_->Prepare());
      ARROW_RETURN_NOT_OK(Start());
    }
    const OperatorTimer waiting(nullptr);
    std::unique_lock lock(mutex_);
    while (true) {
      if (claimed_.empty()) {
        if (all_claimed_) {
          return arrow::Status::OK();
        }
      } else if (Claimed& head = *claimed_.front(); !head.batches.empty()) {
        bytes_ -= head.batches.front().bytes;
        *out = std::move(head.batches.front().batch);
        head.batches.pop_front();
        room_.notify_all();
        return arrow::Status::OK();
      } else if (head.done) {
        ARROW_RETURN_NOT_OK(head.status);
        claimed_.pop_front();
        room_.notify_all();
        continue;
      }
      news_.wait(lock);
    }
  }

  arrow::Status Start() {
    started_ = true;
    for (int i = 0; i < context_->threads(); ++i) {
      try {
        workers_.emplace_back([this] { Work(); });
      } catch (const std::system_error&) {
        break;
      }
    }
    if (workers_.empty()) {
      return ResourceError("the system gives no more threads");
    }
    return arrow::Status::OK();
  }

  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      room_.notify_all();
    }
    for (std::thread& worker : workers_) {
      worker.join();
    }
    workers_.clear();
    claimed_.clear();
    stream_.reset();
  }

  void Work() {
    while (true) {
      std::unique_ptr<Morsel> morsel;
      std::shared_ptr<Claimed> claimed = Claim(&morsel);
      if (morsel == nullptr) {
        return;
      }
      arrow::Status status;
      try {
        status = RunMorsel(*morsel, claimed);
      } catch (const std::bad_alloc&) {
        status = arrow::Status::OutOfMemory("the system gives no more memory");
      }
      // What a morsel holds goes before the reader can move on to the next one.
      morsel.reset();
      const std::lock_guard lock(mutex_);
      claimed->status = std::move(status);
      claimed->done = true;
      // Nothing behind an error is ever read.
      all_claimed_ = all_claimed_ || !claimed->status.ok();
      news_.notify_one();
    }
  }

  std::shared_ptr<Claimed> Claim(std::unique_ptr<Morsel>* morsel) {
    // Morsels must enter the queue in the order in which the stream hands them out.
    const std::lock_guard claim_lock(claim_mutex_);
    {
      const std::lock_guard lock(mutex_);
      if (all_claimed_ || stopped_) {
        return nullptr;
      }
    }
    auto claimed = std::make_shared<Claimed>();
    arrow::Result<std::unique_ptr<Morsel>> next = NextMorsel();
    const std::lock_guard lock(mutex_);
    if (!next.ok()) {
      claimed->status = next.status();
      claimed->done = true;
      all_claimed_ = true;
      claimed_.push_back(claimed);
    } else if (*next == nullptr) {
      all_claimed_ = true;
    } else {
      *morsel = std::move(next).ValueUnsafe();
      claimed_.push_back(claimed);
    }
    news_.notify_one();
    return claimed;
  }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() {
    try {
      return stream_->NextMorsel();
    } catch (const std::bad_alloc&) {
      return arrow::Status::OutOfMemory("the system gives no more memory");
    }
  }

  arrow::Status RunMorsel(Morsel& morsel, const std::shared_ptr<Claimed>& claimed) {
    while (true) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, morsel.Next());
      if (batch == nullptr) {
        return arrow::Status::OK();
      }
      const int64_t bytes = BatchBytes(*batch) + kBatchOverheadBytes;
      std::unique_lock lock(mutex_);
      room_.wait(lock, [&] {
        return stopped_ || bytes_ < bytes_max_ ||
               (claimed_.front() == claimed && claimed->batches.empty());
      });
      if (stopped_) {
        return arrow::Status::OK();
      }
      claimed->batches.push_back({std::move(batch), bytes});
      bytes_ += bytes;
      news_.notify_one();
    }
  }

  QueryContext* context_;
  std::unique_ptr<BatchStream> stream_;
  std::shared_ptr<arrow::Schema> schema_;
  int64_t bytes_max_;
  arrow::Status status_;  // what ReadNext gives for ever
  bool started_ = false;
  std::vector<std::thread> workers_;

  std::mutex claim_mutex_;
  std::mutex mutex_;              // guards what follows
  std::condition_variable news_;  // for the reader: a batch or an end
  std::condition_variable room_;  // for workers: room in the buffer, a new head, or a stop
  std::deque<std::shared_ptr<Claimed>> claimed_;  // in stream order
  int64_t bytes_ = 0;                             // buffered
  bool all_claimed_ = false;
  bool stopped_ = false;
};

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> MakeOrderedReader(QueryContext* context,
                                                            std::unique_ptr<BatchStream> stream) {
  if (context->threads() == 1) {
    return std::make_shared<InlineReader>(context, std::move(stream));
  }
  return std::make_shared<ThreadedReader>(context, std::move(stream));
}

}  // namespace keepone
