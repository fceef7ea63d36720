// SPDX-License-Identifier: Apache-2.0
#include "function/cast.h"

#include <memory>
#include <string>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/compute/api.h>
#include <arrow/extension_type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/value_text.h"
#include "function/arrow_call.h"
#include "function/calendar.h"
#include "function/cast_nested.h"
#include "function/scalar_row.h"
#include "function/text_parse.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
using ArrayPtr = std::shared_ptr<arrow::Array>;

arrow::Result<ArrayPtr> ArrowCastArray(QueryContext* context, const ArrayPtr& array,
                                       const TypePtr& type, ArrowCast mode = ArrowCast::kSafe) {
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum datum, CallArrowCast(context, array, type, mode));
  return datum.make_array();
}

// Dictionaries, run ends, views and extensions as plain arrays of PlainType(array.type()).
arrow::Result<ArrayPtr> Plain(QueryContext* context, const ArrayPtr& array) {
  switch (array->type_id()) {
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = checked_cast<const arrow::DictionaryArray&>(*array);
      ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, Plain(context, dictionary.dictionary()));
      ARROW_ASSIGN_OR_RAISE(const arrow::Datum taken,
                            CallArrow(context, "take", {values, dictionary.indices()}));
      return taken.make_array();
    }
    case arrow::Type::RUN_END_ENCODED: {
      ARROW_ASSIGN_OR_RAISE(const arrow::Datum decoded,
                            CallArrow(context, "run_end_decode", {array}));
      return Plain(context, decoded.make_array());
    }
    case arrow::Type::EXTENSION:
      return Plain(context, checked_cast<const arrow::ExtensionArray&>(*array).storage());
    case arrow::Type::STRING_VIEW:
      return ArrowCastArray(context, array, arrow::utf8());
    case arrow::Type::BINARY_VIEW:
      return ArrowCastArray(context, array, arrow::binary());
    default:
      return array;
  }
}

arrow::Result<ArrayPtr> ToText(QueryContext* context, const ArrayPtr& array) {
  arrow::StringBuilder builder(PoolOf(context));
  ARROW_RETURN_NOT_OK(builder.Reserve(array->length()));
  ARROW_ASSIGN_OR_RAISE(const auto values, MakeValueText(array, TextStyle::kPlain));
  std::string text;
  for (int64_t row = 0; row < array->length(); ++row) {
    if (values->IsNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    text.clear();
    values->Append(row, &text);
    ARROW_RETURN_NOT_OK(builder.Append(text));
  }
  return builder.Finish();
}

// Half away from zero, as numbers are rounded by hand. One digit more is needed for 9.9 -> 10.
arrow::Result<ArrayPtr> RoundDecimal(QueryContext* context, const ArrayPtr& array, int32_t places) {
  const DecimalShape shape = DecimalShapeOf(*array->type());
  ArrayPtr wide = array;
  if (shape.precision < 76) {
    ARROW_ASSIGN_OR_RAISE(
        wide, ArrowCastArray(context, array, DecimalOf({shape.precision + 1, shape.scale})));
  }
  const arrow::compute::RoundOptions options(places,
                                             arrow::compute::RoundMode::HALF_TOWARDS_INFINITY);
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum rounded, CallArrow(context, "round", {wide}, &options));
  return rounded.make_array();
}

