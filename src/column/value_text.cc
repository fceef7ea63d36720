// SPDX-License-Identifier: Apache-2.0
#include "column/value_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/extension_type.h>
#include <arrow/util/float16.h>

#include "base/error.h"

namespace keepone {

namespace {

constexpr int64_t kSecondsPerDay = 86400;

template <typename Int>
void AppendInteger(Int value, std::string* out) {
  std::array<char, 24> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out->append(text.data(), end);
}

void AppendPadded(int64_t value, int width, std::string* out) {
  std::array<char, 24> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const auto length = end - text.data();
  if (length < width) {
    out->append(static_cast<size_t>(width - length), '0');
  }
  out->append(text.data(), end);
}

template <typename Float>
void AppendFloat(Float value, std::string* out) {
  if (std::isnan(value)) {
    *out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    *out += value < 0 ? "-Infinity" : "Infinity";
    return;
  }
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const std::string_view digits(text.data(), static_cast<size_t>(end - text.data()));
  *out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) {
    *out += ".0";
  }
}

// The proleptic Gregorian date of a day number (1970-01-01 is 0), in 64 bits: the standard
// calendar types hold years of 16 bits only. Counts in eras of 400 years that begin in March.
void AppendDate(int64_t day, std::string* out) {
  constexpr int64_t kDaysPerEra = 146097;
  constexpr int64_t kDaysToEpoch = 719468;  // from 0000-03-01
  day += kDaysToEpoch;
  const int64_t era = (day >= 0 ? day : day - (kDaysPerEra - 1)) / kDaysPerEra;
  const int64_t day_of_era = day - era * kDaysPerEra;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  if (year < 0) {
    *out += '-';
  }
  AppendPadded(std::abs(year), 4, out);
  *out += '-';
  AppendPadded(month, 2, out);
  *out += '-';
  AppendPadded(day_of_month, 2, out);
}

int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1000;
    case arrow::TimeUnit::MICRO:
      return 1000000;
    case arrow::TimeUnit::NANO:
      break;
  }
  return 1000000000;
}

// The value without its sign: the most negative one has no positive twin.
uint64_t Magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// Appends 12:34:56 and the fraction without its closing zeros.
void AppendClock(uint64_t value, int64_t units_per_second, std::string* out) {
  const auto units = static_cast<uint64_t>(units_per_second);
  const auto seconds = static_cast<int64_t>(value / units);
  AppendPadded(seconds / 3600, 2, out);
  *out += ':';
  AppendPadded(seconds / 60 % 60, 2, out);
  *out += ':';
  AppendPadded(seconds % 60, 2, out);
  auto fraction = static_cast<int64_t>(value % units);
  if (fraction != 0) {
    *out += '.';
    for (int64_t unit = units_per_second / 10; fraction != 0; unit /= 10) {
      *out += static_cast<char>('0' + fraction / unit);
      fraction %= unit;
    }
  }
}

void AppendCount(int64_t count, const char* unit, std::string* out) {
  if (count == 0) {
    return;
  }
  if (!out->empty() && out->back() != '"') {
    *out += ' ';
  }
  AppendInteger(count, out);
  *out += ' ';
  *out += unit;
  if (count != 1 && count != -1) {
    *out += 's';
  }
}

void AppendInterval(int64_t months, int64_t days, int64_t nanoseconds, std::string* out) {
  std::string text;
  AppendCount(months / 12, "year", &text);
  AppendCount(months % 12, "month", &text);
  AppendCount(days, "day", &text);
  if (nanoseconds != 0 || text.empty()) {
    if (!text.empty()) {
      text += ' ';
    }
    if (nanoseconds < 0) {
      text += '-';
    }
    AppendClock(Magnitude(nanoseconds), 1000000000, &text);
  }
  *out += text;
}

void AppendHex(std::string_view bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  *out += "\\x";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *out += kDigits[byte >> 4];
    *out += kDigits[byte & 15];
  }
}

// A leaf whose text a function of (typed array, row, out) appends; quoted in JSON when it is no
// number or truth value.
template <typename ArrayType, typename AppendTo>
class LeafText final : public ValueText {
 public:
  LeafText(std::shared_ptr<arrow::Array> array, TextStyle style, bool quoted, AppendTo append)
      : ValueText(std::move(array), style), quoted_(quoted), append_(std::move(append)) {}

 protected:
  void AppendValid(int64_t row, std::string* out) const override {
    const auto& typed = static_cast<const ArrayType&>(*array_);
    if (quoted_ && style_ == TextStyle::kJson) {
      std::string text;
      append_(typed, row, &text);
      AppendJsonString(text, out);
    } else {
      append_(typed, row, out);
    }
  }

