// SPDX-License-Identifier: Apache-2.0
#include "function/text_parse.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/builder_time.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/decimal.h>

#include "base/error.h"
#include "function/arrow_call.h"
#include "function/calendar.h"
#include "function/cast.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
using MonthDayNanos = arrow::MonthDayNanoIntervalType::MonthDayNanos;

std::string_view Trim(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

bool EqualsWord(std::string_view text, std::string_view word) {
  return text.size() == word.size() &&
         std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         });
}

template <typename T>
bool ParseNumber(std::string_view text, T* out) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *out);
  if constexpr (std::is_floating_point_v<T>) {
    if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
      // A magnitude beyond the type is infinite, one below it zero: both keep their sign.
      const std::string copy(text);
      *out = static_cast<T>(std::strtod(copy.c_str(), nullptr));
      return !std::isinf(*out);
    }
  }
  return result.ec == std::errc() && result.ptr == end && !text.empty();
}

std::optional<bool> ParseBool(std::string_view text) {
  for (const std::string_view word : {"true", "t", "yes", "y", "on", "1"}) {
    if (EqualsWord(text, word)) {
      return true;
    }
  }
  for (const std::string_view word : {"false", "f", "no", "n", "off", "0"}) {
    if (EqualsWord(text, word)) {
      return false;
    }
  }
  return std::nullopt;
}

// Takes `digits_min` to `digits_max` digits off the front.
bool TakeDigits(std::string_view* text, size_t digits_min, size_t digits_max, int64_t* out) {
  size_t count = 0;
  int64_t value = 0;
  while (count < text->size() && count < digits_max &&
         std::isdigit(static_cast<unsigned char>((*text)[count])) != 0) {
    value = value * 10 + ((*text)[count] - '0');
    ++count;
  }
  text->remove_prefix(count);
  *out = value;
  return count >= digits_min;
}

bool TakeChar(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) {
    return false;
  }
  text->remove_prefix(1);
  return true;
}

// YYYY-M-D, a sign and more than four digits of year allowed.
bool TakeDate(std::string_view* text, int64_t* days) {
  const bool negative = TakeChar(text, '-');
  CivilDate date{};
  if (!TakeDigits(text, 4, 6, &date.year) || !TakeChar(text, '-') ||
      !TakeDigits(text, 1, 2, &date.month) || !TakeChar(text, '-') ||
      !TakeDigits(text, 1, 2, &date.day)) {
    return false;
  }
  date.year = negative ? -date.year : date.year;
  if (date.month < 1 || date.month > 12 || date.day < 1 ||
      date.day > DaysInMonth(date.year, date.month)) {
    return false;
  }
  *days = DaysFromCivil(date);
  return true;
}

// H:MM[:SS[.fraction]] in units; what the fraction has beyond the unit is cut.
bool TakeTime(std::string_view* text, int64_t per_second, int64_t* units) {
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
  if (!TakeDigits(text, 1, 2, &hour) || !TakeChar(text, ':') || !TakeDigits(text, 2, 2, &minute)) {
    return false;
  }
  int64_t fraction = 0;
  if (TakeChar(text, ':')) {
    if (!TakeDigits(text, 2, 2, &second)) {
      return false;
    }
    if (TakeChar(text, '.')) {
      int64_t scale = per_second;
      size_t digits = 0;
      while (digits < text->size() && std::isdigit(static_cast<unsigned char>((*text)[digits]))) {
        scale /= 10;
        fraction += ((*text)[digits] - '0') * scale;
        ++digits;
      }
      text->remove_prefix(digits);
    }
  }
  *units = (hour * 3600 + minute * 60 + second) * per_second + fraction;
  const bool midnight_after = hour == 24 && minute == 0 && second == 0 && fraction == 0;
  return (hour < 24 || midnight_after) && minute < 60 && second < 60;
}

// Z, UTC, +HH, +HHMM, +HH:MM, or nothing.
bool TakeOffset(std::string_view* text, int64_t* seconds) {
  *seconds = 0;
  *text = Trim(*text);
  if (text->empty()) {
    return true;
  }
  if (EqualsWord(*text, "z") || EqualsWord(*text, "utc")) {
    *text = {};
    return true;
  }
  const bool negative = text->front() == '-';
  if (!negative && text->front() != '+') {
    return false;
  }
  text->remove_prefix(1);
  int64_t hours = 0;
  int64_t minutes = 0;
  if (!TakeDigits(text, 2, 2, &hours)) {
    return false;
  }
  TakeChar(text, ':');
  if (!text->empty() && !TakeDigits(text, 2, 2, &minutes)) {
    return false;
  }
  *seconds = (hours * 3600 + minutes * 60) * (negative ? -1 : 1);
  return hours <= 18 && minutes < 60;
}

