// SPDX-License-Identifier: Apache-2.0
#include "function/interval_arithmetic.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "function/calendar.h"
#include "function/cast.h"
#include "function/operand.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
using MonthDayNanos = arrow::MonthDayNanoIntervalType::MonthDayNanos;
using ArrayPtr = std::shared_ptr<arrow::Array>;

arrow::Status OutOfRange(const arrow::DataType& type) {
  return DataError("overflow: the result leaves the range of ", SqlTypeName(type));
}

// Months first, kept within the shorter month; then days; then time. False on overflow.
bool AddIntervalTo(int64_t value, int64_t per_second, const MonthDayNanos& interval, int64_t* out) {
  const int64_t per_day = 86400 * per_second;
  int64_t days = FloorDivide(value, per_day);
  const int64_t time = value - days * per_day;
  if (interval.months != 0) {
    CivilDate date = CivilFromDays(days);
    const int64_t months = date.year * 12 + date.month - 1 + interval.months;
    date.year = FloorDivide(months, 12);
    date.month = months - date.year * 12 + 1;
    date.day = std::min(date.day, DaysInMonth(date.year, date.month));
    days = DaysFromCivil(date);
  }
  days += interval.days;
  const int64_t units = FloorDivide(interval.nanoseconds, 1000000000 / per_second);
  int64_t instant = 0;
  return !__builtin_mul_overflow(days, per_day, &instant) &&
         !__builtin_add_overflow(instant, time, &instant) &&
         !__builtin_add_overflow(instant, units, out);
}

bool Negate(const MonthDayNanos& value, MonthDayNanos* out) {
  return !__builtin_sub_overflow(0, value.months, &out->months) &&
         !__builtin_sub_overflow(0, value.days, &out->days) &&
         !__builtin_sub_overflow(0, value.nanoseconds, &out->nanoseconds);
}

bool Add(const MonthDayNanos& a, const MonthDayNanos& b, MonthDayNanos* out) {
  return !__builtin_add_overflow(a.months, b.months, &out->months) &&
         !__builtin_add_overflow(a.days, b.days, &out->days) &&
         !__builtin_add_overflow(a.nanoseconds, b.nanoseconds, &out->nanoseconds);
}

bool Multiply(const MonthDayNanos& a, int64_t factor, MonthDayNanos* out) {
  return !__builtin_mul_overflow(a.months, factor, &out->months) &&
         !__builtin_mul_overflow(a.days, factor, &out->days) &&
         !__builtin_mul_overflow(a.nanoseconds, factor, &out->nanoseconds);
}

template <typename Builder, typename Compute>
arrow::Result<ArrayPtr> EachRow(const Operands& operands, Builder* builder, const TypePtr& type,
                                Compute compute) {
  ARROW_RETURN_NOT_OK(builder->Reserve(operands.length()));
  for (int64_t row = 0; row < operands.length(); ++row) {
    if (operands.AnyNull(row)) {
      builder->UnsafeAppendNull();
    } else if (!compute(row)) {
      return OutOfRange(*type);
    }
  }
  return builder->Finish();
}

enum class Sign { kPlus, kMinus };

ScalarKernel InstantAndInterval(const TypePtr& type, size_t instant_index, Sign sign) {
  return RowWise([=](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
    const int64_t per_second =
        UnitsPerSecond(checked_cast<const arrow::TimestampType&>(*type).unit());
    const auto instants = operands.At<arrow::TimestampArray>(instant_index);
    const auto intervals = operands.At<arrow::MonthDayNanoIntervalArray>(1 - instant_index);
    arrow::TimestampBuilder builder(type, operands.pool());
    return EachRow(operands, &builder, type, [&](int64_t row) {
      MonthDayNanos interval = intervals.Value(row);
      int64_t value = 0;
      if ((sign == Sign::kMinus && !Negate(interval, &interval)) ||
          !AddIntervalTo(instants.Value(row), per_second, interval, &value)) {
        return false;
      }
      builder.UnsafeAppend(value);
      return true;
    });
  });
}

ScalarKernel DateAndDays(size_t date_index, Sign sign) {
  return RowWise([=](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
    const auto dates = operands.At<arrow::Date32Array>(date_index);
    const auto days = operands.At<arrow::Int64Array>(1 - date_index);
    arrow::Date32Builder builder(arrow::date32(), operands.pool());
    return EachRow(operands, &builder, arrow::date32(), [&](int64_t row) {
      int64_t step = days.Value(row);
      int32_t value = 0;
      if ((sign == Sign::kMinus && __builtin_sub_overflow(int64_t{0}, step, &step)) ||
          __builtin_add_overflow(step, dates.Value(row), &value)) {
        return false;
      }
      builder.UnsafeAppend(value);
      return true;
    });
  });
}

