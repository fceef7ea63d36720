// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "base/error.h"
#include "bind/column_builder.h"
#include "bind/expr_binder.h"
#include "bind/query_binder.h"
#include "column/sql_type_name.h"
#include "plan/leaf_nodes.h"
#include "plan/list_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

arrow::Status CheckUnnested(const BindContext& context, const Expr& list, SourceSpan span) {
  if (ElementType(*list.type) != nullptr) {
    return arrow::Status::OK();
  }
  const arrow::Status status =
      BindError(context.Place(span), "UNNEST takes lists and maps, not ", SqlTypeName(*list.type));
  return list.type->id() == arrow::Type::STRUCT
             ? WithHint(status, "the fields of a struct s are s.a, s.b, ..")
             : status;
}

// Whether the relation's rows are made by UNNEST(..) itself.
const ast::FunctionTable* AsUnnest(const ast::TableRef& table) {
  const auto* function = table.If<ast::FunctionTable>();
  return function != nullptr && EqualNames(PathText(function->name), "unnest") ? function : nullptr;
}

bool IsTrue(const ast::Expr& expr) {
  const auto* literal = expr.If<ast::LiteralExpr>();
  return literal != nullptr && literal->literal == ast::LiteralKind::kBoolean &&
         EqualNames(literal->text, "true");
}

// The column as a further one of the scope's table.
struct Elements {
  std::vector<ProjectNode::Item> items;
  std::vector<Column> columns;
};

// The key and the value of map entries as columns of their own.
arrow::Status AddEntries(BindContext* context, const Column& entry, SourceSpan span,
                         Elements* elements) {
  const ExprPtr column = MakeColumnExpr(entry.id, entry.name, entry.type, context->Place(span));
  for (int i = 0; i < 2; ++i) {
    ARROW_ASSIGN_OR_RAISE(
        ExprPtr part,
        MakeScalarCall(context, "struct_extract",
                       {column, MakeLiteralExpr(std::make_shared<arrow::Int64Scalar>(i + 1))},
                       span));
    const ColumnId id = context->ids->Next();
    const std::string name = i == 0 ? "key" : "value";
    elements->columns.push_back({id, name, part->type});
    elements->items.push_back({id, name, std::move(part)});
  }
  return arrow::Status::OK();
}

}  // namespace

bool BeginsWithUnnest(const ast::TableRef& table) {
  if (AsUnnest(table) != nullptr) {
    return true;
  }
  const auto* join = table.If<ast::JoinTable>();
  return join != nullptr && !join->alias.has_value() && join->join != ast::JoinKind::kRight &&
         join->join != ast::JoinKind::kFull && BeginsWithUnnest(*join->left);
}

Relation OneRowRelation() {
  return {ValuesNode::Make({}, {{}}), Scope()};
}

arrow::Result<Relation> QueryBinder::BindBeside(Relation left, const ast::TableRef& table,
                                                CommonTableEntry* tables) {
  if (const ast::FunctionTable* unnest = AsUnnest(table)) {
    return BindUnnest(std::move(left), *unnest, /*keeps_empty=*/false);
  }
  const auto& join = table.As<ast::JoinTable>();
  ARROW_ASSIGN_OR_RAISE(Relation first, BindBeside(std::move(left), *join.left, tables));
  return BindJoinWith(std::move(first), join, tables);
}

arrow::Result<Relation> QueryBinder::BindUnnest(Relation left, const ast::FunctionTable& table,
                                                bool keeps_empty) {
  const SourceSpan place = context_->Place(PathSpan(table.name));
  if (++table_references_ > kTableReferencesMax) {
    return UnsupportedError(place, "a statement that reads more than ", kTableReferencesMax,
                            " tables");
  }
  if (table.arguments.empty()) {
    return BindError(place, "UNNEST needs a list");
  }
  ExprBinder binder(context_);
  ExprScope scope;
  scope.clause = "UNNEST";
  scope.columns = &left.scope;
  ColumnBuilder lists(left.plan, context_->ids);
  UnnestNode::Spec spec;
  spec.keeps_empty = keeps_empty;
  for (const ast::Argument& argument : table.arguments) {
    if (argument.name.has_value()) {
      return UnsupportedError(context_->Place(argument.name->span), "option ",
                              Quoted(argument.name->text), " of UNNEST");
    }
    ARROW_ASSIGN_OR_RAISE(const ExprPtr list, binder.Bind(*argument.value, scope));
    ARROW_RETURN_NOT_OK(CheckUnnested(*context_, *list, argument.value->span));
    UnnestNode::List unnested;
    unnested.list = lists.Get(list);
    unnested.element = {context_->ids->Next(), "unnest", ElementType(*list->type)};
    if (table.arguments.size() > 1) {
      unnested.element.name += std::to_string(spec.lists.size() + 1);
    } else if (table.alias.has_value()) {
      unnested.element.name = table.alias->text;
    }
    spec.lists.push_back(std::move(unnested));
  }
  if (table.with_ordinality) {
    spec.ordinality = Column{context_->ids->Next(), "ordinality", arrow::int64()};
  }
  NodePtr input = std::move(lists).Finish();
  Elements elements;
  for (const UnnestNode::List& list : spec.lists) {
    if (PassedColumn(*input, list.list).type->id() == arrow::Type::MAP) {
      ARROW_RETURN_NOT_OK(AddEntries(context_, list.element, table.span, &elements));
    } else {
      elements.columns.push_back(list.element);
    }
  }
  if (spec.ordinality.has_value()) {
    elements.columns.push_back(*spec.ordinality);
  }
  NodePtr plan = UnnestNode::Make(std::move(input), std::move(spec));
  if (!elements.items.empty()) {
    std::vector<ProjectNode::Item> items;
    for (const Column& column : plan->columns()) {
      items.push_back(ProjectNode::Pass(column));
    }
    std::move(elements.items.begin(), elements.items.end(), std::back_inserter(items));
    plan = ProjectNode::Make(std::move(plan), std::move(items));
  }
  const std::string name = table.alias.has_value() ? table.alias->text : "unnest";
  Scope right(ScopeTable{name, std::move(elements.columns)});
  ARROW_RETURN_NOT_OK(NameTable(name, table.column_aliases, context_->Place(table.span), &right));
  ARROW_RETURN_NOT_OK(CheckJoin(left.scope, right, table.span));
  return Relation{std::move(plan), Scope::Join(std::move(left.scope), std::move(right), {})};
}