// A date, a time after a blank or a T, an offset. Without a zone in the type the offset must be
// none or zero: dropping it silently would change the instant.
bool ParseTimestamp(std::string_view text, int64_t per_second, bool zoned, int64_t* out) {
  int64_t days = 0;
  int64_t units = 0;
  int64_t offset = 0;
  if (!TakeDate(&text, &days)) {
    return false;
  }
  if (!text.empty() && (text.front() == ' ' || text.front() == 'T' || text.front() == 't')) {
    text.remove_prefix(1);
    if (!TakeTime(&text, per_second, &units)) {
      return false;
    }
  }
  if (!TakeOffset(&text, &offset) || !text.empty() || (!zoned && offset != 0)) {
    return false;
  }
  int64_t value = 0;
  return !__builtin_mul_overflow(days, 86400 * per_second, &value) &&
         !__builtin_add_overflow(value, units - offset * per_second, out);
}

struct IntervalUnit {
  std::string_view name;
  double months;
  double days;
  double nanoseconds;
};
constexpr std::array<IntervalUnit, 24> kIntervalUnits = {{
    {"year", 12, 0, 0},     {"y", 12, 0, 0},
    {"yr", 12, 0, 0},       {"quarter", 3, 0, 0},
    {"month", 1, 0, 0},     {"mon", 1, 0, 0},
    {"week", 0, 7, 0},      {"w", 0, 7, 0},
    {"day", 0, 1, 0},       {"d", 0, 1, 0},
    {"hour", 0, 0, 3.6e12}, {"h", 0, 0, 3.6e12},
    {"hr", 0, 0, 3.6e12},   {"minute", 0, 0, 6e10},
    {"min", 0, 0, 6e10},    {"m", 0, 0, 6e10},
    {"second", 0, 0, 1e9},  {"sec", 0, 0, 1e9},
    {"s", 0, 0, 1e9},       {"millisecond", 0, 0, 1e6},
    {"ms", 0, 0, 1e6},      {"microsecond", 0, 0, 1e3},
    {"us", 0, 0, 1e3},      {"nanosecond", 0, 0, 1},
}};

const IntervalUnit* FindIntervalUnit(std::string_view word) {
  for (const IntervalUnit& unit : kIntervalUnits) {
    if (EqualsWord(word, unit.name) ||
        (word.size() > 2 && (word.back() == 's' || word.back() == 'S') &&
         EqualsWord(word.substr(0, word.size() - 1), unit.name))) {
      return &unit;
    }
  }
  return nullptr;
}

// Adds `number` units; a fraction of a month counts in days of 1/30 month, of a day in time.
bool AddIntervalPart(double number, const IntervalUnit& unit, MonthDayNanos* out) {
  const double months = number * unit.months;
  const double whole_months = std::trunc(months);
  const double days = number * unit.days + (months - whole_months) * 30;
  const double whole_days = std::trunc(days);
  const double nanoseconds = std::round(number * unit.nanoseconds + (days - whole_days) * 8.64e13);
  if (std::abs(whole_months) > 2e9 || std::abs(whole_days) > 2e9 || std::abs(nanoseconds) > 9e18) {
    return false;
  }
  return !__builtin_add_overflow(out->months, static_cast<int32_t>(whole_months), &out->months) &&
         !__builtin_add_overflow(out->days, static_cast<int32_t>(whole_days), &out->days) &&
         !__builtin_add_overflow(out->nanoseconds, static_cast<int64_t>(nanoseconds),
                                 &out->nanoseconds);
}

bool AppendParsed(std::string_view text, arrow::BooleanBuilder* builder) {
  const std::optional<bool> value = ParseBool(text);
  if (value.has_value()) {
    builder->UnsafeAppend(*value);
  }
  return value.has_value();
}

template <typename Builder, typename Parse>
arrow::Result<std::shared_ptr<arrow::Array>> ParseLoop(const arrow::StringArray& texts,
                                                       const TypePtr& type, bool try_cast,
                                                       Builder* builder, Parse parse) {
  ARROW_RETURN_NOT_OK(builder->Reserve(texts.length()));
  for (int64_t row = 0; row < texts.length(); ++row) {
    if (texts.IsNull(row)) {
      builder->UnsafeAppendNull();
      continue;
    }
    if (!parse(Trim(texts.GetView(row)), builder)) {
      if (!try_cast) {
        return DataError("cannot cast \"", texts.GetView(row), "\" to ", SqlTypeName(*type));
      }
      builder->UnsafeAppendNull();
    }
  }
  return builder->Finish();
}

