// SPDX-License-Identifier: Apache-2.0
#include "sql/precedence.h"

#include <algorithm>

namespace keepone::ast {

namespace {

const SymbolOperator* FindSymbol(BinaryOp op) {
  const auto* const found =
      std::find_if(kSymbolOperators.begin(), kSymbolOperators.end(),
                   [&](const SymbolOperator& candidate) { return candidate.op == op; });
  return found == kSymbolOperators.end() ? nullptr : found;
}

}  // namespace

std::string_view BinaryOpText(BinaryOp op) {
  if (const SymbolOperator* symbol = FindSymbol(op)) {
    return symbol->text;
  }
  return op == BinaryOp::kIsDistinctFrom ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM";
}

Precedence PrecedenceOf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLogic:
      return expr.As<LogicExpr>().op == LogicOp::kOr ? Precedence::kOr : Precedence::kAnd;
    case ExprKind::kUnary:
      return expr.As<UnaryExpr>().op == UnaryOp::kNot ? Precedence::kNot : Precedence::kUnary;
    case ExprKind::kBinary: {
      const SymbolOperator* symbol = FindSymbol(expr.As<BinaryExpr>().op);
      return symbol != nullptr ? symbol->precedence : Precedence::kIs;
    }
    case ExprKind::kIs:
      return Precedence::kIs;
    case ExprKind::kQuantified:
      return Precedence::kComparison;
    case ExprKind::kBetween:
    case ExprKind::kInList:
    case ExprKind::kInQuery:
      return Precedence::kRange;
    case ExprKind::kLike: {
      const LikeOp op = expr.As<LikeExpr>().op;
      return op == LikeOp::kRegex || op == LikeOp::kRegexIgnoreCase ? Precedence::kOther
                                                                    : Precedence::kRange;
    }
    case ExprKind::kField:
    case ExprKind::kSubscript:
    case ExprKind::kSlice:
      return Precedence::kPostfix;
    default:
      return Precedence::kPrimary;
  }
}

}  // namespace keepone::ast
