// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/unit/function/apply_function.h"

namespace keepone {
namespace {

const TypePtr kTimestamp = arrow::timestamp(arrow::TimeUnit::MICRO);
const TypePtr kInterval = arrow::month_day_nano_interval();

TEST(Time, AddsIntervals) {
  EXPECT_EQ(Apply("+", {Value(kTimestamp, "2024-01-31 10:00:00"), Value(kInterval, "1 month")}),
            "2024-02-29 10:00:00");
  EXPECT_EQ(Apply("-", {Value(kTimestamp, "1969-12-31 23:00"), Value(kInterval, "1 day 2 hours")}),
            "1969-12-30 21:00:00");
  EXPECT_EQ(Apply("+", {Value(arrow::date32(), "2024-01-31"), Number(1)}), "2024-02-01");
  EXPECT_EQ(Apply("+", {Value(arrow::date32(), "2024-01-31"), Value(kInterval, "12 hours")}),
            "2024-01-31 12:00:00");
  EXPECT_EQ(
      Apply("-", {Value(arrow::date32(), "2024-03-01"), Value(arrow::date32(), "2024-02-01")}),
      "29");
  EXPECT_EQ(Apply("-", {Value(kTimestamp, "2024-03-02 01:00"), Value(kTimestamp, "2024-03-01")}),
            "1 day 01:00:00");
  EXPECT_EQ(Apply("*", {Value(kInterval, "1 day"), Number(3)}), "3 days");
  EXPECT_EQ(Apply("+", {Value(kTimestamp, "2024-01-01"), Null()}), "NULL");
  EXPECT_EQ(Apply("+", {Value(kTimestamp, "2024-01-01"), Text("1 day")}), "2024-01-02 00:00:00");
  EXPECT_EQ(Apply("+", {Column(kTimestamp, R"([null, "2024-01-01"])"), Value(kInterval, "1 hour")}),
            "NULL | 2024-01-01 01:00:00");
}

TEST(Time, TruncatesAndExtracts) {
  const auto time = Value(kTimestamp, "2024-05-17 13:45:10.123456");
  EXPECT_EQ(Apply("date_trunc", {Text("month"), time}), "2024-05-01 00:00:00");
  EXPECT_EQ(Apply("date_trunc", {Text("week"), time}), "2024-05-13 00:00:00");
  EXPECT_EQ(Apply("date_trunc", {Text("hour"), time}), "2024-05-17 13:00:00");
  EXPECT_EQ(Apply("date_trunc", {Text("hour"), Value(arrow::date32(), "2024-05-17")}),
            "2024-05-17");
  EXPECT_EQ(Apply("date_part", {Text("year"), time}), "2024");
  EXPECT_EQ(Apply("date_part", {Text("dow"), time}), "5");
  EXPECT_EQ(Apply("date_part", {Text("isodow"), Value(arrow::date32(), "2024-05-19")}), "7");
  EXPECT_EQ(Apply("date_part", {Text("millisecond"), time}), "10123");
  EXPECT_EQ(Apply("date_part", {Text("microsecond"), time}), "10123456");
  EXPECT_EQ(Apply("date_part", {Text("epoch"), Value(kTimestamp, "1970-01-01 00:00:01.5")}), "1.5");
  EXPECT_EQ(Apply("century", {time}), "21");
  EXPECT_EQ(Apply("hour", {Value(arrow::date32(), "2024-05-17")}), "0");
  EXPECT_EQ(Apply("date_part", {Text("hour"), Value(kInterval, "1 day 05:06:07")}), "5");
  EXPECT_EQ(Apply("date_part", {Text("yaer"), time}),
            "bind error: there is no field \"yaer\" of a date\nhint: the nearest field is year");
  EXPECT_EQ(Apply("date_trunc", {Text("fortnight"), time}).substr(0, 54),
            "bind error: there is no unit \"fortnight\" of time\nhint:");
}

TEST(Time, CountsBorders) {
  EXPECT_EQ(Apply("date_diff", {Text("month"), Value(arrow::date32(), "2024-01-31"),
                                Value(arrow::date32(), "2024-03-01")}),
            "2");
  EXPECT_EQ(Apply("date_diff", {Text("day"), Value(kTimestamp, "2024-01-01 23:59"),
                                Value(kTimestamp, "2024-01-02 00:01")}),
            "1");
  EXPECT_EQ(Apply("date_diff", {Text("hour"), Value(arrow::date32(), "2024-01-01"),
                                Value(arrow::date32(), "2024-01-02")}),
            "24");
}

TEST(Time, FormatsAndParses) {
  EXPECT_EQ(Apply("strftime", {Value(arrow::date32(), "2024-05-17"), Text("%d.%m.%Y")}),
            "17.05.2024");
  EXPECT_EQ(Apply("strptime", {Text("17.05.2024"), Text("%d.%m.%Y")}), "2024-05-17 00:00:00");
  EXPECT_EQ(Apply("make_date", {Number(2024), Number(2), Number(29)}), "2024-02-29");
  EXPECT_EQ(Apply("make_date", {Number(2023), Number(2), Number(29)}),
            "data error: there is no date 2023-2-29");
  EXPECT_EQ(Apply("last_day", {Value(arrow::date32(), "2024-02-05")}), "2024-02-29");
  EXPECT_EQ(Apply("to_timestamp", {Real(1.5)}), "1970-01-01 00:00:01.5+00");
  EXPECT_EQ(Apply("dayname", {Value(arrow::date32(), "2024-05-17")}), "Friday");
  EXPECT_EQ(Apply("now", {}), Apply("current_timestamp", {}));
}

}  // namespace
}  // namespace keepone
