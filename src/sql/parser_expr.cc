// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"

namespace keepone::ast {

namespace {

struct PatternOperator {
  std::string_view text;
  LikeOp op;
  bool negated;
};

constexpr std::array<PatternOperator, 8> kPatternOperators = {{
    {"~", LikeOp::kRegex, false},
    {"!~", LikeOp::kRegex, true},
    {"~*", LikeOp::kRegexIgnoreCase, false},
    {"!~*", LikeOp::kRegexIgnoreCase, true},
    {"~~", LikeOp::kLike, false},
    {"!~~", LikeOp::kLike, true},
    {"~~*", LikeOp::kILike, false},
    {"!~~*", LikeOp::kILike, true},
}};

void AddOperand(LogicOp op, ExprPtr operand, std::vector<ExprPtr>* operands) {
  if (operand->kind == ExprKind::kLogic && operand->As<LogicExpr>().op == op) {
    for (ExprPtr& inner : operand->As<LogicExpr>().operands) {
      operands->push_back(std::move(inner));
    }
    return;
  }
  operands->push_back(std::move(operand));
}

}  // namespace

arrow::Result<ExprPtr> ClauseParser::ParseExpr(Precedence at_least) {
  const Level level(this);
  ARROW_RETURN_NOT_OK(level.Check());
  ARROW_ASSIGN_OR_RAISE(ExprPtr left, ParsePrefix());
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const bool found, ParseInfix(&left, at_least));
    if (!found) {
      return left;
    }
    left->span = SpanSince(left->span);
    ARROW_RETURN_NOT_OK(Deepen());
  }
}

arrow::Result<std::vector<ExprPtr>> ClauseParser::ParseExprList() {
  std::vector<ExprPtr> list;
  do {
    ARROW_ASSIGN_OR_RAISE(ExprPtr expr, ParseExpr());
    list.push_back(std::move(expr));
  } while (TakeSymbol(","));
  return list;
}

arrow::Result<ExprPtr> ClauseParser::ParsePrefix() {
  if (PeekKeyword("NOT")) {
    return ParseUnary(UnaryOp::kNot, Precedence::kNot);
  }
  if (PeekSymbol("-")) {
    return ParseUnary(UnaryOp::kNegate, Precedence::kUnary);
  }
  if (PeekSymbol("+")) {
    return ParseUnary(UnaryOp::kPlus, Precedence::kUnary);
  }
  if (PeekSymbol("~")) {
    return ParseUnary(UnaryOp::kBitNot, Precedence::kUnary);
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr primary, ParsePrimary());
  return ParsePostfix(std::move(primary));
}

arrow::Result<ExprPtr> ClauseParser::ParseUnary(UnaryOp op, Precedence operand_at_least) {
  auto unary = MakeNode<UnaryExpr>(Take().span);
  unary->op = op;
  ARROW_ASSIGN_OR_RAISE(unary->operand, ParseExpr(operand_at_least));
  unary->span = SpanSince(unary->span);
  return unary;
}

arrow::Result<bool> ClauseParser::ParseInfix(ExprPtr* left, Precedence at_least) {
  switch (Peek().kind) {
    case TokenKind::kSymbol:
      return ParseSymbolOperator(left, at_least);
    case TokenKind::kWord:
      return ParseKeywordOperator(left, at_least);
    default:
      return false;
  }
}

arrow::Result<bool> ClauseParser::ParseSymbolOperator(ExprPtr* left, Precedence at_least) {
  const std::string& text = Peek().text;
  const auto* const pattern =
      std::find_if(kPatternOperators.begin(), kPatternOperators.end(),
                   [&](const PatternOperator& candidate) { return candidate.text == text; });
  if (pattern != kPatternOperators.end()) {
    if (Precedence::kOther < at_least) {
      return false;
    }
    Take();
    auto like = MakeNode<LikeExpr>((*left)->span);
    like->op = pattern->op;
    like->negated = pattern->negated;
    like->operand = std::move(*left);
    ARROW_ASSIGN_OR_RAISE(like->pattern, ParseExpr(Tighter(Precedence::kOther)));
    *left = std::move(like);
    return true;
  }
  const auto* const found =
      std::find_if(kSymbolOperators.begin(), kSymbolOperators.end(),
                   [&](const SymbolOperator& candidate) { return candidate.text == text; });
  if (found == kSymbolOperators.end() || found->precedence < at_least) {
    return false;
  }
  Take();
  if (found->precedence == Precedence::kComparison && PeekSymbol("(", 1) &&
      (PeekKeyword("ANY") || PeekKeyword("SOME") || PeekKeyword("ALL"))) {
    ARROW_RETURN_NOT_OK(ParseQuantified(found->op, left));
    return true;
  }
  auto binary = MakeNode<BinaryExpr>((*left)->span);
  binary->op = found->op;
  binary->left = std::move(*left);
  ARROW_ASSIGN_OR_RAISE(binary->right, ParseExpr(Tighter(found->precedence)));
  *left = std::move(binary);
  return true;
}

