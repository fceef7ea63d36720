// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/ast_expr.h"

namespace keepone::ast {

enum class BinaryOp {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,         // /
  kIntegerDivide,  // "//"
  kModulo,
  kPower,  // ^
  kConcat,
  kBitAnd,
  kBitOr,
  kShiftLeft,
  kShiftRight,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kIsDistinctFrom,
  kIsNotDistinctFrom,
  kArrow,        // ->
  kDoubleArrow,  // ->>
};

// The operator as SQL writes it: "+", "<>", "IS DISTINCT FROM", ...
std::string_view BinaryOpText(BinaryOp op);

struct BinaryExpr final : ExprOf<ExprKind::kBinary> {
  using NodeOf::NodeOf;
  BinaryOp op = BinaryOp::kAdd;
  ExprPtr left;
  ExprPtr right;
};

enum class LogicOp { kAnd, kOr };

// Two or more operands under one connective; no operand is a LogicExpr of the same `op`.
struct LogicExpr final : ExprOf<ExprKind::kLogic> {
  using NodeOf::NodeOf;
  LogicOp op = LogicOp::kAnd;
  std::vector<ExprPtr> operands;
};

enum class IsTest { kNull, kTrue, kFalse, kUnknown };

// operand IS [NOT] test.
struct IsExpr final : ExprOf<ExprKind::kIs> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  IsTest test = IsTest::kNull;
  bool negated = false;
};

struct BetweenExpr final : ExprOf<ExprKind::kBetween> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  ExprPtr lower;
  ExprPtr upper;
  bool symmetric = false;
  bool negated = false;
};

// operand [NOT] IN (a, b, ...), at least one element.
struct InListExpr final : ExprOf<ExprKind::kInList> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  std::vector<ExprPtr> elements;
  bool negated = false;
};

struct InQueryExpr final : ExprOf<ExprKind::kInQuery> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  QueryPtr query;
  bool negated = false;
};

enum class LikeOp { kLike, kILike, kSimilarTo, kGlob, kRegex, kRegexIgnoreCase };

// operand [NOT] LIKE pattern [ESCAPE escape]; ~, !~, ~* and !~* are the kRegex ones.
struct LikeExpr final : ExprOf<ExprKind::kLike> {
  using NodeOf::NodeOf;
  LikeOp op = LikeOp::kLike;
  ExprPtr operand;
  ExprPtr pattern;
  ExprPtr escape;  // Or nullptr.
  bool negated = false;
};

enum class Quantifier { kAny, kAll };

// operand = ANY (query) or operand = ANY (list): exactly one of `query` and `list` is set.
struct QuantifiedExpr final : ExprOf<ExprKind::kQuantified> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  BinaryOp op = BinaryOp::kEqual;
  Quantifier quantifier = Quantifier::kAny;
  QueryPtr query;
  ExprPtr list;
};

struct CaseWhen {
  ExprPtr condition;  // With an operand: the value that it is compared with.
  ExprPtr result;
};

struct CaseExpr final : ExprOf<ExprKind::kCase> {
  using NodeOf::NodeOf;
  ExprPtr operand;  // Nullptr in CASE WHEN.
  std::vector<CaseWhen> whens;
  ExprPtr otherwise;  // Nullptr without ELSE.
};

// CAST(operand AS type), operand::type, TRY_CAST(operand AS type).
struct CastExpr final : ExprOf<ExprKind::kCast> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  TypeName type;
  bool try_cast = false;
};

struct ExistsExpr final : ExprOf<ExprKind::kExists> {
  using NodeOf::NodeOf;
  QueryPtr query;
};

struct ScalarQueryExpr final : ExprOf<ExprKind::kScalarQuery> {
  using NodeOf::NodeOf;
  QueryPtr query;
};

}  // namespace keepone::ast
