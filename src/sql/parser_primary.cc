// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"
#include "sql/interval_unit.h"
#include "sql/keywords.h"

namespace keepone::ast {

namespace {

// Calls that SQL writes without parentheses.
constexpr std::array<std::string_view, 5> kCallsWithoutParentheses = {
    "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP",
};

bool IsNumber(const Token& token) {
  return token.kind == TokenKind::kInteger || token.kind == TokenKind::kDecimal ||
         token.kind == TokenKind::kFloat;
}

bool IsUnit(const Token& token) {
  return token.kind == TokenKind::kWord && FindIntervalUnit(token.text).has_value();
}

}  // namespace

arrow::Result<ExprPtr> ClauseParser::ParsePrimary() {
  switch (Peek().kind) {
    case TokenKind::kInteger:
      return TakeLiteral(LiteralKind::kInteger);
    case TokenKind::kDecimal:
      return TakeLiteral(LiteralKind::kDecimal);
    case TokenKind::kFloat:
      return TakeLiteral(LiteralKind::kFloat);
    case TokenKind::kString:
      return TakeLiteral(LiteralKind::kString);
    case TokenKind::kBlob:
      return TakeLiteral(LiteralKind::kBlob);
    case TokenKind::kParameter: {
      auto parameter = MakeNode<ParameterExpr>(Peek().span);
      parameter->name = Take().text;
      return parameter;
    }
    case TokenKind::kQuotedIdentifier:
      return ParseNameOrCall();
    case TokenKind::kWord:
      return ParseWordPrimary();
    default:
      break;
  }
  if (PeekSymbol("(")) {
    return ParseParenthesized();
  }
  if (PeekSymbol("[")) {
    return ParseList();
  }
  if (PeekSymbol("{")) {
    return ParseStruct();
  }
  Expecting("an expression");
  return Unexpected();
}

ExprPtr ClauseParser::TakeLiteral(LiteralKind kind) {
  auto literal = MakeNode<LiteralExpr>(Peek().span);
  literal->literal = kind;
  const Token& token = Take();
  switch (kind) {
    case LiteralKind::kNull:
      break;
    case LiteralKind::kBoolean:
      literal->text = EqualsKeyword(token.text, "TRUE") ? "true" : "false";
      break;
    default:
      literal->text = token.text;
  }
  return literal;
}

arrow::Result<ExprPtr> ClauseParser::ParseWordPrimary() {
  if (PeekKeyword("NULL")) {
    return TakeLiteral(LiteralKind::kNull);
  }
  if (PeekKeyword("TRUE") || PeekKeyword("FALSE")) {
    return TakeLiteral(LiteralKind::kBoolean);
  }
  if (PeekKeyword("CASE")) {
    return ParseCase();
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr special, ParseKeywordPrimary());
  if (special != nullptr) {
    return special;
  }
  if (!PeekName()) {
    Expecting("an expression");
    return Unexpected();
  }
  return ParseNameOrCall();
}

arrow::Result<ExprPtr> ClauseParser::ParseKeywordPrimary() {
  if (PeekInterval()) {
    return ParseInterval();
  }
  if (PeekTypedLiteral()) {
    return ParseTypedLiteral();
  }
  if (PeekKeyword("ARRAY") && PeekSymbol("[", 1)) {
    Take();
    return ParseList();
  }
  if (PeekKeyword("MAP") && PeekSymbol("{", 1)) {
    return ParseMap();
  }
  if (!PeekSymbol("(", 1)) {
    const bool is_call =
        !PeekSymbol(".", 1) &&
        std::any_of(kCallsWithoutParentheses.begin(), kCallsWithoutParentheses.end(),
                    [this](std::string_view name) { return PeekKeyword(name); });
    if (!is_call) {
      return nullptr;
    }
    auto call = MakeNode<CallExpr>(Peek().span);
    call->name.push_back(MakeIdentifier(Take()));
    return call;
  }
  if (PeekKeyword("CAST") || PeekKeyword("TRY_CAST")) {
    return ParseCast(PeekKeyword("TRY_CAST"));
  }
  if (PeekKeyword("ROW")) {
    return ParseRow();
  }
  if (PeekKeyword("EXISTS") && PeekQueryParenthesis(1)) {
    auto exists = MakeNode<ExistsExpr>(Take().span);
    ARROW_ASSIGN_OR_RAISE(exists->query, ParseParenthesizedQuery());
    exists->span = SpanSince(exists->span);
    return exists;
  }
  if (PeekKeyword("EXTRACT") && PeekKeyword("FROM", 3)) {
    return ParseExtract();
  }
  if (PeekKeyword("POSITION")) {
    return ParsePosition();
  }
  if (PeekKeyword("TRIM")) {
    return ParseTrim();
  }
  return nullptr;
}

bool ClauseParser::PeekTypedLiteral() const {
  if (!PeekKeyword("DATE") && !PeekKeyword("TIME") && !PeekKeyword("TIMESTAMP") &&
      !PeekKeyword("TIMESTAMPTZ")) {
    return false;
  }
  return Peek(1).kind == TokenKind::kString ||
         (PeekTimeZone(1) && Peek(4).kind == TokenKind::kString);
}

arrow::Result<ExprPtr> ClauseParser::ParseTypedLiteral() {
  auto literal = MakeNode<TypedLiteralExpr>(Peek().span);
  ARROW_ASSIGN_OR_RAISE(literal->type, ParseType());
  ARROW_ASSIGN_OR_RAISE(literal->text, ExpectString("a string", &literal->text_span));
  literal->span = SpanSince(literal->span);
  return literal;
}

bool ClauseParser::PeekInterval() const {
  if (!PeekKeyword("INTERVAL")) {
    return false;
  }
  if (Peek(1).kind == TokenKind::kString) {
    return true;
  }
  if (PeekSymbol("-", 1)) {
    return IsNumber(Peek(2)) && IsUnit(Peek(3));
  }
  if (PeekSymbol("(", 1)) {
    const std::optional<size_t> closing = PeekClosing(1);
    return closing.has_value() && IsUnit(Peek(*closing + 1));
  }
  return (IsNumber(Peek(1)) || PeekName(1) || Peek(1).kind == TokenKind::kParameter) &&
         IsUnit(Peek(2));
}

arrow::Result<ExprPtr> ClauseParser::ParseInterval() {
  auto interval = MakeNode<IntervalExpr>(Take().span);
  if (PeekSymbol("-")) {
    ARROW_ASSIGN_OR_RAISE(interval->value, ParseUnary(UnaryOp::kNegate, Precedence::kPrimary));
  } else if (PeekName()) {
    auto column = MakeNode<ColumnExpr>(Peek().span);
    column->path.push_back(MakeIdentifier(Take()));
    interval->value = std::move(column);
  } else {
    ARROW_ASSIGN_OR_RAISE(interval->value, ParsePrimary());
  }
  if (IsUnit(Peek())) {
    interval->unit = FindIntervalUnit(Take().text);
    if (PeekKeyword("TO")) {
      return UnsupportedError(Peek().span,
                              "an interval of two units is not supported; write "
                              "INTERVAL '1 year 2 months'");
    }
  }
  interval->span = SpanSince(interval->span);
  return interval;
}

arrow::Result<ExprPtr> ClauseParser::ParseParenthesized() {
  const SourceSpan begin = Peek().span;
  if (PeekQueryParenthesis()) {
    auto scalar = MakeNode<ScalarQueryExpr>(begin);
    ARROW_ASSIGN_OR_RAISE(scalar->query, ParseParenthesizedQuery());
    scalar->span = SpanSince(begin);
    return scalar;
  }
  Take();
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> elements, ParseExprList());
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  if (elements.size() == 1) {
    elements[0]->span = SpanSince(begin);
    return std::move(elements[0]);
  }
  auto row = MakeNode<RowExpr>(SpanSince(begin));
  row->elements = std::move(elements);
  return row;
}

