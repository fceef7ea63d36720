// SPDX-License-Identifier: Apache-2.0
#include "exec/hash_join.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "column/row_bytes.h"
#include "tests/support/cut_stream.h"
#include "tests/unit/column/random_arrays.h"
#include "tests/unit/exec/join_testing.h"

namespace keepone {
namespace {

const auto kLeft =
    arrow::schema({arrow::field("k", arrow::int64()), arrow::field("n", arrow::int64())});
const auto kRight = arrow::schema(
    {arrow::field("k", arrow::int64()), arrow::field("v", arrow::list(arrow::utf8()))});

// A join on the first columns, of all settings.
void CheckOnKey(JoinKind kind, const std::string& left, const std::string& right,
                const std::string& expected, bool null_equals_null = false) {
  JoinCase join;
  join.left = BatchFromJson(kLeft, left);
  join.right = BatchFromJson(kRight, right);
  join.kind = kind;
  join.left_keys = join.right_keys = {0};
  join.null_equals_null = {null_equals_null};
  const auto rows = BatchFromJson(join.schema(), expected);
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    CheckJoin(context, join, setting.seed, rows);
  });
}

constexpr char kLeftRows[] = "[[1, 10], [2, 20], [null, 30], [1, 40], [4, 50]]";
constexpr char kRightRows[] = R"([[2, ["b"]], [1, ["a1"]], [3, []], [1, null], [null, ["n"]]])";

TEST(HashJoin, Inner) {
  CheckOnKey(JoinKind::kInner, kLeftRows, kRightRows,
             R"([[1, 10, 1, ["a1"]], [1, 10, 1, null], [2, 20, 2, ["b"]], [1, 40, 1, ["a1"]],
                 [1, 40, 1, null]])");
}

TEST(HashJoin, NullEqualsNull) {
  CheckOnKey(JoinKind::kInner, kLeftRows, kRightRows,
             R"([[1, 10, 1, ["a1"]], [1, 10, 1, null], [2, 20, 2, ["b"]],
                 [null, 30, null, ["n"]], [1, 40, 1, ["a1"]], [1, 40, 1, null]])",
             true);
}

TEST(HashJoin, Left) {
  CheckOnKey(JoinKind::kLeft, kLeftRows, kRightRows,
             R"([[1, 10, 1, ["a1"]], [1, 10, 1, null], [2, 20, 2, ["b"]], [null, 30, null, null],
                 [1, 40, 1, ["a1"]], [1, 40, 1, null], [4, 50, null, null]])");
}

TEST(HashJoin, Right) {
  CheckOnKey(JoinKind::kRight, kLeftRows, kRightRows,
             R"([[1, 10, 1, ["a1"]], [1, 10, 1, null], [2, 20, 2, ["b"]], [1, 40, 1, ["a1"]],
                 [1, 40, 1, null], [null, null, 3, []], [null, null, null, ["n"]]])");
}

TEST(HashJoin, Full) {
  CheckOnKey(JoinKind::kFull, kLeftRows, kRightRows,
             R"([[1, 10, 1, ["a1"]], [1, 10, 1, null], [2, 20, 2, ["b"]], [null, 30, null, null],
                 [1, 40, 1, ["a1"]], [1, 40, 1, null], [4, 50, null, null],
                 [null, null, 3, []], [null, null, null, ["n"]]])");
}

TEST(HashJoin, Semi) {
  CheckOnKey(JoinKind::kSemi, kLeftRows, kRightRows, "[[1, 10], [2, 20], [1, 40]]");
}

TEST(HashJoin, Anti) {
  CheckOnKey(JoinKind::kAnti, kLeftRows, kRightRows, "[[null, 30], [4, 50]]");
}

