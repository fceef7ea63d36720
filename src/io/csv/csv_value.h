// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/type_fwd.h>

#include "io/csv/csv_dialect.h"

namespace keepone {

// Whether a value reads as one of a type; `bits` gets the value of the types that fit in 8 bytes:
// BOOLEAN, BIGINT, DOUBLE, DATE and TIMESTAMP.
bool ParseCsvValue(const CsvDialect& dialect, const arrow::DataType& type, std::string_view text,
                   int64_t* bits);

// The same for types that ParseCsvValue does not know; nullptr where the value reads as none.
std::shared_ptr<arrow::Scalar> ParseCsvScalar(const CsvDialect& dialect,
                                              const std::shared_ptr<arrow::DataType>& type,
                                              std::string_view text);

// Whether text is lost when it is read as a number of the type: zeros before it, as in a postal
// code, or digits of an integer that a DOUBLE does not hold.
bool LosesText(const arrow::DataType& type, std::string_view text);

// The integer that at most 18 digits spell in the only way that keeps their text: no zeros in front
// and no plus sign. Most integers are such.
inline bool ParsePlainInteger(std::string_view text, int64_t* value) {
  const bool is_negative = !text.empty() && text[0] == '-';
  const size_t begin = is_negative ? 1 : 0;
  const size_t digits = text.size() - begin;
  if (digits == 0 || digits > 18 || (text[begin] == '0' && text.size() > 1)) {
    return false;
  }
  uint64_t number = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    const auto digit = static_cast<unsigned char>(text[i] - '0');
    if (digit > 9) {
      return false;
    }
    number = number * 10 + digit;
  }
  *value = is_negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
  return true;
}

// Likewise decimals of at most 15 digits, which a DOUBLE holds exactly before it is divided by a
// power of ten that it holds exactly too.
bool ParsePlainDecimal(std::string_view text, double* value);

}  // namespace keepone
