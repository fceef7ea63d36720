// SPDX-License-Identifier: Apache-2.0
#include "sql/printer.h"

namespace keepone::ast {

namespace {

std::string_view LikeText(LikeOp op, bool negated) {
  switch (op) {
    case LikeOp::kLike:
      return negated ? " NOT LIKE " : " LIKE ";
    case LikeOp::kILike:
      return negated ? " NOT ILIKE " : " ILIKE ";
    case LikeOp::kSimilarTo:
      return negated ? " NOT SIMILAR TO " : " SIMILAR TO ";
    case LikeOp::kGlob:
      return negated ? " NOT GLOB " : " GLOB ";
    case LikeOp::kRegex:
      return negated ? " !~ " : " ~ ";
    case LikeOp::kRegexIgnoreCase:
      break;
  }
  return negated ? " !~* " : " ~* ";
}

std::string_view IsTestText(IsTest test) {
  switch (test) {
    case IsTest::kNull:
      return "NULL";
    case IsTest::kTrue:
      return "TRUE";
    case IsTest::kFalse:
      return "FALSE";
    case IsTest::kUnknown:
      break;
  }
  return "UNKNOWN";
}

std::string_view UnaryText(UnaryOp op) {
  switch (op) {
    case UnaryOp::kNegate:
      return "-";
    case UnaryOp::kPlus:
      return "+";
    case UnaryOp::kNot:
      return "NOT ";
    case UnaryOp::kBitNot:
      break;
  }
  return "~";
}

}  // namespace

void Printer::PrintOperator(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kUnary:
      return PrintUnary(expr.As<UnaryExpr>());
    case ExprKind::kBinary:
      return PrintBinary(expr.As<BinaryExpr>());
    case ExprKind::kLogic:
      return PrintLogic(expr.As<LogicExpr>());
    case ExprKind::kIs:
      return PrintIs(expr.As<IsExpr>());
    case ExprKind::kBetween:
      return PrintBetween(expr.As<BetweenExpr>());
    case ExprKind::kInList: {
      const auto& in = expr.As<InListExpr>();
      PrintExpr(*in.operand, Precedence::kRange);
      Put(in.negated ? " NOT IN (" : " IN (");
      PutExprs(in.elements);
      return Put(")");
    }
    case ExprKind::kInQuery: {
      const auto& in = expr.As<InQueryExpr>();
      PrintExpr(*in.operand, Precedence::kRange);
      Put(in.negated ? " NOT IN (" : " IN (");
      PrintQuery(*in.query);
      return Put(")");
    }
    case ExprKind::kLike:
      return PrintLike(expr.As<LikeExpr>());
    case ExprKind::kQuantified:
      return PrintQuantified(expr.As<QuantifiedExpr>());
    case ExprKind::kCase:
      return PrintCase(expr.As<CaseExpr>());
    case ExprKind::kCast:
      return PrintCast(expr.As<CastExpr>());
    default:
      break;
  }
}

void Printer::PrintUnary(const UnaryExpr& unary) {
  Put(UnaryText(unary.op));
  if (unary.op == UnaryOp::kNot) {
    return PrintExpr(*unary.operand, Precedence::kNot);
  }
  // A sign after a sign is kept apart: two minus signs begin a comment, other pairs an operator.
  const bool in_parentheses =
      unary.operand->kind == ExprKind::kUnary && unary.operand->As<UnaryExpr>().op != UnaryOp::kNot;
  PutIf(in_parentheses, "(");
  PrintExpr(*unary.operand, Precedence::kUnary);
  PutIf(in_parentheses, ")");
}

void Printer::PrintBinary(const BinaryExpr& binary) {
  const Precedence precedence = PrecedenceOf(binary);
  PrintExpr(*binary.left, precedence);
  Put(" ");
  Put(BinaryOpText(binary.op));
  Put(" ");
  PrintExpr(*binary.right, Tighter(precedence));
}

void Printer::PrintLogic(const LogicExpr& logic) {
  const Precedence operand_at_least = Tighter(PrecedenceOf(logic));
  bool first = true;
  for (const ExprPtr& operand : logic.operands) {
    PutIf(!first, logic.op == LogicOp::kOr ? " OR " : " AND ");
    first = false;
    PrintExpr(*operand, operand_at_least);
  }
}

void Printer::PrintIs(const IsExpr& is) {
  PrintExpr(*is.operand, Precedence::kIs);
  Put(is.negated ? " IS NOT " : " IS ");
  Put(IsTestText(is.test));
}

void Printer::PrintBetween(const BetweenExpr& between) {
  PrintExpr(*between.operand, Precedence::kRange);
  Put(between.negated ? " NOT BETWEEN " : " BETWEEN ");
  PutIf(between.symmetric, "SYMMETRIC ");
  PrintExpr(*between.lower, Tighter(Precedence::kRange));
  Put(" AND ");
  PrintExpr(*between.upper, Tighter(Precedence::kRange));
}

void Printer::PrintLike(const LikeExpr& like) {
  const Precedence precedence = PrecedenceOf(like);
  PrintExpr(*like.operand, precedence);
  Put(LikeText(like.op, like.negated));
  PrintExpr(*like.pattern, Tighter(precedence));
  if (like.escape != nullptr) {
    Put(" ESCAPE ");
    PrintExpr(*like.escape, Tighter(precedence));
  }
}

void Printer::PrintQuantified(const QuantifiedExpr& quantified) {
  PrintExpr(*quantified.operand, Precedence::kComparison);
  Put(" ");
  Put(BinaryOpText(quantified.op));
  Put(quantified.quantifier == Quantifier::kAny ? " ANY (" : " ALL (");
  if (quantified.query != nullptr) {
    PrintQuery(*quantified.query);
  } else {
    PrintExpr(*quantified.list);
  }
  Put(")");
}

void Printer::PrintCase(const CaseExpr& expr) {
  Put("CASE");
  if (expr.operand != nullptr) {
    Put(" ");
    PrintExpr(*expr.operand);
  }
  for (const CaseWhen& when : expr.whens) {
    Put(" WHEN ");
    PrintExpr(*when.condition);
    Put(" THEN ");
    PrintExpr(*when.result);
  }
  if (expr.otherwise != nullptr) {
    Put(" ELSE ");
    PrintExpr(*expr.otherwise);
  }
  Put(" END");
}

void Printer::PrintCast(const CastExpr& cast) {
  Put(cast.try_cast ? "TRY_CAST(" : "CAST(");
  PrintExpr(*cast.operand);
  Put(" AS ");
  PrintType(cast.type);
  Put(")");
}

}  // namespace keepone::ast
