// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "function/cast.h"

namespace keepone {

arrow::Result<ExprPtr> ExprBinder::BindList(const ast::ListExpr& expr, const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> elements, BindAll(expr.elements, scope));
  if (!elements.empty()) {
    ARROW_RETURN_NOT_OK(Unify(context_, &elements, "ARRAY"));
  }
  return MakeScalarCall(context_, "list_value", std::move(elements), expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindStruct(const ast::StructExpr& expr, const ExprScope& scope) {
  std::vector<ExprPtr> values;
  std::vector<std::string> names;
  for (const ast::StructField& field : expr.fields) {
    for (const std::string& earlier : names) {
      if (EqualNames(earlier, field.name.text)) {
        return BindError(context_->Place(field.name.span), "field name ", Quoted(field.name.text),
                         " used more than once");
      }
    }
    ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*field.value, scope));
    values.push_back(std::move(value));
    names.push_back(field.name.text);
  }
  return MakeScalarCall(context_, "struct_pack", std::move(values), expr.span, names);
}

arrow::Result<ExprPtr> ExprBinder::BindRow(const ast::RowExpr& expr, const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(std::vector<ExprPtr> values, BindAll(expr.elements, scope));
  std::vector<std::string> names;
  for (size_t i = 0; i < values.size(); ++i) {
    names.push_back("f" + std::to_string(i + 1));
  }
  return MakeScalarCall(context_, "struct_pack", std::move(values), expr.span, names);
}

arrow::Result<ExprPtr> ExprBinder::BindMap(const ast::MapExpr& expr, const ExprScope& scope) {
  std::vector<ExprPtr> keys;
  std::vector<ExprPtr> values;
  for (const ast::MapEntry& entry : expr.entries) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr key, Bind(*entry.key, scope));
    ARROW_ASSIGN_OR_RAISE(ExprPtr value, Bind(*entry.value, scope));
    keys.push_back(std::move(key));
    values.push_back(std::move(value));
  }
  if (!keys.empty()) {
    ARROW_RETURN_NOT_OK(Unify(context_, &keys, "MAP key"));
    ARROW_RETURN_NOT_OK(Unify(context_, &values, "MAP value"));
  }
  const SourceSpan place = context_->Place(expr.span);
  if (!IsScalarFunction("map")) {
    return WithHint(UnsupportedError(place, "MAP {..} as a value"),
                    "a STRUCT is written {'key': value}");
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr key_list,
                        MakeScalarCall(context_, "list_value", std::move(keys), expr.span));
  ARROW_ASSIGN_OR_RAISE(ExprPtr value_list,
                        MakeScalarCall(context_, "list_value", std::move(values), expr.span));
  return MakeScalarCall(context_, "map", {std::move(key_list), std::move(value_list)}, expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindField(const ast::FieldExpr& expr, const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*expr.operand, scope));
  return ExtractField(operand, expr.name);
}

arrow::Result<ExprPtr> ExprBinder::BindSubscript(const ast::SubscriptExpr& expr,
                                                 const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*expr.operand, scope));
  ARROW_ASSIGN_OR_RAISE(ExprPtr index, Bind(*expr.index, scope));
  const arrow::DataType& type = *operand->type;
  if (type.id() == arrow::Type::STRUCT) {
    if (IsTextLiteral(*index)) {
      return ExtractField(operand, {index->literal->ToString(), /*quoted=*/true, expr.index->span});
    }
    return BindError(index->span, "a field of ", SqlTypeName(type),
                     " is named by a text in single quotes");
  }
  if (type.id() == arrow::Type::MAP) {
    return MakeOperatorCall("map_extract", "[key] over a MAP",
                            {std::move(operand), std::move(index)}, expr.span);
  }
  if (!arrow::is_list_like(type.id()) && !arrow::is_list_view(type.id()) &&
      type.id() != arrow::Type::NA) {
    return BindError(context_->Place(expr.span), "cannot subscript type ", SqlTypeName(type),
                     " because it is no list, struct or map");
  }
  return MakeScalarCall(context_, "list_extract", {std::move(operand), std::move(index)},
                        expr.span);
}

arrow::Result<ExprPtr> ExprBinder::BindSlice(const ast::SliceExpr& expr, const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr operand, Bind(*expr.operand, scope));
  if (expr.step != nullptr) {
    return UnsupportedError(context_->Place(expr.step->span), "a step in a slice");
  }
  std::vector<ExprPtr> arguments = {std::move(operand)};
  for (const ast::ExprPtr* bound : {&expr.lower, &expr.upper}) {
    ExprPtr value = MakeLiteralExpr(arrow::MakeNullScalar(arrow::int64()), arguments[0]->span);
    if (*bound != nullptr) {
      ARROW_ASSIGN_OR_RAISE(value, Bind(**bound, scope));
    }
    arguments.push_back(std::move(value));
  }
  return MakeOperatorCall("list_slice", "[lower:upper]", std::move(arguments), expr.span);
}

}  // namespace keepone
