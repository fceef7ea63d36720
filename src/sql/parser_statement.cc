// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "sql/clause_parser.h"

namespace keepone::ast {

namespace {

constexpr std::array<std::string_view, 30> kUnsupportedStatements = {
    "ALTER",     "ANALYZE",  "ATTACH",  "BEGIN",   "CALL",    "CHECKPOINT", "COMMENT",  "COMMIT",
    "DELETE",    "DETACH",   "EXECUTE", "EXPORT",  "GRANT",   "IMPORT",     "INSTALL",  "LOAD",
    "MERGE",     "PIVOT",    "PRAGMA",  "PREPARE", "REPLACE", "REVOKE",     "ROLLBACK", "START",
    "SUMMARIZE", "TRUNCATE", "UNPIVOT", "UPDATE",  "USE",     "VACUUM",
};
constexpr std::array<std::string_view, 13> kStatements = {
    "SELECT", "FROM",     "WITH", "VALUES", "CREATE", "DROP",    "INSERT",
    "COPY",   "DESCRIBE", "SHOW", "SET",    "RESET",  "EXPLAIN",
};

arrow::Status NoStatement(SourceSpan span, std::string_view name) {
  return UnsupportedError(span, name, " is not supported");
}

}  // namespace

arrow::Result<StatementPtr> ClauseParser::ParseStatement() {
  if (PeekKeyword("CREATE")) {
    return ParseCreate();
  }
  if (PeekKeyword("DROP")) {
    return ParseDrop();
  }
  if (PeekKeyword("INSERT")) {
    return ParseInsert();
  }
  if (PeekKeyword("COPY")) {
    return ParseCopy();
  }
  if (PeekKeyword("DESCRIBE") || PeekKeyword("DESC")) {
    return ParseDescribe();
  }
  if (PeekKeyword("SHOW")) {
    return ParseShow();
  }
  if (PeekKeyword("SET")) {
    return ParseSet();
  }
  if (PeekKeyword("RESET")) {
    return ParseReset();
  }
  if (PeekKeyword("EXPLAIN")) {
    return ParseExplain();
  }
  if (PeekQueryStart() || PeekSymbol("(") || PeekKeyword("VALUES") || PeekKeyword("WITH") ||
      PeekKeyword("TABLE")) {
    auto statement = MakeNode<QueryStatement>(Peek().span);
    ARROW_ASSIGN_OR_RAISE(statement->query, ParseQuery());
    statement->span = SpanSince(statement->span);
    return statement;
  }
  for (const std::string_view keyword : kUnsupportedStatements) {
    if (PeekKeyword(keyword)) {
      return NoStatement(Peek().span, keyword);
    }
  }
  for (const std::string_view keyword : kStatements) {
    Expecting(keyword);
  }
  return Unexpected();
}

arrow::Result<bool> ClauseParser::ParseIfExists(bool negated) {
  if (!PeekKeyword("IF") || !PeekKeyword(negated ? "NOT" : "EXISTS", 1)) {
    return false;
  }
  Take();
  Take();
  if (negated) {
    ARROW_RETURN_NOT_OK(ExpectKeyword("EXISTS"));
  }
  return true;
}

arrow::Result<std::vector<Identifier>> ClauseParser::ParseColumnNames() {
  std::vector<Identifier> columns;
  ARROW_RETURN_NOT_OK(ExpectSymbol("("));
  do {
    ARROW_ASSIGN_OR_RAISE(Identifier column, ExpectName("a column name"));
    columns.push_back(std::move(column));
  } while (TakeSymbol(","));
  ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  return columns;
}

arrow::Result<StatementPtr> ClauseParser::ParseCreate() {
  const SourceSpan begin = Take().span;
  const bool or_replace = TakeKeywords({"OR", "REPLACE"});
  const bool temporary = TakeKeyword("TEMP") || TakeKeyword("TEMPORARY");
  if (TakeKeyword("TABLE")) {
    return ParseCreateTable(begin, or_replace, temporary);
  }
  if (TakeKeyword("VIEW")) {
    return ParseCreateView(begin, or_replace, temporary);
  }
  for (const std::string_view object :
       {"INDEX", "SCHEMA", "FUNCTION", "MACRO", "SEQUENCE", "TYPE", "MATERIALIZED", "UNIQUE",
        "DATABASE", "SECRET", "RECURSIVE"}) {
    if (PeekKeyword(object)) {
      return WithHint(UnsupportedError(Peek().span, "CREATE ", object, " is not supported"),
                      "tables and views can be created");
    }
  }
  return Unexpected();
}

arrow::Result<StatementPtr> ClauseParser::ParseCreateTable(SourceSpan begin, bool or_replace,
                                                           bool temporary) {
  auto create = MakeNode<CreateTableStatement>(begin);
  create->or_replace = or_replace;
  create->temporary = temporary;
  ARROW_ASSIGN_OR_RAISE(create->if_not_exists, ParseIfExists(/*negated=*/true));
  ARROW_ASSIGN_OR_RAISE(create->name, ParseNamePath("a table name"));
  if (TakeSymbol("(")) {
    do {
      ARROW_ASSIGN_OR_RAISE(ColumnDefinition column, ParseColumnDefinition());
      create->columns.push_back(std::move(column));
    } while (TakeSymbol(","));
    ARROW_RETURN_NOT_OK(ExpectSymbol(")"));
  }
  if (TakeKeyword("AS")) {
    ARROW_ASSIGN_OR_RAISE(create->query, ParseQuery());
  } else if (create->columns.empty()) {
    return Unexpected();
  } else {
    for (const ColumnDefinition& column : create->columns) {
      if (!column.type.has_value()) {
        return SyntaxError(column.span, "column \"", column.name.text, "\" needs a type");
      }
    }
  }
  create->span = SpanSince(begin);
  return create;
}

arrow::Result<ColumnDefinition> ClauseParser::ParseColumnDefinition() {
  ColumnDefinition column;
  for (const std::string_view constraint :
       {"PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT"}) {
    if (PeekKeyword(constraint) && (Peek(1).kind == TokenKind::kWord || PeekSymbol("(", 1)) &&
        !PeekSymbol(")", 2)) {
      return UnsupportedError(Peek().span, "the constraint ", constraint, " is not supported");
    }
  }
  const SourceSpan begin = Peek().span;
  ARROW_ASSIGN_OR_RAISE(column.name, ExpectName("a column name"));
  if (PeekName()) {
    ARROW_ASSIGN_OR_RAISE(column.type, ParseType());
  }
  if (PeekKeyword("NOT")) {
    Take();
    ARROW_RETURN_NOT_OK(ExpectKeyword("NULL"));
    column.not_null = true;
  } else {
    TakeKeyword("NULL");
  }
  for (const std::string_view constraint : {"PRIMARY", "UNIQUE", "CHECK", "DEFAULT", "REFERENCES",
                                            "GENERATED", "CONSTRAINT", "COLLATE"}) {
    if (PeekKeyword(constraint)) {
      return UnsupportedError(Peek().span, "the constraint ", constraint, " is not supported");
    }
  }
  column.span = SpanSince(begin);
  return column;
}

arrow::Result<StatementPtr> ClauseParser::ParseCreateView(SourceSpan begin, bool or_replace,
                                                          bool temporary) {
  auto create = MakeNode<CreateViewStatement>(begin);
  create->or_replace = or_replace;
  create->temporary = temporary;
  ARROW_ASSIGN_OR_RAISE(create->if_not_exists, ParseIfExists(/*negated=*/true));
  ARROW_ASSIGN_OR_RAISE(create->name, ParseNamePath("a view name"));
  if (PeekSymbol("(")) {
    ARROW_ASSIGN_OR_RAISE(create->columns, ParseColumnNames());
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("AS"));
  ARROW_ASSIGN_OR_RAISE(create->query, ParseQuery());
  create->span = SpanSince(begin);
  return create;
}

arrow::Result<StatementPtr> ClauseParser::ParseDrop() {
  auto drop = MakeNode<DropStatement>(Take().span);
  if (TakeKeyword("VIEW")) {
    drop->object = CatalogObject::kView;
  } else {
    ARROW_RETURN_NOT_OK(ExpectKeyword("TABLE"));
  }
  ARROW_ASSIGN_OR_RAISE(drop->if_exists, ParseIfExists(/*negated=*/false));
  do {
    ARROW_ASSIGN_OR_RAISE(NamePath name, ParseNamePath("a table name"));
    drop->names.push_back(std::move(name));
  } while (TakeSymbol(","));
  drop->span = SpanSince(drop->span);
  return drop;
}

arrow::Result<StatementPtr> ClauseParser::ParseInsert() {
  auto insert = MakeNode<InsertStatement>(Take().span);
  if (PeekKeyword("OR")) {
    return UnsupportedError(Peek().span,
                            "INSERT OR REPLACE and INSERT OR IGNORE are not supported");
  }
  ARROW_RETURN_NOT_OK(ExpectKeyword("INTO"));
  ARROW_ASSIGN_OR_RAISE(insert->table, ParseNamePath("a table name"));
  if (PeekSymbol("(") && !PeekQueryParenthesis()) {
    ARROW_ASSIGN_OR_RAISE(insert->columns, ParseColumnNames());
  }
  ARROW_ASSIGN_OR_RAISE(insert->query, ParseQuery());
  for (const std::string_view clause : {"ON", "RETURNING"}) {
    if (PeekKeyword(clause)) {
      return UnsupportedError(Peek().span, clause, clause == "ON" ? " CONFLICT" : "",
                              " is not supported");
    }
  }
  insert->span = SpanSince(insert->span);
  return insert;
}

}  // namespace keepone::ast
