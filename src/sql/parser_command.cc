// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"

namespace keepone::ast {

namespace {

QueryPtr MakeTableQuery(TableRefPtr table) {
  auto query = std::make_unique<Query>();
  query->span = table->span;
  auto select = MakeNode<SelectBody>(table->span);
  select->items.push_back({MakeNode<StarExpr>(table->span), std::nullopt});
  select->from.push_back(std::move(table));
  query->body = std::move(select);
  return query;
}

}  // namespace

arrow::Result<StatementPtr> ClauseParser::ParseCopy() {
  auto copy = MakeNode<CopyStatement>(Take().span);
  if (PeekSymbol("(")) {
    ARROW_ASSIGN_OR_RAISE(copy->query, ParseParenthesizedQuery());
  } else {
    const SourceSpan begin = Peek().span;
    ARROW_ASSIGN_OR_RAISE(TableRefPtr table, ParseTableWithoutAlias());
    table->span = SpanSince(begin);
    copy->query = MakeTableQuery(std::move(table));
  }
  if (PeekKeyword("FROM")) {
    return WithHint(
        UnsupportedError(Peek().span, "COPY .. FROM is not supported"),
        "read the file with INSERT INTO .. FROM 'file' or CREATE TABLE .. AS FROM 'file'");
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("TO"));
  ARROW_ASSIGN_OR_RAISE(copy->target.text,
                        ExpectString("a file name in quotes", &copy->target.span));
  const bool has_with = TakeKeyword("WITH");
  if (has_with || PeekSymbol("(")) {
    ARROW_RETURN_NOT_OK(ExpectSymbol("("));
    do {
      ARROW_ASSIGN_OR_RAISE(CopyOption option, ParseCopyOption());
      copy->options.push_back(std::move(option));
    } while (TakeSymbol(","));
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  }
  copy->span = SpanSince(copy->span);
  return copy;
}

arrow::Result<CopyOption> ClauseParser::ParseCopyOption() {
  CopyOption option;
  ARROW_ASSIGN_OR_RAISE(option.name, ExpectAnyName("an option name"));
  TakeSymbol("=");
  if (!PeekSymbol(",") && !PeekSymbol(")")) {
    ARROW_ASSIGN_OR_RAISE(option.value, ParseSettingValue());
  }
  option.span = SpanSince(option.name.span);
  return option;
}

arrow::Result<ExprPtr> ClauseParser::ParseSettingValue() {
  if (!PeekSymbol("(") && !PeekSymbol("[")) {
    return ParseSettingScalar();
  }
  auto list = MakeNode<ListExpr>(Peek().span);
  const std::string_view closing = Take().text == "(" ? ")" : "]";
  do {
    ARROW_ASSIGN_OR_RAISE(ExprPtr element, ParseSettingScalar());
    list->elements.push_back(std::move(element));
  } while (TakeSymbol(","));
  ARROW_RETURN_NOT_OK(ExpectSymbol(closing));
  list->span = SpanSince(list->span);
  return list;
}

arrow::Result<ExprPtr> ClauseParser::ParseSettingScalar() {
  if (PeekSymbol("-")) {
    auto negative = MakeNode<UnaryExpr>(Take().span);
    negative->op = UnaryOp::kNegate;
    const TokenKind kind = Peek().kind;
    if (kind != TokenKind::kInteger && kind != TokenKind::kDecimal && kind != TokenKind::kFloat) {
      Expecting("a number");
      return Unexpected();
    }
    ARROW_ASSIGN_OR_RAISE(negative->operand, ParsePrimary());
    negative->span = SpanSince(negative->span);
    return negative;
  }
  switch (Peek().kind) {
    case TokenKind::kInteger:
    case TokenKind::kDecimal:
    case TokenKind::kFloat:
      return ParsePrimary();
    case TokenKind::kWord:
      if (PeekKeyword("TRUE") || PeekKeyword("FALSE") || PeekKeyword("NULL")) {
        return ParsePrimary();
      }
      return TakeLiteral(LiteralKind::kString);
    case TokenKind::kString:
    case TokenKind::kQuotedIdentifier:
      return TakeLiteral(LiteralKind::kString);
    default:
      Expecting("a value");
      return Unexpected();
  }
}

arrow::Result<StatementPtr> ClauseParser::ParseDescribe() {
  auto describe = MakeNode<DescribeStatement>(Take().span);
  if (PeekQueryStart() || PeekSymbol("(")) {
    ARROW_ASSIGN_OR_RAISE(describe->query, ParseQuery());
  } else {
    const SourceSpan begin = Peek().span;
    ARROW_ASSIGN_OR_RAISE(TableRefPtr table, ParseTableWithoutAlias());
    table->span = SpanSince(begin);
    describe->query = MakeTableQuery(std::move(table));
  }
  describe->span = SpanSince(describe->span);
  return describe;
}

arrow::Result<StatementPtr> ClauseParser::ParseShow() {
  auto show = MakeNode<ShowStatement>(Take().span);
  if (TakeKeyword("TABLES")) {
    show->show = ShowKind::kTables;
  } else if (TakeKeyword("ALL")) {
    show->show = ShowKind::kAll;
  } else {
    show->show = ShowKind::kSetting;
    ARROW_ASSIGN_OR_RAISE(show->setting, ExpectName("a setting name"));
  }
  show->span = SpanSince(show->span);
  return show;
}

arrow::Result<StatementPtr> ClauseParser::ParseSet() {
  auto set = MakeNode<SetStatement>(Take().span);
  ARROW_ASSIGN_OR_RAISE(set->setting, ExpectName("a setting name"));
  if (!TakeSymbol("=")) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("TO"));
  }
  if (PeekKeyword("DEFAULT")) {
    Take();
  } else {
    ARROW_ASSIGN_OR_RAISE(set->value, ParseSettingValue());
  }
  set->span = SpanSince(set->span);
  return set;
}