 private:
  bool quoted_;
  AppendTo append_;
};

template <typename ArrayType, typename AppendTo>
std::unique_ptr<ValueText> MakeLeaf(std::shared_ptr<arrow::Array> array, TextStyle style,
                                    bool quoted, AppendTo append) {
  return std::make_unique<LeafText<ArrayType, AppendTo>>(std::move(array), style, quoted,
                                                         std::move(append));
}

template <typename ArrayType>
std::unique_ptr<ValueText> MakeIntegerText(std::shared_ptr<arrow::Array> array, TextStyle style) {
  return MakeLeaf<ArrayType>(
      std::move(array), style, false,
      [](const ArrayType& a, int64_t row, std::string* out) { AppendInteger(a.Value(row), out); });
}

template <typename ArrayType>
std::unique_ptr<ValueText> MakeStringText(std::shared_ptr<arrow::Array> array, TextStyle style) {
  return MakeLeaf<ArrayType>(
      std::move(array), style, true,
      [](const ArrayType& a, int64_t row, std::string* out) { *out += a.GetView(row); });
}

template <typename ArrayType>
std::unique_ptr<ValueText> MakeBinaryText(std::shared_ptr<arrow::Array> array, TextStyle style) {
  return MakeLeaf<ArrayType>(
      std::move(array), style, true,
      [](const ArrayType& a, int64_t row, std::string* out) { AppendHex(a.GetView(row), out); });
}

template <typename ArrayType>
std::unique_ptr<ValueText> MakeDecimalText(std::shared_ptr<arrow::Array> array, TextStyle style) {
  return MakeLeaf<ArrayType>(
      std::move(array), style, false,
      [](const ArrayType& a, int64_t row, std::string* out) { *out += a.FormatValue(row); });
}

// Floats are numbers in JSON, except for those that JSON cannot spell.
template <typename ArrayType, typename Widen>
class FloatText final : public ValueText {
 public:
  FloatText(std::shared_ptr<arrow::Array> array, TextStyle style)
      : ValueText(std::move(array), style) {}

 protected:
  void AppendValid(int64_t row, std::string* out) const override {
    const auto value = Widen()(static_cast<const ArrayType&>(*array_).Value(row));
    const bool quoted = style_ == TextStyle::kJson && !std::isfinite(value);
    if (quoted) {
      *out += '"';
    }
    AppendFloat(value, out);
    if (quoted) {
      *out += '"';
    }
  }
};

struct WidenHalf {
  float operator()(uint16_t bits) const { return arrow::util::Float16::FromBits(bits).ToFloat(); }
};

// Lists of every layout: [a,b]. `Bounds` gives a row's range of child rows.
template <typename ArrayType>
class ListText final : public ValueText {
 public:
  ListText(std::shared_ptr<arrow::Array> array, TextStyle style, std::unique_ptr<ValueText> values)
      : ValueText(std::move(array), style), values_(std::move(values)) {}

 protected:
  void AppendValid(int64_t row, std::string* out) const override {
    const auto& list = static_cast<const ArrayType&>(*array_);
    const int64_t begin = list.value_offset(row);
    const int64_t length = list.value_length(row);
    *out += '[';
    for (int64_t i = 0; i < length; ++i) {
      if (i > 0) {
        *out += ',';
      }
      values_->Append(begin + i, out);
    }
    *out += ']';
  }

 private:
  std::unique_ptr<ValueText> values_;
};

class MapText final : public ValueText {
 public:
  MapText(std::shared_ptr<arrow::Array> array, TextStyle style, std::unique_ptr<ValueText> keys,
          std::unique_ptr<ValueText> items)
      : ValueText(std::move(array), style), keys_(std::move(keys)), items_(std::move(items)) {}

 protected:
  void AppendValid(int64_t row, std::string* out) const override {
    const auto& map = static_cast<const arrow::MapArray&>(*array_);
    const int64_t begin = map.value_offset(row);
    *out += '[';
    for (int64_t i = 0; i < map.value_length(row); ++i) {
      *out += i > 0 ? ",[" : "[";
      keys_->Append(begin + i, out);
      *out += ',';
      items_->Append(begin + i, out);
      *out += ']';
    }
    *out += ']';
  }

 private:
  std::unique_ptr<ValueText> keys_;
  std::unique_ptr<ValueText> items_;
};

