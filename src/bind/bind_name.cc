// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "bind/expr_binder.h"
#include "function/cast.h"

namespace keepone {

ExprPtr ExprBinder::MakeColumn(const Column& column, SourceSpan span) const {
  return MakeColumnExpr(column.id, column.name, column.type, context_->Place(span));
}

arrow::Result<ExprPtr> ExprBinder::BindColumn(const ast::ColumnExpr& expr, const ExprScope& scope) {
  static const Scope kNoColumns;
  const Scope& columns = scope.columns != nullptr ? *scope.columns : kNoColumns;
  const ast::NamePath& path = expr.path;
  const ScopeTable* table = columns.FindTable(path[0]);
  if (scope.outputs != nullptr && scope.outputs_first && (path.size() == 1 || table == nullptr)) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr output, FindOutput(path[0], scope));
    if (output != nullptr) {
      return ExtractFields(std::move(output), path, 1);
    }
  }
  if (table != nullptr && path.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(const Column* column, columns.FindColumn(path[1], table));
    if (column != nullptr) {
      return ExtractFields(MakeColumn(*column, expr.span), path, 2);
    }
  }
  ARROW_ASSIGN_OR_RAISE(const Column* column, columns.FindColumn(path[0], nullptr));
  if (column != nullptr) {
    return ExtractFields(MakeColumn(*column, expr.span), path, 1);
  }
  if (scope.outputs != nullptr && !scope.outputs_first) {
    ARROW_ASSIGN_OR_RAISE(ExprPtr output, UseOutputLast(path, scope));
    if (output != nullptr) {
      return ExtractFields(std::move(output), path, 1);
    }
  }
  if (table != nullptr && path.size() == 1) {
    return BindWholeRow(*table, expr.span);
  }
  return UnknownColumn(path, scope);
}

arrow::Result<ExprPtr> ExprBinder::FindOutput(const ast::Identifier& name, const ExprScope& scope) {
  const std::vector<OutputItem>& outputs = *scope.outputs;
  const std::vector<size_t> matches =
      MatchName(name, outputs.size(), [&](size_t i) { return std::string_view(outputs[i].name); });
  if (matches.empty()) {
    return nullptr;
  }
  const ExprPtr& first = outputs[matches[0]].expr;
  for (size_t i : matches) {
    if (outputs[i].expr != first && !Equals(*outputs[i].expr, *first)) {
      return BindError(context_->Place(name.span), scope.clause, " ", Quoted(name.text),
                       " is ambiguous: it could be ", Quoted(outputs[matches[0]].name), " (column ",
                       matches[0] + 1, ") or ", Quoted(outputs[i].name), " (column ", i + 1,
                       ") of the select list");
    }
  }
  return first;
}

arrow::Result<ExprPtr> ExprBinder::UseOutputLast(const ast::NamePath& path,
                                                 const ExprScope& scope) {
  ARROW_ASSIGN_OR_RAISE(ExprPtr output, FindOutput(path[0], scope));
  if (output == nullptr) {
    return nullptr;
  }
  const SourceSpan place = context_->Place(PathSpan(path));
  if (!scope.aggregates && ReadsAggregate(*output, *scope.calls)) {
    return BindError(place, "aggregate functions are not allowed in ", scope.clause);
  }
  if (!scope.windows && ReadsWindow(*output, *scope.calls)) {
    return BindError(place, "window functions are not allowed in ", scope.clause);
  }
  // A GROUP BY computes its keys once, for itself and for the select list.
  if (scope.clause != "GROUP BY" && !IsDeterministic(*output)) {
    return WithHint(UnsupportedError(place, "use of ", Quoted(path[0].text), " in ", scope.clause,
                                     ": it gives another value each time it is computed"),
                    "compute it in a subquery and use its column");
  }
  return output;
}

arrow::Result<ExprPtr> ExprBinder::BindWholeRow(const ScopeTable& table, SourceSpan span) {
  std::vector<ExprPtr> values;
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    values.push_back(MakeColumn(column, span));
    names.push_back(column.name);
  }
  return MakeScalarCall(context_, "struct_pack", std::move(values), span, names);
}

arrow::Result<ExprPtr> ExprBinder::ExtractFields(ExprPtr operand, const ast::NamePath& path,
                                                 size_t first) {
  for (size_t i = first; i < path.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(operand, ExtractField(operand, path[i]));
  }
  return operand;
}

