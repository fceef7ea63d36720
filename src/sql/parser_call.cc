// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"
#include "sql/keywords.h"

namespace keepone::ast {

namespace {

void AddArgument(ExprPtr value, CallExpr* call) {
  call->arguments.push_back({std::nullopt, std::move(value)});
}

ExprPtr MakeIntegerLiteral(std::string text, SourceSpan span) {
  auto literal = MakeNode<LiteralExpr>(span);
  literal->literal = LiteralKind::kInteger;
  literal->text = std::move(text);
  return literal;
}

}  // namespace

arrow::Result<ExprPtr> ClauseParser::ParseCall(NamePath name) {
  auto call = MakeNode<CallExpr>(name[0].span);
  call->name = std::move(name);
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  ARROW_RETURN_NOT_OK(ParseCallArguments(call.get()));
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  ARROW_RETURN_NOT_OK(ParseCallTail(call.get()));
  call->span = SpanSince(call->span);
  return call;
}

arrow::Status ClauseParser::ParseCallArguments(CallExpr* call) {
  if (PeekSymbol(")")) {
    return arrow::Status::OK();
  }
  // row_number(ORDER BY x) has an ordering and no argument.
  if (!PeekKeyword("ORDER")) {
    call->distinct = PeekKeyword("DISTINCT");
    if (call->distinct || PeekKeyword("ALL")) {
      Take();
    }
    ARROW_ASSIGN_OR_RAISE(call->arguments, ParseArguments(/*equals_names=*/false));
  }
  if (call->arguments.size() == 1 &&
      (IsPlainName(call->name, "SUBSTRING") || IsPlainName(call->name, "SUBSTR"))) {
    ARROW_RETURN_NOT_OK(ParseSubstringTail(call));
  }
  TakeNullTreatment(&call->nulls);
  if (TakeKeyword("HAVING")) {
    ArgumentHaving having;
    having.max = TakeKeyword("MAX");
    if (!having.max) {
      ARROW_RETURN_NOT_OK(ExpectKeyword("MIN"));
    }
    ARROW_ASSIGN_OR_RAISE(having.expr, ParseExpr());
    call->having = std::move(having);
  }
  if (TakeKeyword("ORDER")) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("BY"));
    ARROW_ASSIGN_OR_RAISE(call->order_by, ParseOrderItems());
  }
  TakeNullTreatment(&call->nulls);
  if (TakeKeyword("LIMIT")) {
    ARROW_ASSIGN_OR_RAISE(call->limit, ParseExpr());
  }
  return arrow::Status::OK();
}

bool ClauseParser::TakeNullTreatment(NullTreatment* nulls) {
  if (!PeekKeyword("NULLS", 1)) {
    return false;
  }
  if (PeekKeyword("IGNORE")) {
    *nulls = NullTreatment::kIgnore;
  } else if (PeekKeyword("RESPECT")) {
    *nulls = NullTreatment::kRespect;
  } else {
    return false;
  }
  Take();
  Take();
  return true;
}

