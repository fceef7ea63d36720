// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "bind/query_binder.h"
#include "function/cast.h"
#include "plan/group_nodes.h"
#include "plan/join_node.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

std::string_view NameOf(const ast::SetOperationBody& body) {
  switch (body.op) {
    case ast::SetOperator::kUnion:
      return "UNION";
    case ast::SetOperator::kIntersect:
      return "INTERSECT";
    case ast::SetOperator::kExcept:
      break;
  }
  return "EXCEPT";
}

arrow::Result<TypePtr> Meet(const TypePtr& left, const TypePtr& right, SourceSpan span,
                            const ast::SetOperationBody& body) {
  TypePtr type = CommonType(left, right);
  if (type == nullptr) {
    return BindError(span, NameOf(body), " types ", SqlTypeName(*left), " and ",
                     SqlTypeName(*right), " cannot be matched");
  }
  return type;
}

// Adds a column that counts equal rows: 1 in the first, 2 in the second, ...
NodePtr CountEqualRows(NodePtr input, ColumnId id) {
  WindowNode::Spec spec;
  for (const Column& column : input->columns()) {
    spec.partition.push_back(column.id);
  }
  WindowCall call;
  call.id = id;
  call.name = "occurrence";
  call.kind = WindowCall::Kind::kRowNumber;
  call.type = arrow::int64();
  spec.calls.push_back(std::move(call));
  return WindowNode::Make(std::move(input), std::move(spec));
}

ExprPtr ColumnOf(const Column& column) {
  return MakeColumnExpr(column.id, column.name, column.type);
}

}  // namespace

arrow::Result<NodePtr> QueryBinder::BindSetOperation(const ast::SetOperationBody& body,
                                                     CommonTableEntry* tables) {
  if (body.op != ast::SetOperator::kUnion) {
    std::vector<NodePtr> operands(2);
    ARROW_ASSIGN_OR_RAISE(operands[0], BindBody(*body.left, nullptr, tables));
    ARROW_ASSIGN_OR_RAISE(operands[1], BindBody(*body.right, nullptr, tables));
    return KeepMatching(std::move(operands), body);
  }
  // A chain of operators leans to the left; operators of one sort make one node.
  std::vector<const ast::SetOperationBody*> chain;
  const ast::QueryBody* leftmost = &body;
  while (const auto* operation = leftmost->If<ast::SetOperationBody>()) {
    if (operation->op != ast::SetOperator::kUnion) {
      break;
    }
    chain.push_back(operation);
    leftmost = operation->left.get();
  }
  std::reverse(chain.begin(), chain.end());
  std::vector<NodePtr> operands(1);
  ARROW_ASSIGN_OR_RAISE(operands[0], BindBody(*leftmost, nullptr, tables));
  for (size_t i = 0; i < chain.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(NodePtr right, BindBody(*chain[i]->right, nullptr, tables));
    operands.push_back(std::move(right));
    const bool same_next = i + 1 < chain.size() && chain[i + 1]->all == chain[i]->all &&
                           chain[i + 1]->by_name == chain[i]->by_name;
    if (!same_next) {
      ARROW_ASSIGN_OR_RAISE(NodePtr united, Unite(std::move(operands), *chain[i]));
      operands = {std::move(united)};
    }
  }
  return operands[0];
}

arrow::Result<std::vector<std::vector<ExprPtr>>> QueryBinder::AlignByPosition(
    const std::vector<NodePtr>& operands, const ast::SetOperationBody& body) {
  std::vector<std::vector<ExprPtr>> aligned;
  for (const NodePtr& operand : operands) {
    if (operand->columns().size() != operands[0]->columns().size()) {
      return BindError(context_->Place(body.right->span), "each ", NameOf(body),
                       " query must have the same number of columns; there are ",
                       operands[0]->columns().size(), " and ", operand->columns().size());
    }
    std::vector<ExprPtr> exprs;
    for (const Column& column : operand->columns()) {
      exprs.push_back(ColumnOf(column));
    }
    aligned.push_back(std::move(exprs));
  }
  return aligned;
}

arrow::Result<std::vector<std::vector<ExprPtr>>> QueryBinder::AlignByName(
    const std::vector<NodePtr>& operands, const ast::SetOperationBody& body,
    std::vector<std::string>* names) {
  names->clear();
  std::vector<std::vector<ExprPtr>> aligned(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    for (const Column& column : operands[i]->columns()) {
      const auto name = std::find_if(names->begin(), names->end(), [&](const std::string& each) {
        return EqualNames(each, column.name);
      });
      const auto position = static_cast<size_t>(name - names->begin());
      if (name == names->end()) {
        names->push_back(column.name);
      }
      aligned[i].resize(std::max(aligned[i].size(), position + 1));
      if (aligned[i][position] != nullptr) {
        return BindError(context_->Place(body.span), NameOf(body),
                         " BY NAME over a query with two columns ", Quoted(column.name));
      }
      aligned[i][position] = ColumnOf(column);
    }
  }
  for (std::vector<ExprPtr>& exprs : aligned) {
    exprs.resize(names->size());
    for (ExprPtr& expr : exprs) {
      if (expr == nullptr) {
        expr = MakeLiteralExpr(std::make_shared<arrow::NullScalar>());
      }
    }
  }
  return aligned;
}