TEST(HashJoin, EmptySides) {
  CheckOnKey(JoinKind::kInner, kLeftRows, "[]", "[]");
  CheckOnKey(JoinKind::kRight, kLeftRows, "[]", "[]");
  CheckOnKey(JoinKind::kSemi, kLeftRows, "[]", "[]");
  CheckOnKey(JoinKind::kAnti, "[[1, 2], [null, 3]]", "[]", "[[1, 2], [null, 3]]");
  CheckOnKey(JoinKind::kLeft, "[[1, 2], [null, 3]]", "[]",
             "[[1, 2, null, null], [null, 3, null, null]]");
  CheckOnKey(JoinKind::kFull, "[]", R"([[1, ["x"]]])", R"([[null, null, 1, ["x"]]])");
  CheckOnKey(JoinKind::kRight, "[]", R"([[1, ["x"]]])", R"([[null, null, 1, ["x"]]])");
  CheckOnKey(JoinKind::kFull, "[]", "[]", "[]");
}

// Every kind, with and without a residual, against the naive join; in one of six settings each, or
// in all of them.
void CheckKinds(JoinCase join, uint32_t seed, bool all_settings = false) {
  for (const JoinKind kind : kJoinKinds) {
    for (const bool with_residual : {false, true}) {
      join.kind = kind;
      join.residual_left = join.residual_right = with_residual ? 2 : -1;
      SCOPED_TRACE(NameOf(kind) + (with_residual ? " with residual" : "") + ", seed " +
                   std::to_string(seed));
      const auto expected = JoinNaively(join);
      for (int i = 0; i < (all_settings ? 6 : 1); ++i, ++seed) {
        QueryContext::Options options;
        options.threads = seed % 2 == 0 ? 1 : 8;
        options.batch_rows_max = std::vector<int64_t>{1, 7, 8192}[seed / 2 % 3];
        QueryContext context(options);
        CheckJoin(&context, join, seed, expected);
      }
    }
  }
}

TEST(HashJoin, KeysOfEveryType) {
  uint32_t seed = 1;
  for (const auto& type : AllTypes()) {
    SCOPED_TRACE("key " + type->ToString());
    std::mt19937 random(seed);
    JoinCase join;
    join.left = RandomJoinInput(type, arrow::utf8(), 40, &random);
    join.right = RandomJoinInput(type, arrow::int32(), 25, &random);
    join.left_keys = join.right_keys = {0};
    join.null_equals_null = {seed / 4 % 2 == 0};
    CheckKinds(join, seed);
    seed += 17;
  }
}

TEST(HashJoin, PayloadOfEveryType) {
  uint32_t seed = 1000;
  for (const auto& type : AllTypes()) {
    SCOPED_TRACE("payload " + type->ToString());
    std::mt19937 random(seed);
    JoinCase join;
    join.left = RandomJoinInput(arrow::int8(), type, 40, &random);
    join.right = RandomJoinInput(arrow::int8(), type, 25, &random);
    join.left_keys = join.right_keys = {0};
    join.null_equals_null = {false};
    CheckKinds(join, seed);
    seed += 17;
  }
}

TEST(HashJoin, SeveralKeys) {
  const std::vector<std::shared_ptr<arrow::DataType>> types = {
      arrow::float64(), arrow::decimal128(20, 3), arrow::utf8(), arrow::list(arrow::int32())};
  uint32_t seed = 2000;
  for (const auto& first : types) {
    for (const auto& second : types) {
      for (int nulls = 0; nulls < 4; ++nulls) {
        SCOPED_TRACE(first->ToString() + ", " + second->ToString());
        std::mt19937 random(seed);
        JoinCase join;
        join.left = RandomJoinInput(first, second, 60, &random);
        join.right = RandomJoinInput(first, second, 40, &random);
        join.left_keys = join.right_keys = {3, 0};
        join.null_equals_null = {nulls % 2 == 1, nulls / 2 == 1};
        CheckKinds(join, seed);
        seed += 17;
      }
    }
  }
}