arrow::Result<std::optional<Relation>> QueryBinder::JoinUnnest(Relation* left,
                                                               const ast::JoinTable& join) {
  const ast::FunctionTable* unnest = AsUnnest(*join.right);
  if (unnest == nullptr) {
    return std::nullopt;
  }
  if (join.join == ast::JoinKind::kCross) {
    return BindUnnest(std::move(*left), *unnest, /*keeps_empty=*/false);
  }
  // Lists that do not read the left side make a table like any other.
  if (BindUnnest(OneRowRelation(), *unnest, /*keeps_empty=*/false).ok()) {
    return std::nullopt;
  }
  const SourceSpan place = context_->Place(join.right->span);
  if (join.condition == nullptr) {
    return UnsupportedError(place, "UNNEST of the left side's columns with USING or NATURAL");
  }
  if (IsTrue(*join.condition) &&
      (join.join == ast::JoinKind::kLeft || join.join == ast::JoinKind::kInner)) {
    return BindUnnest(std::move(*left), *unnest, join.join == ast::JoinKind::kLeft);
  }
  if (join.join != ast::JoinKind::kInner) {
    const bool is_left = join.join == ast::JoinKind::kLeft;
    return WithHint(UnsupportedError(place, "UNNEST of the left side's columns in this join",
                                     is_left ? " under a condition other than TRUE" : ""),
                    "what works: a comma, CROSS JOIN, JOIN .. ON condition, LEFT JOIN .. ON TRUE");
  }
  ARROW_ASSIGN_OR_RAISE(Relation both,
                        BindUnnest(std::move(*left), *unnest, /*keeps_empty=*/false));
  ExprScope scope;
  scope.clause = "ON";
  scope.columns = &both.scope;
  ARROW_ASSIGN_OR_RAISE(ExprPtr condition,
                        ExprBinder(context_).BindCondition(*join.condition, scope, "JOIN/ON"));
  both.plan = FilterNode::Make(std::move(both.plan), std::move(condition));
  return both;
}

arrow::Result<ExprPtr> ExprBinder::BindUnnestCall(const ast::CallExpr& call,
                                                  const ExprScope& scope) {
  const SourceSpan place = context_->Place(call.span);
  if (!scope.unnests || scope.calls == nullptr) {
    const std::string where = scope.in_aggregate ? "the arguments of an aggregate function"
                              : scope.in_window  ? "the arguments of a window function"
                                                 : std::string(scope.clause);
    return WithHint(BindError(place, "unnest(..) is not allowed in ", where),
                    "unnest the list in FROM: FROM t, UNNEST(t.list) AS element");
  }
  if (call.arguments.size() != 1 || call.arguments[0].name.has_value()) {
    return call.arguments.size() == 2 && call.arguments[1].name.has_value()
               ? UnsupportedError(context_->Place(call.arguments[1].name->span), "option ",
                                  Quoted(call.arguments[1].name->text), " of unnest(..)")
               : BindError(place,
                           "unnest(..) takes one list; several stand side by side as "
                           "unnest(a), unnest(b)");
  }
  ARROW_ASSIGN_OR_RAISE(ExprPtr list, Bind(*call.arguments[0].value, scope));
  ARROW_RETURN_NOT_OK(CheckUnnested(*context_, *list, call.arguments[0].value->span));
  UnnestExpr unnest;
  unnest.name = Spelling(call, scope);
  unnest.type = ElementType(*list->type);
  unnest.list = std::move(list);
  return AddUnnest(scope.calls, std::move(unnest), context_->ids, place);
}

}  // namespace keepone
