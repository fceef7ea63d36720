// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/letter_case.h"
#include "function/arrow_call.h"
#include "function/calendar.h"
#include "function/cast.h"
#include "function/operand.h"
#include "function/scalar_row.h"
#include "function/unplaced_error.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::Datum;
using arrow::internal::checked_cast;
using Resolved = arrow::Result<std::optional<ScalarResolution>>;

// A part of a date or time.
struct Field {
  std::string name;
  std::vector<std::string> aliases;
  bool of_day;  // needs a time of day
  std::string text;
};

const std::vector<Field>& Fields() {
  static const std::vector<Field> fields = {
      {"year", {"years", "y"}, false, "the year"},
      {"quarter", {"quarters"}, false, "the quarter, 1 to 4"},
      {"month", {"months", "mon"}, false, "the month, 1 to 12"},
      {"week", {"weeks", "weekofyear"}, false, "the ISO week, 1 to 53"},
      {"day", {"days", "dayofmonth"}, false, "the day of the month, 1 to 31"},
      {"dayofweek", {"dow", "weekday"}, false, "the day of the week, 0 for Sunday"},
      {"isodow", {}, false, "the day of the week, 1 for Monday to 7"},
      {"dayofyear", {"doy"}, false, "the day of the year, 1 to 366"},
      {"isoyear", {}, false, "the year of the ISO week"},
      {"decade", {"decades"}, false, "the year divided by ten"},
      {"century", {"centuries"}, false, "the century; the 21st began in 2001"},
      {"millennium", {"millennia"}, false, "the millennium; the third began in 2001"},
      {"hour", {"hours"}, true, "the hour, 0 to 23"},
      {"minute", {"minutes"}, true, "the minute, 0 to 59"},
      {"second", {"seconds"}, true, "the whole second, 0 to 59"},
      {"millisecond", {"milliseconds", "ms"}, true, "the seconds in milliseconds, 0 to 59999"},
      {"microsecond", {"microseconds", "us"}, true, "the seconds in microseconds"},
  };
  return fields;
}

const Field* FindField(const std::string& name) {
  for (const Field& field : Fields()) {
    if (field.name == name ||
        std::find(field.aliases.begin(), field.aliases.end(), name) != field.aliases.end()) {
      return &field;
    }
  }
  return nullptr;
}

arrow::Result<Datum> Scaled(QueryContext* context, const Datum& value, int64_t factor) {
  return CallArrow(context, "multiply", {value, Datum(factor)});
}

// seconds * per_second + the parts of a second down to the unit.
arrow::Result<Datum> SecondsAs(QueryContext* context, const Datum& value, bool micros) {
  ARROW_ASSIGN_OR_RAISE(const Datum seconds, CallArrow(context, "second", {value}));
  ARROW_ASSIGN_OR_RAISE(const Datum millis, CallArrow(context, "millisecond", {value}));
  ARROW_ASSIGN_OR_RAISE(Datum sum, Scaled(context, seconds, 1000));
  ARROW_ASSIGN_OR_RAISE(sum, CallArrow(context, "add", {sum, millis}));
  if (!micros) {
    return sum;
  }
  ARROW_ASSIGN_OR_RAISE(const Datum rest, CallArrow(context, "microsecond", {value}));
  ARROW_ASSIGN_OR_RAISE(sum, Scaled(context, sum, 1000));
  return CallArrow(context, "add", {sum, rest});
}

// ceil(year / period): the first century holds the years 1 to 100.
arrow::Result<Datum> Period(QueryContext* context, const Datum& value, int64_t period) {
  ARROW_ASSIGN_OR_RAISE(const Datum year, CallArrow(context, "year", {value}));
  ARROW_ASSIGN_OR_RAISE(const Datum raised, CallArrow(context, "add", {year, Datum(period - 1)}));
  return CallArrow(context, "divide", {raised, Datum(period)});
}

arrow::Result<Datum> ExtractField(QueryContext* context, const std::string& field,
                                  const Datum& value) {
  if (field == "week") {
    return CallArrow(context, "iso_week", {value});
  }
  if (field == "isoyear") {
    return CallArrow(context, "iso_year", {value});
  }
  if (field == "dayofyear") {
    return CallArrow(context, "day_of_year", {value});
  }
  if (field == "dayofweek" || field == "isodow") {
    const bool iso = field == "isodow";
    const arrow::compute::DayOfWeekOptions options(!iso, iso ? 1 : 7);
    return CallArrow(context, "day_of_week", {value}, &options);
  }
  if (field == "millisecond" || field == "microsecond") {
    return SecondsAs(context, value, field == "microsecond");
  }
  if (field == "century" || field == "millennium") {
    return Period(context, value, field == "century" ? 100 : 1000);
  }
  if (field == "decade") {
    ARROW_ASSIGN_OR_RAISE(const Datum year, CallArrow(context, "year", {value}));
    return CallArrow(context, "divide", {year, Datum(int64_t{10})});
  }
  return CallArrow(context, field, {value});
}

