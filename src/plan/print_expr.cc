// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <utility>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "function/cast.h"
#include "plan/expr.h"

namespace keepone {
namespace {

// How tightly a construct binds; an operand that binds less is put in parentheses.
enum Binding : int {
  kOr = 1,
  kAnd,
  kNot,
  kComparison,
  kConcat,
  kSum,
  kProduct,
  kSign,
  kPostfix,
};

struct Operator {
  std::string_view function;
  std::string_view text;
  Binding binding;
};

constexpr Operator kBinaryOperators[] = {
    {"or", " OR ", kOr},
    {"and", " AND ", kAnd},
    {"equal", " = ", kComparison},
    {"not_equal", " <> ", kComparison},
    {"less", " < ", kComparison},
    {"less_equal", " <= ", kComparison},
    {"greater", " > ", kComparison},
    {"greater_equal", " >= ", kComparison},
    {"is_distinct_from", " IS DISTINCT FROM ", kComparison},
    {"is_not_distinct_from", " IS NOT DISTINCT FROM ", kComparison},
    {"like", " LIKE ", kComparison},
    {"ilike", " ILIKE ", kComparison},
    {"concat", " || ", kConcat},
    {"add", " + ", kSum},
    {"subtract", " - ", kSum},
    {"multiply", " * ", kProduct},
    {"divide", " / ", kProduct},
    {"modulo", " % ", kProduct},
};

std::string Print(const Expr& expr, int binding);

std::string Quote(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    quoted += c;
    if (c == '\'') {
      quoted += '\'';
    }
  }
  return quoted + "'";
}

std::string PrintLiteral(const arrow::Scalar& value) {
  if (!value.is_valid) {
    return "NULL";
  }
  const std::string text = value.ToString();
  const arrow::Type::type id = value.type->id();
  if (id == arrow::Type::BOOL) {
    return static_cast<const arrow::BooleanScalar&>(value).value ? "TRUE" : "FALSE";
  }
  if (arrow::is_floating(id)) {
    if (text.find_first_of("ni") != std::string::npos) {  // nan, inf
      return "CAST(" + Quote(text) + " AS " + SqlTypeName(*value.type) + ")";
    }
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  if (arrow::is_integer(id) || arrow::is_decimal(id)) {
    return text;
  }
  if (arrow::is_base_binary_like(id) || arrow::is_binary_view_like(id)) {
    return Quote(text);
  }
  if (arrow::is_temporal(id)) {
    return SqlTypeName(*value.type) + " " + Quote(text);
  }
  return text;
}

std::string PrintList(const std::vector<ExprPtr>& children, size_t first) {
  std::string text;
  for (size_t i = first; i < children.size(); ++i) {
    text += (i > first ? ", " : "") + Print(*children[i], 0);
  }
  return text;
}

std::string Wrap(std::string text, Binding own, int binding) {
  return own < binding ? "(" + text + ")" : text;
}

std::string PrintCall(const Expr& expr, int binding) {
  const std::string& name = expr.function->name;
  const std::vector<ExprPtr>& children = expr.children;
  for (const Operator& op : kBinaryOperators) {
    if (name == op.function && children.size() >= 2) {
      std::string text = Print(*children[0], op.binding);
      for (size_t i = 1; i < children.size(); ++i) {
        text += std::string(op.text) + Print(*children[i], op.binding + 1);
      }
      return Wrap(std::move(text), op.binding, binding);
    }
  }
  if (name == "not" && children.size() == 1) {
    return Wrap("NOT " + Print(*children[0], kNot), kNot, binding);
  }
  if (name == "negate" && children.size() == 1) {
    return Wrap("-" + Print(*children[0], kPostfix), kSign, binding);
  }
  if ((name == "is_null" || name == "is_not_null") && children.size() == 1) {
    return Wrap(
        Print(*children[0], kComparison + 1) + (name == "is_null" ? " IS NULL" : " IS NOT NULL"),
        kComparison, binding);
  }
  if (name == "in_list" && children.size() >= 2) {
    return Wrap(Print(*children[0], kComparison + 1) + " IN (" + PrintList(children, 1) + ")",
                kComparison, binding);
  }
  if (name == "list_extract" && children.size() == 2) {
    return Print(*children[0], kPostfix) + "[" + Print(*children[1], 0) + "]";
  }
  if (name == "struct_extract" && children.size() == 2 && IsLiteral(*children[1]) &&
      children[1]->literal->is_valid) {
    return Print(*children[0], kPostfix) + "." + children[1]->literal->ToString();
  }
  return name + "(" + PrintList(children, 0) + ")";
}

std::string PrintCase(const Expr& expr) {
  std::string text = "CASE";
  for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
    text += " WHEN " + Print(*expr.children[i], 0) + " THEN " + Print(*expr.children[i + 1], 0);
  }
  return text + " ELSE " + Print(*expr.children.back(), 0) + " END";
}

std::string Print(const Expr& expr, int binding) {
  switch (expr.kind) {
    case ExprKind::kColumn:
      return expr.name;
    case ExprKind::kLiteral:
      return PrintLiteral(*expr.literal);
    case ExprKind::kCall:
      return PrintCall(expr, binding);
    case ExprKind::kCast:
      return std::string(expr.try_cast ? "TRY_CAST(" : "CAST(") + Print(*expr.children[0], 0) +
             " AS " + SqlTypeName(*expr.type) + ")";
    case ExprKind::kCase:
      return PrintCase(expr);
  }
  return "";
}

}  // namespace

std::string ToString(const Expr& expr) {
  return Print(expr, 0);
}

}  // namespace keepone
