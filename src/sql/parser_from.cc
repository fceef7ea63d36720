// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"
#include "sql/keywords.h"

namespace keepone::ast {

arrow::Result<std::vector<TableRefPtr>> ClauseParser::ParseFrom() {
  std::vector<TableRefPtr> tables;
  do {
    ARROW_ASSIGN_OR_RAISE(TableRefPtr table, ParseJoinedTables());
    tables.push_back(std::move(table));
  } while (TakeSymbol(","));
  return tables;
}

arrow::Result<TableRefPtr> ClauseParser::ParseJoinedTables() {
  const Level level(this);
  ARROW_RETURN_NOT_OK(level.Check());
  ARROW_ASSIGN_OR_RAISE(TableRefPtr left, ParseTable());
  while (true) {
    bool natural = false;
    ARROW_ASSIGN_OR_RAISE(const std::optional<JoinKind> kind, ParseJoinKind(&natural));
    if (!kind.has_value()) {
      return left;
    }
    auto join = MakeNode<JoinTable>(left->span);
    join->join = *kind;
    join->natural = natural;
    join->left = std::move(left);
    ARROW_ASSIGN_OR_RAISE(join->right, ParseTable());
    if (!natural && *kind != JoinKind::kCross) {
      ARROW_RETURN_NOT_OK(ParseJoinCondition(join.get()));
    }
    join->span = SpanSince(join->span);
    left = std::move(join);
    ARROW_RETURN_NOT_OK(Deepen());
  }
}

arrow::Result<std::optional<JoinKind>> ClauseParser::ParseJoinKind(bool* natural) {
  for (const std::string_view kind : {"ASOF", "POSITIONAL"}) {
    if (PeekKeyword(kind)) {
      return UnsupportedError(Peek().span, kind, " JOIN is not supported");
    }
  }
  *natural = TakeKeyword("NATURAL");
  if (!*natural && TakeKeyword("CROSS")) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("JOIN"));
    return JoinKind::kCross;
  }
  JoinKind kind = JoinKind::kInner;
  bool has_kind = true;
  if (PeekKeyword("SEMI") || (PeekKeyword("LEFT") && PeekKeyword("SEMI", 1))) {
    kind = JoinKind::kSemi;
  } else if (PeekKeyword("ANTI") || (PeekKeyword("LEFT") && PeekKeyword("ANTI", 1))) {
    kind = JoinKind::kAnti;
  } else if (PeekKeyword("LEFT")) {
    kind = JoinKind::kLeft;
  } else if (PeekKeyword("RIGHT")) {
    kind = JoinKind::kRight;
  } else if (PeekKeyword("FULL")) {
    kind = JoinKind::kFull;
  } else {
    has_kind = PeekKeyword("INNER");
  }
  if (has_kind) {
    const bool has_two_words = PeekKeyword("LEFT") && kind != JoinKind::kLeft;
    Take();
    if (has_two_words) {
      Take();
    }
    if (kind == JoinKind::kLeft || kind == JoinKind::kRight || kind == JoinKind::kFull) {
      TakeKeyword("OUTER");
    }
  }
  if (TakeKeyword("JOIN")) {
    return kind;
  }
  if (has_kind || *natural) {
    return Unexpected();
  }
  return std::nullopt;
}

arrow::Status ClauseParser::ParseJoinCondition(JoinTable* join) {
  if (TakeKeyword("USING")) {
    ARROW_ASSIGN_OR_RAISE(join->using_columns, ParseColumnNames());
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("ON"));
  ARROW_ASSIGN_OR_RAISE(join->condition, ParseExpr());
  return arrow::Status::OK();
}

arrow::Result<TableRefPtr> ClauseParser::ParseTable() {
  const SourceSpan begin = Peek().span;
  ARROW_ASSIGN_OR_RAISE(TableRefPtr table, ParseTableWithoutAlias());
  ARROW_RETURN_NOT_OK(ParseTableAlias(table.get()));
  if (PeekKeyword("TABLESAMPLE")) {
    return UnsupportedError(Peek().span, "TABLESAMPLE is not supported");
  }
  table->span = SpanSince(begin);
  return table;
}

