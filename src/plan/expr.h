// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/column_id.h"
#include "function/scalar_function.h"
#include "keepone/error.h"

namespace keepone {

enum class ExprKind {
  kColumn,
  kLiteral,
  kCall,
  kCast,
  kCase,  // children: condition, value, condition, value, ..., default
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

// A typed scalar expression over columns. Immutable; shared freely.
// A kCase takes the value of the first condition that is TRUE and computes only what it takes.
struct Expr {
  ExprKind kind;
  TypePtr type;
  SourceSpan span;  // where in the statement; {0, 0} for what the optimizer made

  ColumnId column;                                      // kColumn
  std::string name;                                     // kColumn: for printing
  std::shared_ptr<arrow::Scalar> literal;               // kLiteral, of `type`; NULL allowed
  std::shared_ptr<const BoundScalarFunction> function;  // kCall
  std::vector<ExprPtr> children;                        // kCall, kCast (one), kCase
  bool try_cast = false;                                // kCast
};

ExprPtr MakeColumnExpr(ColumnId column, std::string name, TypePtr type, SourceSpan span = {});
ExprPtr MakeLiteralExpr(std::shared_ptr<arrow::Scalar> value, SourceSpan span = {});
// REQUIRES: the children have function->argument_types.
ExprPtr MakeCallExpr(std::shared_ptr<const BoundScalarFunction> function,
                     std::vector<ExprPtr> children, SourceSpan span = {});
// Gives `child` itself when it has the type already.
ExprPtr MakeCastExpr(ExprPtr child, TypePtr type, bool try_cast = false, SourceSpan span = {});
// REQUIRES: conditions are BOOLEAN, values and default have `type`.
ExprPtr MakeCaseExpr(std::vector<ExprPtr> children, TypePtr type, SourceSpan span = {});

// Resolves the function for the children's types and casts them as it wants.
arrow::Result<ExprPtr> MakeFunctionCall(std::string_view function, std::vector<ExprPtr> children,
                                        SourceSpan span = {});

// As SQL, with the columns' names; for plans and messages: "ts", "CAST(a AS DOUBLE) > 1.5".
std::string ToString(const Expr& expr);

// Same meaning: kinds, functions, columns, types and literals are equal (spans aside).
// A call that is not deterministic equals nothing.
bool Equals(const Expr& left, const Expr& right);

// Adds the columns that `expr` reads.
void CollectColumns(const Expr& expr, std::unordered_set<ColumnId>* columns);

bool IsDeterministic(const Expr& expr);
bool IsLiteral(const Expr& expr);

// Rebuilds the expression with each column replaced by what `replace` gives; nullptr leaves it.
ExprPtr ReplaceColumns(const ExprPtr& expr, const std::function<ExprPtr(const Expr&)>& replace);

// a AND b AND c as a list, and back; no conjuncts give the literal TRUE.
std::vector<ExprPtr> SplitConjuncts(const ExprPtr& expr);
arrow::Result<ExprPtr> JoinConjuncts(std::vector<ExprPtr> conjuncts);

}  // namespace keepone