template <typename Type>
arrow::Result<std::shared_ptr<arrow::Array>> ParseNumbers(const arrow::StringArray& texts,
                                                          const TypePtr& type, bool try_cast,
                                                          arrow::MemoryPool* pool) {
  arrow::NumericBuilder<Type> builder(type, pool);
  return ParseLoop(texts, type, try_cast, &builder, [](std::string_view text, auto* out) {
    typename Type::c_type value{};
    const bool parsed = ParseNumber(text, &value);
    if (parsed) {
      out->UnsafeAppend(value);
    }
    return parsed;
  });
}

// Decimals beyond the scale are rounded half away from zero.
bool ParseDecimal(std::string_view text, const arrow::DecimalType& type, arrow::Decimal256* out) {
  int32_t precision = 0;
  int32_t scale = 0;
  arrow::Decimal256 value;
  if (!arrow::Decimal256::FromString(text, &value, &precision, &scale).ok()) {
    return false;
  }
  if (scale > type.scale()) {
    value = arrow::Decimal256(value.ReduceScaleBy(scale - type.scale(), true));
  } else if (scale < type.scale()) {
    const int32_t digits = type.scale() - scale;
    if (digits + precision > 76) {
      return false;
    }
    value = arrow::Decimal256(value.IncreaseScaleBy(digits));
  }
  *out = value;
  return value.FitsInPrecision(type.precision());
}

template <typename Builder, typename Value>
arrow::Result<std::shared_ptr<arrow::Array>> ParseDecimals(const arrow::StringArray& texts,
                                                           const TypePtr& type, bool try_cast,
                                                           arrow::MemoryPool* pool) {
  Builder builder(type, pool);
  const auto& decimal_type = checked_cast<const arrow::DecimalType&>(*type);
  return ParseLoop(texts, type, try_cast, &builder, [&](std::string_view text, auto* out) {
    arrow::Decimal256 value;
    if (!ParseDecimal(text, decimal_type, &value)) {
      return false;
    }
    if constexpr (std::is_same_v<Value, arrow::Decimal256>) {
      out->UnsafeAppend(value);
    } else {
      const auto words = value.little_endian_array();
      out->UnsafeAppend(arrow::Decimal128(static_cast<int64_t>(words[1]), words[0]));
    }
    return true;
  });
}

template <typename Type>
arrow::Result<std::shared_ptr<arrow::Array>> ParseInstants(
    const arrow::StringArray& texts, const TypePtr& type, bool try_cast, arrow::MemoryPool* pool,
    const std::function<bool(std::string_view, int64_t*)>& parse) {
  arrow::NumericBuilder<Type> builder(type, pool);
  return ParseLoop(texts, type, try_cast, &builder, [&](std::string_view text, auto* out) {
    int64_t value = 0;
    using Native = typename Type::c_type;
    if (!parse(text, &value) || value < std::numeric_limits<Native>::min() ||
        value > std::numeric_limits<Native>::max()) {
      return false;
    }
    out->UnsafeAppend(static_cast<Native>(value));
    return true;
  });
}

// A date may have a time behind it, which is dropped.
bool ParseDays(std::string_view text, int64_t* days) {
  std::string_view rest = text;
  if (!TakeDate(&rest, days)) {
    return false;
  }
  int64_t unused = 0;
  return rest.empty() || ParseTimestamp(text, 1, true, &unused);
}

arrow::Result<std::shared_ptr<arrow::Array>> ParseTemporals(const arrow::StringArray& texts,
                                                            const TypePtr& type, bool try_cast,
                                                            arrow::MemoryPool* pool) {
  const auto time_of = [](int64_t per_second) {
    return [per_second](std::string_view text, int64_t* out) {
      return TakeTime(&text, per_second, out) && text.empty() && *out < 86400 * per_second;
    };
  };
  switch (type->id()) {
    case arrow::Type::DATE32:
      return ParseInstants<arrow::Date32Type>(texts, type, try_cast, pool, ParseDays);
    case arrow::Type::DATE64:
      return ParseInstants<arrow::Date64Type>(
          texts, type, try_cast, pool, [](std::string_view text, int64_t* out) {
            return ParseDays(text, out) && !__builtin_mul_overflow(*out, 86400000, out);
          });
    case arrow::Type::TIME32:
      return ParseInstants<arrow::Time32Type>(
          texts, type, try_cast, pool,
          time_of(UnitsPerSecond(checked_cast<const arrow::Time32Type&>(*type).unit())));
    case arrow::Type::TIME64:
      return ParseInstants<arrow::Time64Type>(
          texts, type, try_cast, pool,
          time_of(UnitsPerSecond(checked_cast<const arrow::Time64Type&>(*type).unit())));
    default:
      break;
  }
  const auto& timestamp = checked_cast<const arrow::TimestampType&>(*type);
  const int64_t per_second = UnitsPerSecond(timestamp.unit());
  const bool zoned = !timestamp.timezone().empty();
  return ParseInstants<arrow::TimestampType>(texts, type, try_cast, pool,
                                             [=](std::string_view text, int64_t* out) {
                                               return ParseTimestamp(text, per_second, zoned, out);
                                             });
}

}  // namespace

