// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array/builder_primitive.h>
#include <arrow/compute/api.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/operand.h"
#include "function/scalar_row.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::Datum;
using Resolved = arrow::Result<std::optional<ScalarResolution>>;

ScalarResolver OneDouble(std::string kernel) {
  return Overloads({{{arrow::float64()}, arrow::float64(), ArrowKernel(std::move(kernel))}});
}

ScalarResolver OfTwoDoubles(std::string kernel) {
  return Overloads(
      {{{arrow::float64(), arrow::float64()}, arrow::float64(), ArrowKernel(std::move(kernel))}});
}

ScalarKernel EachDouble(double (*compute)(double)) {
  return RowWise(
      [compute](const ScalarCall&,
                const Operands& operands) -> arrow::Result<std::shared_ptr<arrow::Array>> {
        const auto values = operands.At<arrow::DoubleArray>(0);
        arrow::DoubleBuilder builder(operands.pool());
        ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
        for (int64_t row = 0; row < operands.length(); ++row) {
          if (values.IsNull(row)) {
            builder.UnsafeAppendNull();
          } else {
            builder.UnsafeAppend(compute(values.Value(row)));
          }
        }
        return builder.Finish();
      });
}

ScalarResolver EachDoubleResolver(double (*compute)(double)) {
  return Overloads({{{arrow::float64()}, arrow::float64(), EachDouble(compute)}});
}

ScalarKernel Unchanged() {
  return [](const ScalarCall&, const std::vector<Datum>& values) -> arrow::Result<Datum> {
    return values[0];
  };
}

arrow::Status RangeError(const arrow::Status& status, const std::string& name,
                         const arrow::DataType& type) {
  if (status.IsInvalid() && GetErrorDetail(status) == nullptr) {
    return DataError("overflow: \"", name, "\" leaves the range of ", SqlTypeName(type));
  }
  return status;
}

// The number rounded by a kernel, in its own type; a decimal gets one digit more where rounding up
// can need it.
Resolved ResolveRounding(ScalarArguments arguments, const std::string& name, ScalarKernel kernel) {
  const TypePtr plain = PlainType(arguments[0].type);
  TypePtr type =
      plain->id() == arrow::Type::NA || IsTextLiteral(arguments[0]) ? arrow::float64() : plain;
  if (!IsNumberType(*type)) {
    return std::nullopt;
  }
  if (type->id() == arrow::Type::HALF_FLOAT) {
    type = arrow::float32();
  } else if (arrow::is_decimal(type->id())) {
    const DecimalShape shape = DecimalShapeOf(*type);
    type = DecimalOf({shape.precision < 76 ? shape.precision + 1 : 76, shape.scale});
  }
  ScalarResolution resolution;
  resolution.argument_types = {type};
  resolution.result_type = type;
  resolution.run = [=](const ScalarCall& call, const std::vector<Datum>& values) {
    const arrow::Result<Datum> answer = kernel(call, values);
    return answer.ok() ? answer : arrow::Result<Datum>(RangeError(answer.status(), name, *type));
  };
  return resolution;
}

ScalarResolver WholeNumber(std::string kernel) {
  return [kernel = std::move(kernel)](ScalarArguments arguments) -> Resolved {
    if (arguments.size() != 1) {
      return std::nullopt;
    }
    const bool is_integer = arrow::is_integer(PlainType(arguments[0].type)->id());
    return ResolveRounding(arguments, kernel, is_integer ? Unchanged() : ArrowKernel(kernel));
  };
}

constexpr auto kHalfAway = arrow::compute::RoundMode::HALF_TOWARDS_INFINITY;

// round(x[, places]), half away from zero; places may be negative.
Resolved ResolveRound(ScalarArguments arguments) {
  if (arguments.size() == 1) {
    const bool is_integer = arrow::is_integer(PlainType(arguments[0].type)->id());
    return ResolveRounding(
        arguments, "round",
        is_integer
            ? Unchanged()
            : ArrowKernel("round", std::make_shared<arrow::compute::RoundOptions>(0, kHalfAway)));
  }
  if (arguments.size() != 2 || !ConvertsTo(arguments[1], *arrow::int32())) {
    return std::nullopt;
  }
  const auto by_places = [](const ScalarCall& call,
                            const std::vector<Datum>& values) -> arrow::Result<Datum> {
    if (values[1].is_scalar() && values[1].scalar()->is_valid) {
      const arrow::compute::RoundOptions options(values[1].scalar_as<arrow::Int32Scalar>().value,
                                                 kHalfAway);
      return CallArrow(call.context, "round", {values[0]}, &options);
    }
    const arrow::compute::RoundBinaryOptions options(kHalfAway);
    return CallArrow(call.context, "round_binary", values, &options);
  };
  ARROW_ASSIGN_OR_RAISE(auto resolution, ResolveRounding(arguments, "round", by_places));
  if (resolution.has_value()) {
    resolution->argument_types.push_back(arrow::int32());
  }
  return resolution;
}

