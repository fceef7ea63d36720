// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "base/error.h"
#include "bind/binder.h"
#include "bind/query_binder.h"
#include "bind/query_tail.h"
#include "bind/select_binder.h"
#include "function/cast.h"
#include "plan/group_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

// Bounds what recurses over plans; far above what people write.
constexpr int64_t kQueryDepthMax = 100;

}  // namespace

arrow::Result<NodePtr> QueryBinder::BindQuery(const ast::Query& query, CommonTableEntry* tables) {
  if (depth_ >= kQueryDepthMax) {
    return UnsupportedError(context_->Place(query.span), "queries that stand more than ",
                            kQueryDepthMax, " deep in one another");
  }
  ++depth_;
  if (query.recursive) {
    return UnsupportedError(
        context_->Place(query.with.empty() ? query.span : query.with[0].name.span),
        "WITH RECURSIVE");
  }
  std::deque<CommonTableEntry> entries;
  CommonTableEntry* innermost = tables;
  for (const ast::CommonTable& table : query.with) {
    for (const CommonTableEntry& earlier : entries) {
      if (EqualNames(earlier.table->name.text, table.name.text)) {
        return BindError(context_->Place(table.name.span), "WITH query name ",
                         Quoted(table.name.text), " specified more than once");
      }
    }
    entries.push_back({&table, innermost});
    innermost = &entries.back();
  }
  ARROW_ASSIGN_OR_RAISE(NodePtr plan, BindBody(*query.body, &query, innermost));
  ARROW_RETURN_NOT_OK(CheckUnread(innermost, tables));
  --depth_;
  return plan;
}

// A WITH table that nothing reads must be right all the same.
arrow::Status QueryBinder::CheckUnread(CommonTableEntry* first, const CommonTableEntry* outer) {
  for (CommonTableEntry* entry = first; entry != outer; entry = entry->outer) {
    if (entry->references == 0) {
      ARROW_RETURN_NOT_OK(BindCommonTable(entry->table->name, entry));
    }
  }
  return arrow::Status::OK();
}

arrow::Result<NodePtr> QueryBinder::BindBodyAlone(const ast::QueryBody& body,
                                                  CommonTableEntry* tables) {
  switch (body.kind) {
    case ast::QueryBodyKind::kSelect:
      return BindSelect(context_, this, body.As<ast::SelectBody>(), nullptr, tables);
    case ast::QueryBodyKind::kSetOperation:
      return BindSetOperation(body.As<ast::SetOperationBody>(), tables);
    case ast::QueryBodyKind::kValues:
      return BindValues(body.As<ast::ValuesBody>());
    case ast::QueryBodyKind::kNested:
      break;
  }
  return BindQuery(*body.As<ast::NestedBody>().query, tables);
}

arrow::Result<NodePtr> QueryBinder::BindBody(const ast::QueryBody& body, const ast::Query* tail,
                                             CommonTableEntry* tables) {
  if (tail == nullptr || !HasTail(*tail)) {
    return BindBodyAlone(body, tables);
  }
  if (const auto* select = body.If<ast::SelectBody>()) {
    return BindSelect(context_, this, *select, tail, tables);
  }
  // Only the output of the body has names here.
  ARROW_ASSIGN_OR_RAISE(NodePtr plan, BindBodyAlone(body, tables));
  std::vector<OutputItem> outputs;
  for (const Column& column : plan->columns()) {
    outputs.push_back({column.name, MakeColumnExpr(column.id, column.name, column.type),
                       context_->Place(body.span), column.id});
  }
  const Scope columns(ScopeTable{"", plan->columns()});
  ExprScope scope;
  scope.columns = &columns;
  scope.outputs = &outputs;
  scope.outputs_first = true;
  ARROW_ASSIGN_OR_RAISE(QueryTail bound, BindTail(context_, *tail, scope));
  return ApplyTail(context_, std::move(plan), outputs, std::move(bound));
}

NodePtr KeepDistinct(NodePtr input, std::string spelling) {
  KeepRowsNode::Spec spec;
  for (const Column& column : input->columns()) {
    spec.groups.push_back(column.id);
  }
  spec.payload = spec.groups;
  spec.spelling = std::move(spelling);
  return KeepRowsNode::Make(std::move(input), std::move(spec));
}

arrow::Result<BoundQuery> BindQuery(const ast::Query& query, const Catalog& catalog,
                                    const BindOptions& options, ColumnIdGenerator* ids) {
  BindContext context{&catalog, options, ids};
  QueryBinder binder(&context);
  ARROW_ASSIGN_OR_RAISE(NodePtr plan, binder.BindQuery(query, nullptr));
  return BoundQuery{std::move(plan)};
}

arrow::Result<BoundQuery> ConvertColumns(const BoundQuery& query,
                                         const std::vector<ColumnTarget>& columns,
                                         ColumnIdGenerator* ids, SourceSpan span) {
  const std::vector<Column>& given = query.plan->columns();
  if (given.size() != columns.size()) {
    return BindError(span, "there are ", columns.size(), " columns, but the query gives ",
                     given.size());
  }
  std::vector<ProjectNode::Item> items;
  for (size_t i = 0; i < given.size(); ++i) {
    ProjectNode::Item item = ProjectNode::Pass(given[i]);
    item.name = columns[i].name;
    const TypePtr& type = columns[i].type;
    if (type != nullptr && !type->Equals(*given[i].type)) {
      if (!CanCast(*given[i].type, *type)) {
        return BindError(span, "column ", Quoted(columns[i].name), " is of type ",
                         SqlTypeName(*type), " but expression is of type ",
                         SqlTypeName(*given[i].type));
      }
      item.expr = MakeCastExpr(item.expr, type, /*try_cast=*/false, span);
      item.id = ids->Next();
    }
    items.push_back(std::move(item));
  }
  return BoundQuery{ProjectNode::Make(query.plan, std::move(items))};
}

}  // namespace keepone