std::optional<int64_t> IntervalField(const arrow::MonthDayNanoIntervalType::MonthDayNanos& value,
                                     const std::string& field) {
  if (field == "year") {
    return value.months / 12;
  }
  if (field == "month") {
    return value.months % 12;
  }
  if (field == "day") {
    return value.days;
  }
  if (field == "hour") {
    return value.nanoseconds / 3600000000000;
  }
  if (field == "minute") {
    return value.nanoseconds / 60000000000 % 60;
  }
  if (field == "second") {
    return value.nanoseconds / 1000000000 % 60;
  }
  if (field == "millisecond") {
    return value.nanoseconds / 1000000 % 60000;
  }
  if (field == "microsecond") {
    return value.nanoseconds / 1000 % 60000000;
  }
  return std::nullopt;
}

Resolved ResolveIntervalField(const std::string& field) {
  if (!IntervalField({0, 0, 0}, field).has_value()) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {arrow::month_day_nano_interval()};
  resolution.result_type = arrow::int64();
  resolution.run =
      RowWise([field](const ScalarCall&,
                      const Operands& operands) -> arrow::Result<std::shared_ptr<arrow::Array>> {
        const auto values = operands.At<arrow::MonthDayNanoIntervalArray>(0);
        arrow::Int64Builder builder(operands.pool());
        ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
        for (int64_t row = 0; row < operands.length(); ++row) {
          if (values.IsNull(row)) {
            builder.UnsafeAppendNull();
          } else {
            builder.UnsafeAppend(*IntervalField(values.Value(row), field));
          }
        }
        return builder.Finish();
      });
  return resolution;
}

// The type in which a field is taken from an argument; nullptr when it is no date or time.
TypePtr PartArgumentType(const ScalarArgument& argument, bool of_day) {
  const TypePtr type = PlainType(argument.type);
  const TypePtr timestamp = arrow::timestamp(arrow::TimeUnit::MICRO);
  if (type->id() == arrow::Type::TIMESTAMP || (of_day && arrow::is_time(type->id()))) {
    return type;
  }
  if (arrow::is_date(type->id())) {
    return of_day ? timestamp : arrow::date32();
  }
  return IsTextLiteral(argument) || type->id() == arrow::Type::NA ? timestamp : nullptr;
}

Resolved ResolveField(const Field& field, const ScalarArgument& argument) {
  if (IsIntervalType(*PlainType(argument.type))) {
    return ResolveIntervalField(field.name);
  }
  const TypePtr type = PartArgumentType(argument, field.of_day);
  if (type == nullptr) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {type};
  resolution.result_type = arrow::int64();
  resolution.run = [name = field.name](const ScalarCall& call, const std::vector<Datum>& values) {
    return ExtractField(call.context, name, values[0]);
  };
  return resolution;
}

// Seconds since 1970 with their fraction; of an interval with months of 30 days.
Resolved ResolveEpoch(const ScalarArgument& argument) {
  ScalarResolution resolution;
  resolution.result_type = arrow::float64();
  if (IsIntervalType(*PlainType(argument.type))) {
    resolution.argument_types = {arrow::month_day_nano_interval()};
    resolution.run =
        RowWise([](const ScalarCall&,
                   const Operands& operands) -> arrow::Result<std::shared_ptr<arrow::Array>> {
          const auto values = operands.At<arrow::MonthDayNanoIntervalArray>(0);
          arrow::DoubleBuilder builder(operands.pool());
          for (int64_t row = 0; row < operands.length(); ++row) {
            const auto value =
                values.IsNull(row) ? decltype(values.Value(row)){} : values.Value(row);
            const double days = value.months * 30.0 + value.days;
            ARROW_RETURN_NOT_OK(
                values.IsNull(row)
                    ? builder.AppendNull()
                    : builder.Append(days * 86400 + static_cast<double>(value.nanoseconds) / 1e9));
          }
          return builder.Finish();
        });
    return resolution;
  }
  TypePtr type = PartArgumentType(argument, true);
  if (type == nullptr || type->id() != arrow::Type::TIMESTAMP) {
    return std::nullopt;
  }
  const auto per_second =
      static_cast<double>(UnitsPerSecond(checked_cast<const arrow::TimestampType&>(*type).unit()));
  resolution.argument_types = {type};
  resolution.run = [per_second](const ScalarCall& call,
                                const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Datum units,
                          CallArrowCast(call.context, values[0], arrow::int64(), ArrowCast::kSafe));
    ARROW_ASSIGN_OR_RAISE(const Datum number,
                          CallArrowCast(call.context, units, arrow::float64(), ArrowCast::kLossy));
    return CallArrow(call.context, "divide", {number, Datum(per_second)});
  };
  return resolution;
}

