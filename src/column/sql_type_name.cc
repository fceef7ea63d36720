// SPDX-License-Identifier: Apache-2.0
#include "column/sql_type_name.h"

#include <algorithm>
#include <cctype>

#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

namespace keepone {

namespace {

using arrow::internal::checked_cast;

std::string TimestampName(const arrow::TimestampType& type) {
  if (!type.timezone().empty()) {
    return "TIMESTAMP WITH TIME ZONE";
  }
  switch (type.unit()) {
    case arrow::TimeUnit::SECOND:
      return "TIMESTAMP_S";
    case arrow::TimeUnit::MILLI:
      return "TIMESTAMP_MS";
    case arrow::TimeUnit::MICRO:
      return "TIMESTAMP";
    case arrow::TimeUnit::NANO:
      break;
  }
  return "TIMESTAMP_NS";
}

// A field's name, quoted where it is no plain word.
std::string FieldName(const std::string& name) {
  const bool plain = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                     std::all_of(name.begin(), name.end(), [](char c) {
                       return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                     });
  if (plain) {
    return name;
  }
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string NestedName(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
      return SqlTypeName(*type.field(0)->type()) + "[]";
    case arrow::Type::FIXED_SIZE_LIST:
      return SqlTypeName(*type.field(0)->type()) + "[" +
             std::to_string(checked_cast<const arrow::FixedSizeListType&>(type).list_size()) + "]";
    case arrow::Type::MAP: {
      const auto& map = checked_cast<const arrow::MapType&>(type);
      return "MAP(" + SqlTypeName(*map.key_type()) + ", " + SqlTypeName(*map.item_type()) + ")";
    }
    case arrow::Type::STRUCT: {
      std::string name = "STRUCT(";
      for (int i = 0; i < type.num_fields(); ++i) {
        name += (i == 0 ? "" : ", ") + FieldName(type.field(i)->name()) + " " +
                SqlTypeName(*type.field(i)->type());
      }
      return name + ")";
    }
    case arrow::Type::DICTIONARY:
      return SqlTypeName(*checked_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::RUN_END_ENCODED:
      return SqlTypeName(*checked_cast<const arrow::RunEndEncodedType&>(type).value_type());
    case arrow::Type::EXTENSION:
      return SqlTypeName(*checked_cast<const arrow::ExtensionType&>(type).storage_type());
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
      return "UNION";
    default:
      return type.ToString();
  }
}

}  // namespace

std::string SqlTypeName(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return "NULL";
    case arrow::Type::BOOL:
      return "BOOLEAN";
    case arrow::Type::INT8:
      return "TINYINT";
    case arrow::Type::INT16:
      return "SMALLINT";
    case arrow::Type::INT32:
      return "INTEGER";
    case arrow::Type::INT64:
      return "BIGINT";
    case arrow::Type::UINT8:
      return "UTINYINT";
    case arrow::Type::UINT16:
      return "USMALLINT";
    case arrow::Type::UINT32:
      return "UINTEGER";
    case arrow::Type::UINT64:
      return "UBIGINT";
    case arrow::Type::HALF_FLOAT:
      return "HALF";
    case arrow::Type::FLOAT:
      return "REAL";
    case arrow::Type::DOUBLE:
      return "DOUBLE";
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return "VARCHAR";
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
      return "BLOB";
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = checked_cast<const arrow::DecimalType&>(type);
      return "DECIMAL(" + std::to_string(decimal.precision()) + "," +
             std::to_string(decimal.scale()) + ")";
    }
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return "DATE";
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return "TIME";
    case arrow::Type::TIMESTAMP:
      return TimestampName(checked_cast<const arrow::TimestampType&>(type));
    case arrow::Type::DURATION:
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::INTERVAL_DAY_TIME:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return "INTERVAL";
    default:
      return NestedName(type);
  }
}

}  // namespace keepone
