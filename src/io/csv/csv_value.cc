// SPDX-License-Identifier: Apache-2.0
#include "io/csv/csv_value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <limits>
#include <string>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/value_parsing.h>

#include "base/letter_case.h"

namespace keepone {

namespace {

constexpr int64_t kDaySeconds = 24 * 60 * 60;

// The text with a point where the dialect has another sign; false where it has a point too.
bool WithPoint(const CsvDialect& dialect, std::string_view text, std::string* pointed) {
  if (text.find('.') != std::string_view::npos) {
    return false;
  }
  *pointed = text;
  std::replace(pointed->begin(), pointed->end(), dialect.decimal_separator, '.');
  return true;
}

bool ParseByFormat(const arrow::TimestampParser& parser, std::string_view text,
                   arrow::TimeUnit::type unit, bool wants_zone, int64_t* value) {
  bool has_zone = false;
  return parser(text.data(), text.size(), unit, value, &has_zone) && has_zone == wants_zone;
}

bool ParseCsvDouble(std::string_view text, int64_t* bits) {
  double value = 0;
  const bool fits =
      ParsePlainDecimal(text, &value) ||
      arrow::internal::ParseValue<arrow::DoubleType>(text.data(), text.size(), &value);
  *bits = std::bit_cast<int64_t>(value);
  return fits;
}

bool ParseCsvDate(const CsvDialect& dialect, std::string_view text, int64_t* bits) {
  if (dialect.date_parser != nullptr) {
    const bool fits =
        ParseByFormat(*dialect.date_parser, text, arrow::TimeUnit::SECOND, false, bits) &&
        *bits % kDaySeconds == 0;
    *bits /= kDaySeconds;
    return fits;
  }
  int32_t days = 0;
  const bool fits = arrow::internal::ParseValue<arrow::Date32Type>(text.data(), text.size(), &days);
  *bits = days;
  return fits;
}

bool ParseCsvTimestamp(const CsvDialect& dialect, const arrow::TimestampType& type,
                       std::string_view text, int64_t* bits) {
  const bool wants_zone = !type.timezone().empty();
  if (dialect.timestamp_parser != nullptr) {
    return ParseByFormat(*dialect.timestamp_parser, text, type.unit(), wants_zone, bits);
  }
  bool has_zone = false;
  return arrow::internal::ParseTimestampISO8601(text.data(), text.size(), type.unit(), bits,
                                                &has_zone) &&
         has_zone == wants_zone;
}

}  // namespace

bool ParsePlainDecimal(std::string_view text, double* value) {
  constexpr size_t kDigitsMax = std::numeric_limits<double>::digits10;
  constexpr std::array<double, kDigitsMax + 1> kPowers = {
      1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool is_negative = !text.empty() && text[0] == '-';
  const size_t begin = is_negative ? 1 : 0;
  if (text.size() - begin > kDigitsMax + 1 || text.size() == begin) {
    return false;
  }
  uint64_t number = 0;
  size_t point = text.size();
  for (size_t i = begin; i < text.size(); ++i) {
    const auto digit = static_cast<unsigned char>(text[i] - '0');
    if (digit <= 9) {
      number = number * 10 + digit;
    } else if (text[i] == '.' && point == text.size()) {
      point = i;
    } else {
      return false;
    }
  }
  const size_t before = point - begin;
  const size_t behind = point == text.size() ? 0 : text.size() - point - 1;
  if (before == 0 || before + behind > kDigitsMax || (point < text.size() && behind == 0) ||
      (before > 1 && text[begin] == '0')) {
    return false;
  }
  const double magnitude = static_cast<double>(number) / kPowers[behind];
  *value = is_negative ? -magnitude : magnitude;
  return true;
}

bool ParseCsvValue(const CsvDialect& dialect, const arrow::DataType& type, std::string_view text,
                   int64_t* bits) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      *bits = EqualWithoutCase(text, "true") ? 1 : 0;
      return *bits == 1 || EqualWithoutCase(text, "false");
    case arrow::Type::INT64:
      return ParsePlainInteger(text, bits) ||
             (!text.starts_with("0x") && !text.starts_with("0X") &&
              arrow::internal::ParseValue<arrow::Int64Type>(text.data(), text.size(), bits));
    case arrow::Type::DOUBLE: {
      std::string pointed;
      if (dialect.decimal_separator != '.') {
        return WithPoint(dialect, text, &pointed) && ParseCsvDouble(pointed, bits);
      }
      return ParseCsvDouble(text, bits);
    }
    case arrow::Type::DATE32:
      return ParseCsvDate(dialect, text, bits);
    case arrow::Type::TIMESTAMP:
      return ParseCsvTimestamp(dialect, static_cast<const arrow::TimestampType&>(type), text, bits);
    default:
      return false;
  }
}

std::shared_ptr<arrow::Scalar> ParseCsvScalar(const CsvDialect& dialect,
                                              const std::shared_ptr<arrow::DataType>& type,
                                              std::string_view text) {
  std::string pointed;
  if (dialect.decimal_separator != '.' &&
      (arrow::is_decimal(type->id()) || arrow::is_floating(type->id()))) {
    if (!WithPoint(dialect, text, &pointed)) {
      return nullptr;
    }
    text = pointed;
  }
  auto scalar = arrow::Scalar::Parse(type, text);
  return scalar.ok() ? *std::move(scalar) : nullptr;
}

bool LosesText(const arrow::DataType& type, std::string_view text) {
  if (type.id() != arrow::Type::INT64 && type.id() != arrow::Type::DOUBLE) {
    return false;
  }
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0' &&
      std::isdigit(static_cast<unsigned char>(digits[1])) != 0) {
    return true;
  }
  if (type.id() == arrow::Type::INT64 ||
      digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return false;
  }
  constexpr int64_t kExactMax = int64_t{1} << std::numeric_limits<double>::digits;
  int64_t integer = 0;
  return !arrow::internal::ParseValue<arrow::Int64Type>(text.data(), text.size(), &integer) ||
         integer > kExactMax || integer < -kExactMax;
}

}  // namespace keepone
