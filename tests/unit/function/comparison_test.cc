// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gtest/gtest.h>

#include "tests/unit/function/apply_function.h"

namespace keepone {
namespace {

const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Comparison, NaNIsAboveEveryNumberAndEqualsItself) {
  const auto values = Column(arrow::float64(), "[1, NaN, Inf, null, -0.0]");
  EXPECT_EQ(Apply("=", {values, Real(kNaN)}), "false | true | false | NULL | false");
  EXPECT_EQ(Apply("<", {values, Real(kNaN)}), "true | false | true | NULL | true");
  EXPECT_EQ(Apply(">=", {Real(kNaN), values}), "true | true | true | NULL | true");
  EXPECT_EQ(Apply("=", {values, Number(0)}), "false | false | false | NULL | true");
  EXPECT_EQ(Apply("is_distinct_from", {values, Real(kNaN)}), "true | false | true | true | true");
  EXPECT_EQ(Apply("in_list", {values, Real(kNaN), Real(0)}), "false | true | false | NULL | true");
  EXPECT_EQ(Apply("greatest", {values, Number(5)}), "5.0 | NaN | Infinity | 5.0 | 5.0");
  EXPECT_EQ(Apply("least", {values, Number(5)}), "1.0 | 5.0 | 5.0 | 5.0 | -0.0");
}

TEST(Comparison, TextsCompareByBytesAndLiteralsTakeTheOtherType) {
  EXPECT_EQ(Apply("<", {Column(arrow::utf8(), R"(["a", "B", null])"), Text("a")}),
            "false | true | NULL");
  EXPECT_EQ(Apply(">", {Column(arrow::timestamp(arrow::TimeUnit::MICRO),
                               R"(["2024-01-02", "2023-01-01"])"),
                        Text("2024-01-01")}),
            "true | false");
  EXPECT_EQ(Apply("=", {Column(arrow::date32(), "[0]"), Text("1970-01-01")}), "true");
  EXPECT_EQ(Apply("=", {Column(arrow::int32(), "[7]"), Text("7")}), "true");
  EXPECT_EQ(Apply("=", {Column(arrow::int32(), "[7]"), Column(arrow::utf8(), R"(["7"])")}),
            "bind error: \"=\" cannot take INTEGER and VARCHAR\nhint: cast one side: CAST(x AS "
            "TYPE) or x::TYPE");
}

TEST(Comparison, TypesThatDifferMeet) {
  EXPECT_EQ(Apply("=", {Column(arrow::decimal128(5, 2), R"(["7.50"])"),
                        Column(arrow::decimal128(4, 1), R"(["7.5"])")}),
            "true");
  EXPECT_EQ(
      Apply("<", {Column(arrow::timestamp(arrow::TimeUnit::SECOND, "UTC"), "[1]"),
                  Column(arrow::timestamp(arrow::TimeUnit::MILLI, "Europe/Berlin"), "[1500]")}),
      "true");
  EXPECT_EQ(Apply("<", {Column(arrow::uint64(), "[18446744073709551615]"), Number(-1)}), "false");
  EXPECT_EQ(Apply("=", {Column(arrow::dictionary(arrow::int8(), arrow::utf8()), R"(["a", null])"),
                        Text("a")}),
            "true | NULL");
  EXPECT_EQ(Apply("=", {Column(arrow::utf8_view(), R"(["a", null])"),
                        Column(arrow::utf8(), R"(["a", "b"])")}),
            "true | NULL");
  EXPECT_EQ(Apply("=", {Null(), Null()}), "NULL");
}

TEST(Comparison, NestedValuesCompareByTheirParts) {
  const auto lists = Column(arrow::list(arrow::int64()), "[[1, 2], [1, 3], null, [1, null]]");
  const auto others = Column(arrow::list(arrow::int64()), "[[1, 2], [1, 2, 9], [1], [1, null]]");
  EXPECT_EQ(Apply("=", {lists, others}), "true | false | NULL | true");
  EXPECT_EQ(Apply(">", {lists, others}), "false | true | NULL | false");
  EXPECT_EQ(Apply("is_not_distinct_from", {lists, others}), "true | false | false | true");
  const auto type = arrow::struct_({arrow::field("a", arrow::float64())});
  EXPECT_EQ(Apply("=", {Column(type, R"([{"a": NaN}, {"a": 0.0}])"),
                        Column(type, R"([{"a": NaN}, {"a": -0.0}])")}),
            "true | true");
}

TEST(Comparison, InFollowsTheRulesOfNull) {
  const auto values = Column(arrow::int64(), "[1, 9, null]");
  EXPECT_EQ(Apply("in_list", {values, Number(1), Number(2)}), "true | false | NULL");
  EXPECT_EQ(Apply("in_list", {values, Number(1), Null()}), "true | NULL | NULL");
  EXPECT_EQ(Apply("in_list", {values, Number(1), Number(2), Number(3), Number(4), Number(5)}),
            "true | false | NULL");
  EXPECT_EQ(Apply("in_list", {values, Number(1), Number(2), Number(3), Number(4), Null()}),
            "true | NULL | NULL");
  EXPECT_EQ(Apply("between", {values, Number(1), Number(3)}), "true | false | NULL");
}

TEST(Boolean, ThreeValuedLogic) {
  const auto values = Column(arrow::boolean(), "[true, false, null]");
  EXPECT_EQ(Apply("and", {values, Null()}), "NULL | false | NULL");
  EXPECT_EQ(Apply("or", {values, Null()}), "true | NULL | NULL");
  EXPECT_EQ(Apply("not", {values}), "false | true | NULL");
  EXPECT_EQ(Apply("is_null", {values}), "false | false | true");
  EXPECT_EQ(Apply("is_not_true", {values}), "false | true | true");
}

}  // namespace
}  // namespace keepone