bool ParseInterval(std::string_view text, MonthDayNanos* out) {
  *out = {0, 0, 0};
  text = Trim(text);
  if (text.empty()) {
    return false;
  }
  while (!text.empty()) {
    size_t size = 0;
    while (size < text.size() && (std::isdigit(static_cast<unsigned char>(text[size])) != 0 ||
                                  std::string_view("+-.:").find(text[size]) != text.npos)) {
      ++size;
    }
    std::string_view number = text.substr(0, size);
    text = Trim(text.substr(size));
    if (number.find(':') != number.npos) {
      const bool negative = number.front() == '-';
      number.remove_prefix(negative || number.front() == '+' ? 1 : 0);
      int64_t nanoseconds = 0;
      if (!TakeTime(&number, 1000000000, &nanoseconds) || !number.empty()) {
        return false;
      }
      out->nanoseconds += negative ? -nanoseconds : nanoseconds;
      continue;
    }
    size_t letters = 0;
    while (letters < text.size() && std::isalpha(static_cast<unsigned char>(text[letters])) != 0) {
      ++letters;
    }
    const IntervalUnit* unit = FindIntervalUnit(text.substr(0, letters));
    double value = 0;
    if (unit == nullptr || !ParseNumber(number, &value) || !AddIntervalPart(value, *unit, out)) {
      return false;
    }
    text = Trim(text.substr(letters));
  }
  return true;
}

bool IsParsedFromText(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return true;
    default:
      return arrow::is_integer(type.id());
  }
}

arrow::Result<std::shared_ptr<arrow::Array>> ParseTexts(QueryContext* context,
                                                        const arrow::StringArray& texts,
                                                        const TypePtr& type, bool try_cast) {
  arrow::MemoryPool* pool = PoolOf(context);
  switch (type->id()) {
    case arrow::Type::BOOL: {
      arrow::BooleanBuilder builder(type, pool);
      return ParseLoop(texts, type, try_cast, &builder, AppendParsed);
    }
    case arrow::Type::INT8:
      return ParseNumbers<arrow::Int8Type>(texts, type, try_cast, pool);
    case arrow::Type::INT16:
      return ParseNumbers<arrow::Int16Type>(texts, type, try_cast, pool);
    case arrow::Type::INT32:
      return ParseNumbers<arrow::Int32Type>(texts, type, try_cast, pool);
    case arrow::Type::INT64:
      return ParseNumbers<arrow::Int64Type>(texts, type, try_cast, pool);
    case arrow::Type::UINT8:
      return ParseNumbers<arrow::UInt8Type>(texts, type, try_cast, pool);
    case arrow::Type::UINT16:
      return ParseNumbers<arrow::UInt16Type>(texts, type, try_cast, pool);
    case arrow::Type::UINT32:
      return ParseNumbers<arrow::UInt32Type>(texts, type, try_cast, pool);
    case arrow::Type::UINT64:
      return ParseNumbers<arrow::UInt64Type>(texts, type, try_cast, pool);
    case arrow::Type::FLOAT:
      return ParseNumbers<arrow::FloatType>(texts, type, try_cast, pool);
    case arrow::Type::DOUBLE:
      return ParseNumbers<arrow::DoubleType>(texts, type, try_cast, pool);
    case arrow::Type::DECIMAL128:
      return ParseDecimals<arrow::Decimal128Builder, arrow::Decimal128>(texts, type, try_cast,
                                                                        pool);
    case arrow::Type::DECIMAL256:
      return ParseDecimals<arrow::Decimal256Builder, arrow::Decimal256>(texts, type, try_cast,
                                                                        pool);
    case arrow::Type::INTERVAL_MONTH_DAY_NANO: {
      arrow::MonthDayNanoIntervalBuilder builder(type, pool);
      return ParseLoop(texts, type, try_cast, &builder, [](std::string_view text, auto* out) {
        MonthDayNanos value{};
        const bool parsed = ParseInterval(text, &value);
        if (parsed) {
          out->UnsafeAppend(value);
        }
        return parsed;
      });
    }
    default:
      return ParseTemporals(texts, type, try_cast, pool);
  }
}

}  // namespace keepone