class StructText final : public ValueText {
 public:
  StructText(std::shared_ptr<arrow::Array> array, TextStyle style,
             std::vector<std::unique_ptr<ValueText>> fields)
      : ValueText(std::move(array), style), fields_(std::move(fields)) {
    for (const auto& field : array_->type()->fields()) {
      std::string label;
      AppendJsonString(field->name(), &label);
      labels_.push_back(label + ":");
    }
  }

 protected:
  void AppendValid(int64_t row, std::string* out) const override {
    *out += '{';
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (i > 0) {
        *out += ',';
      }
      *out += labels_[i];
      fields_[i]->Append(row, out);
    }
    *out += '}';
  }

 private:
  std::vector<std::unique_ptr<ValueText>> fields_;
  std::vector<std::string> labels_;
};

// A type whose row is a row of one of its children: dictionary, run-end encoded, union.
template <typename ChildOf>
class IndirectText final : public ValueText {
 public:
  IndirectText(std::shared_ptr<arrow::Array> array, TextStyle style,
               std::vector<std::unique_ptr<ValueText>> children, ChildOf child_of)
      : ValueText(std::move(array), style),
        children_(std::move(children)),
        child_of_(std::move(child_of)) {}

  // What the row points at may be NULL too.
  bool IsNull(int64_t row) const override {
    if (array_->IsNull(row)) {
      return true;
    }
    const auto [child, child_row] = child_of_(row);
    return children_[static_cast<size_t>(child)]->IsNull(child_row);
  }

 protected:
  void AppendValid(int64_t row, std::string* out) const override {
    const auto [child, child_row] = child_of_(row);
    children_[static_cast<size_t>(child)]->Append(child_row, out);
  }

 private:
  std::vector<std::unique_ptr<ValueText>> children_;
  ChildOf child_of_;
};

template <typename ChildOf>
std::unique_ptr<ValueText> MakeIndirect(std::shared_ptr<arrow::Array> array, TextStyle style,
                                        std::vector<std::unique_ptr<ValueText>> children,
                                        ChildOf child_of) {
  return std::make_unique<IndirectText<ChildOf>>(std::move(array), style, std::move(children),
                                                 std::move(child_of));
}

template <typename ArrayType>
arrow::Result<std::unique_ptr<ValueText>> MakeListText(std::shared_ptr<arrow::Array> array,
                                                       TextStyle style) {
  ARROW_ASSIGN_OR_RAISE(
      auto values, MakeValueText(static_cast<const ArrayType&>(*array).values(), TextStyle::kJson));
  return std::make_unique<ListText<ArrayType>>(std::move(array), style, std::move(values));
}

arrow::Result<std::unique_ptr<ValueText>> MakeStructText(std::shared_ptr<arrow::Array> array,
                                                         TextStyle style) {
  const auto& typed = static_cast<const arrow::StructArray&>(*array);
  std::vector<std::unique_ptr<ValueText>> fields;
  for (int i = 0; i < typed.num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto field, MakeValueText(typed.field(i), TextStyle::kJson));
    fields.push_back(std::move(field));
  }
  return std::make_unique<StructText>(std::move(array), style, std::move(fields));
}

arrow::Result<std::unique_ptr<ValueText>> MakeMapText(std::shared_ptr<arrow::Array> array,
                                                      TextStyle style) {
  const auto& map = static_cast<const arrow::MapArray&>(*array);
  ARROW_ASSIGN_OR_RAISE(auto keys, MakeValueText(map.keys(), TextStyle::kJson));
  ARROW_ASSIGN_OR_RAISE(auto items, MakeValueText(map.items(), TextStyle::kJson));
  return std::make_unique<MapText>(std::move(array), style, std::move(keys), std::move(items));
}

arrow::Result<std::unique_ptr<ValueText>> MakeDictionaryText(std::shared_ptr<arrow::Array> array,
                                                             TextStyle style) {
  const auto dictionary = std::static_pointer_cast<arrow::DictionaryArray>(array);
  std::vector<std::unique_ptr<ValueText>> children(1);
  ARROW_ASSIGN_OR_RAISE(children[0], MakeValueText(dictionary->dictionary(), style));
  return MakeIndirect(std::move(array), style, std::move(children), [dictionary](int64_t row) {
    return std::pair<int, int64_t>(0, dictionary->GetValueIndex(row));
  });
}