arrow::Result<StatementPtr> ClauseParser::ParseReset() {
  auto reset = MakeNode<ResetStatement>(Take().span);
  ARROW_ASSIGN_OR_RAISE(reset->setting, ExpectName("a setting name"));
  reset->span = SpanSince(reset->span);
  return reset;
}

arrow::Result<StatementPtr> ClauseParser::ParseExplain() {
  auto explain = MakeNode<ExplainStatement>(Take().span);
  explain->analyze = TakeKeyword("ANALYZE");
  if (PeekSymbol("(") && (PeekKeyword("FORMAT", 1) || PeekKeyword("ANALYZE", 1))) {
    ARROW_RETURN_NOT_OK(ParseExplainOptions(explain.get()));
  }
  if (PeekKeyword("EXPLAIN")) {
    Expecting("the statement to explain");
    return Unexpected();
  }
  ARROW_ASSIGN_OR_RAISE(explain->statement, ParseStatement());
  explain->span = SpanSince(explain->span);
  return explain;
}

arrow::Status ClauseParser::ParseExplainOptions(ExplainStatement* explain) {
  Take();
  do {
    if (TakeKeyword("ANALYZE")) {
      explain->analyze = true;
      if (PeekKeyword("FALSE") || PeekKeyword("TRUE")) {
        explain->analyze = PeekKeyword("TRUE");
        Take();
      }
      continue;
    }
    ARROW_RETURN_NOT_OK(ExpectKeyword("FORMAT"));
    if (TakeKeyword("JSON")) {
      explain->format = ExplainFormat::kJson;
    } else {
      ARROW_RETURN_NOT_OK(ExpectKeyword("TEXT"));
      explain->format = ExplainFormat::kText;
    }
  } while (TakeSymbol(","));
  return ExpectSymbol(")");
}

}  // namespace keepone::ast
