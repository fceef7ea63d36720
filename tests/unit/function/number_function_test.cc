// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gtest/gtest.h>

#include "tests/unit/function/apply_function.h"

namespace keepone {
namespace {

const auto kBig = std::numeric_limits<int64_t>::max();

TEST(Arithmetic, IntegersAreChecked) {
  EXPECT_EQ(Apply("add", {Column(arrow::int64(), "[1, null, -5]"), Number(2)}), "3 | NULL | -3");
  EXPECT_EQ(Apply("+", {Number(kBig), Number(1)}),
            "data error: overflow: \"+\" leaves the range of BIGINT");
  EXPECT_EQ(Apply("multiply", {Column(arrow::int8(), "[100]"), Column(arrow::int8(), "[2]")}),
            "data error: overflow: \"*\" leaves the range of TINYINT");
  EXPECT_EQ(Apply("multiply", {Column(arrow::int8(), "[100]"), Number(2)}), "200");
  EXPECT_EQ(Apply("add", {Column(arrow::int64(), "[]"), Number(2)}), "");
  EXPECT_EQ(Apply("add", {Column(arrow::int64(), "[null, null]"), Number(2)}), "NULL | NULL");
  EXPECT_EQ(Apply("add", {Null(), Number(2)}), "NULL");
}

TEST(Arithmetic, DividesIntegersTowardsZero) {
  EXPECT_EQ(Apply("divide", {Column(arrow::int32(), "[7, -7, null]"), Number(2)}), "3 | -3 | NULL");
  EXPECT_EQ(Apply("//", {Number(-7), Number(2)}), "-3");
  EXPECT_EQ(Apply("//", {Real(-7), Number(2)}), "-3.0");
  EXPECT_EQ(Apply("%", {Column(arrow::int64(), "[7, -7]"), Number(3)}), "1 | -1");
  EXPECT_EQ(Apply("%", {Number(std::numeric_limits<int64_t>::min()), Number(-1)}), "0");
  EXPECT_EQ(Apply("/", {Number(1), Number(0)}), "data error: division by zero");
  EXPECT_EQ(Apply("%", {Number(1), Number(0)}), "data error: division by zero");
  EXPECT_EQ(Apply("/", {Number(std::numeric_limits<int64_t>::min()), Number(-1)}),
            "data error: overflow: \"/\" leaves the range of BIGINT");
}

TEST(Arithmetic, FloatsFollowIeee) {
  EXPECT_EQ(Apply("/", {Column(arrow::float64(), "[1, -1, 0]"), Number(0)}),
            "Infinity | -Infinity | NaN");
  EXPECT_EQ(Apply("+", {Number(1), Real(0.5)}), "1.5");
}

TEST(Arithmetic, DecimalsAreExact) {
  std::string type;
  EXPECT_EQ(
      Apply("+", {Value(arrow::decimal128(5, 2), "1.25"), Value(arrow::decimal128(4, 1), "2.5")},
            &type),
      "3.75");
  EXPECT_EQ(type, "DECIMAL(6,2)");
  EXPECT_EQ(Apply("*", {Value(arrow::decimal128(38, 2), "1.25"), Number(2)}, &type), "2.50");
  EXPECT_EQ(type, "DECIMAL(40,2)");
  EXPECT_EQ(
      Apply("/", {Value(arrow::decimal128(5, 2), "1.00"), Value(arrow::decimal128(5, 2), "0")}),
      "data error: division by zero");
  EXPECT_EQ(Apply("%", {Value(arrow::decimal128(5, 2), "7.50"), Number(2)}), "1.50");
  EXPECT_EQ(
      Apply("/", {Value(arrow::decimal128(3, 1), "7.5"), Value(arrow::decimal128(3, 1), "2.0")}),
      "3.7500");
}

TEST(Arithmetic, SaysWhichTypesDoNotFit) {
  EXPECT_EQ(Apply("+", {Column(arrow::utf8(), "[\"a\"]"), Number(1)}),
            "bind error: \"+\" cannot take VARCHAR and BIGINT\nhint: cast one side: CAST(x AS "
            "TYPE) or x::TYPE");
  EXPECT_EQ(Apply("+", {Text("2"), Number(1)}), "3");
  EXPECT_EQ(Apply("+", {Text("x"), Number(1)}), "data error: cannot cast \"x\" to BIGINT");
}

TEST(Numbers, RoundHalfAwayFromZero) {
  EXPECT_EQ(Apply("round", {Column(arrow::float64(), "[2.5, -2.5, null, 0.4]")}),
            "3.0 | -3.0 | NULL | 0.0");
  EXPECT_EQ(Apply("round", {Real(1234.567), Number(2)}), "1234.57");
  EXPECT_EQ(Apply("round", {Number(15), Number(-1)}), "20");
  EXPECT_EQ(Apply("round", {Value(arrow::decimal128(3, 2), "9.99"), Number(1)}), "10.00");
  EXPECT_EQ(Apply("ceil", {Column(arrow::int64(), "[5]")}), "5");
  EXPECT_EQ(Apply("floor", {Real(-1.5)}), "-2.0");
  EXPECT_EQ(Apply("trunc", {Real(-1.5)}), "-1.0");
}

TEST(Numbers, AbsAndNegateAreChecked) {
  EXPECT_EQ(Apply("abs", {Column(arrow::int64(), "[-3, null]")}), "3 | NULL");
  EXPECT_EQ(Apply("negate", {Number(std::numeric_limits<int64_t>::min())}),
            "data error: overflow: \"-\" leaves the range of BIGINT");
  EXPECT_EQ(Apply("sign", {Column(arrow::int32(), "[-3, 0, 9]")}), "-1 | 0 | 1");
  EXPECT_EQ(Apply("sqrt", {Number(9)}), "3.0");
  EXPECT_EQ(Apply("power", {Number(2), Number(10)}), "1024.0");
  EXPECT_EQ(Apply("ln", {Number(0)}), "-Infinity");
}

TEST(Numbers, Bits) {
  EXPECT_EQ(Apply("&", {Number(6), Number(3)}), "2");
  EXPECT_EQ(Apply("|", {Number(6), Number(3)}), "7");
  EXPECT_EQ(Apply("<<", {Number(1), Number(4)}), "16");
  EXPECT_EQ(Apply("<<", {Number(1), Number(64)}),
            "data error: overflow: \"<<\" leaves the range of BIGINT");
}

}  // namespace
}  // namespace keepone
