// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "base/error.h"
#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/interval_arithmetic.h"
#include "function/scalar_row.h"
#include "function/unplaced_error.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using Resolved = arrow::Result<std::optional<ScalarResolution>>;

// An arithmetic error told in the operator's words.
arrow::Status ArithmeticError(const arrow::Status& status, const std::string& op,
                              const arrow::DataType& type) {
  if (!status.IsInvalid() || GetErrorDetail(status) != nullptr) {
    return status;
  }
  const std::string& message = status.message();
  if (message.find("ivide by zero") != std::string::npos) {
    return DataError("division by zero");
  }
  return DataError("overflow: \"", op, "\" leaves the range of ", SqlTypeName(type));
}

ScalarKernel CheckedKernel(std::string kernel, std::string op, TypePtr result) {
  return [kernel = std::move(kernel), op = std::move(op), result = std::move(result)](
             const ScalarCall& call,
             const std::vector<arrow::Datum>& arguments) -> arrow::Result<arrow::Datum> {
    arrow::Result<arrow::Datum> answer = CallArrow(call.context, kernel, arguments);
    if (!answer.ok()) {
      return ArithmeticError(answer.status(), op, *result);
    }
    if (!answer->type()->Equals(*result)) {
      return CastDatum(call.context, *answer, result, false);
    }
    return answer;
  };
}

// The remainder by -1 is 0; Arrow's kernel calls it an overflow for the smallest number.
ScalarKernel RemainderKernel(const TypePtr& type) {
  const ScalarKernel checked = CheckedKernel("remainder_checked", "%", type);
  return [checked, type](const ScalarCall& call,
                         const std::vector<arrow::Datum>& values) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum minus_one,
                          CastDatum(call.context, arrow::Datum(int64_t{-1}), type, false));
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum one,
                          CastDatum(call.context, arrow::Datum(int64_t{1}), type, false));
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum is_minus_one,
                          CallArrow(call.context, "equal", {values[1], minus_one}));
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum divisor,
                          CallArrow(call.context, "if_else", {is_minus_one, one, values[1]}));
    return checked(call, {values[0], divisor});
  };
}

struct Operation {
  std::string op;      // "+"
  std::string kernel;  // "add"
};

// The numbers as floats, decimals or integers of one type; nullptr when they are none.
TypePtr NumberType(ScalarArguments arguments) {
  const TypePtr type = MeetingType(arguments);
  if (type == nullptr || type->id() == arrow::Type::NA) {
    return type == nullptr ? nullptr : arrow::int64();
  }
  if (!IsNumberType(*type)) {
    return nullptr;
  }
  return type->id() == arrow::Type::HALF_FLOAT ? arrow::float32() : type;
}

// The exact shape of the result as Arrow's kernels compute it, of which decimal256 has the most.
std::optional<DecimalShape> ResultShape(const std::string& kernel, DecimalShape a, DecimalShape b) {
  if (kernel == "multiply") {
    return DecimalShape{a.precision + b.precision + 1, a.scale + b.scale};
  }
  if (kernel == "divide") {
    const int32_t scale = std::max(4, a.scale + b.precision - b.scale + 1);
    return DecimalShape{a.precision - a.scale + b.scale + scale, scale};
  }
  const int32_t scale = std::max(a.scale, b.scale);
  const int32_t integer = std::max(a.precision - a.scale, b.precision - b.scale);
  return DecimalShape{integer + scale + 1, scale};
}

// Digits of an integer literal, so that `price * 2` does not widen as for any BIGINT.
DecimalShape ShapeOfArgument(const ScalarArgument& argument) {
  const std::optional<int64_t> literal = LiteralInteger(argument);
  if (literal.has_value()) {
    const auto digits = static_cast<int32_t>(std::to_string(*literal).size()) - (*literal < 0);
    return {std::max(1, digits), 0};
  }
  return DecimalShapeOf(*PlainType(argument.type));
}

