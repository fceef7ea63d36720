// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "sql/ast.h"

namespace keepone::ast {

// How tightly an operator binds, loosest first. An operand that binds looser than its place allows
// needs parentheses.
enum class Precedence {
  kAny,
  kOr,
  kAnd,
  kNot,
  kIs,
  kComparison,
  kRange,  // BETWEEN, IN, LIKE
  kOther,  // || -> & | << >> ~
  kAdditive,
  kMultiplicative,
  kPower,
  kTimeZone,
  kUnary,
  kPostfix,  // [] . ::
  kPrimary,
};

// The next tighter precedence.
constexpr Precedence Tighter(Precedence precedence) {
  return static_cast<Precedence>(static_cast<int>(precedence) + 1);
}

struct SymbolOperator {
  std::string_view text;
  BinaryOp op;
  Precedence precedence;
};

// The binary operators that are symbols; the first one of several spellings is the one printed.
inline constexpr std::array<SymbolOperator, 23> kSymbolOperators = {{
    {"=", BinaryOp::kEqual, Precedence::kComparison},
    {"==", BinaryOp::kEqual, Precedence::kComparison},
    {"<>", BinaryOp::kNotEqual, Precedence::kComparison},
    {"!=", BinaryOp::kNotEqual, Precedence::kComparison},
    {"<", BinaryOp::kLess, Precedence::kComparison},
    {"<=", BinaryOp::kLessOrEqual, Precedence::kComparison},
    {">", BinaryOp::kGreater, Precedence::kComparison},
    {">=", BinaryOp::kGreaterOrEqual, Precedence::kComparison},
    {"||", BinaryOp::kConcat, Precedence::kOther},
    {"->", BinaryOp::kArrow, Precedence::kOther},
    {"->>", BinaryOp::kDoubleArrow, Precedence::kOther},
    {"&", BinaryOp::kBitAnd, Precedence::kOther},
    {"|", BinaryOp::kBitOr, Precedence::kOther},
    {"<<", BinaryOp::kShiftLeft, Precedence::kOther},
    {">>", BinaryOp::kShiftRight, Precedence::kOther},
    {"+", BinaryOp::kAdd, Precedence::kAdditive},
    {"-", BinaryOp::kSubtract, Precedence::kAdditive},
    {"*", BinaryOp::kMultiply, Precedence::kMultiplicative},
    {"/", BinaryOp::kDivide, Precedence::kMultiplicative},
    {"//", BinaryOp::kIntegerDivide, Precedence::kMultiplicative},
    {"%", BinaryOp::kModulo, Precedence::kMultiplicative},
    {"^", BinaryOp::kPower, Precedence::kPower},
    {"**", BinaryOp::kPower, Precedence::kPower},
}};

// The precedence of the operator at the root of `expr`.
Precedence PrecedenceOf(const Expr& expr);

}  // namespace keepone::ast
