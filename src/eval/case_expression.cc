// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
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
using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// The answers of the branches so far, and for each row of the batch where its answer stands.
class Answers {
 public:
  explicit Answers(int64_t rows) : positions_(static_cast<size_t>(rows), -1) {}

  // `values` are the answers of `rows`, in this order.
  void Add(std::shared_ptr<arrow::Array> values, const std::vector<int64_t>& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      positions_[static_cast<size_t>(rows[i])] = count_ + static_cast<int64_t>(i);
    }
    count_ += values->length();
    parts_.push_back(std::move(values));
  }

  arrow::Result<arrow::Datum> Finish(QueryContext* context) const {
    ARROW_ASSIGN_OR_RAISE(const auto all, arrow::Concatenate(parts_, PoolOf(context)));
    ARROW_ASSIGN_OR_RAISE(auto array, TakeRows(context, all, positions_));
    return arrow::Datum(std::move(array));
  }

 private:
  std::vector<int64_t> positions_;
  arrow::ArrayVector parts_;
  int64_t count_ = 0;
};

class CaseExpression final : public Expression {
 public:
  CaseExpression(std::vector<ExpressionPtr> children, TypePtr type)
      : children_(std::move(children)), type_(std::move(type)) {
    for (const ExpressionPtr& child : children_) {
      child->CollectColumns(&columns_);
    }
  }

  const TypePtr& type() const override { return type_; }

  void CollectColumns(std::unordered_set<int>* columns) const override {
    columns->insert(columns_.begin(), columns_.end());
  }

  arrow::Result<arrow::Datum> Evaluate(QueryContext* context, const arrow::RecordBatch& batch,
                                       int64_t first_row) const override {
    const int64_t row_count = batch.num_rows();
    if (row_count == 0) {
      ARROW_ASSIGN_OR_RAISE(auto empty, arrow::MakeEmptyArray(type_, PoolOf(context)));
      return arrow::Datum(std::move(empty));
    }
    Answers answers(row_count);
    std::vector<int64_t> rest(static_cast<size_t>(row_count));
    for (size_t i = 0; i < rest.size(); ++i) {
      rest[i] = static_cast<int64_t>(i);
    }
    const arrow::RecordBatch* rest_batch = &batch;
    BatchPtr owned_batch;
    for (size_t i = 0; i + 1 < children_.size() && !rest.empty(); i += 2) {
      ARROW_ASSIGN_OR_RAISE(const arrow::Datum condition,
                            children_[i]->Evaluate(context, *rest_batch, first_row));
      const Split split = SplitBy(condition, rest_batch->num_rows());
      if (split.taken.empty()) {
        continue;
      }
      const bool takes_all = split.left.empty();
      if (takes_all && rest_batch == &batch) {
        return children_[i + 1]->Evaluate(context, batch, first_row);
      }
      BatchPtr taken_batch = owned_batch;
      if (!takes_all) {
        ARROW_ASSIGN_OR_RAISE(taken_batch, ChooseRows(context, *rest_batch, split.taken, columns_));
      }
      ARROW_ASSIGN_OR_RAISE(auto values,
                            EvaluateToArray(*children_[i + 1], context, *taken_batch, first_row));
      answers.Add(std::move(values), RowsAt(rest, split.taken));
      if (!takes_all) {
        ARROW_ASSIGN_OR_RAISE(owned_batch, ChooseRows(context, *rest_batch, split.left, columns_));
        rest_batch = owned_batch.get();
      }
      rest = RowsAt(rest, split.left);
    }
    if (rest_batch == &batch && !rest.empty()) {
      return children_.back()->Evaluate(context, batch, first_row);
    }
    if (!rest.empty()) {
      ARROW_ASSIGN_OR_RAISE(auto values,
                            EvaluateToArray(*children_.back(), context, *rest_batch, first_row));
      answers.Add(std::move(values), rest);
    }
    return answers.Finish(context);
  }

 private:
  // Positions where a condition is TRUE, and the others.
  struct Split {
    std::vector<int64_t> taken;
    std::vector<int64_t> left;
  };

  static Split SplitBy(const arrow::Datum& condition, int64_t row_count) {
    Split split;
    if (condition.is_scalar()) {
      const auto& truth = checked_cast<const arrow::BooleanScalar&>(*condition.scalar());
      auto& rows = truth.is_valid && truth.value ? split.taken : split.left;
      for (int64_t row = 0; row < row_count; ++row) {
        rows.push_back(row);
      }
      return split;
    }
    const auto array = condition.make_array();
    const auto& truths = checked_cast<const arrow::BooleanArray&>(*array);
    for (int64_t row = 0; row < row_count; ++row) {
      (truths.IsValid(row) && truths.Value(row) ? split.taken : split.left).push_back(row);
    }
    return split;
  }

  static std::vector<int64_t> RowsAt(const std::vector<int64_t>& rows,
                                     const std::vector<int64_t>& positions) {
    std::vector<int64_t> out;
    out.reserve(positions.size());
    for (const int64_t position : positions) {
      out.push_back(rows[static_cast<size_t>(position)]);
    }
    return out;
  }

  std::vector<ExpressionPtr> children_;
  TypePtr type_;
  std::unordered_set<int> columns_;
};

}  // namespace

ExpressionPtr MakeCaseExpression(std::vector<ExpressionPtr> children, TypePtr type) {
  return std::make_unique<CaseExpression>(std::move(children), std::move(type));
}

}  // namespace keepone
