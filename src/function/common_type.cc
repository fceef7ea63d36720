// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "function/calendar.h"
#include "function/cast.h"
#include "function/scalar_row.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

TypePtr SignedOfBits(int bits) {
  return bits <= 8    ? arrow::int8()
         : bits <= 16 ? arrow::int16()
         : bits <= 32 ? arrow::int32()
                      : arrow::int64();
}

TypePtr CommonInteger(const arrow::DataType& left, const arrow::DataType& right) {
  const bool left_signed = arrow::is_signed_integer(left.id());
  const bool right_signed = arrow::is_signed_integer(right.id());
  const int left_bits = left.bit_width();
  const int right_bits = right.bit_width();
  if (left_signed == right_signed) {
    const int bits = std::max(left_bits, right_bits);
    if (left_signed) {
      return SignedOfBits(bits);
    }
    return bits <= 8    ? arrow::uint8()
           : bits <= 16 ? arrow::uint16()
           : bits <= 32 ? arrow::uint32()
                        : arrow::uint64();
  }
  const int signed_bits = left_signed ? left_bits : right_bits;
  const int unsigned_bits = left_signed ? right_bits : left_bits;
  if (unsigned_bits == 64) {
    return arrow::decimal128(20, 0);
  }
  return SignedOfBits(std::max(signed_bits, unsigned_bits * 2));
}

TypePtr CommonDecimal(const arrow::DataType& left, const arrow::DataType& right) {
  const DecimalShape a = DecimalShapeOf(left);
  const DecimalShape b = DecimalShapeOf(right);
  const int32_t scale = std::max(a.scale, b.scale);
  return DecimalOf({std::max(a.precision - a.scale, b.precision - b.scale) + scale, scale});
}

TypePtr CommonNumber(const arrow::DataType& left, const arrow::DataType& right) {
  const auto is_narrow_float = [](const arrow::DataType& type) {
    return type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::HALF_FLOAT;
  };
  if (arrow::is_floating(left.id()) || arrow::is_floating(right.id())) {
    return is_narrow_float(left) && is_narrow_float(right) ? arrow::float32() : arrow::float64();
  }
  if (arrow::is_decimal(left.id()) || arrow::is_decimal(right.id())) {
    return CommonDecimal(left, right);
  }
  return CommonInteger(left, right);
}

template <typename Type>
arrow::TimeUnit::type FinerUnit(const arrow::DataType& left, const arrow::DataType& right) {
  return std::max(checked_cast<const Type&>(left).unit(), checked_cast<const Type&>(right).unit());
}

TypePtr CommonTimestamp(const arrow::DataType& left, const arrow::DataType& right) {
  const std::string& left_zone = checked_cast<const arrow::TimestampType&>(left).timezone();
  const std::string& right_zone = checked_cast<const arrow::TimestampType&>(right).timezone();
  const bool one_zone = left_zone.empty() || right_zone.empty() || left_zone == right_zone;
  return arrow::timestamp(FinerUnit<arrow::TimestampType>(left, right), !one_zone ? "UTC"
                                                                        : left_zone.empty()
                                                                            ? right_zone
                                                                            : left_zone);
}

TypePtr CommonTime(const TypePtr& left, const TypePtr& right) {
  const auto is_time = [](const TypePtr& type) {
    return type->id() == arrow::Type::TIME32 || type->id() == arrow::Type::TIME64;
  };
  const auto is_date = [](const TypePtr& type) { return arrow::is_date(type->id()); };
  if (is_date(left) && is_date(right)) {
    return arrow::date32();
  }
  if (is_date(left) && right->id() == arrow::Type::TIMESTAMP) {
    return right;
  }
  if (is_date(right) && left->id() == arrow::Type::TIMESTAMP) {
    return left;
  }
  if (left->id() == arrow::Type::TIMESTAMP && right->id() == arrow::Type::TIMESTAMP) {
    return CommonTimestamp(*left, *right);
  }
  if (is_time(left) && is_time(right)) {
    const arrow::TimeUnit::type unit = FinerUnit<arrow::TimeType>(*left, *right);
    return unit <= arrow::TimeUnit::MILLI ? arrow::time32(unit) : arrow::time64(unit);
  }
  if (left->id() == arrow::Type::DURATION && right->id() == arrow::Type::DURATION) {
    return arrow::duration(FinerUnit<arrow::DurationType>(*left, *right));
  }
  return IsIntervalType(*left) && IsIntervalType(*right) ? arrow::month_day_nano_interval()
                                                         : nullptr;
}

TypePtr CommonList(const arrow::DataType& left, const arrow::DataType& right) {
  const TypePtr value = CommonType(left.field(0)->type(), right.field(0)->type());
  if (value == nullptr) {
    return nullptr;
  }
  if (left.id() == arrow::Type::FIXED_SIZE_LIST && right.id() == arrow::Type::FIXED_SIZE_LIST) {
    const int32_t size = checked_cast<const arrow::FixedSizeListType&>(left).list_size();
    if (size == checked_cast<const arrow::FixedSizeListType&>(right).list_size()) {
      return arrow::fixed_size_list(value, size);
    }
  }
  const auto is_large = [](const arrow::DataType& type) {
    return type.id() == arrow::Type::LARGE_LIST || type.id() == arrow::Type::LARGE_LIST_VIEW;
  };
  return is_large(left) || is_large(right) ? arrow::large_list(value) : arrow::list(value);
}

