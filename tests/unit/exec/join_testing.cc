// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/exec/join_testing.h"

#include <utility>

#include <gtest/gtest.h>

#include "column/gather.h"
#include "tests/support/cut_stream.h"
#include "tests/unit/column/random_arrays.h"

namespace keepone {

namespace {

// Whether left value + right value is not divisible by three.
class ResidualExpression final : public Expression {
 public:
  ResidualExpression(int left, int right) : left_(left), right_(right) {}

  const TypePtr& type() const override { return type_; }
  arrow::Result<arrow::Datum> Evaluate(QueryContext* /*context*/, const arrow::RecordBatch& batch,
                                       int64_t /*first_row*/) const override {
    const auto& left = static_cast<const arrow::Int64Array&>(*batch.column(left_));
    const auto& right = static_cast<const arrow::Int64Array&>(*batch.column(right_));
    arrow::BooleanBuilder builder;
    for (int64_t i = 0; i < batch.num_rows(); ++i) {
      if (left.IsNull(i) || right.IsNull(i)) {
        ARROW_RETURN_NOT_OK(builder.AppendNull());
      } else {
        ARROW_RETURN_NOT_OK(builder.Append((left.Value(i) + right.Value(i)) % 3 != 0));
      }
    }
    ARROW_ASSIGN_OR_RAISE(auto values, builder.Finish());
    return values;
  }
  void CollectColumns(std::unordered_set<int>* columns) const override {
    columns->insert(left_);
    columns->insert(right_);
  }

 private:
  int left_;
  int right_;
  TypePtr type_ = arrow::boolean();
};

bool KeysMatch(const JoinCase& join, int64_t left_row, int64_t right_row) {
  for (size_t i = 0; i < join.left_keys.size(); ++i) {
    const arrow::Array& left = *join.left->column(join.left_keys[i]);
    const arrow::Array& right = *join.right->column(join.right_keys[i]);
    const bool left_null = IsNullValue(left, left_row);
    const bool right_null = IsNullValue(right, right_row);
    if (left_null || right_null) {
      if (!(left_null && right_null && join.null_equals_null[i])) {
        return false;
      }
    } else if (CompareValues(left, left_row, right, right_row) != 0) {
      return false;
    }
  }
  return true;
}

bool ResidualHolds(const JoinCase& join, int64_t left_row, int64_t right_row) {
  if (join.residual_left < 0) {
    return true;
  }
  const auto& left = static_cast<const arrow::Int64Array&>(*join.left->column(join.residual_left));
  const auto& right =
      static_cast<const arrow::Int64Array&>(*join.right->column(join.residual_right));
  return left.IsValid(left_row) && right.IsValid(right_row) &&
         (left.Value(left_row) + right.Value(right_row)) % 3 != 0;
}

// Bit by bit, but dictionaries may hold the values in different places.
bool HaveSameValues(const arrow::Array& a, const arrow::Array& b) {
  if (a.type()->ToString().find("dictionary") == std::string::npos) {
    return a.Equals(b, arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false));
  }
  for (int64_t row = 0; row < a.length(); ++row) {
    const bool is_null = IsNullValue(a, row);
    if (is_null != IsNullValue(b, row) || (!is_null && CompareValues(a, row, b, row) != 0)) {
      return false;
    }
  }
  return true;
}

// Every column as if it had been gathered at once, so that dictionaries and views are alike.
std::shared_ptr<arrow::RecordBatch> Compact(const std::shared_ptr<arrow::Schema>& schema,
                                            const arrow::RecordBatchVector& batches) {
  const auto joined =
      ConcatenateBatches(schema, batches, arrow::default_memory_pool()).ValueOrDie();
  if (joined.empty()) {
    return arrow::RecordBatch::MakeEmpty(schema).ValueOrDie();
  }
  EXPECT_EQ(joined.size(), 1u);
  return joined[0];
}

}  // namespace

std::string NameOf(JoinKind kind) {
  const std::vector<std::string> names = {"inner", "left", "right", "full", "semi", "anti"};
  return names[static_cast<size_t>(kind)];
}

std::shared_ptr<arrow::Schema> JoinCase::schema() const {
  arrow::FieldVector fields = left->schema()->fields();
  if (GivesRightColumns(kind)) {
    for (const auto& field : right->schema()->fields()) {
      fields.push_back(field->WithName("r_" + field->name()));
    }
  }
  return arrow::schema(std::move(fields));
}

JoinSpec JoinCase::spec() const {
  JoinSpec spec;
  spec.kind = kind;
  spec.left_keys = left_keys;
  spec.right_keys = right_keys;
  spec.null_equals_null = null_equals_null;
  if (residual_left >= 0) {
    spec.residual =
        std::make_unique<ResidualExpression>(residual_left, left->num_columns() + residual_right);
  }
  return spec;
}