arrow::Result<bool> ClauseParser::ParseKeywordOperator(ExprPtr* left, Precedence at_least) {
  const auto done = [](const arrow::Status& status) -> arrow::Result<bool> {
    ARROW_RETURN_NOT_OK(status);
    return true;
  };
  if (at_least <= Precedence::kOr && PeekKeyword("OR")) {
    return done(ParseLogic(LogicOp::kOr, left));
  }
  if (at_least <= Precedence::kAnd && PeekKeyword("AND")) {
    return done(ParseLogic(LogicOp::kAnd, left));
  }
  if (at_least <= Precedence::kIs &&
      (PeekKeyword("IS") || PeekKeyword("ISNULL") || PeekKeyword("NOTNULL"))) {
    return done(ParseIs(left));
  }
  if (at_least <= Precedence::kTimeZone && PeekKeyword("AT") && PeekKeyword("TIME", 1)) {
    return done(ParseTimeZone(left));
  }
  if (at_least > Precedence::kRange) {
    return false;
  }
  const bool negated = PeekKeyword("NOT");
  const size_t ahead = negated ? 1 : 0;
  const auto take = [&] {
    for (size_t i = 0; i <= ahead; ++i) {
      Take();
    }
  };
  if (PeekKeyword("BETWEEN", ahead)) {
    take();
    return done(ParseBetween(left, negated));
  }
  if (PeekKeyword("IN", ahead)) {
    take();
    return done(ParseIn(left, negated));
  }
  if (PeekKeyword("LIKE", ahead)) {
    take();
    return done(ParseLike(LikeOp::kLike, left, negated));
  }
  if (PeekKeyword("ILIKE", ahead)) {
    take();
    return done(ParseLike(LikeOp::kILike, left, negated));
  }
  if (PeekKeyword("GLOB", ahead)) {
    take();
    return done(ParseLike(LikeOp::kGlob, left, negated));
  }
  if (PeekKeyword("SIMILAR", ahead)) {
    take();
    ARROW_RETURN_NOT_OK(ExpectKeyword("TO"));
    return done(ParseLike(LikeOp::kSimilarTo, left, negated));
  }
  return false;
}

