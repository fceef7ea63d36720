// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "function/scalar_function.h"

namespace keepone {

// An expression over the columns of a batch, by position, ready to run.
// Immutable and safe for concurrent use.
class Expression {
 public:
  virtual ~Expression() = default;
  virtual const TypePtr& type() const = 0;
  // One value per row of the batch; `first_row` is the number of the batch's first row within its
  // morsel. Gives a scalar where all rows have the same value and that is known for free.
  virtual arrow::Result<arrow::Datum> Evaluate(QueryContext* context,
                                               const arrow::RecordBatch& batch,
                                               int64_t first_row) const = 0;
  // Adds the positions of the columns that the expression reads.
  virtual void CollectColumns(std::unordered_set<int>* columns) const = 0;
};
using ExpressionPtr = std::unique_ptr<Expression>;

ExpressionPtr MakeColumnExpression(int column, TypePtr type);
ExpressionPtr MakeLiteralExpression(std::shared_ptr<arrow::Scalar> value);
// REQUIRES: the arguments have the function's argument types.
ExpressionPtr MakeCallExpression(std::shared_ptr<const BoundScalarFunction> function,
                                 std::vector<ExpressionPtr> arguments);
ExpressionPtr MakeCastExpression(ExpressionPtr argument, TypePtr type, bool try_cast);
// AND and OR. An argument that fails is computed again without the rows that those before it
// decide, so that `b <> 0 AND a / b > 1` never divides by zero. REQUIRES: the function is "and" or
// "or", with arguments of BOOLEAN.
ExpressionPtr MakeLogicExpression(std::shared_ptr<const BoundScalarFunction> function,
                                  std::vector<ExpressionPtr> arguments);
// condition, value, condition, value, ..., default. A branch is computed only over the rows that
// take it, so that `CASE WHEN b <> 0 THEN a / b END` never divides by zero.
ExpressionPtr MakeCaseExpression(std::vector<ExpressionPtr> children, TypePtr type);

// The values as an array of the batch's length.
arrow::Result<std::shared_ptr<arrow::Array>> EvaluateToArray(const Expression& expression,
                                                             QueryContext* context,
                                                             const arrow::RecordBatch& batch,
                                                             int64_t first_row);

}  // namespace keepone