ScalarKernel DaysBetween() {
  return RowWise([](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
    const auto left = operands.At<arrow::Date32Array>(0);
    const auto right = operands.At<arrow::Date32Array>(1);
    arrow::Int64Builder builder(operands.pool());
    return EachRow(operands, &builder, arrow::int64(), [&](int64_t row) {
      builder.UnsafeAppend(int64_t{left.Value(row)} - right.Value(row));
      return true;
    });
  });
}

// Whole days, then time: both have the sign of the difference.
ScalarKernel TimeBetween(const TypePtr& type) {
  return RowWise([type](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
    const int64_t per_second =
        UnitsPerSecond(checked_cast<const arrow::TimestampType&>(*type).unit());
    const auto left = operands.At<arrow::TimestampArray>(0);
    const auto right = operands.At<arrow::TimestampArray>(1);
    const TypePtr interval = arrow::month_day_nano_interval();
    arrow::MonthDayNanoIntervalBuilder builder(interval, operands.pool());
    return EachRow(operands, &builder, interval, [&](int64_t row) {
      int64_t difference = 0;
      if (__builtin_sub_overflow(left.Value(row), right.Value(row), &difference)) {
        return false;
      }
      const int64_t days = difference / (86400 * per_second);
      if (days > std::numeric_limits<int32_t>::max() ||
          days < std::numeric_limits<int32_t>::min()) {
        return false;
      }
      const int64_t rest = difference % (86400 * per_second);
      builder.UnsafeAppend({0, static_cast<int32_t>(days), rest * (1000000000 / per_second)});
      return true;
    });
  });
}

ScalarKernel IntervalAndInterval(Sign sign) {
  return RowWise([sign](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
    const auto left = operands.At<arrow::MonthDayNanoIntervalArray>(0);
    const auto right = operands.At<arrow::MonthDayNanoIntervalArray>(1);
    const TypePtr type = arrow::month_day_nano_interval();
    arrow::MonthDayNanoIntervalBuilder builder(type, operands.pool());
    return EachRow(operands, &builder, type, [&](int64_t row) {
      MonthDayNanos value = right.Value(row);
      if ((sign == Sign::kMinus && !Negate(value, &value)) ||
          !Add(left.Value(row), value, &value)) {
        return false;
      }
      builder.UnsafeAppend(value);
      return true;
    });
  });
}

ScalarKernel IntervalTimes(size_t interval_index) {
  return RowWise([=](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
    const auto intervals = operands.At<arrow::MonthDayNanoIntervalArray>(interval_index);
    const auto factors = operands.At<arrow::Int64Array>(1 - interval_index);
    const TypePtr type = arrow::month_day_nano_interval();
    arrow::MonthDayNanoIntervalBuilder builder(type, operands.pool());
    return EachRow(operands, &builder, type, [&](int64_t row) {
      MonthDayNanos value{};
      if (!Multiply(intervals.Value(row), factors.Value(row), &value)) {
        return false;
      }
      builder.UnsafeAppend(value);
      return true;
    });
  });
}

// What an argument is in the arithmetic of time.
enum class Kind { kDate, kInstant, kInterval, kInteger, kText, kNull, kOther };

Kind KindOf(const ScalarArgument& argument) {
  const TypePtr type = PlainType(argument.type);
  if (IsTextLiteral(argument)) {
    return Kind::kText;
  }
  if (type->id() == arrow::Type::NA) {
    return Kind::kNull;
  }
  if (arrow::is_date(type->id())) {
    return Kind::kDate;
  }
  if (type->id() == arrow::Type::TIMESTAMP) {
    return Kind::kInstant;
  }
  if (IsIntervalType(*type)) {
    return Kind::kInterval;
  }
  return arrow::is_integer(type->id()) ? Kind::kInteger : Kind::kOther;
}

// What NULL and a literal of text mean beside the other side: `ts + '1 day'`.
Kind Completed(Kind kind, Kind other, const std::string& kernel) {
  const bool beside_time =
      other == Kind::kDate || other == Kind::kInstant || other == Kind::kInterval;
  const bool is_interval = kind == Kind::kNull || (kind == Kind::kText && kernel == "add");
  if (!beside_time || !is_interval) {
    return kind;
  }
  if (kernel == "multiply" || (other == Kind::kDate && kind == Kind::kNull)) {
    return Kind::kInteger;
  }
  return Kind::kInterval;
}