arrow::Status ClauseParser::ParseCallTail(CallExpr* call) {
  if (PeekKeyword("WITHIN") && PeekKeyword("GROUP", 1)) {
    Take();
    Take();
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    ARROW_RETURN_NOT_OK(ExpectKeyword("ORDER"));
    ARROW_RETURN_NOT_OK(ExpectKeyword("BY"));
    ARROW_ASSIGN_OR_RAISE(call->within_group, ParseOrderItems());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  }
  if (IsPlainName(call->name, "COLUMNS")) {
    return arrow::Status::OK();  // what follows belongs to the call around it
  }
  TakeNullTreatment(&call->nulls);
  if (PeekKeyword("FILTER") && PeekSymbol("(", 1)) {
    Take();
    Take();
    ARROW_RETURN_NOT_OK(ExpectKeyword("WHERE"));
    ARROW_ASSIGN_OR_RAISE(call->filter, ParseExpr());
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  }
  TakeNullTreatment(&call->nulls);
  if (PeekKeyword("OVER") && (PeekSymbol("(", 1) || PeekName(1))) {
    Take();
    if (PeekSymbol("(")) {
      ARROW_ASSIGN_OR_RAISE(call->window, ParseWindowSpec());
    } else {
      call->window_name = MakeIdentifier(Take());
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<Argument>> ClauseParser::ParseArguments(bool equals_names) {
  std::vector<Argument> arguments;
  do {
    ARROW_ASSIGN_OR_RAISE(Argument argument, ParseArgument(equals_names));
    arguments.push_back(std::move(argument));
  } while (TakeSymbol(","));
  return arguments;
}

arrow::Result<Argument> ClauseParser::ParseArgument(bool equals_names) {
  Argument argument;
  if (PeekStar()) {
    ARROW_ASSIGN_OR_RAISE(argument.value, ParseStar());
    return argument;
  }
  if (PeekName() &&
      (PeekSymbol(":=", 1) || PeekSymbol("=>", 1) || (equals_names && PeekSymbol("=", 1)))) {
    argument.name = MakeIdentifier(Take());
    Take();
  }
  if (PeekLambda()) {
    ARROW_ASSIGN_OR_RAISE(argument.value, ParseLambda());
  } else {
    ARROW_ASSIGN_OR_RAISE(argument.value, ParseExpr());
  }
  return argument;
}

bool ClauseParser::PeekLambda() const {
  if (PeekKeyword("LAMBDA") && PeekName(1) && (PeekSymbol(":", 2) || PeekSymbol(",", 2))) {
    return true;
  }
  size_t arrow = 1;
  if (PeekSymbol("(")) {
    while (PeekName(arrow) && PeekSymbol(",", arrow + 1)) {
      arrow += 2;
    }
    if (!PeekName(arrow) || !PeekSymbol(")", arrow + 1)) {
      return false;
    }
    arrow += 2;
  } else if (!PeekName()) {
    return false;
  }
  // Before a string or a number the arrow takes a part out of a JSON value.
  const TokenKind next = Peek(arrow + 1).kind;
  return PeekSymbol("->", arrow) && next != TokenKind::kString && next != TokenKind::kInteger;
}

arrow::Result<ExprPtr> ClauseParser::ParseLambda() {
  auto lambda = MakeNode<LambdaExpr>(Peek().span);
  const bool has_keyword = PeekKeyword("LAMBDA") && PeekName(1);
  if (has_keyword) {
    Take();
  }
  const bool in_parentheses = !has_keyword && TakeSymbol("(");
  do {
    ARROW_ASSIGN_OR_RAISE(Identifier parameter, ExpectName("a parameter name"));
    lambda->parameters.push_back(std::move(parameter));
  } while ((has_keyword || in_parentheses) && TakeSymbol(","));
  if (in_parentheses) {
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol(has_keyword ? ":" : "->"));
  ARROW_ASSIGN_OR_RAISE(lambda->body, ParseExpr());
  lambda->span = SpanSince(lambda->span);
  return lambda;
}

arrow::Result<ExprPtr> ClauseParser::ParseExtract() {
  auto call = MakeNode<CallExpr>(Peek().span);
  call->name.push_back({"date_part", false, Take().span});
  Take();
  auto field = MakeNode<LiteralExpr>(Peek().span);
  field->literal = LiteralKind::kString;
  if (Peek().kind == TokenKind::kString || Peek().kind == TokenKind::kWord) {
    field->text = Take().text;
  } else {
    Expecting("a field such as YEAR");
    return Unexpected();
  }
  AddArgument(std::move(field), call.get());
  ARROW_RETURN_NOT_OK(ExpectKeyword("FROM"));
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, ParseExpr());
  AddArgument(std::move(operand), call.get());
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  call->span = SpanSince(call->span);
  return call;
}

arrow::Result<ExprPtr> ClauseParser::ParsePosition() {
  auto call = MakeNode<CallExpr>(Peek().span);
  call->name.push_back(MakeIdentifier(Take()));
  Take();
  // Tighter than the IN that ends the first argument.
  ARROW_ASSIGN_OR_RAISE(ExprPtr first, ParseExpr(Tighter(Precedence::kRange)));
  if (TakeKeyword("IN")) {
    call->name[0].text = "strpos";
    ARROW_ASSIGN_OR_RAISE(ExprPtr text, ParseExpr());
    AddArgument(std::move(text), call.get());
    AddArgument(std::move(first), call.get());
  } else {
    AddArgument(std::move(first), call.get());
    while (TakeSymbol(",")) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr next, ParseExpr());
      AddArgument(std::move(next), call.get());
    }
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  call->span = SpanSince(call->span);
  return call;
}

arrow::Result<ExprPtr> ClauseParser::ParseTrim() {
  auto call = MakeNode<CallExpr>(Peek().span);
  call->name.push_back(MakeIdentifier(Take()));
  Take();
  std::string_view function = "trim";
  bool is_special = true;
  if (PeekKeyword("LEADING")) {
    function = "ltrim";
  } else if (PeekKeyword("TRAILING")) {
    function = "rtrim";
  } else {
    is_special = PeekKeyword("BOTH");
  }
  // A column may have such a name: then an operator, a comma or the end follows.
  is_special = is_special && (Peek(1).kind != TokenKind::kSymbol || PeekSymbol("(", 1)) &&
               (PeekKeyword("FROM", 1) || Peek(1).kind != TokenKind::kWord ||
                !IsReservedAsBareAlias(Peek(1).text) || PeekKeyword("CASE", 1));
  if (is_special) {
    Take();
    call->name[0].text = function;
  }
  std::vector<ExprPtr> arguments;
  if (!PeekKeyword("FROM")) {
    ARROW_ASSIGN_OR_RAISE(arguments, ParseExprList());
  }
  if (arguments.size() <= 1 && TakeKeyword("FROM")) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr text, ParseExpr());
    arguments.insert(arguments.begin(), std::move(text));
  }
  for (ExprPtr& argument : arguments) {
    AddArgument(std::move(argument), call.get());
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  call->span = SpanSince(call->span);
  return call;
}

arrow::Status ClauseParser::ParseSubstringTail(CallExpr* call) {
  const bool has_start = TakeKeyword("FROM");
  if (has_start) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr start, ParseExpr());
    AddArgument(std::move(start), call);
  }
  if (TakeKeyword("FOR")) {
    if (!has_start) {
      AddArgument(MakeIntegerLiteral("1", Peek().span), call);
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr length, ParseExpr());
    AddArgument(std::move(length), call);
  }
  return arrow::Status::OK();
}

}  // namespace keepone::ast