arrow::Result<QueryBinder::Operands> QueryBinder::Align(std::vector<NodePtr> operands,
                                                        const ast::SetOperationBody& body) {
  std::vector<std::string> names;
  for (const Column& column : operands[0]->columns()) {
    names.push_back(column.name);
  }
  std::vector<std::vector<ExprPtr>> aligned;
  if (body.by_name) {
    ARROW_ASSIGN_OR_RAISE(aligned, AlignByName(operands, body, &names));
  } else {
    ARROW_ASSIGN_OR_RAISE(aligned, AlignByPosition(operands, body));
  }
  std::vector<Column> columns;
  for (size_t c = 0; c < names.size(); ++c) {
    TypePtr type = aligned[0][c]->type;
    for (size_t i = 1; i < operands.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(
          type, Meet(type, aligned[i][c]->type, context_->Place(body.right->span), body));
    }
    columns.push_back({context_->ids->Next(), names[c], std::move(type)});
  }
  std::vector<std::vector<ColumnId>> sources;
  for (size_t i = 0; i < operands.size(); ++i) {
    std::vector<ProjectNode::Item> items;
    std::vector<ColumnId> ids;
    bool computes = false;
    for (size_t c = 0; c < columns.size(); ++c) {
      ARROW_ASSIGN_OR_RAISE(ExprPtr expr, ConvertTo(context_, aligned[i][c], columns[c].type));
      const bool passes = expr->kind == ExprKind::kColumn;
      computes = computes || !passes;
      ids.push_back(passes ? expr->column : context_->ids->Next());
      items.push_back({ids.back(), columns[c].name, std::move(expr)});
    }
    if (computes) {
      operands[i] = ProjectNode::Make(operands[i], std::move(items));
    }
    sources.push_back(std::move(ids));
  }
  return Operands{std::move(operands), std::move(columns), std::move(sources)};
}

arrow::Result<NodePtr> QueryBinder::Unite(std::vector<NodePtr> operands,
                                          const ast::SetOperationBody& body) {
  ARROW_ASSIGN_OR_RAISE(Operands aligned, Align(std::move(operands), body));
  NodePtr united = UnionAllNode::Make(std::move(aligned.plans), std::move(aligned.columns),
                                      std::move(aligned.sources));
  return body.all ? united : KeepDistinct(std::move(united), "UNION");
}

arrow::Result<NodePtr> QueryBinder::KeepMatching(std::vector<NodePtr> operands,
                                                 const ast::SetOperationBody& body) {
  ARROW_ASSIGN_OR_RAISE(Operands aligned, Align(std::move(operands), body));
  JoinNode::Spec spec;
  spec.kind = body.op == ast::SetOperator::kIntersect ? JoinKind::kSemi : JoinKind::kAnti;
  for (size_t side = 0; side < 2; ++side) {
    std::vector<ProjectNode::Item> items;
    for (size_t c = 0; c < aligned.columns.size(); ++c) {
      const Column source = PassedColumn(*aligned.plans[side], aligned.sources[side][c]);
      items.push_back(ProjectNode::Pass({source.id, aligned.columns[c].name, source.type}));
    }
    aligned.plans[side] = ProjectNode::Make(aligned.plans[side], std::move(items));
  }
  for (size_t c = 0; c < aligned.columns.size(); ++c) {
    spec.keys.push_back({aligned.sources[0][c], aligned.sources[1][c], /*null_equals_null=*/true});
  }
  const std::vector<Column> columns = aligned.plans[0]->columns();
  if (!body.all) {
    NodePtr distinct = KeepDistinct(aligned.plans[0], std::string(NameOf(body)));
    return JoinNode::Make(std::move(distinct), aligned.plans[1], std::move(spec));
  }
  // As many of equal rows as both sides have, or as the left one has more: each finds its like.
  for (size_t side = 0; side < 2; ++side) {
    aligned.plans[side] = CountEqualRows(aligned.plans[side], context_->ids->Next());
  }
  spec.keys.push_back({aligned.plans[0]->columns().back().id, aligned.plans[1]->columns().back().id,
                       /*null_equals_null=*/false});
  NodePtr kept = JoinNode::Make(aligned.plans[0], aligned.plans[1], std::move(spec));
  std::vector<ProjectNode::Item> items;
  for (const Column& column : columns) {
    items.push_back(ProjectNode::Pass(column));
  }
  return ProjectNode::Make(std::move(kept), std::move(items));
}

}  // namespace keepone
