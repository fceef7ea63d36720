// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "exec/hash_join.h"
#include "tests/support/cut_stream.h"
#include "tests/unit/column/random_arrays.h"
#include "tests/unit/exec/join_testing.h"

namespace keepone {
namespace {

// With and without a residual, against the naive join: with rows put aside, in one of several
// settings each. Small bounds of batches make small blocks of right rows.
void CheckSpilled(JoinCase join, JoinKind kind, uint32_t seed) {
  for (const bool with_residual : {false, true}) {
    join.kind = kind;
    join.residual_left = join.residual_right = with_residual ? 2 : -1;
    SCOPED_TRACE(NameOf(kind) + (with_residual ? " with residual" : "") + ", seed " +
                 std::to_string(seed));
    QueryContext::Options options;
    options.force_spill = true;
    options.threads = seed % 2 == 0 ? 1 : 4;
    options.batch_rows_max = seed / 2 % 2 == 0 ? 5 : 8192;
    options.batch_bytes_max = seed / 4 % 2 == 0 ? 100 : 4 << 20;
    QueryContext context(options);
    CheckJoin(&context, join, seed, JoinNaively(join));
    seed += 3;
  }
}

JoinKind KindOf(uint32_t number) {
  return kJoinKinds[number % kJoinKinds.size()];
}

TEST(SpilledJoin, KeysOfEveryType) {
  uint32_t seed = 1;
  for (const auto& type : AllTypes()) {
    SCOPED_TRACE("key " + type->ToString());
    std::mt19937 random(seed);
    JoinCase join;
    join.left = RandomJoinInput(type, arrow::utf8(), 40, &random);
    join.right = RandomJoinInput(type, arrow::int32(), 25, &random);
    join.left_keys = join.right_keys = {0};
    join.null_equals_null = {seed % 2 == 0};
    CheckSpilled(join, KindOf(seed / 7), seed);
    seed += 7;
  }
}

TEST(SpilledJoin, PayloadOfEveryType) {
  uint32_t seed = 1000;
  for (const auto& type : AllTypes()) {
    SCOPED_TRACE("payload " + type->ToString());
    std::mt19937 random(seed);
    JoinCase join;
    join.left = RandomJoinInput(arrow::int8(), type, 30, &random);
    join.right = RandomJoinInput(arrow::int8(), type, 25, &random);
    join.left_keys = join.right_keys = {0};
    join.null_equals_null = {false};
    CheckSpilled(join, KindOf(seed / 7), seed);
    seed += 7;
  }
}

TEST(SpilledJoin, SeveralKeysAndNone) {
  uint32_t seed = 2000;
  for (const int keys : {0, 2}) {
    for (int i = 0; i < 2; ++i) {
      SCOPED_TRACE(std::to_string(keys) + " keys");
      std::mt19937 random(seed);
      JoinCase join;
      join.left = RandomJoinInput(arrow::float64(), arrow::utf8(), 40, &random);
      join.right = RandomJoinInput(arrow::float64(), arrow::utf8(), i == 0 ? 0 : 40, &random);
      if (keys == 2) {
        join.left_keys = join.right_keys = {3, 0};
        join.null_equals_null = {true, false};
      }
      for (const JoinKind kind : kJoinKinds) {
        CheckSpilled(join, kind, seed);
        seed += 7;
      }
    }
  }
}

// Columns k (few or many values) and t, a text of its row.
std::shared_ptr<arrow::RecordBatch> TextRows(int64_t rows, int64_t heavy_every, uint32_t seed) {
  std::mt19937 random(seed);
  arrow::Int64Builder keys;
  arrow::StringBuilder text;
  arrow::Int64Builder small;
  for (int64_t i = 0; i < rows; ++i) {
    const auto key = static_cast<int64_t>(random() % 5000);
    EXPECT_TRUE(keys.Append(i % heavy_every == 0 ? -1 : key).ok());
    EXPECT_TRUE(text.Append(std::string(60, 'x') + std::to_string(i)).ok());
    EXPECT_TRUE(small.Append(static_cast<int64_t>(random() % 5)).ok());
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("t", arrow::utf8()),
                     arrow::field("s", arrow::int64())}),
      rows, {keys.Finish().ValueOrDie(), text.Finish().ValueOrDie(), small.Finish().ValueOrDie()});
}

// The join without a limit is the oracle: that one is tested against the naive join.
TEST(SpilledJoin, ALimitedJoinIsTheSame) {
  JoinCase join;
  join.left = TextRows(800, 200, 1);
  join.right = TextRows(6000, 4, 2);  // a quarter of one key
  join.left_keys = join.right_keys = {0};
  join.null_equals_null = {false};
  for (const JoinKind kind : kJoinKinds) {
    for (const bool with_residual : {false, true}) {
      SCOPED_TRACE(NameOf(kind) + (with_residual ? " with residual" : ""));
      join.kind = kind;
      join.residual_left = join.residual_right = with_residual ? 2 : -1;
      QueryContext::Options options;
      options.batch_rows_max = 500;
      options.batch_bytes_max = 8 << 10;
      options.threads = 2;
      QueryContext unlimited(options);
      const auto expected = ReadJoined(
          &unlimited, MakeHashJoin(&unlimited, std::make_unique<CutStream>(join.left, 500, 1),
                                   std::make_unique<CutStream>(join.right, 500, 2), join.spec(),
                                   join.schema()));
      ASSERT_TRUE(expected.ok()) << expected.status().ToString();
      for (const int threads : {1, 3}) {
        options.threads = threads;
        options.force_spill = true;
        QueryContext spilling(options);
        CheckJoin(&spilling, join, 7, *expected);
      }
    }
  }
}

