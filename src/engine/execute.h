// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/result.h>

#include "engine/query_result.h"
#include "engine/session_catalog.h"
#include "engine/settings.h"
#include "sql/ast.h"

namespace keepone {

// What a statement may use and change.
struct ExecuteState {
  SessionCatalog* catalog;
  Settings* settings;
  std::shared_ptr<QueryContext> context;  // of this statement
};

using StatementResult = arrow::Result<std::unique_ptr<QueryResult>>;

// One function a kind of statement. Rows of a query are computed as the result is read; all else is
// done on return. Errors have places in the statement where there is one.
StatementResult ExecuteQuery(const ast::QueryStatement& statement, const ExecuteState& state);
StatementResult ExecuteExplain(const ast::ExplainStatement& statement, const ExecuteState& state);
StatementResult ExecuteCopy(const ast::CopyStatement& statement, const ExecuteState& state);

StatementResult ExecuteCreateTable(const ast::CreateTableStatement& statement,
                                   const ExecuteState& state);
// Takes the query out of the statement: the view keeps it.
StatementResult ExecuteCreateView(ast::CreateViewStatement* statement, const ExecuteState& state);
StatementResult ExecuteInsert(const ast::InsertStatement& statement, const ExecuteState& state);
StatementResult ExecuteDrop(const ast::DropStatement& statement, const ExecuteState& state);

StatementResult ExecuteDescribe(const ast::DescribeStatement& statement, const ExecuteState& state);
StatementResult ExecuteShow(const ast::ShowStatement& statement, const ExecuteState& state);
StatementResult ExecuteSet(const ast::SetStatement& statement, const ExecuteState& state);
StatementResult ExecuteReset(const ast::ResetStatement& statement, const ExecuteState& state);

// The text of an option's or a setting's value: a literal, a bare word or a signed number.
arrow::Result<std::string> OptionText(const ast::Expr& value);

}  // namespace keepone