arrow::Result<ExprPtr> ExprBinder::ExtractField(const ExprPtr& operand,
                                                const ast::Identifier& field) {
  const SourceSpan place = context_->Place(field.span);
  const std::string type_name = SqlTypeName(*operand->type);
  if (operand->type->id() != arrow::Type::STRUCT) {
    return BindError(place, ToString(*operand), " has no field ", Quoted(field.text),
                     ": it is of type ", type_name);
  }
  const arrow::FieldVector& fields = operand->type->fields();
  const std::vector<size_t> matches = MatchName(
      field, fields.size(), [&](size_t i) { return std::string_view(fields[i]->name()); });
  if (matches.empty()) {
    std::vector<std::string> names;
    for (const auto& each : fields) {
      names.push_back(each->name());
    }
    const arrow::Status status =
        BindError(place, "field ", Quoted(field.text), " does not exist in ", ToString(*operand));
    const std::string nearest = NearestName(field.text, names);
    return WithHint(
        status, nearest.empty() ? "its type is " + type_name : "it has a field " + Quoted(nearest));
  }
  if (matches.size() > 1) {
    return BindError(place, "field reference ", Quoted(field.text), " is ambiguous: it could be ",
                     Quoted(fields[matches[0]]->name()), " or ", Quoted(fields[matches[1]]->name()),
                     " of ", type_name);
  }
  ExprPtr name =
      MakeLiteralExpr(std::make_shared<arrow::StringScalar>(fields[matches[0]]->name()), place);
  const SourceSpan begin = operand->span;
  const bool apart = context_->view_span.has_value() || begin.offset > place.offset;
  const SourceSpan span =
      apart ? place : SourceSpan{begin.offset, place.offset + place.length - begin.offset};
  return MakeScalarCall(context_, "struct_extract", {operand, std::move(name)}, span);
}

arrow::Status ExprBinder::UnknownColumn(const ast::NamePath& path, const ExprScope& scope) const {
  const SourceSpan place = context_->Place(PathSpan(path));
  const std::string text = PathText(path);
  if (scope.columns == nullptr) {
    return WithHint(BindError(place, "column ", Quoted(text), " does not exist"),
                    std::string(scope.clause) + " cannot read columns");
  }
  const ScopeTable* table = scope.columns->FindTable(path[0]);
  for (const OuterScope* outer = context_->outer; outer != nullptr; outer = outer->outer) {
    const ScopeTable* owner = path.size() > 1 ? outer->columns->FindTable(path[0]) : nullptr;
    const auto column = outer->columns->FindColumn(owner != nullptr ? path[1] : path[0], owner);
    if (table == nullptr && (!column.ok() || *column != nullptr)) {
      return WithHint(
          UnsupportedError(place, "a subquery that reads ", text, " of the query around it"),
          "a join on the columns that both share may say the same");
    }
  }
  if (path.size() > 1 && table != nullptr) {
    return WithHint(BindError(place, "column ", text, " does not exist"),
                    scope.columns->HintFor(path[1], table));
  }
  if (scope.outputs_for_hints != nullptr) {
    for (const ast::SelectItem& item : *scope.outputs_for_hints) {
      if (item.alias.has_value() && EqualNames(item.alias->text, path[0].text)) {
        return WithHint(BindError(place, "column ", Quoted(path[0].text), " does not exist"),
                        std::string(scope.clause) + " is computed before the select list, where " +
                            Quoted(item.alias->text) +
                            " is made; repeat the expression, or select from a subquery");
      }
    }
  }
  const std::string hint = scope.columns->HintFor(path[0], nullptr);
  if (path.size() > 1) {
    return WithHint(BindError(place, "missing FROM-clause entry for table ", Quoted(path[0].text)),
                    hint);
  }
  const arrow::Status status = BindError(place, "column ", Quoted(text), " does not exist");
  if (path[0].quoted && hint.find("has a column") == std::string::npos) {
    return WithHint(status, "text stands between single quotes: '" + text + "'" +
                                (hint.empty() ? "" : "; " + hint));
  }
  return WithHint(status, scope.columns->tables().empty() ? "there is no FROM clause" : hint);
}

}  // namespace keepone
