// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "base/query_context.h"
#include "bind/binder.h"
#include "plan/expr.h"

namespace keepone {

class Scope;

// The columns of the queries around a subquery in a condition, the nearest first.
struct OuterScope {
  const Scope* columns = nullptr;
  const OuterScope* outer = nullptr;
};

// What the parts of the binder share while one statement is bound.
struct BindContext {
  const Catalog* catalog;
  BindOptions options;
  ColumnIdGenerator* ids;
  QueryContext constants{QueryContext::Options{}};  // where literals are converted
  // Inside of a view: where the statement names it. Spans of the view's text mean nothing there.
  std::optional<SourceSpan> view_span = std::nullopt;

  // For messages only: a subquery cannot read these.
  const OuterScope* outer = nullptr;

  SourceSpan Place(SourceSpan span) const { return view_span.value_or(span); }
};

// The scalar function `name` over `arguments`, which are converted as it wants; a literal is
// converted at once, so that a text that is no value of the type is an error at its place.
// `names` are the arguments' names, or empty.
arrow::Result<ExprPtr> MakeScalarCall(BindContext* context, std::string_view name,
                                      std::vector<ExprPtr> arguments, SourceSpan span,
                                      const std::vector<std::string>& names = {});

// `expr` converted to `type`; a literal at once. REQUIRES: the pair can be cast.
arrow::Result<ExprPtr> ConvertTo(BindContext* context, const ExprPtr& expr, const TypePtr& type,
                                 bool try_cast = false);

// Brings expressions that meet (CASE, IN, VALUES, comparison) to their common type: literals of
// text and whole numbers adapt to the others where they can. `construct` names it in messages.
arrow::Status Unify(BindContext* context, std::vector<ExprPtr>* exprs, std::string_view construct);

// left OP right, where `function` is "equal", "less", ...
arrow::Result<ExprPtr> MakeComparison(BindContext* context, std::string_view function, ExprPtr left,
                                      ExprPtr right, SourceSpan span);

// The operands under "and" or "or", as a tree without deep nesting. REQUIRES: at least one.
arrow::Result<ExprPtr> MakeConnective(BindContext* context, std::string_view function,
                                      std::vector<ExprPtr> operands, SourceSpan span);

// A condition: an expression of type BOOLEAN, or NULL. `construct` names the clause in messages.
arrow::Result<ExprPtr> AsCondition(BindContext* context, const ExprPtr& expr,
                                   std::string_view construct);

// For constructs that hold `expr` twice: an error where that would change what it means, or where
// it is so large that the plan would explode.
arrow::Status CheckRepeatable(const Expr& expr, std::string_view construct);

// The value of an expression without columns.
arrow::Result<std::shared_ptr<arrow::Scalar>> EvaluateConstant(BindContext* context,
                                                               const Expr& expr);

bool IsTextLiteral(const Expr& expr);

// Rebuilds `expr` from the top: `replace` gives what stands for a part, or nullptr to look into it.
arrow::Result<ExprPtr> ReplaceParts(
    const ExprPtr& expr, const std::function<arrow::Result<ExprPtr>(const ExprPtr&)>& replace);

}  // namespace keepone
