// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/fold_constants.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/query_context.h"
#include "function/cast.h"
#include "optimize/rewrite.h"

namespace keepone {
namespace {

struct Comparison {
  std::string_view name;
  std::string_view reversed;  // with its sides exchanged
  std::string_view negated;
};

constexpr std::array<Comparison, 8> kComparisons = {{
    {"equal", "equal", "not_equal"},
    {"not_equal", "not_equal", "equal"},
    {"less", "greater", "greater_equal"},
    {"less_equal", "greater_equal", "greater"},
    {"greater", "less", "less_equal"},
    {"greater_equal", "less_equal", "less"},
    {"is_distinct_from", "is_distinct_from", "is_not_distinct_from"},
    {"is_not_distinct_from", "is_not_distinct_from", "is_distinct_from"},
}};

const Comparison* FindComparison(const Expr& expr) {
  if (expr.kind != ExprKind::kCall || expr.children.size() != 2) {
    return nullptr;
  }
  const auto* found = std::find_if(
      kComparisons.begin(), kComparisons.end(),
      [&expr](const Comparison& comparison) { return comparison.name == expr.function->name; });
  return found == kComparisons.end() ? nullptr : found;
}

class Folder {
 public:
  Folder() : context_(QueryContext::Options{}) {}

  arrow::Result<ExprPtr> Fold(const ExprPtr& expr) {
    std::vector<ExprPtr> children;
    for (const ExprPtr& child : expr->children) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr folded, Fold(child));
      children.push_back(std::move(folded));
    }
    ExprPtr result = expr;
    if (children != expr->children) {
      Expr copy = *expr;
      copy.children = std::move(children);
      result = std::make_shared<const Expr>(std::move(copy));
    }
    return FoldNode(result);
  }

 private:
  // REQUIRES: the children are folded.
  arrow::Result<ExprPtr> FoldNode(const ExprPtr& expr) {
    if (expr->kind == ExprKind::kCase) {
      return FoldCase(expr);
    }
    if (expr->kind != ExprKind::kCall && expr->kind != ExprKind::kCast) {
      return expr;
    }
    if (std::shared_ptr<arrow::Scalar> value = Run(*expr)) {
      return MakeLiteralExpr(std::move(value), expr->span);
    }
    if (IsCall(*expr, "and") || IsCall(*expr, "or")) {
      return FoldConnective(expr);
    }
    if (IsCall(*expr, "not") && expr->children.size() == 1) {
      return FoldNot(expr);
    }
    if (IsCall(*expr, "in_list") && expr->children.size() == 2) {
      return FoldComparison(*MakeFunctionCall("equal", expr->children, expr->span));
    }
    return FindComparison(*expr) != nullptr ? FoldComparison(expr) : expr;
  }

  // The value of a call or cast of literals; nullptr when it has none, or fails.
  std::shared_ptr<arrow::Scalar> Run(const Expr& expr) {
    if (expr.children.empty() ||
        !std::all_of(expr.children.begin(), expr.children.end(),
                     [](const ExprPtr& child) { return IsLiteral(*child); })) {
      return nullptr;
    }
    const arrow::Result<arrow::Datum> result = Evaluate(expr);
    if (!result.ok()) {
      return nullptr;
    }
    std::shared_ptr<arrow::Scalar> value;
    if (result->is_scalar()) {
      value = result->scalar();
    } else if (result->is_array() && result->length() == 1) {
      value = result->make_array()->GetScalar(0).ValueOr(nullptr);
    }
    return value != nullptr && value->type->Equals(*expr.type) ? value : nullptr;
  }

  arrow::Result<arrow::Datum> Evaluate(const Expr& expr) {
    if (expr.kind == ExprKind::kCast) {
      return CastDatum(&context_, expr.children[0]->literal, expr.type, expr.try_cast);
    }
    if (!expr.function->deterministic) {
      return arrow::Status::Invalid("not deterministic");
    }
    std::vector<arrow::Datum> arguments;
    for (const ExprPtr& child : expr.children) {
      arguments.emplace_back(child->literal);
    }
    return expr.function->run(ScalarCall{&context_, /*row_count=*/1, /*first_row=*/0}, arguments);
  }

  // TRUE is nothing to AND and all to OR; FALSE the other way round. NULL stays.
  static arrow::Result<ExprPtr> FoldConnective(const ExprPtr& expr) {
    const bool deciding = IsCall(*expr, "or");
    std::vector<ExprPtr> kept;
    for (const ExprPtr& child : expr->children) {
      const std::optional<bool> value = BooleanValue(*child);
      if (value == deciding) {
        return BooleanLiteral(deciding);
      }
      if (!value.has_value()) {
        kept.push_back(child);
      }
    }
    if (kept.size() == expr->children.size()) {
      return expr;
    }
    if (kept.empty()) {
      return BooleanLiteral(!deciding);
    }
    ExprPtr joined = kept[0];
    for (size_t i = 1; i < kept.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(joined,
                            MakeFunctionCall(expr->function->name, {joined, kept[i]}, expr->span));
    }
    return joined;
  }

