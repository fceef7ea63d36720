// SPDX-License-Identifier: Apache-2.0
#include "sql/printer.h"

namespace keepone::ast {

namespace {

std::string_view JoinText(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner:
      return "JOIN ";
    case JoinKind::kLeft:
      return "LEFT JOIN ";
    case JoinKind::kRight:
      return "RIGHT JOIN ";
    case JoinKind::kFull:
      return "FULL JOIN ";
    case JoinKind::kCross:
      return "CROSS JOIN ";
    case JoinKind::kSemi:
      return "SEMI JOIN ";
    case JoinKind::kAnti:
      break;
  }
  return "ANTI JOIN ";
}

}  // namespace

void Printer::PrintTable(const TableRef& table) {
  const bool in_parentheses = table.kind == TableRefKind::kJoin &&
                              (table.alias.has_value() || parentheses_ == Parentheses::kAll);
  PutIf(in_parentheses, "(");
  PrintTableNode(table);
  PutIf(in_parentheses, ")");
  if (table.alias.has_value()) {
    Put(" AS ");
    PutIdentifier(*table.alias);
    if (!table.column_aliases.empty()) {
      PutIdentifiers(table.column_aliases);
    }
  }
}

void Printer::PrintTableNode(const TableRef& table) {
  switch (table.kind) {
    case TableRefKind::kTable:
      return PutPath(table.As<NamedTable>().name);
    case TableRefKind::kFiles: {
      const auto& paths = table.As<FileTable>().paths;
      PutIf(paths.size() != 1, "[");
      PutList(paths, [this](const FilePath& path) { PutString(path.text); });
      return PutIf(paths.size() != 1, "]");
    }
    case TableRefKind::kFunction:
      return PrintFunctionTable(table.As<FunctionTable>());
    case TableRefKind::kSubquery: {
      const auto& subquery = table.As<SubqueryTable>();
      PutIf(subquery.lateral, "LATERAL ");
      Put("(");
      PrintQuery(*subquery.query);
      return Put(")");
    }
    case TableRefKind::kJoin:
      return PrintJoin(table.As<JoinTable>());
  }
}

void Printer::PrintFunctionTable(const FunctionTable& function) {
  PutIf(function.lateral, "LATERAL ");
  PutPath(function.name);
  Put("(");
  PrintArguments(function.arguments, ArgumentPlace::kTableFunction);
  Put(")");
  PutIf(function.with_ordinality, " WITH ORDINALITY");
}

void Printer::PrintJoin(const JoinTable& join) {
  PrintTable(*join.left);
  Put(" ");
  PutIf(join.natural, "NATURAL ");
  Put(JoinText(join.join));
  const bool in_parentheses =
      join.right->kind == TableRefKind::kJoin && !join.right->alias.has_value();
  PutIf(in_parentheses, "(");
  PrintTable(*join.right);
  PutIf(in_parentheses, ")");
  if (join.condition != nullptr) {
    Put(" ON ");
    PrintExpr(*join.condition);
  } else if (!join.using_columns.empty()) {
    Put(" USING ");
    PutIdentifiers(join.using_columns);
  }
}

}  // namespace keepone::ast
