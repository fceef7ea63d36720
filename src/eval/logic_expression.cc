// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/util/checked_cast.h>

#include "eval/chosen_rows.h"
#include "eval/expression.h"
#include "function/arrow_call.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

class LogicExpression final : public Expression {
 public:
  LogicExpression(std::shared_ptr<const BoundScalarFunction> function,
                  std::vector<ExpressionPtr> arguments)
      : function_(std::move(function)),
        arguments_(std::move(arguments)),
        deciding_(function_->name == "or") {}

  const TypePtr& type() const override { return function_->result_type; }

  void CollectColumns(std::unordered_set<int>* columns) const override {
    for (const ExpressionPtr& argument : arguments_) {
      argument->CollectColumns(columns);
    }
  }

  // An argument over all rows is cheaper than one over some, and rarely fails.
  arrow::Result<arrow::Datum> Evaluate(QueryContext* context, const arrow::RecordBatch& batch,
                                       int64_t first_row) const override {
    const ScalarCall call{context, batch.num_rows(), first_row};
    arrow::Datum result;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      arrow::Result<arrow::Datum> value = arguments_[i]->Evaluate(context, batch, first_row);
      const bool may_be_spared =
          i > 0 && !value.status().IsCancelled() && !value.status().IsOutOfMemory();
      if (!value.ok() && may_be_spared) {
        value = EvaluateUndecided(*arguments_[i], result, context, batch, first_row);
      }
      ARROW_RETURN_NOT_OK(value.status());
      if (i == 0) {
        result = *std::move(value);
      } else {
        ARROW_ASSIGN_OR_RAISE(result, function_->run(call, {result, *value}));
      }
    }
    return result;
  }

 private:
  // NULL in the rows that the arguments before decide: those do not ask for this one.
  arrow::Result<arrow::Datum> EvaluateUndecided(const Expression& argument,
                                                const arrow::Datum& before, QueryContext* context,
                                                const arrow::RecordBatch& batch,
                                                int64_t first_row) const {
    ARROW_ASSIGN_OR_RAISE(const auto array, DatumToArray(context, before, batch.num_rows()));
    const auto& truths = checked_cast<const arrow::BooleanArray&>(*array);
    std::vector<int64_t> undecided;
    std::vector<int64_t> places(static_cast<size_t>(batch.num_rows()), -1);
    for (int64_t row = 0; row < batch.num_rows(); ++row) {
      if (truths.IsNull(row) || truths.Value(row) != deciding_) {
        places[static_cast<size_t>(row)] = static_cast<int64_t>(undecided.size());
        undecided.push_back(row);
      }
    }
    std::unordered_set<int> columns;
    argument.CollectColumns(&columns);
    ARROW_ASSIGN_OR_RAISE(const auto rows, ChooseRows(context, batch, undecided, columns));
    ARROW_ASSIGN_OR_RAISE(const auto values, EvaluateToArray(argument, context, *rows, first_row));
    ARROW_ASSIGN_OR_RAISE(auto spread, TakeRows(context, values, places));
    return arrow::Datum(std::move(spread));
  }

  std::shared_ptr<const BoundScalarFunction> function_;
  std::vector<ExpressionPtr> arguments_;
  bool deciding_;  // the truth value that ends the question
};

}  // namespace

ExpressionPtr MakeLogicExpression(std::shared_ptr<const BoundScalarFunction> function,
                                  std::vector<ExpressionPtr> arguments) {
  return std::make_unique<LogicExpression>(std::move(function), std::move(arguments));
}

}  // namespace keepone