arrow::Status ClauseParser::ParseLogic(LogicOp op, ExprPtr* left) {
  const std::string_view keyword = op == LogicOp::kOr ? "OR" : "AND";
  const Precedence operand_at_least =
      Tighter(op == LogicOp::kOr ? Precedence::kOr : Precedence::kAnd);
  auto logic = MakeNode<LogicExpr>((*left)->span);
  logic->op = op;
  AddOperand(op, std::move(*left), &logic->operands);
  while (PeekKeyword(keyword)) {
    Take();
    ARROW_ASSIGN_OR_RAISE(ExprPtr operand, ParseExpr(operand_at_least));
    AddOperand(op, std::move(operand), &logic->operands);
  }
  *left = std::move(logic);
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseIs(ExprPtr* left) {
  auto is = MakeNode<IsExpr>((*left)->span);
  if (PeekKeyword("ISNULL") || PeekKeyword("NOTNULL")) {
    is->negated = PeekKeyword("NOTNULL");
    Take();
    is->operand = std::move(*left);
    *left = std::move(is);
    return arrow::Status::OK();
  }
  Take();
  is->negated = TakeKeyword("NOT");
  if (TakeKeyword("NULL")) {
    is->test = IsTest::kNull;
  } else if (TakeKeyword("TRUE")) {
    is->test = IsTest::kTrue;
  } else if (TakeKeyword("FALSE")) {
    is->test = IsTest::kFalse;
  } else if (TakeKeyword("UNKNOWN")) {
    is->test = IsTest::kUnknown;
  } else if (TakeKeyword("DISTINCT")) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("FROM"));
    auto binary = MakeNode<BinaryExpr>((*left)->span);
    binary->op = is->negated ? BinaryOp::kIsNotDistinctFrom : BinaryOp::kIsDistinctFrom;
    binary->left = std::move(*left);
    ARROW_ASSIGN_OR_RAISE(binary->right, ParseExpr(Tighter(Precedence::kIs)));
    *left = std::move(binary);
    return arrow::Status::OK();
  } else {
    return Unexpected();
  }
  is->operand = std::move(*left);
  *left = std::move(is);
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseBetween(ExprPtr* left, bool negated) {
  auto between = MakeNode<BetweenExpr>((*left)->span);
  between->negated = negated;
  between->symmetric = PeekKeyword("SYMMETRIC");
  if (between->symmetric || PeekKeyword("ASYMMETRIC")) {
    Take();
  }
  between->operand = std::move(*left);
  ARROW_ASSIGN_OR_RAISE(between->lower, ParseExpr(Tighter(Precedence::kRange)));
  ARROW_RETURN_NOT_OK(ExpectKeyword("AND"));
  ARROW_ASSIGN_OR_RAISE(between->upper, ParseExpr(Tighter(Precedence::kRange)));
  *left = std::move(between);
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseIn(ExprPtr* left, bool negated) {
  if (PeekQueryParenthesis()) {
    auto in = MakeNode<InQueryExpr>((*left)->span);
    in->negated = negated;
    in->operand = std::move(*left);
    ARROW_ASSIGN_OR_RAISE(in->query, ParseParenthesizedQuery());
    *left = std::move(in);
    return arrow::Status::OK();
  }
  auto in = MakeNode<InListExpr>((*left)->span);
  in->negated = negated;
  in->operand = std::move(*left);
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  ARROW_ASSIGN_OR_RAISE(in->elements, ParseExprList());
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  *left = std::move(in);
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseLike(LikeOp op, ExprPtr* left, bool negated) {
  auto like = MakeNode<LikeExpr>((*left)->span);
  like->op = op;
  like->negated = negated;
  like->operand = std::move(*left);
  ARROW_ASSIGN_OR_RAISE(like->pattern, ParseExpr(Tighter(Precedence::kRange)));
  if (op != LikeOp::kGlob && TakeKeyword("ESCAPE")) {
    ARROW_ASSIGN_OR_RAISE(like->escape, ParseExpr(Tighter(Precedence::kRange)));
  }
  *left = std::move(like);
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseQuantified(BinaryOp op, ExprPtr* left) {
  auto quantified = MakeNode<QuantifiedExpr>((*left)->span);
  quantified->op = op;
  quantified->quantifier = PeekKeyword("ALL") ? Quantifier::kAll : Quantifier::kAny;
  Take();
  quantified->operand = std::move(*left);
  if (PeekQueryParenthesis()) {
    ARROW_ASSIGN_OR_RAISE(quantified->query, ParseParenthesizedQuery());
  } else {
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    ARROW_ASSIGN_OR_RAISE(quantified->list, ParseExpr());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  }
  *left = std::move(quantified);
  return arrow::Status::OK();
}

arrow::Status ClauseParser::ParseTimeZone(ExprPtr* left) {
  auto call = MakeNode<CallExpr>((*left)->span);
  call->name.push_back({"timezone", false, Take().span});
  ARROW_RETURN_NOT_OK(ExpectKeyword("TIME"));
  ARROW_RETURN_NOT_OK(ExpectKeyword("ZONE"));
  ARROW_ASSIGN_OR_RAISE(ExprPtr zone, ParseExpr(Tighter(Precedence::kTimeZone)));
  call->arguments.push_back({std::nullopt, std::move(zone)});
  call->arguments.push_back({std::nullopt, std::move(*left)});
  *left = std::move(call);
  return arrow::Status::OK();
}

arrow::Result<ExprPtr> ClauseParser::ParsePostfix(ExprPtr operand) {
  while (true) {
    const SourceSpan begin = operand->span;
    if (PeekSymbol("::")) {
      Take();
      auto cast = MakeNode<CastExpr>(begin);
      cast->operand = std::move(operand);
      ARROW_ASSIGN_OR_RAISE(cast->type, ParseType());
      operand = std::move(cast);
    } else if (PeekSymbol("[")) {
      ARROW_ASSIGN_OR_RAISE(operand, ParseSubscript(std::move(operand)));
    } else if (PeekSymbol(".")) {
      Take();
      auto field = MakeNode<FieldExpr>(begin);
      field->operand = std::move(operand);
      ARROW_ASSIGN_OR_RAISE(field->name, ExpectAnyName("a field name"));
      operand = std::move(field);
    } else {
      return operand;
    }
    operand->span = SpanSince(begin);
    ARROW_RETURN_NOT_OK(Deepen());
  }
}

arrow::Result<ExprPtr> ClauseParser::ParseSubscript(ExprPtr operand) {
  const SourceSpan begin = operand->span;
  Take();
  // A bound that is left out; the minus sign can stand for it.
  const auto take_missing = [&]() -> bool {
    if (PeekSymbol("-") && (PeekSymbol(":", 1) || PeekSymbol("]", 1))) {
      Take();
    }
    return PeekSymbol(":") || PeekSymbol("]");
  };
  auto slice = MakeNode<SliceExpr>(begin);
  if (PeekSymbol("]")) {
    Expecting("an index");
    return Unexpected();
  }
  if (!take_missing()) {
    ARROW_ASSIGN_OR_RAISE(slice->lower, ParseExpr());
    if (TakeSymbol("]")) {
      auto subscript = MakeNode<SubscriptExpr>(begin);
      subscript->operand = std::move(operand);
      subscript->index = std::move(slice->lower);
      return subscript;
    }
  }
  slice->operand = std::move(operand);
  ARROW_RETURN_NOT_OK(ExpectSymbol(":"));
  if (!take_missing()) {
    ARROW_ASSIGN_OR_RAISE(slice->upper, ParseExpr());
  }
  if (TakeSymbol(":") && !take_missing()) {
    ARROW_ASSIGN_OR_RAISE(slice->step, ParseExpr());
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol("]"));
  return slice;
}

}  // namespace keepone::ast