TEST(HashJoin, WithoutKeys) {
  std::mt19937 random(3000);
  for (const int64_t rows : {0, 1, 30}) {
    JoinCase join;
    join.left = RandomJoinInput(arrow::utf8(), arrow::boolean(), 20, &random);
    join.right = RandomJoinInput(arrow::int64(), arrow::list(arrow::utf8()), rows, &random);
    CheckKinds(join, 3000 + static_cast<uint32_t>(rows), true);
  }
}

TEST(HashJoin, ManyRowsOfOneKeyAndOfMany) {
  std::mt19937 random(4000);
  JoinCase join;
  // Enough rows for several partitions of the table.
  join.right = RandomJoinInput(arrow::int64(), arrow::utf8(), 70'000, &random);
  arrow::Int64Builder keys;
  for (int64_t i = 0; i < join.right->num_rows(); ++i) {
    ASSERT_TRUE(keys.Append(i % 3 == 0 ? 7 : i).ok());
  }
  join.right =
      join.right->SetColumn(0, arrow::field("k", arrow::int64()), keys.Finish().ValueOrDie())
          .ValueOrDie();
  const auto schema = join.right->schema();
  join.left = BatchFromJson(schema, R"([[7, 0, 1, "a"], [null, 1, 2, "b"], [69998, 2, 0, "c"],
      [3, 3, 1, "d"], [7, 4, null, "e"], [-5, 5, 1, "f"]])");
  join.left_keys = join.right_keys = {0};
  join.null_equals_null = {false};
  bool with_residual = false;
  for (const JoinKind kind : kJoinKinds) {
    with_residual = !with_residual;
    join.kind = kind;
    join.residual_left = join.residual_right = with_residual ? 2 : -1;
    SCOPED_TRACE(NameOf(kind));
    const auto expected = JoinNaively(join);
    for (const int threads : {1, 4}) {
      QueryContext::Options options;
      options.threads = threads;
      options.batch_rows_max = 1000;
      QueryContext context(options);
      CheckJoin(&context, join, 5, expected);
    }
  }
}

// Columns of a narrow key and of text, of which one row is wide.
std::shared_ptr<arrow::RecordBatch> OneWideRow(int64_t rows, int64_t wide_row, size_t bytes) {
  arrow::Int64Builder keys;
  arrow::StringBuilder text;
  for (int64_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(keys.Append(1).ok());
    EXPECT_TRUE(text.Append(i == wide_row ? std::string(bytes, 'x') : "y").ok());
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("t", arrow::utf8())}), rows,
      {keys.Finish().ValueOrDie(), text.Finish().ValueOrDie()});
}

