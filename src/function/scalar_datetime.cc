// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/array/concatenate.h>
#include <arrow/compute/api.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "function/arrow_call.h"
#include "function/calendar.h"
#include "function/cast.h"
#include "function/interval_arithmetic.h"
#include "function/operand.h"
#include "function/scalar_row.h"
#include "function/unplaced_error.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::Datum;
using arrow::compute::CalendarUnit;
using Resolved = arrow::Result<std::optional<ScalarResolution>>;
using ArrayPtr = std::shared_ptr<arrow::Array>;

struct Unit {
  std::string name;
  CalendarUnit unit;
  bool of_day;
  std::string between;  // Arrow's kernel that counts the borders between two instants
};

const std::vector<Unit>& Units() {
  static const std::vector<Unit> units = {
      {"year", CalendarUnit::YEAR, false, "years_between"},
      {"quarter", CalendarUnit::QUARTER, false, "quarters_between"},
      {"month", CalendarUnit::MONTH, false, ""},
      {"week", CalendarUnit::WEEK, false, "weeks_between"},
      {"day", CalendarUnit::DAY, false, "days_between"},
      {"hour", CalendarUnit::HOUR, true, "hours_between"},
      {"minute", CalendarUnit::MINUTE, true, "minutes_between"},
      {"second", CalendarUnit::SECOND, true, "seconds_between"},
      {"millisecond", CalendarUnit::MILLISECOND, true, "milliseconds_between"},
      {"microsecond", CalendarUnit::MICROSECOND, true, "microseconds_between"},
  };
  return units;
}

arrow::Result<Unit> UnitOf(const std::string& function, const ScalarArgument& argument) {
  const std::optional<std::string> literal = LiteralText(argument);
  if (!literal.has_value()) {
    return UnplacedBindError(function, " takes the unit as a literal: ", function,
                             "('month', ...)");
  }
  std::string name = *literal;
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  std::vector<std::string> names;
  for (const Unit& unit : Units()) {
    if (name == unit.name || name == unit.name + "s") {
      return unit;
    }
    names.push_back(unit.name);
  }
  const std::string nearest = NearestName(name, names);
  return WithHint(UnplacedBindError("there is no unit \"", *literal, "\" of time"),
                  nearest.empty()
                      ? "units are year, quarter, month, week, day, hour, minute, second, ..."
                      : "the nearest unit is " + nearest);
}

// The date or timestamp that an argument is; texts and NULL are timestamps.
TypePtr InstantType(const ScalarArgument& argument) {
  const TypePtr type = PlainType(argument.type);
  if (type->id() == arrow::Type::TIMESTAMP || type->id() == arrow::Type::DATE32) {
    return type;
  }
  if (type->id() == arrow::Type::DATE64) {
    return arrow::date32();
  }
  const bool converts = IsTextLiteral(argument) || type->id() == arrow::Type::NA;
  return converts ? arrow::timestamp(arrow::TimeUnit::MICRO) : nullptr;
}

Resolved ResolveTrunc(ScalarArguments arguments) {
  const TypePtr type = arguments.size() == 2 ? InstantType(arguments[1]) : nullptr;
  if (type == nullptr) {
    return std::nullopt;
  }
  ARROW_ASSIGN_OR_RAISE(const Unit unit, UnitOf("date_trunc", arguments[0]));
  ScalarResolution resolution;
  resolution.argument_types = {arguments[0].type, type};
  resolution.result_type = type;
  const bool unchanged = type->id() == arrow::Type::DATE32 && unit.of_day;
  resolution.run = [unit, unchanged](const ScalarCall& call,
                                     const std::vector<Datum>& values) -> arrow::Result<Datum> {
    if (unchanged) {
      return values[1];
    }
    const arrow::compute::RoundTemporalOptions options(1, unit.unit);
    return CallArrow(call.context, "floor_temporal", {values[1]}, &options);
  };
  return resolution;
}

