// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eval/expression.h"
#include "exec/batch_map.h"
#include "exec/filter.h"
#include "exec/limit.h"
#include "exec/project.h"
#include "exec/union_all.h"
#include "exec/values.h"
#include "tests/support/cut_stream.h"

namespace keepone {
namespace {

const auto kSchema = arrow::schema(
    {arrow::field("b", arrow::boolean()), arrow::field("v", arrow::list(arrow::utf8()))});
constexpr char kRows[] =
    R"([[true, ["a"]], [false, []], [null, null], [true, null], [true, ["x", null]],
        [false, ["y"]], [null, ["z"]], [true, []]])";

TEST(Filter, KeepsWhatIsTrue) {
  const auto rows = BatchFromJson(kSchema, kRows);
  const auto expected =
      BatchFromJson(kSchema, R"([[true, ["a"]], [true, null], [true, ["x", null]], [true, []]])");
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input = std::make_unique<CutStream>(rows, setting.batch_rows_max, setting.seed);
    ExpectRows(ReadAllRows(context, MakeFilter(context, std::move(input),
                                               MakeColumnExpression(0, arrow::boolean()))),
               expected);
  });
}

TEST(Filter, ByALiteral) {
  const auto rows = BatchFromJson(kSchema, kRows);
  for (const bool wanted : {true, false}) {
    ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
      auto input = std::make_unique<CutStream>(rows, setting.batch_rows_max, setting.seed);
      auto predicate = MakeLiteralExpression(std::make_shared<arrow::BooleanScalar>(wanted));
      ExpectRows(ReadAllRows(context, MakeFilter(context, std::move(input), std::move(predicate))),
                 wanted ? rows : rows->Slice(0, 0));
    });
  }
}

TEST(Project, GivesExpressions) {
  const auto rows = BatchFromJson(kSchema, kRows);
  const auto schema = arrow::schema(
      {arrow::field("w", arrow::list(arrow::utf8())), arrow::field("one", arrow::int64())});
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input = std::make_unique<CutStream>(rows, setting.batch_rows_max, setting.seed);
    std::vector<ExpressionPtr> expressions;
    expressions.push_back(MakeColumnExpression(1, rows->column(1)->type()));
    expressions.push_back(MakeLiteralExpression(std::make_shared<arrow::Int64Scalar>(1)));
    const auto got = ReadAllRows(
        context, MakeProject(context, std::move(input), std::move(expressions), schema));
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_TRUE((*got)->column(0)->Equals(rows->column(1)));
    EXPECT_EQ((*got)->column(1)->ToString(),
              arrow::MakeArrayFromScalar(arrow::Int64Scalar(1), 8).ValueOrDie()->ToString());
  });
}

TEST(Project, KeepsRowsOfNoColumns) {
  const auto rows = BatchFromJson(kSchema, kRows);
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input = std::make_unique<CutStream>(rows, setting.batch_rows_max, setting.seed);
    auto none = MakeProject(context, std::move(input), {}, arrow::schema({}));
    std::vector<ExpressionPtr> expressions;
    expressions.push_back(MakeLiteralExpression(std::make_shared<arrow::Int64Scalar>(3)));
    const auto got =
        ReadAllRows(context, MakeProject(context, std::move(none), std::move(expressions),
                                         arrow::schema({arrow::field("n", arrow::int64())})));
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ((*got)->num_rows(), 8);
  });
}

TEST(UnionAll, GivesOneInputAfterTheOther) {
  const auto rows = BatchFromJson(kSchema, kRows);
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    std::vector<std::unique_ptr<BatchStream>> inputs;
    inputs.push_back(std::make_unique<CutStream>(rows->Slice(0, 3), setting.batch_rows_max, 1));
    inputs.push_back(MakeValues(kSchema, {}));
    inputs.push_back(std::make_unique<CutStream>(rows->Slice(3), setting.batch_rows_max, 2));
    ExpectRows(ReadAllRows(context, MakeUnionAll(std::move(inputs))), rows);
  });
}

TEST(Limit, CutsAndSkips) {
  const auto rows = BatchFromJson(kSchema, kRows);
  for (const auto& [limit, offset] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 0}, {1, 0}, {3, 2}, {100, 5}, {8, 0}, {2, 100}}) {
    ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
      auto input = std::make_unique<CutStream>(rows, setting.batch_rows_max, setting.seed);
      const int64_t from = std::min<int64_t>(offset, 8);
      ExpectRows(ReadAllRows(context, MakeLimit(context, std::move(input), {limit, offset})),
                 rows->Slice(from, limit));
    });
  }
}

TEST(Limit, StopsItsInput) {
  const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
  const auto rows = arrow::RecordBatch::Make(
      schema, 100000, {arrow::MakeArrayFromScalar(arrow::Int64Scalar(1), 100000).ValueOrDie()});
  for (const int threads : {1, 2, 4}) {
    QueryContext::Options options;
    options.threads = threads;
    options.batch_bytes_max = 4096;
    QueryContext context(options);
    auto input = std::make_unique<CutStream>(rows, 100, 3);
    std::atomic<int> batches{0};
    input->before_batch = [&](size_t) {
      ++batches;
      return arrow::Status::OK();
    };
    const auto got = ReadAllRows(&context, MakeLimit(&context, std::move(input), {5, 0}));
    ASSERT_TRUE(got.ok());
    EXPECT_EQ((*got)->num_rows(), 5);
    EXPECT_LT(batches, 100);
  }
}

TEST(BatchMap, GivesEachBatchAPlaceOfItsOwn) {
  const auto schema = arrow::schema({arrow::field("n", arrow::int64())});
  const auto rows = arrow::RecordBatch::Make(
      schema, 500, {arrow::MakeArrayFromScalar(arrow::Int64Scalar(1), 500).ValueOrDie()});
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input = std::make_unique<CutStream>(rows, std::min<int64_t>(setting.batch_rows_max, 9), 5);
    const auto got = ReadAllRows(
        context,
        MakeBatchMap(context, std::move(input), schema,
                     [schema](const std::shared_ptr<arrow::RecordBatch>& batch, int64_t position)
                         -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
                       arrow::Int64Builder builder;
                       for (int64_t i = 0; i < batch->num_rows(); ++i) {
                         ARROW_RETURN_NOT_OK(builder.Append(position + i));
                       }
                       ARROW_ASSIGN_OR_RAISE(auto places, builder.Finish());
                       return arrow::RecordBatch::Make(schema, batch->num_rows(), {places});
                     }));
    ASSERT_TRUE(got.ok());
    const auto& places = static_cast<const arrow::Int64Array&>(*(*got)->column(0));
    for (int64_t i = 1; i < places.length(); ++i) {
      EXPECT_LT(places.Value(i - 1), places.Value(i));
    }
  });
}

}  // namespace
}  // namespace keepone