arrow::Result<std::unique_ptr<ValueText>> MakeRunEndText(std::shared_ptr<arrow::Array> array,
                                                         TextStyle style) {
  const auto runs = std::static_pointer_cast<arrow::RunEndEncodedArray>(array);
  std::vector<std::unique_ptr<ValueText>> children(1);
  ARROW_ASSIGN_OR_RAISE(children[0], MakeValueText(runs->values(), style));
  // FindPhysicalIndex is internal to Arrow; run ends ascend, so a binary search over them does it.
  std::vector<int64_t> ends;
  for (int64_t i = 0; i < runs->run_ends()->length(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto end, runs->run_ends()->GetScalar(i));
    ARROW_ASSIGN_OR_RAISE(auto wide, end->CastTo(arrow::int64()));
    ends.push_back(static_cast<const arrow::Int64Scalar&>(*wide).value);
  }
  const int64_t offset = runs->offset();
  return MakeIndirect(std::move(array), style, std::move(children),
                      [ends = std::move(ends), offset](int64_t row) {
                        const auto run = std::upper_bound(ends.begin(), ends.end(), row + offset);
                        return std::pair<int, int64_t>(0, run - ends.begin());
                      });
}

arrow::Result<std::unique_ptr<ValueText>> MakeUnionText(std::shared_ptr<arrow::Array> array,
                                                        TextStyle style) {
  const auto typed = std::static_pointer_cast<arrow::UnionArray>(array);
  std::vector<std::unique_ptr<ValueText>> children;
  for (int i = 0; i < typed->num_fields(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto child, MakeValueText(typed->field(i), style));
    children.push_back(std::move(child));
  }
  const bool dense = typed->mode() == arrow::UnionMode::DENSE;
  return MakeIndirect(std::move(array), style, std::move(children), [typed, dense](int64_t row) {
    const int64_t child_row =
        dense ? static_cast<const arrow::DenseUnionArray&>(*typed).value_offset(row) : row;
    return std::pair<int, int64_t>(typed->child_id(row), child_row);
  });
}

std::unique_ptr<ValueText> MakeTimestampText(std::shared_ptr<arrow::Array> array, TextStyle style) {
  const auto& type = static_cast<const arrow::TimestampType&>(*array->type());
  const int64_t per_second = UnitsPerSecond(type.unit());
  const bool zoned = !type.timezone().empty();
  return MakeLeaf<arrow::TimestampArray>(
      std::move(array), style, true,
      [per_second, zoned](const arrow::TimestampArray& a, int64_t row, std::string* out) {
        const int64_t per_day = per_second * kSecondsPerDay;
        const int64_t value = a.Value(row);
        const int64_t rest = value % per_day;
        AppendDate(value / per_day - (rest < 0 ? 1 : 0), out);
        *out += ' ';
        AppendClock(static_cast<uint64_t>(rest < 0 ? rest + per_day : rest), per_second, out);
        if (zoned) {
          *out += "+00";
        }
      });
}

template <typename ArrayType>
std::unique_ptr<ValueText> MakeTimeText(std::shared_ptr<arrow::Array> array, TextStyle style,
                                        arrow::TimeUnit::type unit) {
  const int64_t per_second = UnitsPerSecond(unit);
  return MakeLeaf<ArrayType>(std::move(array), style, true,
                             [per_second](const ArrayType& a, int64_t row, std::string* out) {
                               const int64_t value = a.Value(row);
                               if (value < 0) {
                                 *out += '-';
                               }
                               AppendClock(Magnitude(value), per_second, out);
                             });
}

std::unique_ptr<ValueText> MakeDurationText(std::shared_ptr<arrow::Array> array, TextStyle style) {
  const int64_t per_second =
      UnitsPerSecond(static_cast<const arrow::DurationType&>(*array->type()).unit());
  return MakeLeaf<arrow::DurationArray>(
      std::move(array), style, true,
      [per_second](const arrow::DurationArray& a, int64_t row, std::string* out) {
        const int64_t value = a.Value(row);
        const int64_t per_day = per_second * kSecondsPerDay;
        AppendInterval(0, value / per_day, value % per_day * (1000000000 / per_second), out);
      });
}