arrow::Result<Datum> MonthNumber(const ScalarCall& call, const Datum& value) {
  ARROW_ASSIGN_OR_RAISE(const Datum year, CallArrow(call.context, "year", {value}));
  ARROW_ASSIGN_OR_RAISE(const Datum month, CallArrow(call.context, "month", {value}));
  ARROW_ASSIGN_OR_RAISE(const Datum months,
                        CallArrow(call.context, "multiply", {year, Datum(int64_t{12})}));
  return CallArrow(call.context, "add", {months, month});
}

// date_diff('unit', from, to): the borders of the unit that lie between.
Resolved ResolveDiff(ScalarArguments arguments) {
  if (arguments.size() != 3) {
    return std::nullopt;
  }
  TypePtr type = MeetingType(arguments.subspan(1));
  if (type == nullptr || InstantType(arguments[1]) == nullptr ||
      InstantType(arguments[2]) == nullptr) {
    return std::nullopt;
  }
  ARROW_ASSIGN_OR_RAISE(const Unit unit, UnitOf("date_diff", arguments[0]));
  if (type->id() != arrow::Type::TIMESTAMP && (unit.of_day || !arrow::is_date(type->id()))) {
    type = arrow::timestamp(arrow::TimeUnit::MICRO);
  }
  ScalarResolution resolution;
  resolution.argument_types = {arguments[0].type, type, type};
  resolution.result_type = arrow::int64();
  resolution.run = [unit](const ScalarCall& call,
                          const std::vector<Datum>& values) -> arrow::Result<Datum> {
    if (!unit.between.empty()) {
      return CallArrow(call.context, unit.between, {values[1], values[2]});
    }
    ARROW_ASSIGN_OR_RAISE(const Datum from, MonthNumber(call, values[1]));
    ARROW_ASSIGN_OR_RAISE(const Datum to, MonthNumber(call, values[2]));
    return CallArrow(call.context, "subtract", {to, from});
  };
  return resolution;
}

// date_add(x, interval) and date_sub(x, interval)
ScalarResolver AddInterval(std::string kernel) {
  return [kernel = std::move(kernel)](ScalarArguments arguments) -> Resolved {
    return arguments.size() == 2 ? ResolveTemporalArithmetic(kernel, arguments)
                                 : Resolved(std::nullopt);
  };
}

