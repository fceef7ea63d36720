// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/pruning.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

namespace keepone {

namespace {

using Op = ColumnBound::Op;

// A value in the form that decides its order.
using StatValue = std::variant<int64_t, uint64_t, double, std::string, arrow::Decimal256>;

enum class Form { kNone, kSigned, kUnsigned, kDouble, kBytes, kDecimal };

parquet::LogicalType::TimeUnit::unit UnitOf(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::MILLI:
      return parquet::LogicalType::TimeUnit::MILLIS;
    case arrow::TimeUnit::MICRO:
      return parquet::LogicalType::TimeUnit::MICROS;
    case arrow::TimeUnit::NANO:
      return parquet::LogicalType::TimeUnit::NANOS;
    default:
      return parquet::LogicalType::TimeUnit::UNKNOWN;
  }
}

bool IsInteger(const parquet::ColumnDescriptor& column) {
  return column.physical_type() == parquet::Type::INT32 ||
         column.physical_type() == parquet::Type::INT64;
}

bool HasUnit(const parquet::ColumnDescriptor& column, arrow::TimeUnit::type unit) {
  const auto& logical = column.logical_type();
  const auto wanted = UnitOf(unit);
  if (logical == nullptr || !IsInteger(column) ||
      wanted == parquet::LogicalType::TimeUnit::UNKNOWN) {
    return false;
  }
  if (logical->is_timestamp()) {
    return static_cast<const parquet::TimestampLogicalType&>(*logical).time_unit() == wanted;
  }
  return logical->is_time() &&
         static_cast<const parquet::TimeLogicalType&>(*logical).time_unit() == wanted;
}

bool IsDecimal(const parquet::ColumnDescriptor& column, const arrow::DataType& type) {
  const auto& logical = column.logical_type();
  return logical != nullptr && logical->is_decimal() &&
         static_cast<const parquet::DecimalLogicalType&>(*logical).scale() ==
             static_cast<const arrow::DecimalType&>(type).scale();
}

Form FormOf(const parquet::ColumnDescriptor& column, const arrow::DataType& type) {
  const parquet::Type::type physical = column.physical_type();
  const auto& logical = column.logical_type();
  switch (type.id()) {
    case arrow::Type::BOOL:
      return physical == parquet::Type::BOOLEAN ? Form::kSigned : Form::kNone;
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return IsInteger(column) && (logical == nullptr || logical->is_int() || logical->is_none())
                 ? Form::kSigned
                 : Form::kNone;
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
    case arrow::Type::UINT32:
    case arrow::Type::UINT64:
      return IsInteger(column) && logical != nullptr && logical->is_int() ? Form::kUnsigned
                                                                          : Form::kNone;
    case arrow::Type::DATE32:
      return physical == parquet::Type::INT32 && logical != nullptr && logical->is_date()
                 ? Form::kSigned
                 : Form::kNone;
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return HasUnit(column, static_cast<const arrow::TimeType&>(type).unit()) ? Form::kSigned
                                                                               : Form::kNone;
    case arrow::Type::TIMESTAMP:
      return HasUnit(column, static_cast<const arrow::TimestampType&>(type).unit()) ? Form::kSigned
                                                                                    : Form::kNone;
    case arrow::Type::FLOAT:
      return physical == parquet::Type::FLOAT ? Form::kDouble : Form::kNone;
    case arrow::Type::DOUBLE:
      return physical == parquet::Type::DOUBLE ? Form::kDouble : Form::kNone;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return physical == parquet::Type::BYTE_ARRAY ? Form::kBytes : Form::kNone;
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return IsDecimal(column, type) ? Form::kDecimal : Form::kNone;
    default:
      return Form::kNone;
  }
}

template <typename T>
std::optional<T> LoadLittleEndian(std::string_view bytes) {
  T value;
  if (bytes.size() != sizeof(value)) {
    return std::nullopt;
  }
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

template <typename T>
std::optional<StatValue> LoadAs(std::string_view bytes, auto&& convert) {
  const std::optional<T> value = LoadLittleEndian<T>(bytes);
  return value.has_value() ? std::optional<StatValue>(convert(*value)) : std::nullopt;
}

std::optional<StatValue> LoadDecimal(parquet::Type::type physical, std::string_view bytes) {
  const auto widen = [](auto value) { return StatValue(arrow::Decimal256(int64_t{value})); };
  switch (physical) {
    case parquet::Type::INT32:
      return LoadAs<int32_t>(bytes, widen);
    case parquet::Type::INT64:
      return LoadAs<int64_t>(bytes, widen);
    default:
      break;
  }
  auto value = arrow::Decimal256::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int32_t>(bytes.size()));
  return value.ok() ? std::optional<StatValue>(*value) : std::nullopt;
}

// A value as statistics store it: PLAIN, byte arrays without their length.
std::optional<StatValue> DecodeStat(const parquet::ColumnDescriptor& column, Form form,
                                    std::string_view bytes) {
  const parquet::Type::type physical = column.physical_type();
  switch (form) {
    case Form::kSigned:
      if (physical == parquet::Type::BOOLEAN) {
        return LoadAs<uint8_t>(bytes, [](uint8_t value) { return StatValue(int64_t{value}); });
      }
      return physical == parquet::Type::INT32
                 ? LoadAs<int32_t>(bytes, [](int32_t value) { return StatValue(int64_t{value}); })
                 : LoadAs<int64_t>(bytes, [](int64_t value) { return StatValue(value); });
    case Form::kUnsigned:
      return physical == parquet::Type::INT32
                 ? LoadAs<uint32_t>(bytes,
                                    [](uint32_t value) { return StatValue(uint64_t{value}); })
                 : LoadAs<uint64_t>(bytes, [](uint64_t value) { return StatValue(value); });
    case Form::kDouble:
      return physical == parquet::Type::FLOAT
                 ? LoadAs<float>(bytes, [](float value) { return StatValue(double{value}); })
                 : LoadAs<double>(bytes, [](double value) { return StatValue(value); });
    case Form::kBytes:
      return StatValue(std::string(bytes));
    case Form::kDecimal:
      return LoadDecimal(physical, bytes);
    case Form::kNone:
      break;
  }
  return std::nullopt;
}

// The raw bytes of the scalar's value; empty for a type that has none here.
std::string_view ScalarBytes(const arrow::Scalar& scalar) {
  return static_cast<const arrow::internal::PrimitiveScalarBase&>(scalar).view();
}

std::optional<StatValue> SignedOf(std::string_view bytes) {
  const auto widen = [](auto value) { return StatValue(int64_t{value}); };
  switch (bytes.size()) {
    case 1:
      return LoadAs<int8_t>(bytes, widen);
    case 2:
      return LoadAs<int16_t>(bytes, widen);
    case 4:
      return LoadAs<int32_t>(bytes, widen);
    default:
      return LoadAs<int64_t>(bytes, widen);
  }
}

std::optional<StatValue> UnsignedOf(std::string_view bytes) {
  const auto widen = [](auto value) { return StatValue(uint64_t{value}); };
  switch (bytes.size()) {
    case 1:
      return LoadAs<uint8_t>(bytes, widen);
    case 2:
      return LoadAs<uint16_t>(bytes, widen);
    case 4:
      return LoadAs<uint32_t>(bytes, widen);
    default:
      return LoadAs<uint64_t>(bytes, widen);
  }
}

std::optional<StatValue> DecimalOf(const arrow::Scalar& scalar) {
  switch (scalar.type->id()) {
    case arrow::Type::DECIMAL32:
      return arrow::Decimal256(
          static_cast<int64_t>(static_cast<const arrow::Decimal32Scalar&>(scalar).value.value()));
    case arrow::Type::DECIMAL64:
      return arrow::Decimal256(static_cast<const arrow::Decimal64Scalar&>(scalar).value.value());
    case arrow::Type::DECIMAL128:
      return arrow::Decimal256(static_cast<const arrow::Decimal128Scalar&>(scalar).value);
    default:
      return static_cast<const arrow::Decimal256Scalar&>(scalar).value;
  }
}

std::optional<StatValue> DecodeScalar(Form form, const arrow::Scalar& scalar) {
  switch (form) {
    case Form::kSigned:
      return SignedOf(ScalarBytes(scalar));
    case Form::kUnsigned:
      return UnsignedOf(ScalarBytes(scalar));
    case Form::kDouble:
      return scalar.type->id() == arrow::Type::FLOAT
                 ? StatValue(double{static_cast<const arrow::FloatScalar&>(scalar).value})
                 : StatValue(static_cast<const arrow::DoubleScalar&>(scalar).value);
    case Form::kBytes:
      return StatValue(std::string(static_cast<const arrow::BaseBinaryScalar&>(scalar).view()));
    case Form::kDecimal:
      return DecimalOf(scalar);
    case Form::kNone:
      break;
  }
  return std::nullopt;
}

bool IsNaN(const StatValue& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && std::isnan(*number);
}

bool Less(const StatValue& a, const StatValue& b) {
  // std::string compares char by char as unsigned bytes.
  return a.index() == b.index() && a < b;
}

// Whether a value between `min` and `max` may meet the bound. Statistics leave NaN out, which is
// above every number: a page may hold one whatever its maximum.
bool RangeMayMeet(const StatValue& min, const StatValue& max, Op op, const StatValue& value) {
  const bool is_float = std::holds_alternative<double>(value);
  if (IsNaN(min) || IsNaN(max) || IsNaN(value)) {
    return true;
  }
  switch (op) {
    case Op::kEqual:
      return !Less(value, min) && !Less(max, value);
    case Op::kLess:
      return Less(min, value);
    case Op::kLessEqual:
      return !Less(value, min);
    case Op::kGreater:
      return is_float || Less(value, max);
    case Op::kGreaterEqual:
      return is_float || !Less(max, value);
    default:
      return true;
  }
}

// What statistics tell of some rows.
struct RowStats {
  std::optional<int64_t> null_count;
  bool all_null = false;
  std::optional<StatValue> min;
  std::optional<StatValue> max;
};

bool MayMeet(const RowStats& stats, Op op, const std::optional<StatValue>& value) {
  if (op == Op::kIsNull) {
    return stats.null_count != 0;
  }
  if (stats.all_null) {
    return false;
  }
  if (op == Op::kIsNotNull || !stats.min.has_value() || !stats.max.has_value() ||
      !value.has_value()) {
    return true;
  }
  return RangeMayMeet(*stats.min, *stats.max, op, *value);
}

std::optional<StatValue> ValueOf(const parquet::ColumnDescriptor& column, const LeafBound& bound,
                                 Form* form) {
  if (bound.value == nullptr || !bound.value->is_valid) {
    *form = Form::kNone;
    return std::nullopt;
  }
  *form = FormOf(column, *bound.value->type);
  return DecodeScalar(*form, *bound.value);
}

}  // namespace

