// SPDX-License-Identifier: Apache-2.0
#include "plan/expr.h"

#include <cmath>

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

namespace keepone {
namespace {

ExprPtr Number(int64_t value) {
  return MakeLiteralExpr(std::make_shared<arrow::Int64Scalar>(value));
}
ExprPtr Float(double value) {
  return MakeLiteralExpr(std::make_shared<arrow::DoubleScalar>(value));
}
ExprPtr Text(const std::string& value) {
  return MakeLiteralExpr(std::make_shared<arrow::StringScalar>(value));
}
ExprPtr Truth(bool value) {
  return MakeLiteralExpr(std::make_shared<arrow::BooleanScalar>(value));
}
ExprPtr ColumnA() {
  return MakeColumnExpr(ColumnId{1}, "a", arrow::int64());
}
ExprPtr ColumnB() {
  return MakeColumnExpr(ColumnId{2}, "b", arrow::int64());
}
ExprPtr Call(std::string_view function, std::vector<ExprPtr> children) {
  return MakeFunctionCall(function, std::move(children)).ValueOrDie();
}

TEST(ExprTest, PrintsAsSql) {
  EXPECT_EQ(ToString(*Text("it's")), "'it''s'");
  EXPECT_EQ(ToString(*Float(2)), "2.0");
  EXPECT_EQ(ToString(*Float(std::nan(""))), "CAST('nan' AS DOUBLE)");
  EXPECT_EQ(ToString(*MakeLiteralExpr(arrow::MakeNullScalar(arrow::utf8()))), "NULL");
  EXPECT_EQ(ToString(*MakeCastExpr(ColumnA(), arrow::float64())), "CAST(a AS DOUBLE)");
  EXPECT_EQ(ToString(*MakeCastExpr(ColumnA(), arrow::utf8(), /*try_cast=*/true)),
            "TRY_CAST(a AS VARCHAR)");
  EXPECT_EQ(ToString(*MakeCaseExpr({Truth(true), ColumnA(), ColumnB()}, arrow::int64())),
            "CASE WHEN TRUE THEN a ELSE b END");
}

TEST(ExprTest, PrintsParenthesesWhereTheyMatter) {
  const ExprPtr sum = Call("add", {ColumnA(), ColumnB()});
  EXPECT_EQ(ToString(*Call("multiply", {sum, Number(2)})), "(a + b) * 2");
  EXPECT_EQ(ToString(*Call("add", {Call("multiply", {ColumnA(), Number(2)}), ColumnB()})),
            "a * 2 + b");
  EXPECT_EQ(ToString(*Call("subtract", {ColumnA(), sum})), "a - (a + b)");
  const ExprPtr left = Call("equal", {ColumnA(), Number(1)});
  const ExprPtr right = Call("is_null", {ColumnB()});
  EXPECT_EQ(ToString(*Call("and", {Call("or", {left, right}), right})),
            "(a = 1 OR b IS NULL) AND b IS NULL");
  EXPECT_EQ(ToString(*Call("not", {Call("or", {left, right})})), "NOT (a = 1 OR b IS NULL)");
  EXPECT_EQ(ToString(*Call("in_list", {ColumnA(), Number(1), Number(2)})), "a IN (1, 2)");
}

TEST(ExprTest, EqualsByMeaning) {
  EXPECT_TRUE(Equals(*Call("add", {ColumnA(), Number(1)}), *Call("add", {ColumnA(), Number(1)})));
  EXPECT_FALSE(Equals(*Call("add", {ColumnA(), Number(1)}), *Call("add", {ColumnB(), Number(1)})));
  EXPECT_FALSE(Equals(*Number(1), *Float(1)));
  EXPECT_TRUE(Equals(*Float(std::nan("")), *Float(std::nan(""))));
  EXPECT_FALSE(Equals(*Float(0.0), *Float(-0.0)));
  EXPECT_FALSE(Equals(*MakeCastExpr(ColumnA(), arrow::utf8(), true),
                      *MakeCastExpr(ColumnA(), arrow::utf8(), false)));
}

TEST(ExprTest, CastToTheOwnTypeIsNone) {
  const ExprPtr a = ColumnA();
  EXPECT_EQ(MakeCastExpr(a, arrow::int64()), a);
}

TEST(ExprTest, Conjuncts) {
  const ExprPtr first = Call("equal", {ColumnA(), Number(1)});
  const ExprPtr second = Call("is_null", {ColumnB()});
  const ExprPtr third = Call("less", {ColumnB(), Number(3)});
  const ExprPtr joined = JoinConjuncts({first, second, third}).ValueOrDie();
  EXPECT_EQ(ToString(*joined), "a = 1 AND b IS NULL AND b < 3");
  EXPECT_EQ(SplitConjuncts(joined), (std::vector<ExprPtr>{first, second, third}));
  EXPECT_EQ(ToString(*JoinConjuncts({}).ValueOrDie()), "TRUE");
  EXPECT_TRUE(SplitConjuncts(Truth(true)).empty());
  EXPECT_EQ(SplitConjuncts(Truth(false)).size(), 1U);
}

TEST(ExprTest, ReplaceColumnsKeepsWhatDoesNotChange) {
  const ExprPtr expr = Call("add", {ColumnA(), ColumnB()});
  EXPECT_EQ(ReplaceColumns(expr, [](const Expr&) { return nullptr; }), expr);
  const ExprPtr replaced = ReplaceColumns(
      expr, [](const Expr& column) { return column.name == "a" ? Number(7) : nullptr; });
  EXPECT_EQ(ToString(*replaced), "7 + b");
  std::unordered_set<ColumnId> columns;
  CollectColumns(*replaced, &columns);
  EXPECT_EQ(columns, std::unordered_set<ColumnId>{ColumnId{2}});
}

TEST(ExprTest, FunctionCallCastsItsArguments) {
  const ExprPtr narrow = MakeColumnExpr(ColumnId{3}, "i", arrow::int32());
  EXPECT_EQ(ToString(*Call("equal", {narrow, ColumnA()})), "CAST(i AS BIGINT) = a");
  EXPECT_FALSE(MakeFunctionCall("no_such_function", {narrow}).ok());
}

}  // namespace
}  // namespace keepone
