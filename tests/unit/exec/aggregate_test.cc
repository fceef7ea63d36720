// SPDX-License-Identifier: Apache-2.0
#include "exec/aggregate.h"

#include <memory>
#include <string>
#include <vector>

#include "function/aggregate_function.h"
#include "tests/support/cut_stream.h"

namespace keepone {
namespace {

const auto kSchema =
    arrow::schema({arrow::field("k", arrow::utf8()), arrow::field("o", arrow::int64()),
                   arrow::field("x", arrow::int64()), arrow::field("v", arrow::list(arrow::utf8())),
                   arrow::field("f", arrow::boolean())});
constexpr char kRows[] = R"([
    ["b", 1, 10, ["p"], true], [null, 5, 1, ["q"], null], ["a", 3, null, [], true],
    ["b", 4, 10, null, true], ["b", 2, 20, ["r", null], false], ["a", 3, 7, ["s"], false],
    [null, null, 2, ["t"], true], ["c", null, null, ["u"], false]])";

AggregateColumn Column(const std::string& name, std::vector<int> arguments) {
  std::vector<ScalarArgument> types;
  for (const int argument : arguments) {
    types.push_back({kSchema->field(argument)->type(), nullptr, ""});
  }
  AggregateColumn column;
  column.function = BindAggregateFunction(name, types).ValueOrDie();
  column.arguments = std::move(arguments);
  return column;
}

void Check(const std::string& rows, std::vector<int> groups, std::vector<AggregateColumn> columns,
           const std::string& expected) {
  arrow::FieldVector fields;
  for (const int group : groups) {
    fields.push_back(kSchema->field(group));
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    fields.push_back(arrow::field("c" + std::to_string(i), columns[i].function->result_type));
  }
  const auto schema = arrow::schema(fields);
  const auto batch = BatchFromJson(kSchema, rows);
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input = std::make_unique<CutStream>(batch, setting.batch_rows_max, setting.seed);
    ExpectRows(
        ReadAllRows(context, MakeAggregate(context, std::move(input), groups, columns, schema)),
        BatchFromJson(schema, expected));
    EXPECT_EQ(context->budget()->bytes_allocated(), 0);
  });
}

TEST(Aggregate, AccumulatesByGroupInOrderOfFirstRows) {
  Check(kRows, {0},
        {Column("count", {}), Column("count", {2}), Column("sum", {2}), Column("max", {1})},
        R"([["b", 3, 3, 40, 4], [null, 2, 2, 3, 5], ["a", 2, 1, 7, 3], ["c", 1, 0, null, null]])");
}

TEST(Aggregate, FiltersAndCountsDistinct) {
  AggregateColumn filtered = Column("sum", {2});
  filtered.filter = 4;
  AggregateColumn distinct = Column("count", {2});
  distinct.distinct = true;
  AggregateColumn distinct_sum = Column("sum", {2});
  distinct_sum.distinct = true;
  Check(kRows, {0}, {filtered, distinct, distinct_sum},
        R"([["b", 20, 2, 30], [null, 2, 2, 3], ["a", null, 1, 7], ["c", null, 0, null]])");
}

TEST(Aggregate, WinnersComeFromOneRow) {
  AggregateColumn x = Column("first_value", {2});
  x.order = {{1, true, false}};
  AggregateColumn v = Column("first_value", {3});
  v.order = x.order;
  AggregateColumn last = Column("first_value", {2});
  last.order = x.order;
  last.ties_to_last = true;
  AggregateColumn filtered = Column("first_value", {3});
  filtered.filter = 4;
  filtered.required = {2};
  Check(kRows, {0}, {x, v, last, filtered},
        R"([["b", 10, null, 10, ["p"]], [null, 1, ["q"], 1, ["t"]], ["a", null, [], 7, null],
            ["c", null, ["u"], null, null]])");
}

TEST(Aggregate, CollectsInOrder) {
  AggregateColumn all = Column("array_agg", {2});
  AggregateColumn ordered = Column("array_agg", {2});
  ordered.order = {{1, true, true}};
  ordered.required = {2};
  AggregateColumn distinct = Column("array_agg", {2});
  distinct.distinct = true;
  Check(kRows, {0}, {all, ordered, distinct},
        R"([["b", [10, 10, 20], [10, 20, 10], [10, 20]], [null, [1, 2], [2, 1], [1, 2]],
            ["a", [null, 7], [7], [null, 7]], ["c", [null], null, [null]]])");
}

TEST(Aggregate, OfAllRows) {
  AggregateColumn first = Column("first_value", {3});
  first.order = {{1, false, false}};
  Check(kRows, {}, {Column("count", {}), Column("sum", {2}), first, Column("array_agg", {1})},
        R"([[8, 50, ["p"], [1, 5, 3, 4, 2, 3, null, null]]])");
}

TEST(Aggregate, OfNoRows) {
  AggregateColumn first = Column("first_value", {3});
  AggregateColumn distinct = Column("count", {2});
  distinct.distinct = true;
  Check("[]", {},
        {Column("count", {}), Column("sum", {2}), first, Column("array_agg", {1}), distinct},
        R"([[0, null, null, null, 0]])");
  Check("[]", {0}, {Column("count", {}), first}, "[]");
}

TEST(Aggregate, GroupsAlone) {
  Check(kRows, {0}, {}, R"([["b"], [null], ["a"], ["c"]])");
  Check(kRows, {3}, {},
        R"([[["p"]], [["q"]], [[]], [null], [["r", null]], [["s"]], [["t"]], [["u"]]])");
}

}  // namespace
}  // namespace keepone