Resolved ResolveDecimal(const Operation& operation, ScalarArguments arguments,
                        const TypePtr& type) {
  // NULL and literals of text have no shape of their own.
  const auto shape_of = [&](const ScalarArgument& argument) {
    const bool has_shape = IsNumberType(*PlainType(argument.type));
    return has_shape ? ShapeOfArgument(argument) : DecimalShapeOf(*type);
  };
  DecimalShape left = shape_of(arguments[0]);
  DecimalShape right = shape_of(arguments[1]);
  DecimalShape result = *ResultShape(operation.kernel, left, right);
  if (operation.kernel == "remainder") {
    result = DecimalShapeOf(*type);
    left = right = result;
  }
  if (result.precision > 76) {
    return WithHint(
        UnplacedBindError("\"", operation.op, "\" of ", SqlTypeName(*arguments[0].type), " and ",
                          SqlTypeName(*arguments[1].type), " needs more than 76 digits"),
        "cast one side to DOUBLE or to a smaller DECIMAL");
  }
  // Both sides in the width of the result: Arrow widens precision, but never the width.
  const bool wide = result.precision > 38 || left.precision > 38 || right.precision > 38;
  const auto make = [wide](DecimalShape shape) {
    return wide ? arrow::decimal256(shape.precision, shape.scale)
                : arrow::decimal128(shape.precision, shape.scale);
  };
  ScalarResolution resolution;
  resolution.argument_types = {make(left), make(right)};
  resolution.result_type = make(result);
  resolution.run =
      CheckedKernel(operation.kernel + "_checked", operation.op, resolution.result_type);
  return resolution;
}

Resolved ResolveNumbers(const Operation& operation, ScalarArguments arguments) {
  const TypePtr type = NumberType(arguments);
  if (type == nullptr) {
    return std::nullopt;
  }
  if (arrow::is_decimal(type->id())) {
    return ResolveDecimal(operation, arguments, type);
  }
  ScalarResolution resolution;
  resolution.argument_types = {type, type};
  resolution.result_type = type;
  // Floats follow IEEE: x / 0 is an infinity or NaN, no error.
  const bool checked = !arrow::is_floating(type->id());
  if (operation.kernel == "remainder" && arrow::is_signed_integer(type->id())) {
    resolution.run = RemainderKernel(type);
    return resolution;
  }
  resolution.run =
      CheckedKernel(operation.kernel + (checked ? "_checked" : ""), operation.op, type);
  return resolution;
}

ScalarResolver Arithmetic(Operation operation) {
  return [operation = std::move(operation)](ScalarArguments arguments) -> Resolved {
    if (arguments.size() != 2) {
      return std::nullopt;
    }
    ARROW_ASSIGN_OR_RAISE(auto temporal, ResolveTemporalArithmetic(operation.kernel, arguments));
    if (temporal.has_value()) {
      return temporal;
    }
    return ResolveNumbers(operation, arguments);
  };
}

// a // b: the quotient without its fraction, for floats too.
Resolved IntegerDivision(ScalarArguments arguments) {
  if (arguments.size() != 2) {
    return std::nullopt;
  }
  const TypePtr type = NumberType(arguments);
  if (type == nullptr) {
    return std::nullopt;
  }
  ARROW_ASSIGN_OR_RAISE(auto resolution, ResolveNumbers({"//", "divide"}, arguments));
  if (arrow::is_integer(type->id())) {
    return resolution;
  }
  resolution->run = [divide = resolution->run](
                        const ScalarCall& call,
                        const std::vector<arrow::Datum>& values) -> arrow::Result<arrow::Datum> {
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum quotient, divide(call, values));
    return CallArrow(call.context, "trunc", {quotient});
  };
  return resolution;
}

Resolved ResolveUnary(ScalarArguments arguments, const std::string& kernel, const std::string& op) {
  if (arguments.size() != 1) {
    return std::nullopt;
  }
  if (kernel == "negate" && IsIntervalType(*arguments[0].type)) {
    return ResolveIntervalNegation();
  }
  TypePtr type = NumberType(arguments);
  if (type == nullptr) {
    return std::nullopt;
  }
  if (arrow::is_unsigned_integer(type->id()) && kernel == "negate") {
    type = type->id() == arrow::Type::UINT64 ? arrow::decimal128(20, 0) : arrow::int64();
  }
  if (type->id() == arrow::Type::DECIMAL32 || type->id() == arrow::Type::DECIMAL64) {
    type = DecimalOf(DecimalShapeOf(*type));
  }
  ScalarResolution resolution;
  resolution.argument_types = {type};
  resolution.result_type = type;
  resolution.run = CheckedKernel(kernel + "_checked", op, type);
  return resolution;
}