arrow::Result<ExprPtr> ClauseParser::ParseList() {
  auto list = MakeNode<ListExpr>(Take().span);
  if (!TakeSymbol("]")) {
    ARROW_ASSIGN_OR_RAISE(list->elements, ParseExprList());
    ARROW_RETURN_NOT_OK(ExpectSymbol("]"));
  }
  list->span = SpanSince(list->span);
  return list;
}

arrow::Result<ExprPtr> ClauseParser::ParseStruct() {
  auto structure = MakeNode<StructExpr>(Take().span);
  do {
    StructField field;
    if (Peek().kind == TokenKind::kString) {
      field.name.quoted = true;
      ARROW_ASSIGN_OR_RAISE(field.name.text, ExpectString("a field name", &field.name.span));
    } else {
      ARROW_ASSIGN_OR_RAISE(field.name, ExpectAnyName("a field name"));
    }
    ARROW_RETURN_NOT_OK(ExpectSymbol(":"));
    ARROW_ASSIGN_OR_RAISE(field.value, ParseExpr());
    structure->fields.push_back(std::move(field));
  } while (TakeSymbol(","));
  ARROW_RETURN_NOT_OK(ExpectSymbol("}"));
  structure->span = SpanSince(structure->span);
  return structure;
}

arrow::Result<ExprPtr> ClauseParser::ParseMap() {
  auto map = MakeNode<MapExpr>(Take().span);
  Take();
  if (!TakeSymbol("}")) {
    do {
      MapEntry entry;
      ARROW_ASSIGN_OR_RAISE(entry.key, ParseExpr());
      ARROW_RETURN_NOT_OK(ExpectSymbol(":"));
      ARROW_ASSIGN_OR_RAISE(entry.value, ParseExpr());
      map->entries.push_back(std::move(entry));
    } while (TakeSymbol(","));
    ARROW_RETURN_NOT_OK(ExpectSymbol("}"));
  }
  map->span = SpanSince(map->span);
  return map;
}

