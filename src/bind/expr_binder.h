// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "bind/bind_context.h"
#include "bind/scope.h"
#include "bind/select_calls.h"
#include "plan/expr.h"
#include "sql/ast_call.h"
#include "sql/ast_operator.h"

namespace keepone {

// One column of a SELECT's output.
struct OutputItem {
  std::string name;
  ExprPtr expr;  // over the columns in FROM and the results of aggregates and windows
  SourceSpan span;
  ColumnId id;  // set when the output is computed
};

// What COLUMNS(..) in one item of the select list stands for: a column after the other.
struct ColumnsPattern {
  std::string text;  // the call as it is written; empty before one is met
  std::vector<OutputItem> items;
  size_t index = 0;  // of the item whose turn it is
};

// What an expression may refer to, by the clause in which it stands.
struct ExprScope {
  std::string_view clause;  // "WHERE": for messages
  const Scope* columns = nullptr;
  // Aliases of the select list, and whether they go before the columns.
  const std::vector<OutputItem>* outputs = nullptr;
  bool outputs_first = false;
  // Names the outputs, which cannot be used here, in hints.
  const std::vector<ast::SelectItem>* outputs_for_hints = nullptr;
  // Gets the aggregate, window and unnest calls.
  SelectCalls* calls = nullptr;
  bool aggregates = false;
  bool windows = false;
  bool unnests = false;
  // Inside of the arguments of a call, which must not hold another of its sort.
  bool in_aggregate = false;
  bool in_window = false;
  // Gets what the first COLUMNS(..) stands for; nullptr where there may be none.
  ColumnsPattern* pattern = nullptr;
};

// Makes typed expressions of the plan from those of the syntax tree.
// An alias stands for the very expression of its item: they are the same pointer.
class ExprBinder {
 public:
  explicit ExprBinder(BindContext* context) : context_(context) {}

  arrow::Result<ExprPtr> Bind(const ast::Expr& expr, const ExprScope& scope);
  // A condition; `construct` names the clause in messages.
  arrow::Result<ExprPtr> BindCondition(const ast::Expr& expr, const ExprScope& scope,
                                       std::string_view construct);
  arrow::Result<SortExpr> BindSortExpr(const ast::OrderItem& item, const ExprScope& scope);
  // The name that an item without alias has.
  std::string OutputName(const ast::Expr& expr, const Expr& bound) const;
  // operand.field; without regard to case unless that is ambiguous.
  arrow::Result<ExprPtr> ExtractField(const ExprPtr& operand, const ast::Identifier& field);

 private:
  arrow::Result<std::vector<ExprPtr>> BindAll(const std::vector<ast::ExprPtr>& exprs,
                                              const ExprScope& scope);