Resolved UnaryPlus(ScalarArguments arguments) {
  ARROW_ASSIGN_OR_RAISE(auto resolution, ResolveUnary(arguments, "negate", "+"));
  if (resolution.has_value()) {
    const TypePtr type = NumberType(arguments);
    resolution->argument_types = {type != nullptr ? type : arguments[0].type};
    resolution->result_type = resolution->argument_types[0];
    resolution->run = [](const ScalarCall&,
                         const std::vector<arrow::Datum>& values) -> arrow::Result<arrow::Datum> {
      return values[0];
    };
  }
  return resolution;
}

// Integers of one type; `kernel` fails where a shift leaves the width.
ScalarResolver Bits(std::string kernel, std::string op, size_t count) {
  return [=](ScalarArguments arguments) -> Resolved {
    if (arguments.size() != count) {
      return std::nullopt;
    }
    const TypePtr type = NumberType(arguments);
    if (type == nullptr || !arrow::is_integer(type->id())) {
      return std::nullopt;
    }
    ScalarResolution resolution;
    resolution.argument_types.assign(count, type);
    resolution.result_type = type;
    resolution.run = CheckedKernel(kernel, op, type);
    return resolution;
  };
}

}  // namespace

std::vector<ScalarRow> ArithmeticRows() {
  const auto unary = [](std::string kernel, std::string op) {
    return [=](ScalarArguments arguments) { return ResolveUnary(arguments, kernel, op); };
  };
  return {
      {"add",
       {"+"},
       "add(NUMBER, NUMBER) -> NUMBER; add(DATE | TIMESTAMP, INTERVAL) -> TIMESTAMP; add(DATE, "
       "BIGINT) -> DATE",
       "a + b; overflow is an error",
       Arithmetic({"+", "add"})},
      {"subtract",
       {"-"},
       "subtract(NUMBER, NUMBER) -> NUMBER; subtract(DATE, DATE) -> BIGINT; subtract(TIMESTAMP, "
       "TIMESTAMP) -> INTERVAL",
       "a - b; the days between two dates",
       Arithmetic({"-", "subtract"})},
      {"multiply",
       {"*"},
       "multiply(NUMBER, NUMBER) -> NUMBER; multiply(INTERVAL, BIGINT) -> INTERVAL",
       "a * b",
       Arithmetic({"*", "multiply"})},
      {"divide",
       {"/"},
       "divide(NUMBER, NUMBER) -> NUMBER",
       "a / b; of integers the quotient without its fraction; division by zero is an error except "
       "for floats",
       Arithmetic({"/", "divide"})},
      {"integer_divide",
       {"//", "div"},
       "integer_divide(NUMBER, NUMBER) -> NUMBER",
       "a / b without its fraction",
       IntegerDivision},
      {"modulo",
       {"%", "mod"},
       "modulo(NUMBER, NUMBER) -> NUMBER",
       "the remainder of a / b, with the sign of a",
       Arithmetic({"%", "remainder"})},
      {"negate", {}, "negate(NUMBER | INTERVAL) -> NUMBER | INTERVAL", "-a", unary("negate", "-")},
      {"unary_plus", {}, "unary_plus(NUMBER) -> NUMBER", "+a", UnaryPlus},
      {"abs", {"@"}, "abs(NUMBER) -> NUMBER", "the number without its sign", unary("abs", "abs")},
      {"bit_and",
       {"&"},
       "bit_and(INTEGER, INTEGER) -> INTEGER",
       "the bits set in both",
       Bits("bit_wise_and", "&", 2)},
      {"bit_or",
       {"|"},
       "bit_or(INTEGER, INTEGER) -> INTEGER",
       "the bits set in one of both",
       Bits("bit_wise_or", "|", 2)},
      {"bit_xor",
       {"xor", "#"},
       "bit_xor(INTEGER, INTEGER) -> INTEGER",
       "the bits set in exactly one",
       Bits("bit_wise_xor", "xor", 2)},
      {"bit_not",
       {},
       "bit_not(INTEGER) -> INTEGER",
       "all bits turned",
       Bits("bit_wise_not", "~", 1)},
      {"shift_left",
       {"<<"},
       "shift_left(INTEGER, INTEGER) -> INTEGER",
       "the bits moved up by b places",
       Bits("shift_left_checked", "<<", 2)},
      {"shift_right",
       {">>"},
       "shift_right(INTEGER, INTEGER) -> INTEGER",
       "the bits moved down by b places",
       Bits("shift_right_checked", ">>", 2)},
  };
}

}  // namespace keepone
