// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "function/cast.h"
#include "function/unplaced_error.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
using TypePtr = std::shared_ptr<arrow::DataType>;

struct NamedType {
  std::vector<std::string> names;  // upper case, the first one is the usual one
  TypePtr type;
};

const std::vector<NamedType>& NamedTypes() {
  static const std::vector<NamedType> types = {
      {{"BOOLEAN", "BOOL", "LOGICAL"}, arrow::boolean()},
      {{"TINYINT", "INT1"}, arrow::int8()},
      {{"SMALLINT", "INT2", "INT16", "SHORT"}, arrow::int16()},
      {{"INTEGER", "INT", "INT4", "INT32", "SIGNED"}, arrow::int32()},
      {{"BIGINT", "INT8", "INT64", "LONG"}, arrow::int64()},
      {{"UTINYINT", "UINT8"}, arrow::uint8()},
      {{"USMALLINT", "UINT16"}, arrow::uint16()},
      {{"UINTEGER", "UINT32", "UINT"}, arrow::uint32()},
      {{"UBIGINT", "UINT64"}, arrow::uint64()},
      {{"HUGEINT", "INT128"}, arrow::decimal128(38, 0)},
      {{"HALF", "FLOAT2", "FLOAT16"}, arrow::float16()},
      {{"REAL", "FLOAT4", "FLOAT32"}, arrow::float32()},
      {{"DOUBLE", "FLOAT", "FLOAT8", "FLOAT64", "DOUBLE PRECISION"}, arrow::float64()},
      {{"VARCHAR", "TEXT", "STRING", "CHAR", "CHARACTER", "BPCHAR", "NVARCHAR", "CHARACTER VARYING",
        "CHAR VARYING", "UUID", "JSON"},
       arrow::utf8()},
      {{"BLOB", "BYTEA", "BINARY", "VARBINARY", "BYTES"}, arrow::binary()},
      {{"DATE", "DATE32"}, arrow::date32()},
      {{"TIME", "TIME WITHOUT TIME ZONE"}, arrow::time64(arrow::TimeUnit::MICRO)},
      {{"TIMESTAMP", "DATETIME", "TIMESTAMP_US", "TIMESTAMP WITHOUT TIME ZONE"},
       arrow::timestamp(arrow::TimeUnit::MICRO)},
      {{"TIMESTAMP_S"}, arrow::timestamp(arrow::TimeUnit::SECOND)},
      {{"TIMESTAMP_MS"}, arrow::timestamp(arrow::TimeUnit::MILLI)},
      {{"TIMESTAMP_NS"}, arrow::timestamp(arrow::TimeUnit::NANO)},
      {{"TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE"},
       arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")},
      {{"INTERVAL"}, arrow::month_day_nano_interval()},
      {{"NULL"}, arrow::null()},
  };
  return types;
}

bool IsDecimalName(const std::string& name) {
  return name == "DECIMAL" || name == "NUMERIC" || name == "DEC" || name == "NUMBER";
}

arrow::Result<TypePtr> MakeDecimal(std::span<const int64_t> arguments) {
  const int64_t precision = arguments.empty() ? 18 : arguments[0];
  const int64_t scale = arguments.empty() ? 3 : (arguments.size() == 1 ? 0 : arguments[1]);
  if (arguments.size() > 2 || precision < 1 || precision > 76 || scale < 0 || scale > precision) {
    return UnplacedBindError(
        "DECIMAL takes (precision, scale) with precision from 1 to 76 and scale ",
        "from 0 to precision");
  }
  const auto digits = static_cast<int32_t>(precision);
  const auto places = static_cast<int32_t>(scale);
  return digits <= 38 ? arrow::decimal128(digits, places) : arrow::decimal256(digits, places);
}

// TIMESTAMP(p): the unit that has p digits of a second at least.
arrow::Result<TypePtr> MakeTimestamp(const arrow::TimestampType& type,
                                     std::span<const int64_t> arguments) {
  if (arguments.size() != 1 || arguments[0] < 0 || arguments[0] > 9) {
    return UnplacedBindError("TIMESTAMP takes a precision from 0 to 9");
  }
  const int64_t digits = arguments[0];
  const arrow::TimeUnit::type unit = digits == 0   ? arrow::TimeUnit::SECOND
                                     : digits <= 3 ? arrow::TimeUnit::MILLI
                                     : digits <= 6 ? arrow::TimeUnit::MICRO
                                                   : arrow::TimeUnit::NANO;
  return arrow::timestamp(unit, type.timezone());
}

}  // namespace

arrow::Result<TypePtr> TypeFromSqlName(std::string_view name, std::span<const int64_t> arguments) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  if (IsDecimalName(upper)) {
    return MakeDecimal(arguments);
  }
  std::vector<std::string> known = {"DECIMAL", "NUMERIC", "STRUCT", "MAP"};
  for (const NamedType& named : NamedTypes()) {
    known.insert(known.end(), named.names.begin(), named.names.end());
    if (std::find(named.names.begin(), named.names.end(), upper) == named.names.end()) {
      continue;
    }
    if (arguments.empty() || (arguments.size() == 1 && (named.type->id() == arrow::Type::STRING ||
                                                        named.type->id() == arrow::Type::BINARY))) {
      return named.type;  // VARCHAR(n): the length is a remark, as no value is ever cut
    }
    if (upper == "FLOAT" && arguments.size() == 1 && arguments[0] >= 1 && arguments[0] <= 53) {
      return arguments[0] <= 24 ? arrow::float32() : arrow::float64();
    }
    if (named.type->id() == arrow::Type::TIMESTAMP) {
      return MakeTimestamp(checked_cast<const arrow::TimestampType&>(*named.type), arguments);
    }
    return UnplacedBindError("type ", upper, " takes no arguments");
  }
  const arrow::Status status = UnplacedBindError("type \"", name, "\" does not exist");
  const std::string nearest = NearestName(upper, known);
  return nearest.empty() ? status : WithHint(status, "the nearest type is " + nearest);
}

}  // namespace keepone
