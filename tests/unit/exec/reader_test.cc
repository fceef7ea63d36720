// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "exec/breaker.h"
#include "exec/limit.h"
#include "exec/ordered_reader.h"
#include "exec/worker.h"
#include "tests/support/cut_stream.h"

namespace keepone {
namespace {

std::shared_ptr<arrow::RecordBatch> Numbers(int64_t count) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_TRUE(builder.Append(i).ok());
  }
  const auto array = builder.Finish().ValueOrDie();
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}), count,
                                  {array});
}

TEST(OrderedReader, GivesRowsInOrder) {
  const auto rows = Numbers(5000);
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto stream = std::make_unique<CutStream>(rows, std::min<int64_t>(setting.batch_rows_max, 40),
                                              setting.seed);
    ExpectRows(ReadAllRows(context, std::move(stream)), rows);
  });
}

TEST(OrderedReader, GivesTheErrorWhereItStands) {
  const auto rows = Numbers(5000);
  for (const int threads : {1, 2, 4}) {
    QueryContext::Options options;
    options.threads = threads;
    QueryContext context(options);
    auto stream = std::make_unique<CutStream>(rows, 10, 7);
    stream->before_batch = [](size_t morsel) {
      return morsel >= 20 ? arrow::Status::Invalid("morsel ", morsel) : arrow::Status::OK();
    };
    const auto reader = MakeOrderedReader(&context, std::move(stream));
    int64_t next = 0;
    std::shared_ptr<arrow::RecordBatch> batch;
    arrow::Status status;
    while ((status = reader->ReadNext(&batch)).ok() && batch != nullptr) {
      EXPECT_EQ(std::static_pointer_cast<arrow::Int64Array>(batch->column(0))->Value(0), next);
      next += batch->num_rows();
    }
    EXPECT_EQ(status.message(), "morsel 20");
    EXPECT_EQ(reader->ReadNext(&batch).message(), "morsel 20");
    EXPECT_GT(next, 0);
  }
}

TEST(OrderedReader, ClosesEarlyAndBuffersLittle) {
  const auto rows = Numbers(100000);
  for (const int threads : {1, 2, 4}) {
    QueryContext::Options options;
    options.threads = threads;
    options.batch_bytes_max = 4096;
    QueryContext context(options);
    auto stream = std::make_unique<CutStream>(rows, 100, 3);
    const CutStream* cut = stream.get();
    const auto reader = MakeOrderedReader(&context, std::move(stream));
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(reader->ReadNext(&batch).ok());
    ASSERT_NE(batch, nullptr);
    // For each worker at most two batches' bytes (ten of these small ones) are buffered, and one
    // batch is at work.
    EXPECT_LE(cut->batches_given(), 1 + threads * 11);
    ASSERT_TRUE(reader->Close().ok());
    EXPECT_FALSE(reader->ReadNext(&batch).ok());
  }
}

TEST(OrderedReader, StopsWhenAsked) {
  const auto rows = Numbers(100000);
  for (const int threads : {1, 2, 4}) {
    StopFlag stop;
    QueryContext::Options options;
    options.threads = threads;
    options.stop = &stop;
    QueryContext context(options);
    const auto reader = MakeOrderedReader(&context, std::make_unique<CutStream>(rows, 10, 3));
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(reader->ReadNext(&batch).ok());
    stop.Set();
    EXPECT_TRUE(reader->ReadNext(&batch).IsCancelled());
  }
}

TEST(ForEachMorsel, SeesEveryRowOnceWithItsPlace) {
  const auto rows = Numbers(5000);
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    CutStream stream(rows, std::min<int64_t>(setting.batch_rows_max, 40), setting.seed);
    const auto batches = CollectInOrder(context, stream);
    ASSERT_TRUE(batches.ok());
    ExpectRows(arrow::ConcatenateRecordBatches(*batches), rows);
  });
}

TEST(ForEachMorsel, TheFirstErrorInOrderWins) {
  const auto rows = Numbers(5000);
  for (const int threads : {1, 2, 4}) {
    for (int round = 0; round < 20; ++round) {
      QueryContext::Options options;
      options.threads = threads;
      QueryContext context(options);
      CutStream stream(rows, 10, 7);
      const arrow::Status status = ForEachMorsel(&context, stream, [](const MorselBatch& morsel) {
        return morsel.sequence % 50 >= 30 ? arrow::Status::Invalid("morsel ", morsel.sequence / 10)
                                          : arrow::Status::OK();
      });
      EXPECT_EQ(status.message(), "morsel 3");
    }
  }
}

TEST(ForEachTask, RunsEachOnce) {
  QueryContext::Options options;
  options.threads = 4;
  QueryContext context(options);
  std::vector<std::atomic<int>> runs(1000);
  ASSERT_TRUE(ForEachTask(&context, 1000, [&](int64_t index) {
                ++runs[static_cast<size_t>(index)];
                return arrow::Status::OK();
              }).ok());
  for (const auto& run : runs) {
    EXPECT_EQ(run, 1);
  }
}

}  // namespace
}  // namespace keepone