// The time at which the query began, the same in all of it.
Resolved ResolveNow(ScalarArguments arguments, const TypePtr& type) {
  if (!arguments.empty()) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.result_type = type;
  resolution.run = [type](const ScalarCall& call,
                          const std::vector<Datum>&) -> arrow::Result<Datum> {
    const Datum now(std::make_shared<arrow::TimestampScalar>(
        call.context->start_us(), arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")));
    return CastDatum(call.context, now, type, false);
  };
  return resolution;
}

ScalarRow NowRow(const std::string& name, std::vector<std::string> aliases, TypePtr type,
                 const std::string& text) {
  return {name, std::move(aliases), name + "() -> " + SqlTypeName(*type), text,
          [type](ScalarArguments arguments) { return ResolveNow(arguments, type); }};
}

std::string ScalarText(const Datum& value) {
  return value.scalar()->ToString();
}

// Runs `one` for the whole batch when the format is a scalar, else row by row.
using OneFormat = arrow::Result<Datum> (*)(QueryContext*, const Datum&, const std::string&);
ScalarKernel FormatKernel(TypePtr type, OneFormat one) {
  return [type, one](const ScalarCall& call,
                     const std::vector<Datum>& values) -> arrow::Result<Datum> {
    if (values[1].is_scalar() && values[1].scalar()->is_valid) {
      return one(call.context, values[0], ScalarText(values[1]));
    }
    const auto each =
        RowWise([&](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
          ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(type, operands.pool()));
          const auto texts = operands.At<arrow::StringArray>(1);
          const auto inputs = operands.At<arrow::Array>(0);
          for (int64_t row = 0; row < operands.length(); ++row) {
            if (operands.AnyNull(row)) {
              ARROW_RETURN_NOT_OK(builder->AppendNull());
              continue;
            }
            ARROW_ASSIGN_OR_RAISE(auto input, inputs.array().GetScalar(inputs.Position(row)));
            ARROW_ASSIGN_OR_RAISE(const Datum answer,
                                  one(call.context, Datum(input), std::string(texts.Value(row))));
            ARROW_RETURN_NOT_OK(builder->AppendScalar(*answer.scalar()));
          }
          return builder->Finish();
        });
    return each(call, values);
  };
}

arrow::Status FormatError(const arrow::Status& status) {
  return status.IsInvalid() && GetErrorDetail(status) == nullptr ? DataError(status.message())
                                                                 : status;
}

arrow::Result<Datum> FormatTime(QueryContext* context, const Datum& value,
                                const std::string& format) {
  const arrow::compute::StrftimeOptions options(format, "C");
  const arrow::Result<Datum> answer = CallArrow(context, "strftime", {value}, &options);
  return answer.ok() ? answer : arrow::Result<Datum>(FormatError(answer.status()));
}

arrow::Result<Datum> ParseTime(QueryContext* context, const Datum& value,
                               const std::string& format) {
  const arrow::compute::StrptimeOptions options(format, arrow::TimeUnit::MICRO);
  const arrow::Result<Datum> answer = CallArrow(context, "strptime", {value}, &options);
  if (!answer.ok()) {
    return FormatError(answer.status());
  }
  return CastDatum(context, *answer, arrow::timestamp(arrow::TimeUnit::MICRO), false);
}

// strftime(x, format)
Resolved ResolveStrftime(ScalarArguments arguments) {
  if (arguments.size() != 2) {
    return std::nullopt;
  }
  const TypePtr type = InstantType(arguments[0]);
  if (type == nullptr || !ConvertsTo(arguments[1], *arrow::utf8())) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {type, arrow::utf8()};
  resolution.result_type = arrow::utf8();
  resolution.run = FormatKernel(arrow::utf8(), FormatTime);
  return resolution;
}

ScalarResolver NameOf(std::string format) {
  return [format = std::move(format)](ScalarArguments arguments) -> Resolved {
    const TypePtr type = arguments.size() == 1 ? InstantType(arguments[0]) : nullptr;
    if (type == nullptr) {
      return std::nullopt;
    }
    ScalarResolution resolution;
    resolution.argument_types = {type};
    resolution.result_type = arrow::utf8();
    resolution.run = [format](const ScalarCall& call, const std::vector<Datum>& values) {
      return FormatTime(call.context, values[0], format);
    };
    return resolution;
  };
}

arrow::Result<ArrayPtr> MakeDates(const ScalarCall&, const Operands& operands) {
  const auto years = operands.At<arrow::Int64Array>(0);
  const auto months = operands.At<arrow::Int64Array>(1);
  const auto days = operands.At<arrow::Int64Array>(2);
  arrow::Date32Builder builder(arrow::date32(), operands.pool());
  ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
  for (int64_t row = 0; row < operands.length(); ++row) {
    if (operands.AnyNull(row)) {
      builder.UnsafeAppendNull();
      continue;
    }
    const CivilDate date{years.Value(row), months.Value(row), days.Value(row)};
    if (date.year < -999999 || date.year > 999999 || date.month < 1 || date.month > 12 ||
        date.day < 1 || date.day > DaysInMonth(date.year, date.month)) {
      return DataError("there is no date ", date.year, "-", date.month, "-", date.day);
    }
    builder.UnsafeAppend(static_cast<int32_t>(DaysFromCivil(date)));
  }
  return builder.Finish();
}

arrow::Result<ArrayPtr> LastDays(const ScalarCall&, const Operands& operands) {
  const auto dates = operands.At<arrow::Date32Array>(0);
  arrow::Date32Builder builder(arrow::date32(), operands.pool());
  ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
  for (int64_t row = 0; row < operands.length(); ++row) {
    if (dates.IsNull(row)) {
      builder.UnsafeAppendNull();
      continue;
    }
    CivilDate date = CivilFromDays(dates.Value(row));
    date.day = DaysInMonth(date.year, date.month);
    builder.UnsafeAppend(static_cast<int32_t>(DaysFromCivil(date)));
  }
  return builder.Finish();
}

Resolved ResolveLastDay(ScalarArguments arguments) {
  if (arguments.size() != 1 || InstantType(arguments[0]) == nullptr) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {arrow::date32()};
  resolution.result_type = arrow::date32();
  resolution.run = RowWise(LastDays);
  return resolution;
}

// Seconds since 1970, to the microsecond.
arrow::Result<ArrayPtr> FromSeconds(const ScalarCall&, const Operands& operands) {
  const auto seconds = operands.At<arrow::DoubleArray>(0);
  arrow::TimestampBuilder builder(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), operands.pool());
  ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
  for (int64_t row = 0; row < operands.length(); ++row) {
    if (seconds.IsNull(row)) {
      builder.UnsafeAppendNull();
      continue;
    }
    const double micros = std::round(seconds.Value(row) * 1e6);
    if (!(std::abs(micros) < 9.2e18)) {
      return DataError("overflow: ", seconds.Value(row), " seconds leave the range of TIMESTAMP");
    }
    builder.UnsafeAppend(static_cast<int64_t>(micros));
  }
  return builder.Finish();
}

}  // namespace

