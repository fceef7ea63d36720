// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "bind/star.h"
#include "bind/window_function.h"
#include "function/cast.h"
#include "sql/print.h"

namespace keepone {
namespace {

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return EqualNames(name, each); });
}

// What a call has beside its arguments, which only aggregates and windows may have.
std::string_view ModifierOf(const ast::CallExpr& call) {
  if (call.distinct) {
    return "DISTINCT";
  }
  if (!call.order_by.empty()) {
    return "ORDER BY";
  }
  if (!call.within_group.empty()) {
    return "WITHIN GROUP";
  }
  if (call.filter != nullptr) {
    return "FILTER";
  }
  if (call.having.has_value()) {
    return "HAVING";
  }
  if (call.limit != nullptr) {
    return "LIMIT";
  }
  if (call.nulls != ast::NullTreatment::kDefault) {
    return call.nulls == ast::NullTreatment::kIgnore ? "IGNORE NULLS" : "RESPECT NULLS";
  }
  return "";
}

}  // namespace

arrow::Result<ExprPtr> ExprBinder::BindCall(const ast::CallExpr& call, const ExprScope& scope) {
  const SourceSpan place = context_->Place(PathSpan(call.name));
  if (call.name.size() > 1) {
    return BindError(place, "function ", PathText(call.name), " does not exist");
  }
  const std::string& name = call.name[0].text;
  if (EqualNames(name, "columns")) {
    return BindColumns(call, scope);
  }
  if (call.window.has_value() || call.window_name.has_value()) {
    return BindWindow(call, scope);
  }
  if (IsWindowFunction(name)) {
    return BindError(place, "window function ", name, " requires an OVER clause");
  }
  if (IsAggregateFunction(name)) {
    return BindAggregate(call, scope);
  }
  return BindScalarCall(call, scope);
}

arrow::Result<ExprPtr> ExprBinder::BindColumns(const ast::CallExpr& call, const ExprScope& scope) {
  const SourceSpan place = context_->Place(call.span);
  if (scope.pattern == nullptr) {
    return BindError(place, "COLUMNS(..) stands only in a select list, not in ", scope.clause);
  }
  if (call.arguments.size() != 1 || call.arguments[0].value->kind != ast::ExprKind::kStar ||
      call.window.has_value() || call.window_name.has_value() || !ModifierOf(call).empty()) {
    return WithHint(UnsupportedError(place, "COLUMNS of anything but *"),
                    "write COLUMNS(*) or COLUMNS(* EXCLUDE (a, b))");
  }
  std::string text = Print(call);
  ColumnsPattern& pattern = *scope.pattern;
  if (pattern.text.empty()) {
    const auto& star = call.arguments[0].value->As<ast::StarExpr>();
    ARROW_ASSIGN_OR_RAISE(pattern.items, ExpandStar(context_, star, scope));
    pattern.text = std::move(text);
  } else if (pattern.text != text) {
    return BindError(place, text, " stands beside ", pattern.text,
                     " in one expression, but they must be the same");
  }
  if (pattern.items.empty()) {
    return BindError(place, "COLUMNS(*) stands for no column: the table in FROM has none");
  }
  return pattern.items[pattern.index].expr;
}

std::string ExprBinder::Spelling(const ast::CallExpr& call, const ExprScope& scope) {
  std::string text = Print(call);
  if (scope.pattern == nullptr || scope.pattern->text.empty()) {
    return text;
  }
  const ColumnsPattern& pattern = *scope.pattern;
  const std::string& name = pattern.items[pattern.index].name;
  for (size_t at = text.find(pattern.text); at != std::string::npos;
       at = text.find(pattern.text, at + name.size())) {
    text.replace(at, pattern.text.size(), name);
  }
  return text;
}

arrow::Result<ExprPtr> ExprBinder::BindScalarCall(const ast::CallExpr& call,
                                                  const ExprScope& scope) {
  const std::string& name = call.name[0].text;
  const SourceSpan name_place = context_->Place(PathSpan(call.name));
  if (EqualNames(name, "unnest")) {
    return BindUnnestCall(call, scope);
  }
  if (IsOneOf(name, {"rollup", "cube", "grouping", "grouping_sets"})) {
    return UnsupportedError(name_place, name, "(..)");
  }
  const std::string_view modifier = ModifierOf(call);
  if (!modifier.empty()) {
    return BindError(name_place, modifier, " specified, but ", name,
                     " is not an aggregate function");
  }
  std::vector<ExprPtr> arguments;
  std::vector<std::string> names;
  const bool takes_names = IsOneOf(name, {"struct_pack"});
  for (const ast::Argument& argument : call.arguments) {
    if (argument.name.has_value() && !takes_names) {
      return BindError(context_->Place(argument.name->span), "function ", name,
                       " has no named arguments");
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*argument.value, scope));
    names.push_back(argument.name.has_value() ? argument.name->text
                                              : OutputName(*argument.value, *value));
    arguments.push_back(std::move(value));
  }
  if (!IsScalarFunction(name)) {
    if (IsOneOf(name, {"coalesce", "ifnull", "nvl"}) && !arguments.empty()) {
      return BindCoalesce(call, std::move(arguments));
    }
    if (IsOneOf(name, {"nullif"}) && arguments.size() == 2) {
      return BindNullIf(call, std::move(arguments));
    }
    if (IsOneOf(name, {"if", "iff"}) && arguments.size() == 3) {
      return BindIf(call, std::move(arguments));
    }
  }
  if (!takes_names) {
    names.clear();
  }
  return MakeScalarCall(context_, name, std::move(arguments), call.span, names);
}

arrow::Result<ExprPtr> ExprBinder::BindCoalesce(const ast::CallExpr& call,
                                                std::vector<ExprPtr> arguments) {
  ARROW_RETURN_NOT_OK(Unify(context_, &arguments, "COALESCE"));
  std::vector<ExprPtr> conditions;
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    ARROW_RETURN_NOT_OK(CheckRepeatable(*arguments[i], "COALESCE"));
    ARROW_ASSIGN_OR_RAISE(ExprPtr condition,
                          MakeScalarCall(context_, "is_not_null", {arguments[i]}, call.span));
    conditions.push_back(std::move(condition));
  }
  return MakeCase(std::move(conditions), std::move(arguments), call.span);
}

arrow::Result<ExprPtr> ExprBinder::BindNullIf(const ast::CallExpr& call,
                                              std::vector<ExprPtr> arguments) {
  ARROW_RETURN_NOT_OK(CheckRepeatable(*arguments[0], "NULLIF"));
  ARROW_ASSIGN_OR_RAISE(ExprPtr equal,
                        MakeComparison(context_, "equal", arguments[0], arguments[1], call.span));
  ExprPtr null = MakeLiteralExpr(std::make_shared<arrow::NullScalar>(), context_->Place(call.span));
  return MakeCase({std::move(equal)}, {std::move(null), arguments[0]}, call.span);
}

arrow::Result<ExprPtr> ExprBinder::BindIf(const ast::CallExpr& call,
                                          std::vector<ExprPtr> arguments) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr condition, AsCondition(context_, arguments[0], "IF"));
  return MakeCase({std::move(condition)}, {arguments[1], arguments[2]}, call.span);
}

}  // namespace keepone