std::shared_ptr<arrow::RecordBatch> JoinNaively(const JoinCase& join) {
  std::vector<int64_t> lefts;
  std::vector<int64_t> rights;
  std::vector<bool> right_matched(static_cast<size_t>(join.right->num_rows()), false);
  for (int64_t l = 0; l < join.left->num_rows(); ++l) {
    bool matched = false;
    for (int64_t r = 0; r < join.right->num_rows(); ++r) {
      if (KeysMatch(join, l, r) && ResidualHolds(join, l, r)) {
        matched = true;
        right_matched[static_cast<size_t>(r)] = true;
        if (GivesRightColumns(join.kind)) {
          lefts.push_back(l);
          rights.push_back(r);
        }
      }
    }
    if ((!matched && (ExtendsRight(join.kind) || join.kind == JoinKind::kAnti)) ||
        (matched && join.kind == JoinKind::kSemi)) {
      lefts.push_back(l);
      rights.push_back(-1);
    }
  }
  for (int64_t r = 0; r < join.right->num_rows() && ExtendsLeft(join.kind); ++r) {
    if (!right_matched[static_cast<size_t>(r)]) {
      lefts.push_back(-1);
      rights.push_back(r);
    }
  }
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  arrow::ArrayVector columns =
      TakeRows(*join.left, std::span<const int64_t>(lefts), pool).ValueOrDie()->columns();
  if (GivesRightColumns(join.kind)) {
    const auto right =
        TakeRows(*join.right, std::span<const int64_t>(rights), pool).ValueOrDie()->columns();
    columns.insert(columns.end(), right.begin(), right.end());
  }
  return arrow::RecordBatch::Make(join.schema(), static_cast<int64_t>(lefts.size()), columns);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadJoined(QueryContext* context,
                                                              std::unique_ptr<BatchStream> stream) {
  const std::shared_ptr<arrow::Schema> schema = stream->schema();
  const auto reader = MakeOrderedReader(context, std::move(stream));
  arrow::RecordBatchVector batches;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) {
      break;
    }
    EXPECT_GT(batch->num_rows(), 0);
    EXPECT_LE(batch->num_rows(), context->batch_rows_max());
    ARROW_RETURN_NOT_OK(batch->Validate());
    EXPECT_TRUE(batch->schema()->Equals(*schema));
    batches.push_back(std::move(batch));
  }
  ARROW_RETURN_NOT_OK(reader->Close());
  return Compact(schema, batches);
}

void CheckJoin(QueryContext* context, const JoinCase& join, uint32_t seed,
               const std::shared_ptr<arrow::RecordBatch>& expected) {
  const int64_t cut = context->batch_rows_max();
  const auto got =
      ReadJoined(context, MakeHashJoin(context, std::make_unique<CutStream>(join.left, cut, seed),
                                       std::make_unique<CutStream>(join.right, cut, seed + 1),
                                       join.spec(), join.schema()));
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  const auto compact = Compact(expected->schema(), {expected});
  ASSERT_EQ((*got)->num_rows(), compact->num_rows());
  for (int i = 0; i < compact->num_columns(); ++i) {
    // Random decimals may have more digits than their type.
    if (compact->column(i)->ValidateFull().ok()) {
      EXPECT_TRUE((*got)->column(i)->ValidateFull().ok());
    }
    EXPECT_TRUE(HaveSameValues(*(*got)->column(i), *compact->column(i)))
        << "column " << i << " of type " << compact->column(i)->type()->ToString() << "\ngot\n"
        << (*got)->column(i)->ToString() << "\nexpected\n"
        << compact->column(i)->ToString();
  }
}

std::shared_ptr<arrow::RecordBatch> RandomJoinInput(const std::shared_ptr<arrow::DataType>& type,
                                                    const std::shared_ptr<arrow::DataType>& payload,
                                                    int64_t rows, std::mt19937* random) {
  constexpr int64_t kOffset = 3;
  arrow::Int64Builder numbers;
  arrow::Int64Builder small;
  for (int64_t i = 0; i < rows + kOffset; ++i) {
    EXPECT_TRUE(numbers.Append(i).ok());
    EXPECT_TRUE((*random)() % 5 == 0 ? small.AppendNull().ok()
                                     : small.Append((*random)() % 4).ok());
  }
  const auto schema =
      arrow::schema({arrow::field("k", type), arrow::field("n", arrow::int64()),
                     arrow::field("s", arrow::int64()), arrow::field("p", payload)});
  return arrow::RecordBatch::Make(
             schema, rows + kOffset,
             {RandomArray(type, rows + kOffset, true, random), numbers.Finish().ValueOrDie(),
              small.Finish().ValueOrDie(), RandomArray(payload, rows + kOffset, true, random)})
      ->Slice(kOffset);
}

}  // namespace keepone
