// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace keepone {

enum class TextStyle {
  kPlain,  // as SQL shows a value: text as it is, 2024-01-31 12:00:00, NaN, \x0aff
  kJson,   // as compact JSON: text quoted, NULL as null
};

// Writes values of one array as text, whatever its type. In both styles
//   - lists are [a,b], structs {"a":1}, maps [[key,value],..], always as JSON inside;
//   - a double is the shortest text that reads back as the same value, with a point or an exponent;
//   - NaN, Infinity and -Infinity are so spelt, and quoted in JSON, which has no such numbers;
//   - dates are 2024-01-31, timestamps 2024-01-31 12:00:00.5, with zone in UTC with +00 behind;
//   - binary is \x and two digits a byte; an interval 1 year 2 months 3 days 04:05:06.
// Borrows nothing: keeps the array alive. Safe for concurrent use.
class ValueText {
 public:
  virtual ~ValueText() = default;
  // Appends the value of `row`. NULL appends nothing in kPlain and "null" in kJson.
  void Append(int64_t row, std::string* out) const;
  // Whether the value is NULL, also through dictionaries, runs and unions.
  virtual bool IsNull(int64_t row) const;

 protected:
  ValueText(std::shared_ptr<arrow::Array> array, TextStyle style);
  virtual void AppendValid(int64_t row, std::string* out) const = 0;
  const std::shared_ptr<arrow::Array> array_;
  const TextStyle style_;
};

// A type that has no text gives an unsupported error that names it.
arrow::Result<std::unique_ptr<ValueText>> MakeValueText(std::shared_ptr<arrow::Array> array,
                                                        TextStyle style);

// Appends `text` as a JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

// Appends the shortest text that reads back as `value`.
void AppendDouble(double value, std::string* out);

}  // namespace keepone