// The left one's fields, then those that only the right one has.
TypePtr CommonStruct(const arrow::DataType& left, const arrow::DataType& right) {
  arrow::FieldVector fields;
  for (const auto& field : left.fields()) {
    const int other = FieldIndexByName(right, field->name());
    if (other < 0) {
      fields.push_back(arrow::field(field->name(), field->type()));
      continue;
    }
    const TypePtr type = CommonType(field->type(), right.field(other)->type());
    if (type == nullptr) {
      return nullptr;
    }
    fields.push_back(arrow::field(field->name(), type));
  }
  for (const auto& field : right.fields()) {
    if (FieldIndexByName(left, field->name()) < 0) {
      fields.push_back(arrow::field(field->name(), field->type()));
    }
  }
  return arrow::struct_(std::move(fields));
}

TypePtr CommonNested(const TypePtr& left, const TypePtr& right) {
  if (IsListType(*left) && IsListType(*right)) {
    return CommonList(*left, *right);
  }
  if (left->id() == arrow::Type::STRUCT && right->id() == arrow::Type::STRUCT) {
    return CommonStruct(*left, *right);
  }
  if (left->id() == arrow::Type::MAP && right->id() == arrow::Type::MAP) {
    const auto& a = checked_cast<const arrow::MapType&>(*left);
    const auto& b = checked_cast<const arrow::MapType&>(*right);
    const TypePtr key = CommonType(a.key_type(), b.key_type());
    const TypePtr item = CommonType(a.item_type(), b.item_type());
    return key != nullptr && item != nullptr ? arrow::map(key, item) : nullptr;
  }
  return nullptr;
}

}  // namespace

bool IsNumberType(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || arrow::is_floating(type.id()) ||
         arrow::is_decimal(type.id());
}

bool IsListType(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST ||
         type.id() == arrow::Type::LIST_VIEW || type.id() == arrow::Type::LARGE_LIST_VIEW ||
         type.id() == arrow::Type::FIXED_SIZE_LIST;
}

bool IsTextType(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING ||
         type.id() == arrow::Type::STRING_VIEW;
}

bool IsBlobType(const arrow::DataType& type) {
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::LARGE_BINARY ||
         type.id() == arrow::Type::BINARY_VIEW || type.id() == arrow::Type::FIXED_SIZE_BINARY;
}

bool IsIntervalType(const arrow::DataType& type) {
  return type.id() == arrow::Type::DURATION || arrow::is_interval(type.id());
}

DecimalShape DecimalShapeOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::INT8:
    case arrow::Type::UINT8:
      return {3, 0};
    case arrow::Type::INT16:
    case arrow::Type::UINT16:
      return {5, 0};
    case arrow::Type::INT32:
    case arrow::Type::UINT32:
      return {10, 0};
    case arrow::Type::INT64:
      return {19, 0};
    case arrow::Type::UINT64:
      return {20, 0};
    default: {
      const auto& decimal = checked_cast<const arrow::DecimalType&>(type);
      return {decimal.precision(), decimal.scale()};
    }
  }
}

TypePtr DecimalOf(DecimalShape shape) {
  if (shape.precision > 76 || shape.precision < 1) {
    return nullptr;
  }
  return shape.precision <= 38 ? arrow::decimal128(shape.precision, shape.scale)
                               : arrow::decimal256(shape.precision, shape.scale);
}

int FieldIndexByName(const arrow::DataType& struct_type, const std::string& name) {
  int found = -1;
  for (int i = 0; i < struct_type.num_fields(); ++i) {
    const std::string& field = struct_type.field(i)->name();
    if (field == name) {
      return i;
    }
    if (found < 0 && field.size() == name.size() &&
        std::equal(
            field.begin(), field.end(), name.begin(),
            [](char a, char b) {
              return std::tolower(static_cast<unsigned char>(a)) ==
                     std::tolower(static_cast<unsigned char>(b));
            })) {
      found = i;
    }
  }
  return found;
}

TypePtr PlainType(const TypePtr& type) {
  switch (type->id()) {
    case arrow::Type::DICTIONARY:
      return PlainType(checked_cast<const arrow::DictionaryType&>(*type).value_type());
    case arrow::Type::RUN_END_ENCODED:
      return PlainType(checked_cast<const arrow::RunEndEncodedType&>(*type).value_type());
    case arrow::Type::EXTENSION:
      return PlainType(checked_cast<const arrow::ExtensionType&>(*type).storage_type());
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::BINARY_VIEW:
      return arrow::binary();
    default:
      return type;
  }
}

TypePtr CommonType(const TypePtr& left, const TypePtr& right) {
  if (left->Equals(*right) || right->id() == arrow::Type::NA) {
    return left;
  }
  if (left->id() == arrow::Type::NA) {
    return right;
  }
  const TypePtr a = PlainType(left);
  const TypePtr b = PlainType(right);
  if (a->Equals(*b)) {
    return a;
  }
  if (IsNumberType(*a) && IsNumberType(*b)) {
    return CommonNumber(*a, *b);
  }
  if (IsTextType(*a) && IsTextType(*b)) {
    return arrow::large_utf8();
  }
  if (IsBlobType(*a) && IsBlobType(*b)) {
    const bool large = a->id() == arrow::Type::LARGE_BINARY || b->id() == arrow::Type::LARGE_BINARY;
    return large ? arrow::large_binary() : arrow::binary();
  }
  if (arrow::is_temporal(a->id()) && arrow::is_temporal(b->id())) {
    return CommonTime(a, b);
  }
  return CommonNested(a, b);
}

}  // namespace keepone