arrow::Result<ArrayPtr> DecimalToNumber(QueryContext* context, const ArrayPtr& array,
                                        const TypePtr& type) {
  if (arrow::is_floating(type->id())) {
    ArrayPtr wide = array;
    if (array->type_id() != arrow::Type::DECIMAL256) {
      ARROW_ASSIGN_OR_RAISE(
          wide, ArrowCastArray(context, array, DecimalOf(DecimalShapeOf(*array->type()))));
    }
    if (type->id() == arrow::Type::HALF_FLOAT) {
      ARROW_ASSIGN_OR_RAISE(wide, ArrowCastArray(context, wide, arrow::float32()));
    }
    return ArrowCastArray(context, wide, type);
  }
  const int32_t places = arrow::is_decimal(type->id()) ? DecimalShapeOf(*type).scale : 0;
  ArrayPtr rounded = array;
  if (DecimalShapeOf(*array->type()).scale > places) {
    ARROW_ASSIGN_OR_RAISE(rounded, RoundDecimal(context, array, places));
  } else if (array->type_id() == arrow::Type::DECIMAL32 ||
             array->type_id() == arrow::Type::DECIMAL64) {
    ARROW_ASSIGN_OR_RAISE(
        rounded, ArrowCastArray(context, array, DecimalOf(DecimalShapeOf(*array->type()))));
  }
  if (type->id() == arrow::Type::DECIMAL32 || type->id() == arrow::Type::DECIMAL64) {
    const DecimalShape shape = DecimalShapeOf(*type);
    ARROW_ASSIGN_OR_RAISE(rounded, ArrowCastArray(context, rounded, DecimalOf(shape)));
  }
  return ArrowCastArray(context, rounded, type);
}

arrow::Result<ArrayPtr> FloatToInteger(QueryContext* context, const ArrayPtr& array,
                                       const TypePtr& type) {
  const arrow::compute::RoundOptions options(0, arrow::compute::RoundMode::HALF_TO_EVEN);
  ArrayPtr source = array;
  if (array->type_id() == arrow::Type::HALF_FLOAT) {
    ARROW_ASSIGN_OR_RAISE(source, ArrowCastArray(context, array, arrow::float32()));
  }
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum rounded,
                        CallArrow(context, "round", {source}, &options));
  return ArrowCastArray(context, rounded.make_array(), type);
}

// Through a decimal that holds every integer of the type.
arrow::Result<ArrayPtr> IntegerToDecimal(QueryContext* context, const ArrayPtr& array,
                                         const TypePtr& type) {
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr exact,
                        ArrowCastArray(context, array, DecimalOf(DecimalShapeOf(*array->type()))));
  return DecimalToNumber(context, exact, type);
}

// Instants are counted from the same zero with and without a zone: wall time is UTC.
arrow::Result<ArrayPtr> ToTimestamp(QueryContext* context, const ArrayPtr& array,
                                    const TypePtr& type) {
  const auto& target = checked_cast<const arrow::TimestampType&>(*type);
  ArrayPtr source = array;
  if (arrow::is_date(array->type_id())) {
    ARROW_ASSIGN_OR_RAISE(source, ArrowCastArray(context, array, arrow::timestamp(target.unit())));
  }
  const auto& from = checked_cast<const arrow::TimestampType&>(*source->type());
  if (from.unit() <= target.unit()) {
    ARROW_ASSIGN_OR_RAISE(
        source, ArrowCastArray(context, source, arrow::timestamp(target.unit(), from.timezone())));
    return source->View(type);
  }
  // A coarser unit rounds down, before 1970 too.
  const int64_t divisor = UnitsPerSecond(from.unit()) / UnitsPerSecond(target.unit());
  const auto& values = checked_cast<const arrow::TimestampArray&>(*source);
  arrow::TimestampBuilder builder(type, PoolOf(context));
  ARROW_RETURN_NOT_OK(builder.Reserve(values.length()));
  for (int64_t row = 0; row < values.length(); ++row) {
    if (values.IsNull(row)) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(FloorDivide(values.Value(row), divisor));
    }
  }
  return builder.Finish();
}

