// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/api.h>

#include "base/error.h"
#include "base/letter_case.h"
#include "engine/execute.h"
#include "function/aggregate_function.h"
#include "function/cast.h"
#include "function/scalar_function.h"

namespace keepone {

namespace {

// Rows of texts as a result; every row has a text for each column.
StatementResult MakeTextResult(const ExecuteState& state, const std::vector<std::string>& columns,
                               const std::vector<std::vector<std::string>>& rows) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < columns.size(); ++i) {
    arrow::StringBuilder builder(state.context->pool());
    for (const auto& row : rows) {
      ARROW_RETURN_NOT_OK(builder.Append(row[i]));
    }
    ARROW_ASSIGN_OR_RAISE(auto array, builder.Finish());
    fields.push_back(arrow::field(columns[i], arrow::utf8()));
    arrays.push_back(std::move(array));
  }
  auto batch = arrow::RecordBatch::Make(arrow::schema(std::move(fields)),
                                        static_cast<int64_t>(rows.size()), std::move(arrays));
  return MakeBatchResult(state.context, std::move(batch), "SHOW");
}

void AddFunctionRows(const std::string& kind, const std::vector<FunctionDoc>& docs,
                     std::vector<std::vector<std::string>>* rows) {
  for (const FunctionDoc& doc : docs) {
    rows->push_back({doc.name, kind, doc.signature, doc.text});
  }
}

}  // namespace

arrow::Result<std::string> OptionText(const ast::Expr& value) {
  if (const auto* literal = value.If<ast::LiteralExpr>()) {
    return literal->text;
  }
  if (const auto* unary = value.If<ast::UnaryExpr>()) {
    if (unary->op == ast::UnaryOp::kNegate) {
      ARROW_ASSIGN_OR_RAISE(std::string text, OptionText(*unary->operand));
      return "-" + text;
    }
  }
  if (const auto* column = value.If<ast::ColumnExpr>()) {
    return column->path.back().text;
  }
  return BindError(value.span, "a literal is needed here");
}

StatementResult ExecuteDescribe(const ast::DescribeStatement& statement,
                                const ExecuteState& state) {
  ARROW_ASSIGN_OR_RAISE(const PreparedQuery query,
                        PrepareQuery(*statement.query, *state.catalog, *state.settings));
  std::vector<std::vector<std::string>> rows;
  for (const Column& column : query.plan->columns()) {
    rows.push_back({column.name, SqlTypeName(*column.type)});
  }
  return MakeTextResult(state, {"column_name", "column_type"}, rows);
}

StatementResult ExecuteShow(const ast::ShowStatement& statement, const ExecuteState& state) {
  std::vector<std::vector<std::string>> rows;
  switch (statement.show) {
    case ast::ShowKind::kTables:
      for (const auto& [name, table] : state.catalog->tables()) {
        rows.push_back({name, "table"});
      }
      for (const auto& [name, view] : state.catalog->views()) {
        rows.push_back({name, "view"});
      }
      return MakeTextResult(state, {"name", "kind"}, rows);
    case ast::ShowKind::kAll:
      for (const SettingRow& row : SettingRows()) {
        rows.push_back({row.name, row.get(*state.settings), row.values, row.doc});
      }
      return MakeTextResult(state, {"name", "value", "takes", "description"}, rows);
    case ast::ShowKind::kSetting:
      break;
  }
  if (EqualWithoutCase(statement.setting.text, "functions")) {
    AddFunctionRows("scalar", ScalarFunctionDocs(), &rows);
    AddFunctionRows("aggregate", AggregateFunctionDocs(), &rows);
    return MakeTextResult(state, {"name", "kind", "signature", "description"}, rows);
  }
  const arrow::Result<const SettingRow*> row = FindSetting(statement.setting.text);
  if (!row.ok()) {
    return WithSpan(row.status(), ErrorKind::kBind, statement.setting.span);
  }
  rows.push_back({(*row)->get(*state.settings)});
  return MakeTextResult(state, {(*row)->name}, rows);
}

StatementResult ExecuteSet(const ast::SetStatement& statement, const ExecuteState& state) {
  std::string value;
  if (statement.value == nullptr) {
    const arrow::Result<const SettingRow*> row = FindSetting(statement.setting.text);
    if (!row.ok()) {
      return WithSpan(row.status(), ErrorKind::kBind, statement.setting.span);
    }
    value = (*row)->get(Settings());
  } else {
    ARROW_ASSIGN_OR_RAISE(value, OptionText(*statement.value));
  }
  const arrow::Status status = ApplySetting(state.settings, statement.setting.text, value);
  if (!status.ok()) {
    return WithSpan(status, ErrorKind::kBind,
                    FindSetting(statement.setting.text).ok() && statement.value != nullptr
                        ? statement.value->span
                        : statement.setting.span);
  }
  return MakeSummaryResult(state.context, "SET");
}

StatementResult ExecuteReset(const ast::ResetStatement& statement, const ExecuteState& state) {
  const arrow::Result<const SettingRow*> row = FindSetting(statement.setting.text);
  if (!row.ok()) {
    return WithSpan(row.status(), ErrorKind::kBind, statement.setting.span);
  }
  ARROW_RETURN_NOT_OK(ApplySetting(state.settings, (*row)->name, (*row)->get(Settings())));
  return MakeSummaryResult(state.context, "RESET");
}

}  // namespace keepone
