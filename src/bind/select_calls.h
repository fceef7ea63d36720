// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/column_id.h"
#include "function/aggregate_function.h"
#include "plan/expr.h"
#include "plan/group_nodes.h"
#include "sql/ast_query.h"

namespace keepone {

// A sort key before its expression has become a column.
struct SortExpr {
  ExprPtr expr;
  bool descending = false;
  bool nulls_first = false;
};

// An AggregateCall before its expressions have become columns; see there.
struct AggregateExpr {
  ColumnId id;
  std::string name;
  std::string spelling;
  std::shared_ptr<const BoundAggregateFunction> function;
  std::vector<ExprPtr> arguments;
  std::vector<SortExpr> order;
  bool ties_to_last = false;
  int64_t nth = 1;
  std::optional<int64_t> limit;
  ExprPtr filter;  // or nullptr
  std::vector<ExprPtr> required;
  bool distinct = false;
};

// A WindowCall with its window, before its expressions have become columns.
struct WindowExpr {
  ColumnId id;
  std::string name;
  WindowCall::Kind kind = WindowCall::Kind::kRowNumber;
  std::vector<ExprPtr> partition;
  std::vector<SortExpr> order;  // empty also where the frame is the whole partition
  AggregateExpr aggregate;      // kAggregate only
  TypePtr type;
  std::string spelling;
  std::vector<ExprPtr> arguments;
  int64_t offset = 0;
  bool ignores_nulls = false;
  bool to_row = false;
};

// unnest(list) in the select list.
struct UnnestExpr {
  ColumnId id;  // of the element
  std::string name;
  TypePtr type;
  ExprPtr list;  // may read elements of calls before it
};

// The aggregate, window and unnest calls of one SELECT; equal calls are one.
struct SelectCalls {
  const std::vector<ast::NamedWindow>* named_windows = nullptr;
  std::vector<AggregateExpr> aggregates;
  std::vector<WindowExpr> windows;
  std::vector<UnnestExpr> unnests;
};

// Adds the call unless there is an equal one, and gives the column that stands for its result.
ExprPtr AddAggregate(SelectCalls* calls, AggregateExpr aggregate, ColumnIdGenerator* ids,
                     SourceSpan span);
ExprPtr AddWindow(SelectCalls* calls, WindowExpr window, ColumnIdGenerator* ids, SourceSpan span);
ExprPtr AddUnnest(SelectCalls* calls, UnnestExpr unnest, ColumnIdGenerator* ids, SourceSpan span);

// Whether the expression reads the result of an aggregate, of a window or of unnest(..).
bool ReadsAggregate(const Expr& expr, const SelectCalls& calls);
bool ReadsWindow(const Expr& expr, const SelectCalls& calls);
bool ReadsUnnest(const Expr& expr, const SelectCalls& calls);

}  // namespace keepone