arrow::Result<ArrayPtr> ToInterval(QueryContext* context, const ArrayPtr& array,
                                   const TypePtr& type) {
  arrow::MonthDayNanoIntervalBuilder builder(type, PoolOf(context));
  ARROW_RETURN_NOT_OK(builder.Reserve(array->length()));
  for (int64_t row = 0; row < array->length(); ++row) {
    if (array->IsNull(row)) {
      builder.UnsafeAppendNull();
      continue;
    }
    arrow::MonthDayNanoIntervalType::MonthDayNanos value{0, 0, 0};
    if (array->type_id() == arrow::Type::INTERVAL_MONTHS) {
      value.months = checked_cast<const arrow::MonthIntervalArray&>(*array).GetView(row);
    } else if (array->type_id() == arrow::Type::INTERVAL_DAY_TIME) {
      const auto day_time = checked_cast<const arrow::DayTimeIntervalArray&>(*array).GetView(row);
      value.days = day_time.days;
      value.nanoseconds = int64_t{day_time.milliseconds} * 1000000;
    } else {
      const int64_t per_second =
          UnitsPerSecond(checked_cast<const arrow::DurationType&>(*array->type()).unit());
      const int64_t units = checked_cast<const arrow::DurationArray&>(*array).Value(row);
      const int64_t days = FloorDivide(units, 86400 * per_second);
      if (days > INT32_MAX || days < INT32_MIN) {
        return arrow::Status::Invalid("interval out of range");
      }
      value.days = static_cast<int32_t>(days);
      value.nanoseconds = (units - days * 86400 * per_second) * (1000000000 / per_second);
    }
    builder.UnsafeAppend(value);
  }
  return builder.Finish();
}

arrow::Result<ArrayPtr> FromText(QueryContext* context, const ArrayPtr& array, const TypePtr& type,
                                 bool try_cast) {
  if (IsTextType(*type) || IsBlobType(*type)) {
    return ArrowCastArray(context, array, type);
  }
  ArrayPtr texts = array;
  if (array->type_id() != arrow::Type::STRING) {
    ARROW_ASSIGN_OR_RAISE(texts, ArrowCastArray(context, array, arrow::utf8()));
  }
  const auto& strings = checked_cast<const arrow::StringArray&>(*texts);
  if (IsParsedFromText(*type)) {
    return ParseTexts(context, strings, type, try_cast);
  }
  // Types without a parser of their own have a wider one.
  const TypePtr wide = type->id() == arrow::Type::HALF_FLOAT ? arrow::float32()
                       : arrow::is_decimal(type->id())       ? DecimalOf(DecimalShapeOf(*type))
                                                             : arrow::month_day_nano_interval();
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr parsed, ParseTexts(context, strings, wide, try_cast));
  return ArrowCastArray(context, parsed, type);
}

arrow::Result<ArrayPtr> CastNumber(QueryContext* context, const ArrayPtr& array,
                                   const TypePtr& type) {
  const arrow::DataType& from = *array->type();
  if (arrow::is_decimal(from.id())) {
    if (type->id() == arrow::Type::BOOL) {
      ARROW_ASSIGN_OR_RAISE(const ArrayPtr number,
                            DecimalToNumber(context, array, arrow::float64()));
      return ArrowCastArray(context, number, type);
    }
    return DecimalToNumber(context, array, type);
  }
  if (arrow::is_floating(from.id()) && arrow::is_integer(type->id())) {
    return FloatToInteger(context, array, type);
  }
  if (arrow::is_integer(from.id()) && arrow::is_decimal(type->id())) {
    return IntegerToDecimal(context, array, type);
  }
  if (arrow::is_floating(from.id()) && arrow::is_decimal(type->id())) {
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr number, ArrowCastArray(context, array, arrow::float64()));
    const TypePtr wide = DecimalOf(DecimalShapeOf(*type));
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr decimal, ArrowCastArray(context, number, wide));
    return DecimalToNumber(context, decimal, type);
  }
  // Large integers lose digits in a float, as everywhere.
  if (arrow::is_integer(from.id()) && arrow::is_floating(type->id())) {
    return ArrowCastArray(context, array, type, ArrowCast::kLossy);
  }
  return ArrowCastArray(context, array, type);
}

}  // namespace