std::vector<ScalarRow> DateTimeRows() {
  const TypePtr zoned = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const TypePtr integer = arrow::int64();
  return {
      {"date_trunc",
       {"datetrunc"},
       "date_trunc(VARCHAR unit, DATE | TIMESTAMP) -> DATE | TIMESTAMP",
       "the begin of the unit; weeks begin on Monday",
       ResolveTrunc},
      {"date_diff",
       {"datediff"},
       "date_diff(VARCHAR unit, TIMESTAMP from, TIMESTAMP to) -> BIGINT",
       "how many borders of the unit lie between",
       ResolveDiff},
      {"date_add",
       {},
       "date_add(DATE | TIMESTAMP, INTERVAL) -> TIMESTAMP",
       "x + interval",
       AddInterval("add")},
      {"date_sub",
       {},
       "date_sub(DATE | TIMESTAMP, INTERVAL) -> TIMESTAMP",
       "x - interval",
       AddInterval("subtract")},
      NowRow("now", {"current_timestamp", "get_current_timestamp", "transaction_timestamp"}, zoned,
             "when the query began"),
      NowRow("current_date", {"today"}, arrow::date32(),
             "the day on which the query began, in UTC"),
      NowRow("current_time", {}, arrow::time64(arrow::TimeUnit::MICRO),
             "the time of day at which the query began, in UTC"),
      NowRow("localtimestamp", {}, arrow::timestamp(arrow::TimeUnit::MICRO),
             "when the query began, in UTC without a zone"),
      {"strftime",
       {},
       "strftime(DATE | TIMESTAMP, VARCHAR format) -> VARCHAR",
       "the time as text, with %Y, %m, %d, %H, %M, %S, ...",
       ResolveStrftime},
      {"strptime",
       {},
       "strptime(VARCHAR, VARCHAR format) -> TIMESTAMP",
       "a text as a time",
       Overloads({{{arrow::utf8(), arrow::utf8()},
                   arrow::timestamp(arrow::TimeUnit::MICRO),
                   FormatKernel(arrow::timestamp(arrow::TimeUnit::MICRO), ParseTime)}})},
      {"dayname",
       {},
       "dayname(DATE | TIMESTAMP) -> VARCHAR",
       "the day's name: Monday",
       NameOf("%A")},
      {"monthname",
       {},
       "monthname(DATE | TIMESTAMP) -> VARCHAR",
       "the month's name: January",
       NameOf("%B")},
      {"make_date",
       {},
       "make_date(BIGINT year, BIGINT month, BIGINT day) -> DATE",
       "the date",
       Overloads({{{integer, integer, integer}, arrow::date32(), RowWise(MakeDates)}})},
      {"last_day",
       {},
       "last_day(DATE | TIMESTAMP) -> DATE",
       "the last day of the month",
       ResolveLastDay},
      {"to_timestamp",
       {},
       "to_timestamp(DOUBLE) -> TIMESTAMP WITH TIME ZONE",
       "seconds since 1970 as a time",
       Overloads({{{arrow::float64()}, zoned, RowWise(FromSeconds)}})},
  };
}

}  // namespace keepone