arrow::Result<ExprPtr> ClauseParser::ParseRow() {
  auto row = MakeNode<RowExpr>(Take().span);
  Take();
  if (!TakeSymbol(")")) {
    ARROW_ASSIGN_OR_RAISE(row->elements, ParseExprList());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  }
  row->span = SpanSince(row->span);
  return row;
}

arrow::Result<ExprPtr> ClauseParser::ParseCase() {
  auto result = MakeNode<CaseExpr>(Take().span);
  if (!PeekKeyword("WHEN")) {
    Expecting("WHEN");
    ARROW_ASSIGN_OR_RAISE(result->operand, ParseExpr());
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("WHEN"));
  do {
    CaseWhen when;
    ARROW_ASSIGN_OR_RAISE(when.condition, ParseExpr());
    ARROW_RETURN_NOT_OK(ExpectKeyword("THEN"));
    ARROW_ASSIGN_OR_RAISE(when.result, ParseExpr());
    result->whens.push_back(std::move(when));
  } while (TakeKeyword("WHEN"));
  if (TakeKeyword("ELSE")) {
    ARROW_ASSIGN_OR_RAISE(result->otherwise, ParseExpr());
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("END"));
  result->span = SpanSince(result->span);
  return result;
}

arrow::Result<ExprPtr> ClauseParser::ParseCast(bool try_cast) {
  auto cast = MakeNode<CastExpr>(Take().span);
  cast->try_cast = try_cast;
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  ARROW_ASSIGN_OR_RAISE(cast->operand, ParseExpr());
  ARROW_RETURN_NOT_OK(ExpectKeyword("AS"));
  ARROW_ASSIGN_OR_RAISE(cast->type, ParseType());
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  cast->span = SpanSince(cast->span);
  return cast;
}

arrow::Result<ExprPtr> ClauseParser::ParseNameOrCall() {
  const SourceSpan begin = Peek().span;
  ARROW_ASSIGN_OR_RAISE(NamePath path, ParseNamePath("a column name"));
  if (PeekSymbol("(")) {
    return ParseCall(std::move(path));
  }
  auto column = MakeNode<ColumnExpr>(SpanSince(begin));
  column->path = std::move(path);
  return column;
}

arrow::Result<NamePath> ClauseParser::ParseNamePath(std::string_view what) {
  NamePath path;
  ARROW_ASSIGN_OR_RAISE(Identifier first, ExpectName(what));
  path.push_back(std::move(first));
  while (PeekSymbol(".")) {
    Take();
    ARROW_ASSIGN_OR_RAISE(Identifier next, ExpectAnyName(what));
    path.push_back(std::move(next));
  }
  return path;
}

}  // namespace keepone::ast