bool CanPrune(const parquet::ColumnDescriptor& column, const arrow::DataType& type) {
  if (column.max_repetition_level() > 0 || column.path()->ToDotVector().size() != 1) {
    return false;
  }
  const Form form = FormOf(column, type);
  if (form == Form::kNone) {
    return false;
  }
  const auto order = column.sort_order();
  return column.column_order().get_order() == parquet::ColumnOrder::TYPE_DEFINED_ORDER &&
         (form == Form::kUnsigned || form == Form::kBytes ? order == parquet::SortOrder::UNSIGNED
          : form == Form::kDouble || form == Form::kDecimal ||
                  column.physical_type() == parquet::Type::BOOLEAN
              ? order != parquet::SortOrder::UNKNOWN
              : order == parquet::SortOrder::SIGNED);
}

bool RowGroupMayMeet(const parquet::RowGroupMetaData& row_group, const LeafBound& bound) {
  try {
    const auto chunk = row_group.ColumnChunk(bound.leaf);
    if (!chunk->is_stats_set()) {
      return true;
    }
    const auto statistics = chunk->statistics();
    if (statistics == nullptr) {
      return true;
    }
    const parquet::ColumnDescriptor& column = *row_group.schema()->Column(bound.leaf);
    Form form = Form::kNone;
    const std::optional<StatValue> value = ValueOf(column, bound, &form);
    RowStats stats;
    if (statistics->HasNullCount()) {
      stats.null_count = statistics->null_count();
      stats.all_null = *stats.null_count == row_group.num_rows();
    }
    if (statistics->HasMinMax() && form != Form::kNone) {
      stats.min = DecodeStat(column, form, statistics->EncodeMin());
      stats.max = DecodeStat(column, form, statistics->EncodeMax());
    }
    return MayMeet(stats, bound.op, value);
  } catch (const std::exception&) {
    // Statistics that cannot be read leave nothing out.
    return true;
  }
}

