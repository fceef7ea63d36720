// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/ast_call.h"

namespace keepone::ast {

enum class TableRefKind { kTable, kFiles, kFunction, kSubquery, kJoin };

struct TableRef : Node<TableRefKind> {
  using Node::Node;
  std::optional<Identifier> alias;
  std::vector<Identifier> column_aliases;
};
using TableRefPtr = std::unique_ptr<TableRef>;

template <TableRefKind kind_value>
using TableRefOf = NodeOf<TableRef, TableRefKind, kind_value>;

// The name of a table, view or CTE.
struct NamedTable final : TableRefOf<TableRefKind::kTable> {
  using NodeOf::NodeOf;
  NamePath name;
};

struct FilePath {
  std::string text;
  SourceSpan span;
};

// 'file.parquet' (one path) or ['a.parquet', 'b/*.parquet'], at least one.
struct FileTable final : TableRefOf<TableRefKind::kFiles> {
  using NodeOf::NodeOf;
  std::vector<FilePath> paths;
};

// read_parquet('x', option = value), UNNEST(list) WITH ORDINALITY.
struct FunctionTable final : TableRefOf<TableRefKind::kFunction> {
  using NodeOf::NodeOf;
  NamePath name;
  std::vector<Argument> arguments;
  bool lateral = false;
  bool with_ordinality = false;
};

// (query) AS alias; also (VALUES ..) AS alias and VALUES .. AS alias.
struct SubqueryTable final : TableRefOf<TableRefKind::kSubquery> {
  using NodeOf::NodeOf;
  QueryPtr query;
  bool lateral = false;
};

enum class JoinKind { kInner, kLeft, kRight, kFull, kCross, kSemi, kAnti };

// Except for kCross, just one of `natural`, `condition` and `using_columns` is given.
struct JoinTable final : TableRefOf<TableRefKind::kJoin> {
  using NodeOf::NodeOf;
  JoinKind join = JoinKind::kInner;
  bool natural = false;
  TableRefPtr left;
  TableRefPtr right;
  ExprPtr condition;
  std::vector<Identifier> using_columns;
};

enum class QueryBodyKind { kSelect, kSetOperation, kValues, kNested };

struct QueryBody : Node<QueryBodyKind> {
  using Node::Node;
};
using QueryBodyPtr = std::unique_ptr<QueryBody>;

template <QueryBodyKind kind_value>
using QueryBodyOf = NodeOf<QueryBody, QueryBodyKind, kind_value>;

struct SelectItem {
  ExprPtr expr;
  std::optional<Identifier> alias;
};

enum class DistinctKind { kAll, kDistinct, kDistinctOn };

struct NamedWindow {
  Identifier name;
  WindowSpec spec;
};

// FROM without SELECT and TABLE t are SELECT * FROM.
struct SelectBody final : QueryBodyOf<QueryBodyKind::kSelect> {
  using NodeOf::NodeOf;
  DistinctKind distinct = DistinctKind::kAll;
  std::vector<ExprPtr> distinct_on;  // kDistinctOn only, at least one.
  std::vector<SelectItem> items;     // At least one.
  std::vector<TableRefPtr> from;     // Joined by commas; empty without FROM.
  ExprPtr where;                     // Or nullptr.
  bool group_by_all = false;
  std::vector<ExprPtr> group_by;  // Empty without GROUP BY and with GROUP BY ALL.
  ExprPtr having;                 // Or nullptr.
  std::vector<NamedWindow> windows;
  ExprPtr qualify;  // Or nullptr.
};

enum class SetOperator { kUnion, kIntersect, kExcept };

struct SetOperationBody final : QueryBodyOf<QueryBodyKind::kSetOperation> {
  using NodeOf::NodeOf;
  SetOperator op = SetOperator::kUnion;
  bool all = false;
  bool by_name = false;
  QueryBodyPtr left;
  QueryBodyPtr right;
};

// VALUES (a, b), (c, d): at least one row, each with at least one value; lengths may differ.
struct ValuesBody final : QueryBodyOf<QueryBodyKind::kValues> {
  using NodeOf::NodeOf;
  std::vector<std::vector<ExprPtr>> rows;
};

// (query) as an operand of a set operation or as a whole, where it has clauses of its own.
struct NestedBody final : QueryBodyOf<QueryBodyKind::kNested> {
  using NodeOf::NodeOf;
  QueryPtr query;
};

enum class Materialization { kDefault, kMaterialized, kNotMaterialized };

struct CommonTable {
  Identifier name;
  std::vector<Identifier> columns;
  Materialization materialization = Materialization::kDefault;
  QueryPtr query;
};

// LIMIT limit [OFFSET offset] BY keys.
struct LimitBy {
  ExprPtr limit;
  ExprPtr offset;  // Or nullptr.
  std::vector<ExprPtr> keys;
  SourceSpan span;
};

// WITH ctes body ORDER BY .. LIMIT .. BY .. LIMIT .. OFFSET ..
struct Query {
  SourceSpan span;
  bool recursive = false;
  std::vector<CommonTable> with;
  QueryBodyPtr body;
  std::vector<OrderItem> order_by;
  std::optional<SortOrder> order_by_all;  // ORDER BY ALL; order_by is empty then.
  std::optional<LimitBy> limit_by;
  ExprPtr limit;   // Or nullptr, also for LIMIT ALL.
  ExprPtr offset;  // Or nullptr.
  bool with_ties = false;
};

}  // namespace keepone::ast