TEST(SpilledJoin, SpillsWhenMemoryIsShort) {
  JoinCase join;
  join.kind = JoinKind::kLeft;
  join.left = TextRows(200, 200, 1);
  join.right = TextRows(40'000, 40'000, 2);
  join.left_keys = join.right_keys = {0};
  join.null_equals_null = {false};
  QueryContext::Options options;
  options.batch_bytes_max = 16 << 10;
  options.threads = 2;
  QueryContext unlimited(options);
  const auto expected = ReadJoined(
      &unlimited,
      MakeHashJoin(&unlimited, std::make_unique<CutStream>(join.left, 500, 1),
                   std::make_unique<CutStream>(join.right, 500, 2), join.spec(), join.schema()));
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  EXPECT_EQ(unlimited.temp().bytes_peak(), 0);
  options.memory_bytes_max = 2 << 20;
  QueryContext limited(options);
  CheckJoin(&limited, join, 3, *expected);
  EXPECT_GT(limited.temp().bytes_peak(), 0);
  EXPECT_LE(limited.budget()->max_memory(), options.memory_bytes_max);
}

// The table of long keys takes more than the rows made believe.
TEST(SpilledJoin, SpillsWhenTheTableDoesNotFit) {
  arrow::StringBuilder keys;
  for (int64_t i = 0; i < 3000; ++i) {
    ASSERT_TRUE(keys.Append(std::string(1000, 'k') + std::to_string(i)).ok());
  }
  JoinCase join;
  join.right = arrow::RecordBatch::Make(arrow::schema({arrow::field("k", arrow::utf8())}), 3000,
                                        {keys.Finish().ValueOrDie()});
  join.left = join.right->Slice(1000, 500);
  join.left_keys = join.right_keys = {0};
  join.null_equals_null = {false};
  QueryContext::Options options;
  options.batch_bytes_max = 16 << 10;
  options.memory_bytes_max = 3 << 20;
  QueryContext context(options);
  const auto expected =
      arrow::RecordBatch::Make(join.schema(), 500, {join.left->column(0), join.left->column(0)});
  CheckJoin(&context, join, 3, expected);
  EXPECT_GT(context.temp().bytes_peak(), 0);
}

TEST(SpilledJoin, AFullDiskIsAnErrorAndLeavesNoFile) {
  namespace fs = std::filesystem;
  const fs::path directory = fs::path(testing::TempDir()) / "spilled_join_test";
  fs::remove_all(directory);
  fs::create_directories(directory);
  for (const JoinKind kind : kJoinKinds) {
    for (const int64_t cap : {1'000, 100'000, 300'000}) {
      SCOPED_TRACE(NameOf(kind) + ", cap " + std::to_string(cap));
      JoinCase join;
      join.kind = kind;
      join.left = TextRows(10'000, 20, 1);
      join.right = TextRows(10'000, 10'000, 2);
      join.left_keys = join.right_keys = {0};
      join.null_equals_null = {false};
      QueryContext::Options options;
      options.threads = 2;
      options.force_spill = true;
      options.temp_directory = directory.string();
      options.temp_bytes_max = cap;
      {
        QueryContext context(options);
        const auto got = ReadJoined(
            &context, MakeHashJoin(&context, std::make_unique<CutStream>(join.left, 1000, 1),
                                   std::make_unique<CutStream>(join.right, 1000, 1), join.spec(),
                                   join.schema()));
        EXPECT_EQ(GetErrorKind(got.status()), ErrorKind::kResource) << got.status().ToString();
        EXPECT_EQ(context.temp().bytes(), 0);
      }
      EXPECT_TRUE(fs::is_empty(directory));
    }
  }
  fs::remove_all(directory);
}

TEST(SpilledJoin, ErrorsOfTheLeftInputAreGiven) {
  for (const JoinKind kind : kJoinKinds) {
    JoinCase join;
    join.kind = kind;
    join.left = TextRows(1000, 10, 1);
    join.right = TextRows(1000, 10, 2);
    join.left_keys = join.right_keys = {0};
    join.null_equals_null = {false};
    QueryContext::Options options;
    options.threads = 2;
    options.force_spill = true;
    QueryContext context(options);
    auto left = std::make_unique<CutStream>(join.left, 7, 1);
    left->before_batch = [](size_t morsel) {
      return morsel == 5 ? arrow::Status::IOError("morsel 5") : arrow::Status::OK();
    };
    const auto got =
        ReadJoined(&context, MakeHashJoin(&context, std::move(left),
                                          std::make_unique<CutStream>(join.right, 7, 1),
                                          join.spec(), join.schema()));
    EXPECT_TRUE(got.status().IsIOError()) << got.status().ToString();
  }
}

}  // namespace
}  // namespace keepone