arrow::Result<ArrayPtr> CastWhole(QueryContext* context, const ArrayPtr& array, const TypePtr& type,
                                  bool try_cast) {
  if (array->type()->Equals(*type)) {
    return array;
  }
  if (array->type_id() == arrow::Type::NA) {
    return arrow::MakeArrayOfNull(type, array->length(), PoolOf(context));
  }
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr plain, Plain(context, array));
  const arrow::DataType& from = *plain->type();
  if (from.Equals(*type)) {
    return plain;
  }
  const TypePtr plain_type = PlainType(type);
  if (!plain_type->Equals(*type)) {
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr cast, CastWhole(context, plain, plain_type, try_cast));
    return CastToEncoded(context, cast, type);
  }
  if (IsTextType(from)) {
    return FromText(context, plain, type, try_cast);
  }
  if (IsTextType(*type)) {
    if (IsBlobType(from)) {
      ARROW_ASSIGN_OR_RAISE(const ArrayPtr binary, ArrowCastArray(context, plain, arrow::binary()));
      return ArrowCastArray(context, binary, type);
    }
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr text, ToText(context, plain));
    return ArrowCastArray(context, text, type);
  }
  if (arrow::is_nested(from.id())) {
    return CastNested(context, plain, type, try_cast);
  }
  if (IsNumberType(from)) {
    return CastNumber(context, plain, type);
  }
  if (type->id() == arrow::Type::TIMESTAMP) {
    return ToTimestamp(context, plain, type);
  }
  if (type->id() == arrow::Type::INTERVAL_MONTH_DAY_NANO) {
    return ToInterval(context, plain, type);
  }
  const bool drops_time = from.id() == arrow::Type::TIMESTAMP || arrow::is_time(from.id());
  return ArrowCastArray(context, plain, type, drops_time ? ArrowCast::kLossy : ArrowCast::kSafe);
}

namespace {

// Casts value by value in halves, to find the one that does not fit, or to make it NULL.
arrow::Result<ArrayPtr> CastByHalves(QueryContext* context, const ArrayPtr& array,
                                     const TypePtr& type, bool try_cast) {
  arrow::Result<ArrayPtr> cast = CastWhole(context, array, type, try_cast);
  if (cast.ok()) {
    return cast;
  }
  const arrow::Status& status = cast.status();
  if (status.IsOutOfMemory() || status.IsCapacityError() || status.IsNotImplemented() ||
      array->length() == 0 || (GetErrorDetail(status) != nullptr && !try_cast)) {
    return status;
  }
  if (array->length() == 1) {
    if (try_cast) {
      return arrow::MakeArrayOfNull(type, 1, PoolOf(context));
    }
    ARROW_ASSIGN_OR_RAISE(const auto values, MakeValueText(array, TextStyle::kPlain));
    std::string text;
    values->Append(0, &text);
    const bool quoted = !IsNumberType(*array->type());
    return DataError("cannot cast ", quoted ? "\"" : "", text, quoted ? "\"" : "", " to ",
                     SqlTypeName(*type));
  }
  const int64_t half = array->length() / 2;
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr left,
                        CastByHalves(context, array->Slice(0, half), type, try_cast));
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr right,
                        CastByHalves(context, array->Slice(half), type, try_cast));
  return arrow::Concatenate({left, right}, PoolOf(context));
}

}  // namespace

arrow::Result<arrow::Datum> CastDatum(QueryContext* context, const arrow::Datum& value,
                                      const TypePtr& type, bool try_cast) {
  if (value.type()->Equals(*type)) {
    return value;
  }
  if (!CanCast(*value.type(), *type)) {
    return MakeError(ErrorKind::kBind, std::nullopt,
                     "cannot cast " + SqlTypeName(*value.type()) + " to " + SqlTypeName(*type));
  }
  ARROW_RETURN_NOT_OK(PrepareArrowKernels());
  const bool is_scalar = value.is_scalar();
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr array, DatumToArray(context, value, 1));
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr cast, CastByHalves(context, array, type, try_cast));
  if (is_scalar) {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Scalar> scalar, cast->GetScalar(0));
    return arrow::Datum(std::move(scalar));
  }
  return arrow::Datum(cast);
}

}  // namespace keepone
