// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <arrow/result.h>

#include "optimize/optimizer.h"
#include "plan/expr.h"
#include "plan/group_nodes.h"
#include "plan/node.h"

namespace keepone {

using ColumnSet = std::unordered_set<ColumnId>;
using NodeRewrite = std::function<arrow::Result<NodePtr>(const NodePtr&)>;
using ExprRewrite = std::function<arrow::Result<ExprPtr>(const ExprPtr&)>;

// Rewrites a plan from its leaves up: `rewrite` sees each node over inputs that are done.
arrow::Result<NodePtr> RewriteUp(const NodePtr& node, const NodeRewrite& rewrite);

// The node over other inputs; itself when they are the same.
NodePtr ReplaceInputs(const NodePtr& node, std::vector<NodePtr> inputs);

// The node with each of its own expressions rewritten; itself when none changes.
arrow::Result<NodePtr> RewriteExprs(const NodePtr& node, const ExprRewrite& rewrite);

// Adds the columns that the node itself reads; those that it only passes on are not among them.
void CollectReads(const Node& node, ColumnSet* columns);
void CollectReads(const AggregateCall& call, ColumnSet* columns);

// No rows of these columns.
NodePtr MakeEmpty(std::vector<Column> columns);
bool IsEmpty(const Node& node);

// The input under a Filter of these conjuncts; itself when there are none.
arrow::Result<NodePtr> MakeFilter(NodePtr input, std::vector<ExprPtr> conjuncts);

bool IsColumn(const Expr& expr, ColumnId id);
bool IsCall(const Expr& expr, std::string_view function);
ExprPtr ColumnExpr(const Column& column);
ExprPtr Int64Literal(int64_t value);
ExprPtr BooleanLiteral(bool value);
// The value of an INT64 literal that is not NULL.
std::optional<int64_t> Int64Value(const Expr& expr);
// TRUE or FALSE; nothing for NULL and for what is no literal.
std::optional<bool> BooleanValue(const Expr& expr);
bool IsNullLiteral(const Expr& expr);

void AddNote(const OptimizerContext& context, std::string note);

}  // namespace keepone