arrow::Result<TableRefPtr> ClauseParser::ParseTableWithoutAlias() {
  const SourceSpan begin = Peek().span;
  if (PeekSymbol("(")) {
    return PeekQueryParenthesis() ? ParseSubqueryTable(begin, /*lateral=*/false)
                                  : ParseParenthesizedTable();
  }
  if (Peek().kind == TokenKind::kString || PeekSymbol("[")) {
    return ParseFiles();
  }
  if (PeekKeyword("VALUES") && PeekSymbol("(", 1)) {
    auto subquery = MakeNode<SubqueryTable>(begin);
    subquery->query = std::make_unique<Query>();
    ARROW_ASSIGN_OR_RAISE(subquery->query->body, ParseValues());
    subquery->query->span = SpanSince(begin);
    return subquery;
  }
  const bool lateral = PeekKeyword("LATERAL") && (PeekSymbol("(", 1) || PeekName(1));
  if (lateral) {
    Take();
    if (PeekSymbol("(")) {
      return ParseSubqueryTable(begin, /*lateral=*/true);
    }
  }
  return ParseNamedTable(lateral);
}

arrow::Result<TableRefPtr> ClauseParser::ParseSubqueryTable(SourceSpan begin, bool lateral) {
  auto subquery = MakeNode<SubqueryTable>(begin);
  subquery->lateral = lateral;
  ARROW_ASSIGN_OR_RAISE(subquery->query, ParseParenthesizedQuery());
  return subquery;
}

arrow::Result<TableRefPtr> ClauseParser::ParseParenthesizedTable() {
  Take();
  ARROW_ASSIGN_OR_RAISE(TableRefPtr table, ParseJoinedTables());
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return table;
}

arrow::Result<TableRefPtr> ClauseParser::ParseFiles() {
  auto files = MakeNode<FileTable>(Peek().span);
  const bool is_list = TakeSymbol("[");
  do {
    FilePath path;
    ARROW_ASSIGN_OR_RAISE(path.text, ExpectString("a file name in quotes", &path.span));
    files->paths.push_back(std::move(path));
  } while (is_list && TakeSymbol(","));
  if (is_list) {
    ARROW_RETURN_NOT_OK(ExpectSymbol("]"));
  }
  return files;
}

arrow::Result<TableRefPtr> ClauseParser::ParseNamedTable(bool lateral) {
  const SourceSpan begin = Peek().span;
  if (!PeekName()) {
    for (const std::string_view what : {"a table name", "a file name in quotes", "("}) {
      Expecting(what);
    }
    return Unexpected();
  }
  ARROW_ASSIGN_OR_RAISE(NamePath name, ParseNamePath("a table name"));
  if (!lateral && !PeekSymbol("(")) {
    auto table = MakeNode<NamedTable>(begin);
    table->name = std::move(name);
    return table;
  }
  auto function = MakeNode<FunctionTable>(begin);
  function->lateral = lateral;
  function->name = std::move(name);
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  if (!PeekSymbol(")")) {
    ARROW_ASSIGN_OR_RAISE(function->arguments, ParseArguments(/*equals_names=*/true));
  }
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  function->with_ordinality = TakeKeywords({"WITH", "ORDINALITY"});
  return function;
}

arrow::Status ClauseParser::ParseTableAlias(TableRef* table) {
  if (table->alias.has_value()) {
    // (t AS a): one name is enough.
    return arrow::Status::OK();
  }
  if (TakeKeyword("AS")) {
    ARROW_ASSIGN_OR_RAISE(table->alias, ExpectName("an alias"));
  } else if (Peek().kind == TokenKind::kQuotedIdentifier) {
    table->alias = MakeIdentifier(Take());
  } else if (Peek().kind == TokenKind::kWord && !IsReservedAsBareAlias(Peek().text)) {
    table->alias = MakeIdentifier(Take());
    NoteBareAlias();
  } else {
    return arrow::Status::OK();
  }
  if (PeekSymbol("(")) {
    ARROW_ASSIGN_OR_RAISE(table->column_aliases, ParseColumnNames());
  }
  return arrow::Status::OK();
}

}  // namespace keepone::ast
