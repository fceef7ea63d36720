// SPDX-License-Identifier: Apache-2.0
#include "sql/printer.h"

namespace keepone::ast {

void Printer::PrintStatement(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kQuery:
      return PrintQuery(*statement.As<QueryStatement>().query);
    case StatementKind::kCreateTable:
      return PrintCreateTable(statement.As<CreateTableStatement>());
    case StatementKind::kCreateView:
      return PrintCreateView(statement.As<CreateViewStatement>());
    case StatementKind::kDrop:
      return PrintDrop(statement.As<DropStatement>());
    case StatementKind::kInsert:
      return PrintInsert(statement.As<InsertStatement>());
    case StatementKind::kCopy:
      return PrintCopy(statement.As<CopyStatement>());
    case StatementKind::kDescribe:
      Put("DESCRIBE ");
      return PrintQuery(*statement.As<DescribeStatement>().query);
    case StatementKind::kShow:
      return PrintShow(statement.As<ShowStatement>());
    case StatementKind::kSet: {
      const auto& set = statement.As<SetStatement>();
      Put("SET ");
      PutIdentifier(set.setting);
      Put(" = ");
      return set.value == nullptr ? Put("DEFAULT") : PrintSetting(*set.value);
    }
    case StatementKind::kReset:
      Put("RESET ");
      return PutIdentifier(statement.As<ResetStatement>().setting);
    case StatementKind::kExplain:
      return PrintExplain(statement.As<ExplainStatement>());
  }
}

void Printer::PrintCreateTable(const CreateTableStatement& create) {
  Put("CREATE ");
  PutIf(create.or_replace, "OR REPLACE ");
  PutIf(create.temporary, "TEMPORARY ");
  Put("TABLE ");
  PutIf(create.if_not_exists, "IF NOT EXISTS ");
  PutPath(create.name);
  if (!create.columns.empty()) {
    Put(" (");
    PutList(create.columns, [this](const ColumnDefinition& column) {
      PutIdentifier(column.name);
      if (column.type.has_value()) {
        Put(" ");
        PrintType(*column.type);
      }
      PutIf(column.not_null, " NOT NULL");
    });
    Put(")");
  }
  if (create.query != nullptr) {
    Put(" AS ");
    PrintQuery(*create.query);
  }
}

void Printer::PrintCreateView(const CreateViewStatement& create) {
  Put("CREATE ");
  PutIf(create.or_replace, "OR REPLACE ");
  PutIf(create.temporary, "TEMPORARY ");
  Put("VIEW ");
  PutIf(create.if_not_exists, "IF NOT EXISTS ");
  PutPath(create.name);
  if (!create.columns.empty()) {
    Put(" ");
    PutIdentifiers(create.columns);
  }
  Put(" AS ");
  PrintQuery(*create.query);
}

void Printer::PrintDrop(const DropStatement& drop) {
  Put(drop.object == CatalogObject::kTable ? "DROP TABLE " : "DROP VIEW ");
  PutIf(drop.if_exists, "IF EXISTS ");
  PutList(drop.names, [this](const NamePath& name) { PutPath(name); });
}

void Printer::PrintInsert(const InsertStatement& insert) {
  Put("INSERT INTO ");
  PutPath(insert.table);
  if (!insert.columns.empty()) {
    Put(" ");
    PutIdentifiers(insert.columns);
  }
  Put(" ");
  PrintQuery(*insert.query);
}

void Printer::PrintCopy(const CopyStatement& copy) {
  Put("COPY (");
  PrintQuery(*copy.query);
  Put(") TO ");
  PutString(copy.target.text);
  if (copy.options.empty()) {
    return;
  }
  Put(" (");
  PutList(copy.options, [this](const CopyOption& option) {
    PutIdentifier(option.name);
    if (option.value != nullptr) {
      Put(" ");
      PrintSetting(*option.value);
    }
  });
  Put(")");
}

void Printer::PrintSetting(const Expr& value) {
  const auto* list = value.If<ListExpr>();
  if (list == nullptr) {
    return PrintExpr(value);
  }
  Put("(");
  PutExprs(list->elements);
  Put(")");
}

void Printer::PrintShow(const ShowStatement& show) {
  switch (show.show) {
    case ShowKind::kTables:
      return Put("SHOW TABLES");
    case ShowKind::kAll:
      return Put("SHOW ALL");
    case ShowKind::kSetting:
      break;
  }
  Put("SHOW ");
  PutIdentifier(show.setting);
}

void Printer::PrintExplain(const ExplainStatement& explain) {
  Put("EXPLAIN ");
  PutIf(explain.analyze, "ANALYZE ");
  PutIf(explain.format == ExplainFormat::kJson, "(FORMAT JSON) ");
  PrintStatement(*explain.statement);
}

}  // namespace keepone::ast
