// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "bind/bind_context.h"
#include "bind/expr_binder.h"
#include "bind/scope.h"
#include "plan/node.h"
#include "sql/ast_query.h"

namespace keepone {

// A WITH table and those that it may name itself, as a linked list.
struct CommonTableEntry {
  const ast::CommonTable* table = nullptr;
  CommonTableEntry* outer = nullptr;
  int64_t references = 0;
  bool deterministic = true;  // known after the first reference
};

// What FROM gives.
struct Relation {
  NodePtr plan;
  Scope scope;
};

// A statement that names more tables than this, those in WITH counted once a reference, is no
// statement but an explosion.
inline constexpr int64_t kTableReferencesMax = 4096;

// Makes plans of whole queries. A WITH table is planned anew for each reference.
class QueryBinder {
 public:
  explicit QueryBinder(BindContext* context) : context_(context) {}

  // The root gives exactly the query's output columns.
  arrow::Result<NodePtr> BindQuery(const ast::Query& query, CommonTableEntry* tables);
  // The tables of a FROM clause, which has at least one; every row of each with every one of the
  // others, in their order.
  arrow::Result<Relation> BindFrom(const std::vector<ast::TableRefPtr>& from,
                                   CommonTableEntry* tables);

 private:
  // `tail` holds the clauses behind the body, or is nullptr.
  arrow::Result<NodePtr> BindBody(const ast::QueryBody& body, const ast::Query* tail,
                                  CommonTableEntry* tables);
  arrow::Result<NodePtr> BindBodyAlone(const ast::QueryBody& body, CommonTableEntry* tables);
  arrow::Status CheckUnread(CommonTableEntry* first, const CommonTableEntry* outer);

  // bind_set_operation.cc
  arrow::Result<NodePtr> BindSetOperation(const ast::SetOperationBody& body,
                                          CommonTableEntry* tables);
  // Operands that give columns of the same types, and which these are of each.
  struct Operands {
    std::vector<NodePtr> plans;
    std::vector<Column> columns;
    std::vector<std::vector<ColumnId>> sources;
  };
  arrow::Result<Operands> Align(std::vector<NodePtr> operands, const ast::SetOperationBody& body);
  arrow::Result<NodePtr> Unite(std::vector<NodePtr> operands, const ast::SetOperationBody& body);
  // INTERSECT and EXCEPT: the left rows that have their like on the right, or have none.
  arrow::Result<NodePtr> KeepMatching(std::vector<NodePtr> operands,
                                      const ast::SetOperationBody& body);
  arrow::Result<std::vector<std::vector<ExprPtr>>> AlignByPosition(
      const std::vector<NodePtr>& operands, const ast::SetOperationBody& body);
  arrow::Result<std::vector<std::vector<ExprPtr>>> AlignByName(const std::vector<NodePtr>& operands,
                                                               const ast::SetOperationBody& body,
                                                               std::vector<std::string>* names);

  // bind_values.cc
  arrow::Result<NodePtr> BindValues(const ast::ValuesBody& body);

  // bind_join.cc
  arrow::Result<Relation> BindJoin(const ast::JoinTable& join, CommonTableEntry* tables);
  // Every row of the one with every row of the other; `right_span` is where the latter stands.
  arrow::Result<Relation> CrossJoin(Relation left, Relation right, SourceSpan right_span);
  // Whether two relations may stand in one FROM.
  arrow::Status CheckJoin(const Scope& left, const Scope& right, SourceSpan right_span);

  // The two relations under the join's condition.
  arrow::Result<Relation> BindJoinWith(Relation left, const ast::JoinTable& join,
                                       CommonTableEntry* tables);

  // bind_unnest.cc
  // A table that begins with UNNEST, whose lists may read columns of `left`, beside its rows.
  arrow::Result<Relation> BindBeside(Relation left, const ast::TableRef& table,
                                     CommonTableEntry* tables);
  arrow::Result<Relation> BindUnnest(Relation left, const ast::FunctionTable& table,
                                     bool keeps_empty);
  // The join where its right side is UNNEST of columns of the left one; else nothing, and `left` is
  // as it was.
  arrow::Result<std::optional<Relation>> JoinUnnest(Relation* left, const ast::JoinTable& join);

  // bind_from.cc
  arrow::Result<Relation> BindTable(const ast::TableRef& table, CommonTableEntry* tables);
  arrow::Result<Relation> BindTableNode(const ast::TableRef& table, CommonTableEntry* tables);
  arrow::Result<Relation> BindNamedTable(const ast::NamedTable& table, CommonTableEntry* tables);
  arrow::Result<Relation> BindCommonTable(const ast::Identifier& name, CommonTableEntry* entry);
  arrow::Result<Relation> BindView(const ViewDefinition& view, SourceSpan span);
  arrow::Result<Relation> BindFiles(const std::vector<std::string>& paths, SourceSpan span);
  arrow::Result<std::shared_ptr<arrow::Scalar>> BindReaderArgument(const ast::Expr& expr);
  arrow::Result<std::vector<std::string>> BindReaderPaths(const std::string& reader,
                                                          const ast::Expr& expr);
  arrow::Result<arrow::FieldVector> BindReaderColumns(const ast::Expr& expr);
  arrow::Result<Relation> BindFunctionTable(const ast::FunctionTable& table);
  arrow::Status UnknownTable(const ast::Identifier& name, const CommonTableEntry* tables) const;
  // `name` is for plans, `table` what the statement calls it.
  Relation ScanSource(std::shared_ptr<const Source> source, std::string name, std::string table);

  BindContext* context_;
  int64_t depth_ = 0;
  int64_t table_references_ = 0;
  int64_t joins_ = 0;
  std::vector<std::string> open_views_;
};

// Makes one table of what is in scope, under a name and, for the first columns, other names.
arrow::Status NameTable(std::string name, const std::vector<ast::Identifier>& column_names,
                        SourceSpan span, Scope* scope);

// One row without columns.
Relation OneRowRelation();

// Whether the rows of a table begin with those of UNNEST(..): it stands for them, or is the first
// table of joins that keep what stands on their left.
bool BeginsWithUnnest(const ast::TableRef& table);

// Whether the plan gives the same rows each time.
bool IsDeterministicPlan(const Node& node);

// Gives the first of each set of equal rows.
NodePtr KeepDistinct(NodePtr input, std::string spelling);

}  // namespace keepone
