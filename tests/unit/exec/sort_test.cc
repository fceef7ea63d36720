// SPDX-License-Identifier: Apache-2.0
#include "exec/sort.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/cut_stream.h"

namespace keepone {
namespace {

const auto kSchema =
    arrow::schema({arrow::field("a", arrow::float64()), arrow::field("s", arrow::utf8()),
                   arrow::field("v", arrow::list(arrow::int64()))});

TEST(Sort, MixedDirectionsAndNulls) {
  const auto rows = BatchFromJson(kSchema, R"([[1, "b", [1]], [NaN, "a", [2]], [null, "c", [3]],
      [1, "a", [4]], [-1, null, null], [1, null, [5]], [0, "zzzzzzzzzz", []], [-0.0, "zzzzzzzzza", [6]]])");
  const auto expected = BatchFromJson(kSchema, R"([[NaN, "a", [2]], [1, null, [5]], [1, "a", [4]],
      [1, "b", [1]], [-0.0, "zzzzzzzzza", [6]], [0, "zzzzzzzzzz", []], [-1, null, null], [null, "c", [3]]])");
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    for (const int64_t limit : {-1, 0, 3, 8, 100}) {
      auto input = std::make_unique<CutStream>(rows, setting.batch_rows_max, setting.seed);
      const auto rows_max = limit < 0 ? std::nullopt : std::make_optional(limit);
      ExpectRows(ReadAllRows(context, MakeSort(context, std::move(input),
                                               {{0, true, false}, {1, false, true}}, rows_max)),
                 limit < 0 ? expected : expected->Slice(0, limit));
    }
  });
}

TEST(Sort, EqualRowsKeepTheirOrder) {
  std::mt19937 random(5);
  const int64_t count = 20000;
  std::vector<int64_t> keys(static_cast<size_t>(count));
  std::vector<int64_t> places(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<int64_t>(random() % 100);
    places[i] = static_cast<int64_t>(i);
  }
  const auto schema =
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("i", arrow::int64())});
  const auto make = [&](const std::vector<int64_t>& order) {
    arrow::Int64Builder k;
    arrow::Int64Builder i;
    for (const int64_t place : order) {
      EXPECT_TRUE(k.Append(keys[static_cast<size_t>(place)]).ok());
      EXPECT_TRUE(i.Append(place).ok());
    }
    return arrow::RecordBatch::Make(schema, static_cast<int64_t>(order.size()),
                                    {k.Finish().ValueOrDie(), i.Finish().ValueOrDie()});
  };
  const auto rows = make(places);
  std::stable_sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
    return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)];
  });
  const auto expected = make(places);
  for (const int threads : {1, 2, 3, 4}) {
    QueryContext::Options options;
    options.threads = threads;
    QueryContext context(options);
    for (const int64_t limit : {-1, 1, 250, 15000}) {
      const auto rows_max = limit < 0 ? std::nullopt : std::make_optional(limit);
      ExpectRows(ReadAllRows(&context, MakeSort(&context, std::make_unique<CutStream>(rows, 300, 2),
                                                {{0}}, rows_max)),
                 limit < 0 ? expected : expected->Slice(0, limit));
    }
  }
}

TEST(Sort, NoRows) {
  const auto rows = BatchFromJson(kSchema, "[]");
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input = std::make_unique<CutStream>(rows, setting.batch_rows_max, 1);
    ExpectRows(ReadAllRows(context, MakeSort(context, std::move(input), {{0}}, std::nullopt)),
               rows);
  });
}

TEST(Sort, BatchesAreBoundedByBytes) {
  const auto schema = arrow::schema({arrow::field("s", arrow::utf8())});
  arrow::StringBuilder builder;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(builder.Append(std::string(i % 10 == 0 ? 20000 : 10, 'x')).ok());
  }
  const auto rows = arrow::RecordBatch::Make(schema, 200, {builder.Finish().ValueOrDie()});
  QueryContext::Options options;
  options.batch_bytes_max = 50000;
  QueryContext context(options);
  const auto reader = MakeOrderedReader(
      &context,
      MakeSort(&context, std::make_unique<CutStream>(rows, 50, 1), {{0, true}}, std::nullopt));
  std::shared_ptr<arrow::RecordBatch> batch;
  while (reader->ReadNext(&batch).ok() && batch != nullptr) {
    EXPECT_LE(static_cast<const arrow::StringArray&>(*batch->column(0)).total_values_length(),
              70000);
  }
}

}  // namespace
}  // namespace keepone