RowRanges PagesThatMayMeet(const parquet::ColumnDescriptor& column, const PageLocations& locations,
                           const parquet::ColumnIndex& statistics, const LeafBound& bound) {
  const size_t count = locations.pages.size();
  const auto& null_pages = statistics.null_pages();
  const auto& mins = statistics.encoded_min_values();
  const auto& maxs = statistics.encoded_max_values();
  if (null_pages.size() != count || mins.size() != count || maxs.size() != count ||
      (statistics.has_null_counts() && statistics.null_counts().size() != count)) {
    return {{0, locations.row_count}};
  }
  Form form = Form::kNone;
  const std::optional<StatValue> value = ValueOf(column, bound, &form);
  RowRanges ranges;
  for (size_t page = 0; page < count; ++page) {
    RowStats stats;
    stats.all_null = null_pages[page];
    if (statistics.has_null_counts()) {
      stats.null_count = statistics.null_counts()[page];
    }
    if (!stats.all_null && form != Form::kNone) {
      stats.min = DecodeStat(column, form, mins[page]);
      stats.max = DecodeStat(column, form, maxs[page]);
    }
    if (MayMeet(stats, bound.op, value)) {
      AppendRange(locations.first_row(page), locations.end_row(page), &ranges);
    }
  }
  return ranges;
}

}  // namespace keepone
