// SPDX-License-Identifier: Apache-2.0
#include "eval/expression.h"

#include <memory>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include "tests/unit/function/apply_function.h"

namespace keepone {
namespace {

std::shared_ptr<arrow::RecordBatch> Batch(std::vector<std::shared_ptr<arrow::Array>> columns) {
  arrow::FieldVector fields;
  for (const auto& column : columns) {
    fields.push_back(arrow::field("c", column->type()));
  }
  const int64_t rows = columns[0]->length();
  return arrow::RecordBatch::Make(arrow::schema(fields), rows, std::move(columns));
}

ExpressionPtr Call(std::string_view name, ExpressionPtr left, ExpressionPtr right) {
  const std::vector<ScalarArgument> types = {{left->type(), nullptr, ""},
                                             {right->type(), nullptr, ""}};
  auto function = BindScalarFunction(name, types).ValueOrDie();
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(left));
  arguments.push_back(std::move(right));
  return MakeCallExpression(std::move(function), std::move(arguments));
}

ExpressionPtr Literal(const arrow::Datum& value) {
  return MakeLiteralExpression(value.scalar());
}
ExpressionPtr IntegerColumn(int index) {
  return MakeColumnExpression(index, arrow::int64());
}

std::string Evaluate(const Expression& expression, const arrow::RecordBatch& batch) {
  const auto values = EvaluateToArray(expression, TestContext(), batch, 0);
  return values.ok() ? Show(*values) : FormatError(values.status(), "");
}

ExpressionPtr Case(std::vector<ExpressionPtr> children) {
  TypePtr type = children[1]->type();
  return MakeCaseExpression(std::move(children), std::move(type));
}

TEST(Expression, CallsAndCasts) {
  const auto batch =
      Batch({Column(arrow::int64(), "[1, null, 3]"), Column(arrow::int64(), "[10, 20, 30]")});
  EXPECT_EQ(Evaluate(*Call("+", IntegerColumn(0), IntegerColumn(1)), *batch), "11 | NULL | 33");
  EXPECT_EQ(Evaluate(*Call("+", Literal(Number(1)), Literal(Number(2))), *batch), "3 | 3 | 3");
  EXPECT_EQ(Evaluate(*MakeCastExpression(IntegerColumn(0), arrow::utf8(), false), *batch),
            "1 | NULL | 3");
}

TEST(Expression, CaseComputesABranchOnlyWhereItIsTaken) {
  const auto batch =
      Batch({Column(arrow::int64(), "[10, 20, null, 5]"), Column(arrow::int64(), "[2, 0, 1, null]"),
             Column(arrow::list(arrow::utf8_view()), R"([["a"], [], null, ["b"]])")});
  std::vector<ExpressionPtr> children;
  children.push_back(Call("<>", IntegerColumn(1), Literal(Number(0))));
  children.push_back(Call("/", IntegerColumn(0), IntegerColumn(1)));
  children.push_back(Literal(Number(-1)));
  EXPECT_EQ(Evaluate(*Case(std::move(children)), *batch), "5 | -1 | NULL | -1");
}

TEST(Expression, CaseTakesTheFirstConditionThatIsTrue) {
  const auto batch = Batch(
      {Column(arrow::int64(), "[1, 2, 3, null]"),
       Column(arrow::utf8_view(), R"(["a", "b", null, "a long text of more than twelve bytes"])")});
  const auto view = [] { return MakeColumnExpression(1, arrow::utf8_view()); };
  std::vector<ExpressionPtr> children;
  children.push_back(Call("<", IntegerColumn(0), Literal(Number(2))));
  children.push_back(view());
  children.push_back(Call("<", IntegerColumn(0), Literal(Number(3))));
  children.push_back(MakeCastExpression(Literal(Text("second")), arrow::utf8_view(), false));
  children.push_back(view());
  EXPECT_EQ(Evaluate(*Case(std::move(children)), *batch),
            "a | second | NULL | a long text of more than twelve bytes");
}

TEST(Expression, CaseOverNoRowsComputesNothing) {
  const auto batch = Batch({Column(arrow::int64(), "[]")});
  std::vector<ExpressionPtr> children;
  children.push_back(Call("=", IntegerColumn(0), Literal(Number(0))));
  children.push_back(Call("/", Literal(Number(1)), Literal(Number(0))));
  children.push_back(Literal(Number(7)));
  EXPECT_EQ(Evaluate(*Case(std::move(children)), *batch), "");
}

}  // namespace
}  // namespace keepone
