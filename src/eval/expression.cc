// SPDX-License-Identifier: Apache-2.0
#include "eval/expression.h"

#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include "base/check.h"
#include "function/arrow_call.h"
#include "function/cast.h"

namespace keepone {

namespace {

class ColumnExpression final : public Expression {
 public:
  ColumnExpression(int column, TypePtr type) : column_(column), type_(std::move(type)) {}

  const TypePtr& type() const override { return type_; }
  arrow::Result<arrow::Datum> Evaluate(QueryContext*, const arrow::RecordBatch& batch,
                                       int64_t) const override {
    KEEPONE_CHECK(column_ >= 0 && column_ < batch.num_columns());
    return arrow::Datum(batch.column(column_));
  }
  void CollectColumns(std::unordered_set<int>* columns) const override { columns->insert(column_); }

 private:
  int column_;
  TypePtr type_;
};

class LiteralExpression final : public Expression {
 public:
  explicit LiteralExpression(std::shared_ptr<arrow::Scalar> value) : value_(std::move(value)) {}

  const TypePtr& type() const override { return value_->type; }
  arrow::Result<arrow::Datum> Evaluate(QueryContext*, const arrow::RecordBatch&,
                                       int64_t) const override {
    return arrow::Datum(value_);
  }
  void CollectColumns(std::unordered_set<int>*) const override {}

 private:
  std::shared_ptr<arrow::Scalar> value_;
};

class CallExpression final : public Expression {
 public:
  CallExpression(std::shared_ptr<const BoundScalarFunction> function,
                 std::vector<ExpressionPtr> arguments)
      : function_(std::move(function)), arguments_(std::move(arguments)) {}

  const TypePtr& type() const override { return function_->result_type; }
  arrow::Result<arrow::Datum> Evaluate(QueryContext* context, const arrow::RecordBatch& batch,
                                       int64_t first_row) const override {
    std::vector<arrow::Datum> values;
    values.reserve(arguments_.size());
    for (const ExpressionPtr& argument : arguments_) {
      ARROW_ASSIGN_OR_RAISE(arrow::Datum value, argument->Evaluate(context, batch, first_row));
      values.push_back(std::move(value));
    }
    const ScalarCall call{context, batch.num_rows(), first_row};
    ARROW_ASSIGN_OR_RAISE(arrow::Datum value, function_->run(call, values));
    KEEPONE_CHECK(value.is_scalar() || value.length() == batch.num_rows());
    return value;
  }
  void CollectColumns(std::unordered_set<int>* columns) const override {
    for (const ExpressionPtr& argument : arguments_) {
      argument->CollectColumns(columns);
    }
  }

 private:
  std::shared_ptr<const BoundScalarFunction> function_;
  std::vector<ExpressionPtr> arguments_;
};

class CastExpression final : public Expression {
 public:
  CastExpression(ExpressionPtr argument, TypePtr type, bool try_cast)
      : argument_(std::move(argument)), type_(std::move(type)), try_cast_(try_cast) {}

  const TypePtr& type() const override { return type_; }
  arrow::Result<arrow::Datum> Evaluate(QueryContext* context, const arrow::RecordBatch& batch,
                                       int64_t first_row) const override {
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum value, argument_->Evaluate(context, batch, first_row));
    return CastDatum(context, value, type_, try_cast_);
  }
  void CollectColumns(std::unordered_set<int>* columns) const override {
    argument_->CollectColumns(columns);
  }

 private:
  ExpressionPtr argument_;
  TypePtr type_;
  bool try_cast_;
};

}  // namespace

ExpressionPtr MakeColumnExpression(int column, TypePtr type) {
  return std::make_unique<ColumnExpression>(column, std::move(type));
}

ExpressionPtr MakeLiteralExpression(std::shared_ptr<arrow::Scalar> value) {
  return std::make_unique<LiteralExpression>(std::move(value));
}

ExpressionPtr MakeCallExpression(std::shared_ptr<const BoundScalarFunction> function,
                                 std::vector<ExpressionPtr> arguments) {
  return std::make_unique<CallExpression>(std::move(function), std::move(arguments));
}

ExpressionPtr MakeCastExpression(ExpressionPtr argument, TypePtr type, bool try_cast) {
  return std::make_unique<CastExpression>(std::move(argument), std::move(type), try_cast);
}

arrow::Result<std::shared_ptr<arrow::Array>> EvaluateToArray(const Expression& expression,
                                                             QueryContext* context,
                                                             const arrow::RecordBatch& batch,
                                                             int64_t first_row) {
  ARROW_ASSIGN_OR_RAISE(const arrow::Datum value, expression.Evaluate(context, batch, first_row));
  return DatumToArray(context, value, batch.num_rows());
}

}  // namespace keepone