  arrow::Result<ExprPtr> FoldNot(const ExprPtr& expr) {
    const ExprPtr& child = expr->children[0];
    if (child->kind != ExprKind::kCall) {
      return expr;
    }
    if (IsCall(*child, "not") && child->children[0]->type->id() == arrow::Type::BOOL) {
      return child->children[0];
    }
    // Values are totally ordered, NaN included, so what is not greater is less or equal.
    if (const Comparison* comparison = FindComparison(*child)) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr negated,
                            MakeFunctionCall(comparison->negated, child->children, child->span));
      return FoldNode(negated);
    }
    if (IsCall(*child, "is_null") || IsCall(*child, "is_not_null")) {
      return MakeFunctionCall(IsCall(*child, "is_null") ? "is_not_null" : "is_null",
                              child->children, child->span);
    }
    if (IsCall(*child, "and") || IsCall(*child, "or")) {
      ExprPtr joined;
      for (const ExprPtr& part : child->children) {
        ARROW_ASSIGN_OR_RAISE(ExprPtr negated, MakeFunctionCall("not", {part}, part->span));
        ARROW_ASSIGN_OR_RAISE(negated, FoldNode(negated));
        if (joined != nullptr) {
          ARROW_ASSIGN_OR_RAISE(negated, MakeFunctionCall(IsCall(*child, "and") ? "or" : "and",
                                                          {joined, negated}, child->span));
        }
        joined = std::move(negated);
      }
      return joined;
    }
    return expr;
  }

  arrow::Result<ExprPtr> FoldComparison(arrow::Result<ExprPtr> made) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr expr, std::move(made));
    const Comparison* comparison = FindComparison(*expr);
    if (comparison == nullptr) {
      return expr;
    }
    if (IsLiteral(*expr->children[0]) && !IsLiteral(*expr->children[1])) {
      ARROW_ASSIGN_OR_RAISE(
          expr, MakeFunctionCall(comparison->reversed, {expr->children[1], expr->children[0]},
                                 expr->span));
    }
    // A comparison with NULL is NULL, whatever stands on the other side.
    if (IsNullLiteral(*expr->children[1]) && !comparison->name.starts_with("is_") &&
        IsDeterministic(*expr)) {
      return MakeLiteralExpr(arrow::MakeNullScalar(expr->type), expr->span);
    }
    return MoveSum(expr);
  }

  // x + 1 = 2  =>  x = 1;  1 - x < 0  =>  x > 1
  static arrow::Result<ExprPtr> MoveSum(const ExprPtr& expr) {
    const Comparison* comparison = FindComparison(*expr);
    const ExprPtr& sum = expr->children[0];
    const std::optional<int64_t> value = Int64Value(*expr->children[1]);
    const bool adds = IsCall(*sum, "add");
    if (comparison == nullptr || comparison->name.starts_with("is_") || !value.has_value() ||
        !(adds || IsCall(*sum, "subtract")) || sum->children.size() != 2 ||
        sum->children[0]->type->id() != arrow::Type::INT64 ||
        sum->children[1]->type->id() != arrow::Type::INT64) {
      return expr;
    }
    const std::optional<int64_t> left = Int64Value(*sum->children[0]);
    const std::optional<int64_t> right = Int64Value(*sum->children[1]);
    if (left.has_value() == right.has_value()) {
      return expr;
    }
    int64_t moved = 0;
    bool overflows = false;
    std::string_view function = comparison->name;
    if (adds) {
      overflows = __builtin_sub_overflow(*value, left.has_value() ? *left : *right, &moved);
    } else if (right.has_value()) {
      overflows = __builtin_add_overflow(*value, *right, &moved);
    } else {
      overflows = __builtin_sub_overflow(*left, *value, &moved);
      function = comparison->reversed;
    }
    if (overflows) {
      return expr;
    }
    ARROW_ASSIGN_OR_RAISE(
        ExprPtr result,
        MakeFunctionCall(function, {sum->children[left.has_value() ? 1 : 0], Int64Literal(moved)},
                         expr->span));
    return MoveSum(result);
  }

  static arrow::Result<ExprPtr> FoldCase(const ExprPtr& expr) {
    std::vector<ExprPtr> kept;
    const size_t last = expr->children.size() - 1;
    for (size_t i = 0; i < last; i += 2) {
      const ExprPtr& condition = expr->children[i];
      const std::optional<bool> value = BooleanValue(*condition);
      if (value == true) {
        if (kept.empty()) {
          return expr->children[i + 1];
        }
        kept.push_back(expr->children[i + 1]);
        return MakeCaseExpr(std::move(kept), expr->type, expr->span);
      }
      if (value == false || IsNullLiteral(*condition)) {
        continue;
      }
      kept.push_back(condition);
      kept.push_back(expr->children[i + 1]);
    }
    if (kept.size() == last) {
      return expr;
    }
    if (kept.empty()) {
      return expr->children[last];
    }
    kept.push_back(expr->children[last]);
    return MakeCaseExpr(std::move(kept), expr->type, expr->span);
  }

  QueryContext context_;
};

}  // namespace

arrow::Result<NodePtr> FoldConstants(const NodePtr& plan, const OptimizerContext& /*context*/) {
  Folder folder;
  return RewriteUp(plan, [&folder](const NodePtr& node) {
    return RewriteExprs(node, [&folder](const ExprPtr& expr) { return folder.Fold(expr); });
  });
}

}  // namespace keepone
