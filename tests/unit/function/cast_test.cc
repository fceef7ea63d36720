// SPDX-License-Identifier: Apache-2.0
#include "function/cast.h"

#include <gtest/gtest.h>

#include "tests/unit/function/apply_function.h"

namespace keepone {
namespace {

std::string Cast(const arrow::Datum& value, const TypePtr& type, bool try_cast = false) {
  const auto cast = CastDatum(TestContext(), value, type, try_cast);
  return cast.ok() ? Show(*cast) : FormatError(cast.status(), "");
}

TEST(Cast, TextToNumbers) {
  const auto texts = Column(arrow::utf8(), R"(["1", " +2 ", "x", null])");
  EXPECT_EQ(Cast(texts, arrow::int64()), "data error: cannot cast \"x\" to BIGINT");
  EXPECT_EQ(Cast(texts, arrow::int64(), true), "1 | 2 | NULL | NULL");
  EXPECT_EQ(Cast(Text("1.255"), arrow::decimal128(5, 2)), "1.26");
  EXPECT_EQ(Cast(Text("1e400"), arrow::float64()), "data error: cannot cast \"1e400\" to DOUBLE");
  EXPECT_EQ(Cast(Text("NaN"), arrow::float64()), "NaN");
  EXPECT_EQ(Cast(Text("yes"), arrow::boolean()), "true");
  EXPECT_EQ(Cast(Text("300"), arrow::int8()), "data error: cannot cast \"300\" to TINYINT");
}

TEST(Cast, NumbersRoundToTheNearest) {
  EXPECT_EQ(Cast(Column(arrow::float64(), "[2.5, 3.5, -2.5, null]"), arrow::int64()),
            "2 | 4 | -2 | NULL");
  EXPECT_EQ(Cast(Real(1e300), arrow::int64()), "data error: cannot cast 1e+300 to BIGINT");
  EXPECT_EQ(Cast(Column(arrow::float64(), "[1, NaN]"), arrow::int64(), true), "1 | NULL");
  EXPECT_EQ(Cast(Number(300), arrow::int8()), "data error: cannot cast 300 to TINYINT");
  EXPECT_EQ(Cast(Column(arrow::decimal128(5, 2), R"(["2.50", "-2.50", null])"), arrow::int64()),
            "3 | -3 | NULL");
  EXPECT_EQ(Cast(Value(arrow::decimal128(4, 2), "99.99"), arrow::decimal128(4, 0)), "100");
  EXPECT_EQ(Cast(Number(5), arrow::decimal128(5, 2)), "5.00");
  EXPECT_EQ(Cast(Number(5000), arrow::decimal128(5, 2)),
            "data error: cannot cast 5000 to DECIMAL(5,2)");
  EXPECT_EQ(Cast(Column(arrow::boolean(), "[true, false]"), arrow::int64()), "1 | 0");
  EXPECT_EQ(Cast(Number(2), arrow::boolean()), "true");
}

TEST(Cast, Times) {
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO);
  const auto zoned = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  EXPECT_EQ(Cast(Text("2024-01-02T03:04:05.5Z"), micros), "2024-01-02 03:04:05.5");
  EXPECT_EQ(Cast(Text("2024-01-02 03:04+02:00"), zoned), "2024-01-02 01:04:00+00");
  EXPECT_EQ(Cast(Text("2024-01-02 03:04+02:00"), micros),
            "data error: cannot cast \"2024-01-02 03:04+02:00\" to TIMESTAMP");
  EXPECT_EQ(Cast(Text("2024-02-30"), arrow::date32()),
            "data error: cannot cast \"2024-02-30\" to DATE");
  EXPECT_EQ(Cast(Text("12:34"), arrow::time64(arrow::TimeUnit::MICRO)), "12:34:00");
  EXPECT_EQ(Cast(Value(micros, "1969-12-31 23:59:59.5"), arrow::date32()), "1969-12-31");
  EXPECT_EQ(Cast(Value(micros, "1969-12-31 23:59:59.5"), arrow::timestamp(arrow::TimeUnit::SECOND)),
            "1969-12-31 23:59:59");
  EXPECT_EQ(Cast(Value(arrow::date32(), "2024-01-02"), zoned), "2024-01-02 00:00:00+00");
  EXPECT_EQ(Cast(Value(arrow::date32(), "2024-01-02"), arrow::int64()),
            "bind error: cannot cast DATE to BIGINT");
  EXPECT_EQ(Cast(Text("1 year -2 days 04:05"), arrow::month_day_nano_interval()),
            "1 year -2 days 04:05:00");
}

TEST(Cast, NestedValues) {
  EXPECT_EQ(Cast(Column(arrow::list_view(arrow::int32()), "[[1, 2], null, []]"),
                 arrow::list(arrow::utf8())),
            R"(["1","2"] | NULL | [])");
  EXPECT_EQ(Cast(Column(arrow::list(arrow::int32()), "[[1, 2], null]"),
                 arrow::fixed_size_list(arrow::int64(), 2)),
            "[1,2] | NULL");
  EXPECT_EQ(
      Cast(Column(arrow::list(arrow::int32()), "[[1]]"), arrow::fixed_size_list(arrow::int64(), 2)),
      "data error: cannot cast \"[1]\" to BIGINT[2]");
  const auto from =
      arrow::struct_({arrow::field("A", arrow::int32()), arrow::field("b", arrow::utf8())});
  const auto to =
      arrow::struct_({arrow::field("b", arrow::utf8()), arrow::field("a", arrow::float64()),
                      arrow::field("c", arrow::int8())});
  EXPECT_EQ(Cast(Column(from, R"([{"A": 1, "b": "x"}, null])"), to),
            R"({"b":"x","a":1.0,"c":null} | NULL)");
  EXPECT_EQ(Cast(Column(from, R"([{"A": 1, "b": "x"}])"), arrow::utf8()), R"({"A":1,"b":"x"})");
  EXPECT_EQ(
      Cast(Column(arrow::list(arrow::utf8()), R"([["1"], ["x"]])"), arrow::list(arrow::int64())),
      "data error: cannot cast \"x\" to BIGINT");
  EXPECT_EQ(Cast(Column(arrow::map(arrow::utf8(), arrow::int32()), R"([[["a", 1]], null])"),
                 arrow::map(arrow::utf8(), arrow::float64())),
            R"([["a",1.0]] | NULL)");
}

TEST(Cast, TypesByName) {
  const auto name = [](std::string_view text, std::vector<int64_t> arguments = {}) {
    const auto type = TypeFromSqlName(text, arguments);
    return type.ok() ? SqlTypeName(**type) : FormatError(type.status(), "");
  };
  EXPECT_EQ(name("int"), "INTEGER");
  EXPECT_EQ(name("numeric", {10, 2}), "DECIMAL(10,2)");
  EXPECT_EQ(name("timestamp with time zone"), "TIMESTAMP WITH TIME ZONE");
  EXPECT_EQ(name("timestamp", {3}), "TIMESTAMP_MS");
  EXPECT_EQ(name("varchr"),
            "bind error: type \"varchr\" does not exist\nhint: the nearest type is VARCHAR");
  EXPECT_EQ(SqlTypeName(*arrow::list(arrow::struct_({arrow::field("a b", arrow::int64())}))),
            "STRUCT(\"a b\" BIGINT)[]");
}

TEST(CommonTypes, Widen) {
  const auto common = [](const TypePtr& a, const TypePtr& b) {
    const TypePtr type = CommonType(a, b);
    const TypePtr turned = CommonType(b, a);
    EXPECT_EQ(type == nullptr, turned == nullptr);
    return type == nullptr ? "" : SqlTypeName(*type);
  };
  EXPECT_EQ(common(arrow::int32(), arrow::int64()), "BIGINT");
  EXPECT_EQ(common(arrow::uint32(), arrow::int32()), "BIGINT");
  EXPECT_EQ(common(arrow::uint64(), arrow::int8()), "DECIMAL(20,0)");
  EXPECT_EQ(common(arrow::int64(), arrow::float32()), "DOUBLE");
  EXPECT_EQ(common(arrow::int64(), arrow::decimal128(5, 2)), "DECIMAL(21,2)");
  EXPECT_EQ(common(arrow::date32(), arrow::timestamp(arrow::TimeUnit::MILLI)), "TIMESTAMP_MS");
  EXPECT_EQ(common(arrow::utf8(), arrow::int64()), "");
  EXPECT_EQ(common(arrow::null(), arrow::list(arrow::utf8())), "VARCHAR[]");
  EXPECT_EQ(common(arrow::list(arrow::int8()), arrow::list(arrow::float64())), "DOUBLE[]");
}

}  // namespace
}  // namespace keepone
