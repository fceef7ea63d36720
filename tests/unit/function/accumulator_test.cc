// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include <arrow/chunked_array.h>
#include <gtest/gtest.h>

#include "function/aggregate_function.h"
#include "tests/unit/function/apply_function.h"

namespace keepone {
namespace {

using Groups = std::vector<uint32_t>;

std::shared_ptr<const BoundAggregateFunction> Bind(std::string_view name, const TypePtr& type) {
  const std::vector<ScalarArgument> arguments = {{type, nullptr, ""}};
  return BindAggregateFunction(name, arguments).ValueOrDie();
}

std::string Finish(GroupAccumulator* accumulator) {
  const auto answer = accumulator->Finish();
  if (!answer.ok()) {
    return FormatError(answer.status(), "");
  }
  return Show((*answer)->chunk(0));
}

// Gives the rows to one accumulator, then to one for each row, whose exported states, slices of
// larger columns, are merged in reverse; the answers must be the same.
std::string Aggregate(std::string_view name, const arrow::Datum& column, const Groups& groups,
                      int64_t group_count) {
  const auto function = Bind(name, column.type());
  const auto array = CastDatum(TestContext(), column, function->argument_types[0], false)
                         .ValueOrDie()
                         .make_array();
  auto whole = function->make_accumulator(TestContext()).ValueOrDie();
  EXPECT_TRUE(whole->Resize(group_count).ok());
  EXPECT_TRUE(whole->Update({array}, groups).ok());
  auto merged = function->make_accumulator(TestContext()).ValueOrDie();
  EXPECT_TRUE(merged->Resize(group_count).ok());
  for (int64_t row = array->length() - 1; row >= 0; --row) {
    auto part = function->make_accumulator(TestContext()).ValueOrDie();
    EXPECT_TRUE(part->Resize(2).ok());
    EXPECT_TRUE(part->Update({array->Slice(row, 1)}, Groups{1}).ok());
    arrow::ArrayVector state = part->ExportState(Groups{0, 1, 0}).ValueOrDie();
    const arrow::DataTypeVector types = part->state_types();
    EXPECT_EQ(state.size(), types.size());
    for (size_t i = 0; i < state.size(); ++i) {
      EXPECT_TRUE(state[i]->type()->Equals(*types[i])) << name;
      EXPECT_TRUE(state[i]->ValidateFull().ok()) << name;
      state[i] = state[i]->Slice(1, 2);
    }
    const uint32_t group = groups[static_cast<size_t>(row)];
    EXPECT_TRUE(merged->MergeState(state, Groups{group, 0}).ok());
  }
  EXPECT_GE(whole->bytes_used(), 0);
  const std::string answer = Finish(whole.get());
  EXPECT_EQ(Finish(merged.get()), answer) << name;
  return answer;
}

TEST(Accumulators, CountAndSum) {
  const auto column = Column(arrow::int32(), "[1, 2, null, 4, 5]");
  const Groups groups = {0, 1, 1, 0, 0};
  EXPECT_EQ(Aggregate("count", column, groups, 3), "3 | 1 | 0");
  EXPECT_EQ(Aggregate("sum", column, groups, 3), "10 | 2 | NULL");
  EXPECT_EQ(Aggregate("avg", column, groups, 3), "3.3333333333333335 | 2.0 | NULL");
  EXPECT_EQ(Aggregate("min", column, groups, 3), "1 | 2 | NULL");
  EXPECT_EQ(Aggregate("max", column, groups, 3), "5 | 2 | NULL");
}

TEST(Accumulators, IntegerSumsOverflowOnlyAtTheEnd) {
  const Groups groups = {0, 0, 0};
  EXPECT_EQ(Aggregate("sum", Column(arrow::int64(), "[9223372036854775807, 1, -1]"), groups, 1),
            "9223372036854775807");
  const std::string error =
      Aggregate("sum", Column(arrow::int64(), "[9223372036854775807, 1, 1]"), groups, 1);
  EXPECT_EQ(error.substr(0, error.find('\n')),
            "data error: overflow: the sum leaves the range of BIGINT");
  EXPECT_EQ(Aggregate("sum", Column(arrow::uint64(), "[18446744073709551615, 1, null]"), groups, 1),
            "18446744073709551616");
  EXPECT_EQ(
      Aggregate("sum", Column(arrow::decimal128(5, 2), R"(["1.25", "2.50", null])"), groups, 1),
      "3.75");
}

TEST(Accumulators, FloatSumsAreExact) {
  const Groups groups = {0, 0, 0, 0};
  EXPECT_EQ(Aggregate("sum", Column(arrow::float64(), "[1e100, 1, -1e100, 1]"), groups, 1), "2.0");
  EXPECT_EQ(Aggregate("sum", Column(arrow::float64(), "[0.1, 0.2, 0.3, null]"), groups, 1), "0.6");
  EXPECT_EQ(Aggregate("sum", Column(arrow::float64(), "[1e308, 1e308, -1e308, -1e308]"), groups, 1),
            "0.0");
  EXPECT_EQ(Aggregate("sum", Column(arrow::float64(), "[1e308, 1e308, 1, 1]"), groups, 1),
            "Infinity");
  EXPECT_EQ(Aggregate("sum", Column(arrow::float64(), "[Inf, -Inf, 1, 1]"), groups, 1), "NaN");
  EXPECT_EQ(Aggregate("sum", Column(arrow::float64(), "[1e300, 1e-300, 1e16, 1e-16]"), groups, 1),
            "1e+300");
  EXPECT_EQ(
      Aggregate("var_samp", Column(arrow::float64(), "[1000000001, 1000000002, 1000000003, null]"),
                groups, 1),
      "1.0");
  EXPECT_EQ(Aggregate("stddev_pop", Column(arrow::float64(), "[2, 4, 4, 6]"), groups, 1),
            "1.4142135623730951");
}

TEST(Accumulators, ExtremesOfAnyType) {
  const Groups groups = {0, 0, 0};
  EXPECT_EQ(Aggregate("max", Column(arrow::float64(), "[1, NaN, Inf]"), groups, 1), "NaN");
  EXPECT_EQ(Aggregate("min", Column(arrow::float64(), "[NaN, null, Inf]"), groups, 1), "Infinity");
  EXPECT_EQ(Aggregate("min", Column(arrow::utf8(), R"(["b", "a", null])"), groups, 2), "a | NULL");
  EXPECT_EQ(Aggregate("max", Column(arrow::utf8_view(), R"(["b", "a", null])"), groups, 2),
            "b | NULL");
  EXPECT_EQ(
      Aggregate("max", Column(arrow::decimal128(5, 2), R"(["-1.00", "2.50", null])"), groups, 2),
      "2.50 | NULL");
  EXPECT_EQ(Aggregate("max", Column(arrow::boolean(), "[false, true, null]"), groups, 2),
            "true | NULL");
  EXPECT_EQ(Aggregate("max", Column(arrow::date32(), "[1, 5, null]"), groups, 2),
            "1970-01-06 | NULL");
  EXPECT_EQ(
      Aggregate("max", Column(arrow::list(arrow::int64()), "[[1, 2], [1, 3], null]"), groups, 2),
      "[1,3] | NULL");
}

TEST(Accumulators, Truth) {
  const Groups groups = {0, 0, 1};
  const auto column = Column(arrow::boolean(), "[true, null, false]");
  EXPECT_EQ(Aggregate("bool_and", column, groups, 3), "true | false | NULL");
  EXPECT_EQ(Aggregate("bool_or", column, groups, 3), "true | false | NULL");
  EXPECT_EQ(Aggregate("count_if", column, groups, 3), "1 | 0 | 0");
}

TEST(Accumulators, Resolution) {
  const std::vector<ScalarArgument> two = {{arrow::utf8(), nullptr, ""},
                                           {arrow::int64(), nullptr, ""}};
  const auto max_by = BindAggregateFunction("ARG_MAX", two).ValueOrDie();
  EXPECT_EQ(max_by->name, "max_by");
  EXPECT_EQ(max_by->kind, AggregateKind::kWinner);
  EXPECT_EQ(max_by->winner.order, WinnerMeaning::Order::kSecondDescending);
  EXPECT_TRUE(max_by->result_type->Equals(arrow::utf8()));
  EXPECT_TRUE(Bind("any_value", arrow::utf8())->winner.ignores_null_values);
  EXPECT_TRUE(Bind("list", arrow::int8())->result_type->Equals(arrow::list(arrow::int8())));
  EXPECT_TRUE(BindAggregateFunction("count", {}).ValueOrDie()->counts);
  const std::vector<ScalarArgument> text = {{arrow::utf8(), nullptr, ""}};
  EXPECT_EQ(FormatError(BindAggregateFunction("sum", text).status(), ""),
            "bind error: no aggregate function \"sum\" takes (VARCHAR)\nhint: it is sum(NUMBER) -> "
            "NUMBER");
}

}  // namespace
}  // namespace keepone