// date_part('field', x)
Resolved ResolveDatePart(ScalarArguments arguments) {
  if (arguments.size() != 2) {
    return std::nullopt;
  }
  const std::optional<std::string> literal = LiteralText(arguments[0]);
  if (!literal.has_value()) {
    return UnplacedBindError("date_part takes the field as a literal: date_part('month', x)");
  }
  const std::string name = LowerCase(*literal);
  Resolved part = std::nullopt;
  if (name == "epoch") {
    part = ResolveEpoch(arguments[1]);
  } else if (const Field* field = FindField(name)) {
    part = ResolveField(*field, arguments[1]);
  } else {
    std::vector<std::string> names = {"epoch"};
    for (const Field& known : Fields()) {
      names.push_back(known.name);
      names.insert(names.end(), known.aliases.begin(), known.aliases.end());
    }
    const arrow::Status status =
        UnplacedBindError("there is no field \"", *literal, "\" of a date");
    const std::string nearest = NearestName(name, names);
    return WithHint(status, nearest.empty() ? "fields are year, month, day, hour, epoch, ..."
                                            : "the nearest field is " + nearest);
  }
  ARROW_ASSIGN_OR_RAISE(std::optional<ScalarResolution> resolution, std::move(part));
  if (resolution.has_value()) {
    resolution->argument_types.insert(resolution->argument_types.begin(), arguments[0].type);
    resolution->run = [run = resolution->run](const ScalarCall& call,
                                              const std::vector<Datum>& values) {
      return run(call, {values[1]});
    };
  }
  return resolution;
}

// year(x), month(x), ...
ScalarRow FieldRow(const Field& field) {
  std::vector<std::string> aliases;
  for (const std::string& alias : field.aliases) {
    if (alias.size() > 2 && alias != "mon") {
      aliases.push_back(alias);
    }
  }
  return {
      field.name, std::move(aliases),
      field.name + (field.of_day ? "(TIMESTAMP | TIME) -> BIGINT" : "(DATE | TIMESTAMP) -> BIGINT"),
      field.text, [&field](ScalarArguments arguments) -> Resolved {
        return arguments.size() == 1 ? ResolveField(field, arguments[0]) : Resolved(std::nullopt);
      }};
}

ScalarRow EpochCountRow(const std::string& name, arrow::TimeUnit::type unit,
                        const std::string& units) {
  return {name,
          {},
          name + "(TIMESTAMP) -> BIGINT",
          units + " since 1970",
          [unit](ScalarArguments arguments) -> Resolved {
            const TypePtr type =
                arguments.size() == 1 ? PartArgumentType(arguments[0], true) : nullptr;
            if (type == nullptr || type->id() != arrow::Type::TIMESTAMP) {
              return std::nullopt;
            }
            ScalarResolution resolution;
            resolution.argument_types = {arrow::timestamp(unit)};
            resolution.result_type = arrow::int64();
            resolution.run = [](const ScalarCall& call, const std::vector<Datum>& values) {
              return CallArrowCast(call.context, values[0], arrow::int64(), ArrowCast::kSafe);
            };
            return resolution;
          }};
}

}  // namespace

std::vector<ScalarRow> ExtractRows() {
  std::vector<ScalarRow> rows = {
      {"date_part",
       {"extract", "datepart"},
       "date_part(VARCHAR field, DATE | TIMESTAMP | TIME | INTERVAL) -> BIGINT",
       "extract(field FROM x); epoch gives DOUBLE",
       ResolveDatePart},
      {"epoch",
       {},
       "epoch(TIMESTAMP | INTERVAL) -> DOUBLE",
       "seconds since 1970",
       [](ScalarArguments arguments) -> Resolved {
         return arguments.size() == 1 ? ResolveEpoch(arguments[0]) : Resolved(std::nullopt);
       }},
      EpochCountRow("epoch_ms", arrow::TimeUnit::MILLI, "milliseconds"),
      EpochCountRow("epoch_us", arrow::TimeUnit::MICRO, "microseconds"),
      EpochCountRow("epoch_ns", arrow::TimeUnit::NANO, "nanoseconds"),
  };
  for (const Field& field : Fields()) {
    rows.push_back(FieldRow(field));
  }
  return rows;
}

}  // namespace keepone
