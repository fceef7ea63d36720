// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/api.h>

#include "base/error.h"
#include "bind/binder.h"
#include "engine/execute.h"

namespace keepone {

namespace {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

arrow::Result<std::string> SimpleName(const ast::NamePath& path) {
  if (path.size() > 1) {
    return UnsupportedError(path.front().span, "names with a schema are not supported: \"",
                            path.front().text, ".", path.back().text, "\"");
  }
  return path.front().text;
}

arrow::Status CheckDistinctNames(const arrow::Schema& schema, SourceSpan span) {
  std::set<std::string> names;
  for (const auto& field : schema.fields()) {
    if (!names.insert(field->name()).second) {
      return WithHint(BindError(span, "column \"", field->name(), "\" is there twice"),
                      "give the columns of a table different names with AS");
    }
  }
  return arrow::Status::OK();
}

// Runs a bound query to its end.
arrow::Result<Batches> Collect(BoundQuery bound, ColumnIdGenerator* ids, const ExecuteState& state,
                               std::shared_ptr<arrow::Schema>* schema) {
  ARROW_ASSIGN_OR_RAISE(PreparedQuery prepared,
                        OptimizeQuery(std::move(bound.plan), *state.settings, ids));
  ARROW_ASSIGN_OR_RAISE(RunningQuery running, StartQuery(std::move(prepared), state.context));
  *schema = running.reader->schema();
  return running.reader->ToRecordBatches();
}

int64_t CountRows(const Batches& batches) {
  int64_t rows = 0;
  for (const auto& batch : batches) {
    rows += batch->num_rows();
  }
  return rows;
}

arrow::Status CheckFree(const std::string& name, bool or_replace, SourceSpan span,
                        const ExecuteState& state) {
  if (or_replace) {
    return arrow::Status::OK();
  }
  if (state.catalog->FindTable(name) != nullptr || state.catalog->FindView(name) != nullptr) {
    return WithHint(BindError(span, "\"", name, "\" already exists"),
                    "CREATE OR REPLACE replaces it");
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<ColumnTarget>> DefinedColumns(
    const ast::CreateTableStatement& statement) {
  std::vector<ColumnTarget> columns;
  for (const ast::ColumnDefinition& definition : statement.columns) {
    if (definition.not_null) {
      return UnsupportedError(definition.span, "NOT NULL is not supported for columns of tables");
    }
    TypePtr type;
    if (definition.type.has_value()) {
      ARROW_ASSIGN_OR_RAISE(type, ResolveType(*definition.type));
    }
    columns.push_back({definition.name.text, std::move(type)});
  }
  return columns;
}

// The batch with the table's columns: those that were given, the others NULL.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> SpreadColumns(
    const arrow::RecordBatch& batch, const std::shared_ptr<arrow::Schema>& schema,
    const std::vector<int>& given, arrow::MemoryPool* pool) {
  arrow::ArrayVector arrays;
  for (int i = 0; i < schema->num_fields(); ++i) {
    const int source = given[static_cast<size_t>(i)];
    if (source >= 0) {
      arrays.push_back(batch.column(source));
    } else {
      ARROW_ASSIGN_OR_RAISE(
          auto nulls, arrow::MakeArrayOfNull(schema->field(i)->type(), batch.num_rows(), pool));
      arrays.push_back(std::move(nulls));
    }
  }
  return arrow::RecordBatch::Make(schema, batch.num_rows(), std::move(arrays));
}

}  // namespace

StatementResult ExecuteCreateTable(const ast::CreateTableStatement& statement,
                                   const ExecuteState& state) {
  ARROW_ASSIGN_OR_RAISE(const std::string name, SimpleName(statement.name));
  if (statement.if_not_exists && state.catalog->FindTable(name) != nullptr) {
    return MakeSummaryResult(state.context, "CREATE TABLE");
  }
  const SourceSpan name_span = statement.name.front().span;
  ARROW_RETURN_NOT_OK(CheckFree(name, statement.or_replace, name_span, state));
  ARROW_ASSIGN_OR_RAISE(const std::vector<ColumnTarget> columns, DefinedColumns(statement));
  std::shared_ptr<arrow::Schema> schema;
  Batches batches;
  if (statement.query == nullptr) {
    arrow::FieldVector fields;
    for (const ColumnTarget& column : columns) {
      fields.push_back(arrow::field(column.name, column.type));
    }
    schema = arrow::schema(std::move(fields));
    ARROW_RETURN_NOT_OK(CheckDistinctNames(*schema, name_span));
  } else {
    ColumnIdGenerator ids;
    ARROW_ASSIGN_OR_RAISE(BoundQuery bound, BindQuery(*statement.query, *state.catalog,
                                                      {state.settings->null_order}, &ids));
    if (!columns.empty()) {
      ARROW_ASSIGN_OR_RAISE(bound, ConvertColumns(bound, columns, &ids, name_span));
    }
    arrow::FieldVector fields;
    for (const Column& column : bound.plan->columns()) {
      fields.push_back(arrow::field(column.name, column.type));
    }
    ARROW_RETURN_NOT_OK(CheckDistinctNames(arrow::Schema(std::move(fields)), name_span));
    ARROW_ASSIGN_OR_RAISE(batches, Collect(std::move(bound), &ids, state, &schema));
  }
  state.catalog->PutTable(name, std::move(schema), std::move(batches));
  return MakeSummaryResult(state.context, "CREATE TABLE");
}

StatementResult ExecuteCreateView(ast::CreateViewStatement* statement, const ExecuteState& state) {
  ARROW_ASSIGN_OR_RAISE(const std::string name, SimpleName(statement->name));
  if (statement->if_not_exists && state.catalog->FindView(name) != nullptr) {
    return MakeSummaryResult(state.context, "CREATE VIEW");
  }
  ARROW_RETURN_NOT_OK(CheckFree(name, statement->or_replace, statement->name.front().span, state));
  // Bound once so that a mistake shows here and not where the view is used.
  ColumnIdGenerator ids;
  ARROW_ASSIGN_OR_RAISE(const BoundQuery bound, BindQuery(*statement->query, *state.catalog,
                                                          {state.settings->null_order}, &ids));
  if (statement->columns.size() > bound.plan->columns().size()) {
    return BindError(statement->columns.back().span, "view \"", name, "\" names ",
                     statement->columns.size(), " columns, but its query has ",
                     bound.plan->columns().size());
  }
  ViewDefinition view{name, {}, std::move(statement->query)};
  for (const ast::Identifier& column : statement->columns) {
    view.columns.push_back(column.text);
  }
  state.catalog->PutView(std::move(view));
  return MakeSummaryResult(state.context, "CREATE VIEW");
}

StatementResult ExecuteInsert(const ast::InsertStatement& statement, const ExecuteState& state) {
  ARROW_ASSIGN_OR_RAISE(const std::string name, SimpleName(statement.table));
  const SessionCatalog::Table* table = state.catalog->GetTable(name);
  if (table == nullptr) {
    return BindError(statement.table.front().span, "table \"", name, "\" does not exist");
  }
  const std::shared_ptr<arrow::Schema> schema = table->schema;
  std::vector<ColumnTarget> targets;
  std::vector<int> given(static_cast<size_t>(schema->num_fields()), -1);
  if (statement.columns.empty()) {
    for (int i = 0; i < schema->num_fields(); ++i) {
      targets.push_back({schema->field(i)->name(), schema->field(i)->type()});
      given[static_cast<size_t>(i)] = i;
    }
  }
  for (const ast::Identifier& column : statement.columns) {
    const int index = schema->GetFieldIndex(column.text);
    if (index < 0) {
      const arrow::Status error =
          BindError(column.span, "table \"", table->name, "\" has no column \"", column.text, "\"");
      const std::string nearest = NearestName(column.text, schema->field_names());
      return nearest.empty() ? error : WithHint(error, "it has a column \"" + nearest + "\"");
    }
    if (given[static_cast<size_t>(index)] >= 0) {
      return BindError(column.span, "column \"", column.text, "\" is given twice");
    }
    given[static_cast<size_t>(index)] = static_cast<int>(targets.size());
    targets.push_back({column.text, schema->field(index)->type()});
  }
  ColumnIdGenerator ids;
  ARROW_ASSIGN_OR_RAISE(BoundQuery bound, BindQuery(*statement.query, *state.catalog,
                                                    {state.settings->null_order}, &ids));
  ARROW_ASSIGN_OR_RAISE(bound, ConvertColumns(bound, targets, &ids, statement.table.front().span));
  std::shared_ptr<arrow::Schema> given_schema;
  ARROW_ASSIGN_OR_RAISE(const Batches added, Collect(std::move(bound), &ids, state, &given_schema));
  Batches batches = table->batches;
  for (const auto& batch : added) {
    ARROW_ASSIGN_OR_RAISE(auto whole, SpreadColumns(*batch, schema, given, state.context->pool()));
    batches.push_back(std::move(whole));
  }
  state.catalog->PutTable(std::string(table->name), schema, std::move(batches));
  return MakeSummaryResult(state.context, "INSERT " + std::to_string(CountRows(added)));
}

StatementResult ExecuteDrop(const ast::DropStatement& statement, const ExecuteState& state) {
  const bool is_table = statement.object == ast::CatalogObject::kTable;
  for (const ast::NamePath& path : statement.names) {
    ARROW_ASSIGN_OR_RAISE(const std::string name, SimpleName(path));
    const bool dropped = is_table ? state.catalog->DropTable(name) : state.catalog->DropView(name);
    if (!dropped && !statement.if_exists) {
      return BindError(path.front().span, is_table ? "table" : "view", " \"", name,
                       "\" does not exist");
    }
  }
  return MakeSummaryResult(state.context, is_table ? "DROP TABLE" : "DROP VIEW");
}

}  // namespace keepone
