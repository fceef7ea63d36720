// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/ordered_reader.h"

namespace keepone {

// A batch from rows in JSON: [[1, "a"], [2, null]].
inline std::shared_ptr<arrow::RecordBatch> BatchFromJson(
    const std::shared_ptr<arrow::Schema>& schema, const std::string& rows) {
  const auto array =
      arrow::json::ArrayFromJSONString(arrow::struct_(schema->fields()), rows).ValueOrDie();
  return arrow::RecordBatch::FromStructArray(array)
      .ValueOrDie()
      ->ReplaceSchema(schema)
      .ValueOrDie();
}

// Gives the rows of a batch in morsels and batches of random sizes, some morsels of no rows.
// Batches are slices with offsets.
class CutStream final : public BatchStream {
 public:
  CutStream(std::shared_ptr<arrow::RecordBatch> rows, int64_t batch_rows_max, uint32_t seed)
      : rows_(std::move(rows)), schema_(rows_->schema()) {
    std::mt19937 random(seed);
    int64_t row = 0;
    while (row < rows_->num_rows()) {
      std::vector<std::pair<int64_t, int64_t>> morsel;
      for (uint32_t batches = random() % 4; batches > 0 && row < rows_->num_rows(); --batches) {
        const int64_t most = std::min(batch_rows_max, rows_->num_rows() - row);
        const int64_t count = 1 + static_cast<int64_t>(random() % static_cast<uint32_t>(most));
        morsel.emplace_back(row, count);
        row += count;
      }
      morsels_.push_back(std::move(morsel));
    }
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Status Prepare() override {
    prepared_ = true;
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    EXPECT_TRUE(prepared_);
    const size_t index = next_.fetch_add(1);
    if (index >= morsels_.size()) {
      return nullptr;
    }
    return std::make_unique<CutMorsel>(this, index);
  }

  // Called before each batch with the number of the morsel; an error is the batch's.
  std::function<arrow::Status(size_t morsel)> before_batch;
  size_t morsel_count() const { return morsels_.size(); }
  int64_t batches_given() const { return batches_given_; }

 private:
  class CutMorsel final : public Morsel {
   public:
    CutMorsel(CutStream* stream, size_t index) : stream_(stream), index_(index) {}
    arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
      if (stream_->before_batch != nullptr) {
        ARROW_RETURN_NOT_OK(stream_->before_batch(index_));
      }
      const auto& batches = stream_->morsels_[index_];
      if (next_ == batches.size()) {
        return nullptr;
      }
      const auto [row, count] = batches[next_++];
      ++stream_->batches_given_;
      return stream_->rows_->Slice(row, count);
    }

   private:
    CutStream* stream_;
    size_t index_;
    size_t next_ = 0;
  };

  std::shared_ptr<arrow::RecordBatch> rows_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> morsels_;
  std::atomic<size_t> next_{0};
  std::atomic<int64_t> batches_given_{0};
  bool prepared_ = false;
};

// All rows of a stream as one batch; checks that each batch is valid, not empty and not too long.
inline arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadAllRows(
    QueryContext* context, std::unique_ptr<BatchStream> stream) {
  const std::shared_ptr<arrow::Schema> schema = stream->schema();
  const auto reader = MakeOrderedReader(context, std::move(stream));
  arrow::RecordBatchVector batches;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) {
      break;
    }
    EXPECT_GT(batch->num_rows(), 0);
    EXPECT_LE(batch->num_rows(), context->batch_rows_max());
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    EXPECT_TRUE(batch->schema()->Equals(*schema)) << batch->schema()->ToString() << "\n vs \n"
                                                  << schema->ToString();
    batches.push_back(std::move(batch));
  }
  ARROW_RETURN_NOT_OK(reader->Close());
  if (batches.empty()) {
    return arrow::RecordBatch::MakeEmpty(schema);
  }
  return arrow::ConcatenateRecordBatches(batches);
}

struct ExecSetting {
  int threads;
  int64_t batch_rows_max;
  uint32_t seed;
};

// Calls run(context, setting) for each number of threads and batch size, and once more with all
// that can be spilled spilled.
inline void ForEachSetting(
    const std::function<void(QueryContext* context, const ExecSetting& setting)>& run) {
  uint32_t seed = 1;
  const auto run_one = [&](int threads, int64_t rows, bool force_spill) {
    QueryContext::Options options;
    options.threads = threads;
    options.batch_rows_max = rows;
    options.force_spill = force_spill;
    QueryContext context(options);
    SCOPED_TRACE("threads " + std::to_string(threads) + ", batch rows " + std::to_string(rows) +
                 (force_spill ? ", spilled" : ""));
    run(&context, {threads, rows, seed++});
  };
  for (const int threads : {1, 2, 4}) {
    for (const int64_t rows : {int64_t{1}, int64_t{7}, int64_t{8192}}) {
      run_one(threads, rows, false);
    }
  }
  run_one(1, 8192, true);
  run_one(3, 7, true);
}

inline void ExpectRows(const arrow::Result<std::shared_ptr<arrow::RecordBatch>>& got,
                       const std::shared_ptr<arrow::RecordBatch>& expected) {
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_TRUE((*got)->Equals(*expected, false, arrow::EqualOptions::Defaults().nans_equal(true)))
      << "got\n"
      << (*got)->ToString() << "\nexpected\n"
      << expected->ToString();
}

}  // namespace keepone