std::unique_ptr<ValueText> MakeIntervalText(std::shared_ptr<arrow::Array> array, TextStyle style) {
  switch (array->type_id()) {
    case arrow::Type::INTERVAL_MONTHS:
      return MakeLeaf<arrow::MonthIntervalArray>(
          std::move(array), style, true,
          [](const arrow::MonthIntervalArray& a, int64_t row, std::string* out) {
            AppendInterval(a.Value(row), 0, 0, out);
          });
    case arrow::Type::INTERVAL_DAY_TIME:
      return MakeLeaf<arrow::DayTimeIntervalArray>(
          std::move(array), style, true,
          [](const arrow::DayTimeIntervalArray& a, int64_t row, std::string* out) {
            const auto value = a.GetValue(row);
            AppendInterval(0, value.days, value.milliseconds * int64_t{1000000}, out);
          });
    default:
      return MakeLeaf<arrow::MonthDayNanoIntervalArray>(
          std::move(array), style, true,
          [](const arrow::MonthDayNanoIntervalArray& a, int64_t row, std::string* out) {
            const auto value = a.GetValue(row);
            AppendInterval(value.months, value.days, value.nanoseconds, out);
          });
  }
}

}  // namespace

ValueText::ValueText(std::shared_ptr<arrow::Array> array, TextStyle style)
    : array_(std::move(array)), style_(style) {}

bool ValueText::IsNull(int64_t row) const {
  return array_->IsNull(row);
}

void ValueText::Append(int64_t row, std::string* out) const {
  if (IsNull(row)) {
    if (style_ == TextStyle::kJson) {
      *out += "null";
    }
    return;
  }
  AppendValid(row, out);
}

arrow::Result<std::unique_ptr<ValueText>> MakeValueText(std::shared_ptr<arrow::Array> array,
                                                        TextStyle style) {
  switch (array->type_id()) {
    case arrow::Type::NA:
      return MakeLeaf<arrow::NullArray>(std::move(array), style, false,
                                        [](const arrow::NullArray&, int64_t, std::string*) {});
    case arrow::Type::BOOL:
      return MakeLeaf<arrow::BooleanArray>(
          std::move(array), style, false,
          [](const arrow::BooleanArray& a, int64_t row, std::string* out) {
            *out += a.Value(row) ? "true" : "false";
          });
    case arrow::Type::UINT8:
      return MakeIntegerText<arrow::UInt8Array>(std::move(array), style);
    case arrow::Type::INT8:
      return MakeIntegerText<arrow::Int8Array>(std::move(array), style);
    case arrow::Type::UINT16:
      return MakeIntegerText<arrow::UInt16Array>(std::move(array), style);
    case arrow::Type::INT16:
      return MakeIntegerText<arrow::Int16Array>(std::move(array), style);
    case arrow::Type::UINT32:
      return MakeIntegerText<arrow::UInt32Array>(std::move(array), style);
    case arrow::Type::INT32:
      return MakeIntegerText<arrow::Int32Array>(std::move(array), style);
    case arrow::Type::UINT64:
      return MakeIntegerText<arrow::UInt64Array>(std::move(array), style);
    case arrow::Type::INT64:
      return MakeIntegerText<arrow::Int64Array>(std::move(array), style);
    case arrow::Type::HALF_FLOAT:
      return std::make_unique<FloatText<arrow::HalfFloatArray, WidenHalf>>(std::move(array), style);
    case arrow::Type::FLOAT:
      return std::make_unique<FloatText<arrow::FloatArray, std::identity>>(std::move(array), style);
    case arrow::Type::DOUBLE:
      return std::make_unique<FloatText<arrow::DoubleArray, std::identity>>(std::move(array),
                                                                            style);
    case arrow::Type::DECIMAL32:
      return MakeDecimalText<arrow::Decimal32Array>(std::move(array), style);
    case arrow::Type::DECIMAL64:
      return MakeDecimalText<arrow::Decimal64Array>(std::move(array), style);
    case arrow::Type::DECIMAL128:
      return MakeDecimalText<arrow::Decimal128Array>(std::move(array), style);
    case arrow::Type::DECIMAL256:
      return MakeDecimalText<arrow::Decimal256Array>(std::move(array), style);
    case arrow::Type::STRING:
      return MakeStringText<arrow::StringArray>(std::move(array), style);
    case arrow::Type::LARGE_STRING:
      return MakeStringText<arrow::LargeStringArray>(std::move(array), style);
    case arrow::Type::STRING_VIEW:
      return MakeStringText<arrow::StringViewArray>(std::move(array), style);
    case arrow::Type::BINARY:
      return MakeBinaryText<arrow::BinaryArray>(std::move(array), style);
    case arrow::Type::LARGE_BINARY:
      return MakeBinaryText<arrow::LargeBinaryArray>(std::move(array), style);
    case arrow::Type::BINARY_VIEW:
      return MakeBinaryText<arrow::BinaryViewArray>(std::move(array), style);
    case arrow::Type::FIXED_SIZE_BINARY:
      return MakeBinaryText<arrow::FixedSizeBinaryArray>(std::move(array), style);
    case arrow::Type::DATE32:
      return MakeLeaf<arrow::Date32Array>(std::move(array), style, true,
                                          [](const arrow::Date32Array& a, int64_t row,
                                             std::string* out) { AppendDate(a.Value(row), out); });
    case arrow::Type::DATE64:
      return MakeLeaf<arrow::Date64Array>(
          std::move(array), style, true,
          [](const arrow::Date64Array& a, int64_t row, std::string* out) {
            constexpr int64_t kMillisecondsPerDay = kSecondsPerDay * 1000;
            const int64_t value = a.Value(row);
            AppendDate(value / kMillisecondsPerDay - (value % kMillisecondsPerDay < 0 ? 1 : 0),
                       out);
          });
    case arrow::Type::TIME32: {
      const auto unit = static_cast<const arrow::Time32Type&>(*array->type()).unit();
      return MakeTimeText<arrow::Time32Array>(std::move(array), style, unit);
    }
    case arrow::Type::TIME64: {
      const auto unit = static_cast<const arrow::Time64Type&>(*array->type()).unit();
      return MakeTimeText<arrow::Time64Array>(std::move(array), style, unit);
    }
    case arrow::Type::TIMESTAMP:
      return MakeTimestampText(std::move(array), style);
    case arrow::Type::DURATION:
      return MakeDurationText(std::move(array), style);
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::INTERVAL_DAY_TIME:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return MakeIntervalText(std::move(array), style);
    case arrow::Type::LIST:
      return MakeListText<arrow::ListArray>(std::move(array), style);
    case arrow::Type::LARGE_LIST:
      return MakeListText<arrow::LargeListArray>(std::move(array), style);
    case arrow::Type::LIST_VIEW:
      return MakeListText<arrow::ListViewArray>(std::move(array), style);
    case arrow::Type::LARGE_LIST_VIEW:
      return MakeListText<arrow::LargeListViewArray>(std::move(array), style);
    case arrow::Type::FIXED_SIZE_LIST:
      return MakeListText<arrow::FixedSizeListArray>(std::move(array), style);
    case arrow::Type::MAP:
      return MakeMapText(std::move(array), style);
    case arrow::Type::STRUCT:
      return MakeStructText(std::move(array), style);
    case arrow::Type::DICTIONARY:
      return MakeDictionaryText(std::move(array), style);
    case arrow::Type::RUN_END_ENCODED:
      return MakeRunEndText(std::move(array), style);
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
      return MakeUnionText(std::move(array), style);
    case arrow::Type::EXTENSION:
      return MakeValueText(static_cast<const arrow::ExtensionArray&>(*array).storage(), style);
    default:
      break;
  }
  return MakeError(ErrorKind::kUnsupported, std::nullopt,
                   JoinMessage("values of type ", array->type()->ToString(), " have no text form"));
}

