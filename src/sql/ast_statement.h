// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/ast_query.h"

namespace keepone::ast {

enum class StatementKind {
  kQuery,
  kCreateTable,
  kCreateView,
  kDrop,
  kInsert,
  kCopy,
  kDescribe,
  kShow,
  kSet,
  kReset,
  kExplain,
};

struct Statement : Node<StatementKind> {
  using Node::Node;
};

template <StatementKind kind_value>
using StatementOf = NodeOf<Statement, StatementKind, kind_value>;

struct QueryStatement final : StatementOf<StatementKind::kQuery> {
  using NodeOf::NodeOf;
  QueryPtr query;
};

struct ColumnDefinition {
  Identifier name;
  std::optional<TypeName> type;  // Always there when the table has no query.
  bool not_null = false;
  SourceSpan span;
};

struct CreateTableStatement final : StatementOf<StatementKind::kCreateTable> {
  using NodeOf::NodeOf;
  bool or_replace = false;
  bool temporary = false;
  bool if_not_exists = false;
  NamePath name;
  std::vector<ColumnDefinition> columns;  // May be empty with a query.
  QueryPtr query;                         // Or nullptr.
};

struct CreateViewStatement final : StatementOf<StatementKind::kCreateView> {
  using NodeOf::NodeOf;
  bool or_replace = false;
  bool temporary = false;
  bool if_not_exists = false;
  NamePath name;
  std::vector<Identifier> columns;
  QueryPtr query;
};

enum class CatalogObject { kTable, kView };

struct DropStatement final : StatementOf<StatementKind::kDrop> {
  using NodeOf::NodeOf;
  CatalogObject object = CatalogObject::kTable;
  bool if_exists = false;
  std::vector<NamePath> names;
};

struct InsertStatement final : StatementOf<StatementKind::kInsert> {
  using NodeOf::NodeOf;
  NamePath table;
  std::vector<Identifier> columns;
  QueryPtr query;
};

// KEY, KEY value, KEY (a, b). A value is a literal (a bare word is a string, a negative number a
// kUnary over it) or a ListExpr of such.
struct CopyOption {
  Identifier name;
  ExprPtr value;  // Or nullptr.
  SourceSpan span;
};

// COPY table TO .. is COPY (SELECT * FROM table) TO ..
struct CopyStatement final : StatementOf<StatementKind::kCopy> {
  using NodeOf::NodeOf;
  QueryPtr query;
  FilePath target;
  std::vector<CopyOption> options;
};

// DESCRIBE table is DESCRIBE SELECT * FROM table.
struct DescribeStatement final : StatementOf<StatementKind::kDescribe> {
  using NodeOf::NodeOf;
  QueryPtr query;
};

enum class ShowKind { kTables, kAll, kSetting };

struct ShowStatement final : StatementOf<StatementKind::kShow> {
  using NodeOf::NodeOf;
  ShowKind show = ShowKind::kTables;
  Identifier setting;  // kSetting only.
};

// SET setting = value, where `value` is as in CopyOption; nullptr for DEFAULT.
struct SetStatement final : StatementOf<StatementKind::kSet> {
  using NodeOf::NodeOf;
  Identifier setting;
  ExprPtr value;
};

struct ResetStatement final : StatementOf<StatementKind::kReset> {
  using NodeOf::NodeOf;
  Identifier setting;
};

enum class ExplainFormat { kText, kJson };

struct ExplainStatement final : StatementOf<StatementKind::kExplain> {
  using NodeOf::NodeOf;
  bool analyze = false;
  ExplainFormat format = ExplainFormat::kText;
  StatementPtr statement;  // Never an EXPLAIN.
};

}  // namespace keepone::ast
