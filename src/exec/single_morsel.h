// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "column/batch_stream.h"

namespace keepone {

// A stream of one morsel, for operators that give their rows one batch after the other. Their
// input, if they read it as they go, still runs on all workers (MakeOrderedReader).
class SingleMorselStream : public BatchStream {
 public:
  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() final {
    if (given_.exchange(true)) {
      return nullptr;
    }
    return std::make_unique<OnlyMorsel>(this);
  }

 protected:
  // As Morsel::Next.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch() = 0;

 private:
  class OnlyMorsel final : public Morsel {
   public:
    explicit OnlyMorsel(SingleMorselStream* stream) : stream_(stream) {}
    arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
      return stream_->NextBatch();
    }

   private:
    SingleMorselStream* stream_;
  };

  std::atomic<bool> given_{false};
};

}  // namespace keepone