  // bind_literal.cc
  arrow::Result<ExprPtr> BindLiteral(const ast::LiteralExpr& expr);
  arrow::Result<ExprPtr> BindNumber(std::string_view text, ast::LiteralKind kind, SourceSpan span);
  arrow::Result<ExprPtr> BindInterval(const ast::IntervalExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindTypedLiteral(const ast::TypedLiteralExpr& expr);
  arrow::Result<ExprPtr> ParseLiteral(const std::string& text, const TypePtr& type, SourceSpan span,
                                      SourceSpan text_span);

  // bind_name.cc
  arrow::Result<ExprPtr> BindColumn(const ast::ColumnExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> FindOutput(const ast::Identifier& name, const ExprScope& scope);
  arrow::Result<ExprPtr> UseOutputLast(const ast::NamePath& path, const ExprScope& scope);
  arrow::Result<ExprPtr> BindWholeRow(const ScopeTable& table, SourceSpan span);
  arrow::Result<ExprPtr> ExtractFields(ExprPtr operand, const ast::NamePath& path, size_t first);
  arrow::Status UnknownColumn(const ast::NamePath& path, const ExprScope& scope) const;
  ExprPtr MakeColumn(const Column& column, SourceSpan span) const;

  // bind_nested.cc
  arrow::Result<ExprPtr> BindList(const ast::ListExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindStruct(const ast::StructExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindRow(const ast::RowExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindMap(const ast::MapExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindField(const ast::FieldExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindSubscript(const ast::SubscriptExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindSlice(const ast::SliceExpr& expr, const ExprScope& scope);

  // bind_operator.cc
  arrow::Result<ExprPtr> BindUnary(const ast::UnaryExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindBinary(const ast::BinaryExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindLogic(const ast::LogicExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindIs(const ast::IsExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindBetween(const ast::BetweenExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindInList(const ast::InListExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindLike(const ast::LikeExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindQuantified(const ast::QuantifiedExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindCase(const ast::CaseExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> BindCast(const ast::CastExpr& expr, const ExprScope& scope);
  arrow::Result<ExprPtr> Negated(ExprPtr expr, bool negated, SourceSpan span);
  // The call of a function that stands for an operator; unsupported, by the operator's text, where
  // there is no such function.
  arrow::Result<ExprPtr> MakeOperatorCall(std::string_view function, std::string_view text,
                                          std::vector<ExprPtr> operands, SourceSpan span);

  // bind_call.cc
  arrow::Result<ExprPtr> BindCall(const ast::CallExpr& call, const ExprScope& scope);
  arrow::Result<ExprPtr> BindColumns(const ast::CallExpr& call, const ExprScope& scope);
  // The call as it is written, with the name of the column for which COLUMNS(..) stands.
  static std::string Spelling(const ast::CallExpr& call, const ExprScope& scope);
  arrow::Result<ExprPtr> BindScalarCall(const ast::CallExpr& call, const ExprScope& scope);
  arrow::Result<ExprPtr> BindCoalesce(const ast::CallExpr& call, std::vector<ExprPtr> arguments);
  arrow::Result<ExprPtr> BindNullIf(const ast::CallExpr& call, std::vector<ExprPtr> arguments);
  arrow::Result<ExprPtr> BindIf(const ast::CallExpr& call, std::vector<ExprPtr> arguments);
  arrow::Result<ExprPtr> MakeCase(std::vector<ExprPtr> conditions, std::vector<ExprPtr> values,
                                  SourceSpan span);

  // bind_unnest.cc
  arrow::Result<ExprPtr> BindUnnestCall(const ast::CallExpr& call, const ExprScope& scope);

  // bind_aggregate.cc
  arrow::Result<ExprPtr> BindAggregate(const ast::CallExpr& call, const ExprScope& scope);
  // Reads the call and its modifiers; `arguments` is where its arguments are bound.
  // `window_order` is what the call of a winner function without ORDER BY goes by.
  arrow::Result<AggregateExpr> ResolveAggregate(const ast::CallExpr& call,
                                                const ExprScope& arguments,
                                                const std::vector<SortExpr>* window_order);
  // Adds the expression of HAVING MAX to the arguments, converts them, and takes away a number of
  // rows among them.
  arrow::Status FindAggregate(const ast::CallExpr& call, const ExprScope& scope,
                              std::vector<ExprPtr>* arguments, AggregateExpr* out);
  arrow::Status TakeRowCount(const ast::CallExpr& call, std::vector<ExprPtr>* arguments,
                             AggregateExpr* out) const;
  arrow::Status CheckAccumulated(const ast::CallExpr& call, bool has_value) const;
  arrow::Result<std::vector<ExprPtr>> BindAggregateArguments(const ast::CallExpr& call,
                                                             const ExprScope& scope);
  arrow::Status ResolveWinner(const ast::CallExpr& call, std::vector<ExprPtr> arguments,
                              std::vector<SortExpr> call_order, AggregateExpr* out);
  arrow::Status ResolveCollect(const ast::CallExpr& call, std::vector<ExprPtr> arguments,
                               std::vector<SortExpr> call_order, AggregateExpr* out);
  arrow::Status ResolveOrderBy(const ast::CallExpr& call, const ExprScope& scope,
                               std::vector<SortExpr>* order);

  // bind_window.cc
  arrow::Result<ExprPtr> BindWindow(const ast::CallExpr& call, const ExprScope& scope);
  struct ResolvedWindow {
    const std::vector<ast::ExprPtr>* partition_by = nullptr;
    const std::vector<ast::OrderItem>* order_by = nullptr;
    const ast::WindowFrame* frame = nullptr;
  };
  arrow::Result<ResolvedWindow> ResolveWindowSpec(const ast::WindowSpec& spec,
                                                  const SelectCalls& calls, size_t named_before);
  arrow::Result<ResolvedWindow> ResolveNamedWindow(const ast::Identifier& name,
                                                   const SelectCalls& calls, size_t named_before);
  arrow::Status BindWindowKeys(const ResolvedWindow& resolved, const ExprScope& inside,
                               WindowExpr* window);
  arrow::Status BindWindowAggregate(const ast::CallExpr& call, const ExprScope& scope,
                                    const ast::WindowFrame* frame, WindowExpr* window);

  // bind_window_function.cc
  // What makes sense only with OVER.
  arrow::Status BindWindowFunction(const ast::CallExpr& call, const ExprScope& scope,
                                   WindowExpr* window);
  arrow::Status BindShift(const ast::CallExpr& call, const ExprScope& scope, WindowExpr* window);

  BindContext* context_;
};

}  // namespace keepone
