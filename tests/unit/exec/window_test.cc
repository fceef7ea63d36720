// SPDX-License-Identifier: Apache-2.0
#include "exec/window.h"

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "function/aggregate_function.h"
#include "tests/support/cut_stream.h"

namespace keepone {
namespace {

const auto kSchema =
    arrow::schema({arrow::field("k", arrow::utf8()), arrow::field("o", arrow::int64()),
                   arrow::field("x", arrow::int64()), arrow::field("d", arrow::float64())});
constexpr char kRows[] = R"([["a", 2, 1, 0.5], ["b", 1, 2, 1], ["a", 1, 3, null], ["a", 2, 4, 0.25],
    [null, null, 5, 2], ["b", 1, null, 3], ["a", null, 6, 1]])";

WindowColumn Number(WindowColumn::Kind kind) {
  WindowColumn column;
  column.kind = kind;
  return column;
}

WindowColumn Aggregate(const std::string& name, std::vector<int> arguments) {
  std::vector<ScalarArgument> types;
  for (const int argument : arguments) {
    types.push_back({kSchema->field(argument)->type(), nullptr, ""});
  }
  WindowColumn column;
  column.kind = WindowColumn::Kind::kAggregate;
  column.aggregate.emplace();
  column.aggregate->function = BindAggregateFunction(name, types).ValueOrDie();
  column.aggregate->arguments = std::move(arguments);
  return column;
}

// `expected` has the added columns alone.
void Check(const std::string& rows, const WindowSpec& spec, const std::string& expected) {
  arrow::FieldVector fields = kSchema->fields();
  arrow::FieldVector added;
  for (size_t i = 0; i < spec.columns.size(); ++i) {
    const auto& aggregate = spec.columns[i].aggregate;
    added.push_back(arrow::field("w" + std::to_string(i), aggregate.has_value()
                                                              ? aggregate->function->result_type
                                                              : arrow::int64()));
  }
  fields.insert(fields.end(), added.begin(), added.end());
  const auto batch = BatchFromJson(kSchema, rows);
  arrow::ArrayVector columns = batch->columns();
  const auto values = BatchFromJson(arrow::schema(added), expected);
  columns.insert(columns.end(), values->columns().begin(), values->columns().end());
  const auto schema = arrow::schema(fields);
  const auto expected_batch = arrow::RecordBatch::Make(schema, batch->num_rows(), columns);
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input = std::make_unique<CutStream>(batch, setting.batch_rows_max, setting.seed);
    ExpectRows(ReadAllRows(context, MakeWindow(context, std::move(input), spec, schema)),
               expected_batch);
  });
}

TEST(Window, NumbersRows) {
  Check(kRows,
        {{0},
         {{1}},
         {Number(WindowColumn::Kind::kRowNumber), Number(WindowColumn::Kind::kRank),
          Number(WindowColumn::Kind::kDenseRank)}},
        "[[2, 2, 2], [1, 1, 1], [1, 1, 1], [3, 2, 2], [1, 1, 1], [2, 1, 1], [4, 4, 3]]");
}

TEST(Window, NumbersAllRowsInInputOrder) {
  Check(kRows,
        {{}, {}, {Number(WindowColumn::Kind::kRowNumber), Number(WindowColumn::Kind::kRank)}},
        "[[1, 1], [2, 1], [3, 1], [4, 1], [5, 1], [6, 1], [7, 1]]");
}

TEST(Window, AggregatesWholePartitions) {
  WindowColumn first = Aggregate("first_value", {2});
  first.aggregate->order = {{1, true, false}};
  WindowColumn distinct = Aggregate("count", {1});
  distinct.aggregate->distinct = true;
  Check(kRows, {{0}, {}, {Aggregate("sum", {2}), first, distinct, Aggregate("array_agg", {2})}},
        R"([[14, 1, 2, [1, 3, 4, 6]], [2, 2, 1, [2, null]], [14, 1, 2, [1, 3, 4, 6]],
            [14, 1, 2, [1, 3, 4, 6]], [5, 5, 0, [5]], [2, 2, 1, [2, null]], [14, 1, 2, [1, 3, 4, 6]]])");
}

TEST(Window, AggregatesUpToThePeers) {
  WindowColumn first = Aggregate("first_value", {2});
  first.aggregate->order = {{1, false, false}};
  WindowColumn last = Aggregate("last_value", {2});
  last.aggregate->order = {{1, true, true}};
  last.aggregate->ties_to_last = true;
  Check(kRows,
        {{0},
         {{1}},
         {Aggregate("sum", {2}), Aggregate("count", {2}), Aggregate("max", {2}),
          Aggregate("min", {2}), Aggregate("avg", {3}), first, last}},
        R"([[8, 3, 4, 1, 0.375, 3, 4], [2, 1, 2, 2, 2, 2, null], [3, 1, 3, 3, null, 3, 3],
            [8, 3, 4, 1, 0.375, 3, 4], [5, 1, 5, 5, 2, 5, 5], [2, 1, 2, 2, 2, 2, null],
            [14, 4, 6, 1, 0.5833333333333334, 3, 6]])");
}

TEST(Window, RunningDistinctAndFilter) {
  const auto rows =
      R"([["a", 1, 1, null], ["a", 2, 1, null], ["a", 3, 2, null], ["a", 4, 1, null]])";
  WindowColumn distinct = Aggregate("count", {2});
  distinct.aggregate->distinct = true;
  WindowColumn sum = Aggregate("sum", {2});
  sum.aggregate->distinct = true;
  Check(rows, {{0}, {{1}}, {distinct, sum}}, "[[1, 1], [1, 1], [2, 3], [2, 3]]");
}

TEST(Window, NoRows) {
  Check("[]", {{0}, {{1}}, {Number(WindowColumn::Kind::kRank), Aggregate("sum", {2})}}, "[]");
}

TEST(Window, WhatCannotRunIsNamed) {
  QueryContext context(QueryContext::Options{});
  arrow::FieldVector fields = kSchema->fields();
  fields.push_back(arrow::field("w", arrow::float64()));
  auto input = std::make_unique<CutStream>(BatchFromJson(kSchema, kRows), 10, 1);
  const auto got = ReadAllRows(
      &context, MakeWindow(&context, std::move(input),
                           {{0}, {{1}}, {Aggregate("stddev_samp", {3})}}, arrow::schema(fields)));
  EXPECT_EQ(GetErrorKind(got.status()), ErrorKind::kUnsupported);
  EXPECT_NE(got.status().message().find("stddev_samp() with ORDER BY in its window"),
            std::string::npos);
}

}  // namespace
}  // namespace keepone