namespace {

// The bytes of the UTF-8 sequence that `text` begins with, or 0 when it begins with none.
size_t SequenceLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  size_t length = 0;
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead < 0xE0) {
    length = 2;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3;
  } else if (lead >= 0xF0 && lead < 0xF5) {
    length = 4;
  }
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      return 0;
    }
  }
  // No overlong forms, no surrogates, nothing above U+10FFFF.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool bad = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) ||
                   (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90);
  return bad ? 0 : length;
}

void AppendEscaped(unsigned char byte, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (byte) {
    case '"':
      *out += "\\\"";
      break;
    case '\\':
      *out += "\\\\";
      break;
    case '\n':
      *out += "\\n";
      break;
    case '\r':
      *out += "\\r";
      break;
    case '\t':
      *out += "\\t";
      break;
    default:
      *out += "\\u00";
      *out += kDigits[byte >> 4];
      *out += kDigits[byte & 15];
      break;
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  *out += '"';
  size_t plain = 0;  // begin of what goes through as it is
  size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\') {
      ++at;
      continue;
    }
    const size_t length = byte < 0x80 ? 0 : SequenceLength(text.substr(at));
    if (length > 0) {
      at += length;
      continue;
    }
    *out += text.substr(plain, at - plain);
    if (byte < 0x80) {
      AppendEscaped(byte, out);
    } else {
      *out += "\xEF\xBF\xBD";
    }
    plain = ++at;
  }
  *out += text.substr(plain);
  *out += '"';
}

void AppendDouble(double value, std::string* out) {
  AppendFloat(value, out);
}

}  // namespace keepone