Resolved ResolveSign(ScalarArguments arguments) {
  const TypePtr type = arguments.size() == 1 ? PlainType(arguments[0].type) : nullptr;
  if (type == nullptr || !(IsNumberType(*type) || type->id() == arrow::Type::NA)) {
    return std::nullopt;
  }
  // NaN has no sign, so a float's answer is a float.
  const bool is_float = arrow::is_floating(type->id());
  ScalarResolution resolution;
  resolution.argument_types = {is_float                        ? arrow::float64()
                               : type->id() == arrow::Type::NA ? arrow::int64()
                                                               : type};
  resolution.result_type = is_float ? arrow::float64() : arrow::int64();
  resolution.run = [result = resolution.result_type](
                       const ScalarCall& call,
                       const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Datum sign, CallArrow(call.context, "sign", values));
    return CastDatum(call.context, sign, result, false);
  };
  return resolution;
}

Resolved ResolvePi(ScalarArguments arguments) {
  if (!arguments.empty()) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.result_type = arrow::float64();
  resolution.run = [](const ScalarCall&, const std::vector<Datum>&) -> arrow::Result<Datum> {
    return Datum(std::numbers::pi);
  };
  return resolution;
}

ScalarResolver FloatTest(std::string kernel) {
  return Overloads({{{arrow::float64()}, arrow::boolean(), ArrowKernel(std::move(kernel))}});
}

}  // namespace

std::vector<ScalarRow> MathRows() {
  const auto row = [](std::string name, std::vector<std::string> aliases, std::string text,
                      ScalarResolver resolve) {
    return ScalarRow{name, std::move(aliases), name + "(DOUBLE) -> DOUBLE", std::move(text),
                     std::move(resolve)};
  };
  return {
      {"ceil",
       {"ceiling"},
       "ceil(NUMBER) -> NUMBER",
       "the next whole number up",
       WholeNumber("ceil")},
      {"floor", {}, "floor(NUMBER) -> NUMBER", "the next whole number down", WholeNumber("floor")},
      {"trunc",
       {"truncate"},
       "trunc(NUMBER) -> NUMBER",
       "the number without its fraction",
       WholeNumber("trunc")},
      {"round",
       {},
       "round(NUMBER[, INTEGER places]) -> NUMBER",
       "rounded half away from zero",
       ResolveRound},
      {"sign", {}, "sign(NUMBER) -> BIGINT | DOUBLE", "-1, 0 or 1", ResolveSign},
      row("sqrt", {}, "the square root", OneDouble("sqrt")),
      row("cbrt", {}, "the cube root", EachDoubleResolver(std::cbrt)),
      row("exp", {}, "e raised to the number", OneDouble("exp")),
      row("ln", {}, "the natural logarithm", OneDouble("ln")),
      row("log10", {"log"}, "the logarithm to base 10", OneDouble("log10")),
      row("log2", {}, "the logarithm to base 2", OneDouble("log2")),
      {"power",
       {"pow", "^", "**"},
       "power(DOUBLE, DOUBLE) -> DOUBLE",
       "a raised to b",
       OfTwoDoubles("power")},
      row("sin", {}, "the sine", OneDouble("sin")),
      row("cos", {}, "the cosine", OneDouble("cos")),
      row("tan", {}, "the tangent", OneDouble("tan")),
      row("asin", {}, "the angle of a sine", OneDouble("asin")),
      row("acos", {}, "the angle of a cosine", OneDouble("acos")),
      row("atan", {}, "the angle of a tangent", OneDouble("atan")),
      {"atan2",
       {},
       "atan2(DOUBLE y, DOUBLE x) -> DOUBLE",
       "the angle of a point",
       OfTwoDoubles("atan2")},
      row("degrees", {}, "radians as degrees",
          EachDoubleResolver([](double x) { return x * 180 / std::numbers::pi; })),
      row("radians", {}, "degrees as radians",
          EachDoubleResolver([](double x) { return x * std::numbers::pi / 180; })),
      {"pi", {}, "pi() -> DOUBLE", "the number pi", ResolvePi},
      {"isnan",
       {"is_nan"},
       "isnan(DOUBLE) -> BOOLEAN",
       "whether the number is NaN",
       FloatTest("is_nan")},
      {"isinf",
       {"is_inf"},
       "isinf(DOUBLE) -> BOOLEAN",
       "whether the number is infinite",
       FloatTest("is_inf")},
      {"isfinite",
       {"is_finite"},
       "isfinite(DOUBLE) -> BOOLEAN",
       "whether the number is neither NaN nor infinite",
       FloatTest("is_finite")},
  };
}

}  // namespace keepone