TEST(HashJoin, BatchesAreBoundedByBytes) {
  JoinCase join;
  join.left = OneWideRow(40, 7, 20'000);
  join.right = OneWideRow(2000, 1999, 30'000);
  for (const bool with_keys : {true, false}) {
    join.left_keys = join.right_keys = with_keys ? std::vector<int>{0} : std::vector<int>{};
    join.null_equals_null.assign(join.left_keys.size(), false);
    QueryContext::Options options;
    options.threads = 2;
    options.batch_bytes_max = 100'000;
    QueryContext context(options);
    const auto reader = MakeOrderedReader(
        &context,
        MakeHashJoin(&context, std::make_unique<CutStream>(join.left, 100, 1),
                     std::make_unique<CutStream>(join.right, 1000, 1), join.spec(), join.schema()));
    int64_t rows = 0;
    while (true) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ASSERT_TRUE(reader->ReadNext(&batch).ok());
      if (batch == nullptr) {
        break;
      }
      rows += batch->num_rows();
      EXPECT_LT(BatchBytes(*batch), 100'000 + 60'000);
    }
    EXPECT_EQ(rows, 40 * 2000);
  }
}

TEST(HashJoin, LeftColumnsAreSharedWhereEveryRowComesOnce) {
  JoinCase join;
  join.left = BatchFromJson(kLeft, "[[1, 10], [2, 20], [2, 30]]");
  join.right = BatchFromJson(kRight, R"([[2, ["b"]], [1, ["a"]]])");
  join.left_keys = join.right_keys = {0};
  join.null_equals_null = {false};
  QueryContext context(QueryContext::Options{});
  auto stream =
      MakeHashJoin(&context, std::make_unique<CutStream>(join.left, 1, 1),
                   std::make_unique<CutStream>(join.right, 10, 1), join.spec(), join.schema());
  const auto reader = MakeOrderedReader(&context, std::move(stream));
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_TRUE(reader->ReadNext(&batch).ok());
  EXPECT_EQ(batch->column_data(1)->buffers[1]->data(),
            join.left->column_data(1)->buffers[1]->data());
}

TEST(HashJoin, AnEmptyRightInputLeavesTheLeftUnread) {
  for (const JoinKind kind : {JoinKind::kInner, JoinKind::kSemi, JoinKind::kRight}) {
    JoinCase join;
    join.kind = kind;
    join.left = BatchFromJson(kLeft, kLeftRows);
    join.right = BatchFromJson(kRight, "[]");
    join.left_keys = join.right_keys = {0};
    join.null_equals_null = {false};
    QueryContext context(QueryContext::Options{});
    auto left = std::make_unique<CutStream>(join.left, 10, 1);
    left->before_batch = [](size_t) { return arrow::Status::Invalid("was read"); };
    const auto got =
        ReadJoined(&context, MakeHashJoin(&context, std::move(left),
                                          std::make_unique<CutStream>(join.right, 10, 1),
                                          join.spec(), join.schema()));
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ((*got)->num_rows(), 0);
  }
}

TEST(HashJoin, ErrorsOfTheInputsAreGiven) {
  for (const JoinKind kind : kJoinKinds) {
    for (const int threads : {1, 4}) {
      for (const bool of_left : {true, false}) {
        std::mt19937 random(9);
        JoinCase join;
        join.kind = kind;
        join.left = RandomJoinInput(arrow::int8(), arrow::utf8(), 300, &random);
        join.right = RandomJoinInput(arrow::int8(), arrow::utf8(), 300, &random);
        join.left_keys = join.right_keys = {0};
        join.null_equals_null = {false};
        QueryContext::Options options;
        options.threads = threads;
        QueryContext context(options);
        auto left = std::make_unique<CutStream>(join.left, 7, 1);
        auto right = std::make_unique<CutStream>(join.right, 7, 1);
        (of_left ? left : right)->before_batch = [](size_t morsel) {
          return morsel == 5 ? arrow::Status::IOError("morsel 5") : arrow::Status::OK();
        };
        const auto got = ReadJoined(
            &context,
            MakeHashJoin(&context, std::move(left), std::move(right), join.spec(), join.schema()));
        EXPECT_TRUE(got.status().IsIOError()) << got.status().ToString();
      }
    }
  }
}

TEST(HashJoin, StopsWhenItIsAsked) {
  std::mt19937 random(9);
  JoinCase join;
  join.kind = JoinKind::kFull;
  join.left = RandomJoinInput(arrow::int8(), arrow::utf8(), 300, &random);
  join.right = RandomJoinInput(arrow::int8(), arrow::utf8(), 300, &random);
  StopFlag stop;
  QueryContext::Options options;
  options.threads = 4;
  options.stop = &stop;
  QueryContext context(options);
  auto left = std::make_unique<CutStream>(join.left, 7, 1);
  left->before_batch = [&](size_t morsel) {
    if (morsel == 3) {
      stop.Set();
    }
    return arrow::Status::OK();
  };
  const auto got = ReadJoined(&context, MakeHashJoin(&context, std::move(left),
                                                     std::make_unique<CutStream>(join.right, 7, 1),
                                                     join.spec(), join.schema()));
  EXPECT_TRUE(got.status().IsCancelled()) << got.status().ToString();
}

}  // namespace
}  // namespace keepone