ScalarResolution Resolution(TypePtr left, TypePtr right, TypePtr result, ScalarKernel run) {
  ScalarResolution resolution;
  resolution.argument_types = {std::move(left), std::move(right)};
  resolution.result_type = std::move(result);
  resolution.run = std::move(run);
  return resolution;
}

std::optional<ScalarResolution> ResolveDifference(ScalarArguments arguments, Kind left,
                                                  Kind right) {
  const auto is_instant = [](Kind kind) { return kind == Kind::kDate || kind == Kind::kInstant; };
  const auto meets = [&](Kind kind) { return is_instant(kind) || kind == Kind::kText; };
  if (!meets(left) || !meets(right) || (!is_instant(left) && !is_instant(right))) {
    return std::nullopt;
  }
  const TypePtr type = MeetingType(arguments);
  if (type->id() != arrow::Type::TIMESTAMP) {
    return Resolution(arrow::date32(), arrow::date32(), arrow::int64(), DaysBetween());
  }
  return Resolution(type, type, arrow::month_day_nano_interval(), TimeBetween(type));
}

}  // namespace

std::optional<ScalarResolution> ResolveIntervalNegation() {
  const TypePtr type = arrow::month_day_nano_interval();
  ScalarResolution resolution;
  resolution.argument_types = {type};
  resolution.result_type = type;
  resolution.run =
      RowWise([type](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
        const auto values = operands.At<arrow::MonthDayNanoIntervalArray>(0);
        arrow::MonthDayNanoIntervalBuilder builder(type, operands.pool());
        return EachRow(operands, &builder, type, [&](int64_t row) {
          MonthDayNanos value{};
          if (!Negate(values.Value(row), &value)) {
            return false;
          }
          builder.UnsafeAppend(value);
          return true;
        });
      });
  return resolution;
}

arrow::Result<std::optional<ScalarResolution>> ResolveTemporalArithmetic(
    const std::string& kernel, ScalarArguments arguments) {
  const Kind left = Completed(KindOf(arguments[0]), KindOf(arguments[1]), kernel);
  const Kind right = Completed(KindOf(arguments[1]), KindOf(arguments[0]), kernel);
  const TypePtr interval = arrow::month_day_nano_interval();
  if (kernel == "multiply") {
    if (left == Kind::kInterval && right == Kind::kInteger) {
      return Resolution(interval, arrow::int64(), interval, IntervalTimes(0));
    }
    if (left == Kind::kInteger && right == Kind::kInterval) {
      return Resolution(arrow::int64(), interval, interval, IntervalTimes(1));
    }
    return std::nullopt;
  }
  if (kernel != "add" && kernel != "subtract") {
    return std::nullopt;
  }
  const Sign sign = kernel == "add" ? Sign::kPlus : Sign::kMinus;
  const auto instant_type = [](const ScalarArgument& argument) {
    const TypePtr type = PlainType(argument.type);
    return type->id() == arrow::Type::TIMESTAMP ? type : arrow::timestamp(arrow::TimeUnit::MICRO);
  };
  const auto is_instant = [](Kind kind) { return kind == Kind::kDate || kind == Kind::kInstant; };
  if (is_instant(left) && right == Kind::kInterval) {
    const TypePtr type = instant_type(arguments[0]);
    return Resolution(type, interval, type, InstantAndInterval(type, 0, sign));
  }
  if (left == Kind::kInterval && is_instant(right) && sign == Sign::kPlus) {
    const TypePtr type = instant_type(arguments[1]);
    return Resolution(interval, type, type, InstantAndInterval(type, 1, sign));
  }
  if (left == Kind::kDate && right == Kind::kInteger) {
    return Resolution(arrow::date32(), arrow::int64(), arrow::date32(), DateAndDays(0, sign));
  }
  if (left == Kind::kInteger && right == Kind::kDate && sign == Sign::kPlus) {
    return Resolution(arrow::int64(), arrow::date32(), arrow::date32(), DateAndDays(1, sign));
  }
  if (left == Kind::kInterval && right == Kind::kInterval) {
    return Resolution(interval, interval, interval, IntervalAndInterval(sign));
  }
  if (sign == Sign::kMinus) {
    return ResolveDifference(arguments, left, right);
  }
  return std::nullopt;
}

}  // namespace keepone
