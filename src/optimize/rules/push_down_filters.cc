// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/push_down_filters.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "optimize/rewrite.h"
#include "optimize/rules/join_filters.h"
#include "plan/can_fail.h"
#include "plan/fetch_node.h"
#include "plan/join_condition.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

using Conjuncts = std::vector<ExprPtr>;

// The conjuncts that may go below a node, as they read there, and those that stay.
struct Parts {
  Conjuncts below;
  Conjuncts above;
};

bool HasFloats(const arrow::DataType& type) {
  if (arrow::is_floating(type.id())) {
    return true;
  }
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const auto& field) { return HasFloats(*field->type()); });
}

bool IsComparison(const Expr& expr) {
  constexpr std::array<std::string_view, 11> kNames = {
      "equal",      "not_equal",        "less",
      "less_equal", "greater",          "greater_equal",
      "in_list",    "is_distinct_from", "is_not_distinct_from",
      "is_null",    "is_not_null"};
  return expr.kind == ExprKind::kCall &&
         std::find(kNames.begin(), kNames.end(), expr.function->name) != kNames.end();
}

// Whether the value is the same for all columns' values that are one key.
bool TellsKeysOnly(const Expr& expr) {
  const bool compares = IsComparison(expr);
  return std::all_of(expr.children.begin(), expr.children.end(), [compares](const ExprPtr& child) {
    if (child->kind == ExprKind::kColumn) {
      return compares || !HasFloats(*child->type);
    }
    return TellsKeysOnly(*child);
  });
}

// Whether the conjunct keeps or drops whole groups.
bool IsOverGroups(const Expr& expr, const std::vector<ColumnId>& groups) {
  ColumnSet reads;
  CollectColumns(expr, &reads);
  return !reads.empty() && IsDeterministic(expr) && TellsKeysOnly(expr) &&
         std::all_of(reads.begin(), reads.end(), [&groups](ColumnId id) {
           return std::find(groups.begin(), groups.end(), id) != groups.end();
         });
}

Parts SplitByGroups(Conjuncts pending, const std::vector<ColumnId>& groups) {
  Parts parts;
  for (ExprPtr& expr : pending) {
    Conjuncts& side = IsOverGroups(*expr, groups) ? parts.below : parts.above;
    side.push_back(std::move(expr));
  }
  return parts;
}

Parts SplitByProject(Conjuncts pending, const ProjectNode& project) {
  std::unordered_map<ColumnId, ExprPtr> exprs;
  for (const ProjectNode::Item& item : project.items()) {
    exprs[item.id] = item.expr;
  }
  Parts parts;
  for (ExprPtr& expr : pending) {
    ExprPtr below =
        ReplaceColumns(expr, [&exprs](const Expr& column) { return exprs.at(column.column); });
    if (IsDeterministic(*below)) {
      parts.below.push_back(std::move(below));
    } else {
      parts.above.push_back(std::move(expr));
    }
  }
  return parts;
}

Parts SplitByInput(Conjuncts pending, const Node& input) {
  Parts parts;
  for (ExprPtr& expr : pending) {
    ColumnSet reads;
    CollectColumns(*expr, &reads);
    const bool fits =
        IsDeterministic(*expr) && std::all_of(reads.begin(), reads.end(), [&input](ColumnId id) {
          return FindColumn(input.columns(), id) != nullptr;
        });
    (fits ? parts.below : parts.above).push_back(std::move(expr));
  }
  return parts;
}

// What may go below the lists of an Unnest: not what could fail for a row without elements.
Parts SplitByParent(Conjuncts pending, const Node& input) {
  Conjuncts failing;
  std::erase_if(pending, [&failing](const ExprPtr& expr) {
    if (CanFail(*expr)) {
      failing.push_back(expr);
      return true;
    }
    return false;
  });
  Parts parts = SplitByInput(std::move(pending), input);
  std::move(failing.begin(), failing.end(), std::back_inserter(parts.above));
  return parts;
}

class FilterPusher {
 public:
  explicit FilterPusher(ColumnIdGenerator* ids) : ids_(ids) {}

  // The node under a filter of the conjuncts, which go as far down as they may.
  arrow::Result<NodePtr> Push(const NodePtr& node, Conjuncts pending) {
    switch (node->kind()) {
      case NodeKind::kFilter:
        return PushThroughFilter(node, std::move(pending));
      case NodeKind::kProject:
        return PushThrough(node, SplitByProject(std::move(pending), As<ProjectNode>(*node)));
      case NodeKind::kAggregate:
        return PushThrough(node,
                           SplitByGroups(std::move(pending), As<AggregateNode>(*node).groups()));
      case NodeKind::kWindow:
        return PushThrough(
            node, SplitByGroups(std::move(pending), As<WindowNode>(*node).spec().partition));
      case NodeKind::kKeepRows: {
        const KeepRowsNode::Spec& spec = As<KeepRowsNode>(*node).spec();
        return spec.group_limit.has_value()
                   ? Stay(node, std::move(pending))
                   : PushThrough(node, SplitByGroups(std::move(pending), spec.groups));
      }
      case NodeKind::kUnnest:
        return PushThrough(node, SplitByParent(std::move(pending), *node->input()));
      case NodeKind::kFetch:
        return PushThrough(node, SplitByInput(std::move(pending), *node->input()));
      case NodeKind::kSort:
        return As<SortNode>(*node).limit().has_value()
                   ? Stay(node, std::move(pending))
                   : PushThrough(node, SplitByInput(std::move(pending), *node->input()));
      case NodeKind::kUnionAll:
        return PushIntoUnion(node, std::move(pending));
      case NodeKind::kJoin:
        return PushIntoJoin(node, pending);
      case NodeKind::kScan:
      case NodeKind::kValues:
      case NodeKind::kLimit:
      case NodeKind::kNest:
        return Stay(node, std::move(pending));
    }
    return Stay(node, std::move(pending));
  }

 private:
  arrow::Result<NodePtr> PushThrough(const NodePtr& node, Parts parts) {
    ARROW_ASSIGN_OR_RAISE(NodePtr input, Push(node->input(), std::move(parts.below)));
    return MakeFilter(ReplaceInputs(node, {std::move(input)}), std::move(parts.above));
  }

  arrow::Result<NodePtr> PushIntoUnion(const NodePtr& node, Conjuncts pending) {
    const auto& unite = As<UnionAllNode>(*node);
    Parts parts = SplitByInput(std::move(pending), *node);  // by determinism alone
    std::vector<NodePtr> inputs;
    for (size_t i = 0; i < unite.inputs().size(); ++i) {
      const Node& input = *unite.inputs()[i];
      const auto replace = [&](const Expr& column) -> ExprPtr {
        for (size_t c = 0; c < unite.columns().size(); ++c) {
          if (unite.columns()[c].id == column.column) {
            return ColumnExpr(PassedColumn(input, unite.sources()[i][c]));
          }
        }
        return nullptr;
      };
      Conjuncts below;
      for (const ExprPtr& expr : parts.below) {
        below.push_back(ReplaceColumns(expr, replace));
      }
      ARROW_ASSIGN_OR_RAISE(NodePtr pushed, Push(unite.inputs()[i], std::move(below)));
      inputs.push_back(std::move(pushed));
    }
    return MakeFilter(ReplaceInputs(node, std::move(inputs)), std::move(parts.above));
  }

  // All conjuncts stay above; the inputs are done for themselves.
  arrow::Result<NodePtr> Stay(const NodePtr& node, Conjuncts pending) {
    std::vector<NodePtr> inputs;
    for (const NodePtr& input : node->inputs()) {
      ARROW_ASSIGN_OR_RAISE(NodePtr pushed, Push(input, {}));
      inputs.push_back(std::move(pushed));
    }
    return MakeFilter(ReplaceInputs(node, std::move(inputs)), std::move(pending));
  }

  arrow::Result<NodePtr> PushThroughFilter(const NodePtr& node, Conjuncts pending) {
    const auto& filter = As<FilterNode>(*node);
    Conjuncts all = SplitConjuncts(filter.predicate());
    const size_t own = all.size();
    for (ExprPtr& expr : pending) {
      const bool is_known = IsDeterministic(*expr) &&
                            std::any_of(all.begin(), all.end(), [&expr](const ExprPtr& other) {
                              return Equals(*expr, *other);
                            });
      if (!is_known) {
        all.push_back(std::move(expr));
      }
    }
    ARROW_ASSIGN_OR_RAISE(NodePtr pushed, Push(filter.input(), all));
    // Nothing moved: keep the node, so that an unchanged plan stays the same object.
    const auto* result = AsIf<FilterNode>(*pushed);
    const bool is_unchanged = own == all.size() && result != nullptr &&
                              result->input() == filter.input() &&
                              SplitConjuncts(result->predicate()) == all;
    return is_unchanged ? node : pushed;
  }

  arrow::Result<NodePtr> PushIntoJoin(const NodePtr& node, const Conjuncts& pending) {
    const auto& join = As<JoinNode>(*node);
    JoinFilters filters = SplitByJoin(join, pending);
    ARROW_ASSIGN_OR_RAISE(NodePtr left, Push(join.left(), std::move(filters.left)));
    ARROW_ASSIGN_OR_RAISE(NodePtr right, Push(join.right(), std::move(filters.right)));
    const Conjuncts own =
        join.spec().residual == nullptr ? Conjuncts{} : SplitConjuncts(join.spec().residual);
    if (filters.kind == join.spec().kind && filters.condition == own) {
      return MakeFilter(ReplaceInputs(node, {std::move(left), std::move(right)}),
                        std::move(filters.above));
    }
    JoinNode::Spec spec;
    spec.kind = filters.kind;
    spec.keys = join.spec().keys;
    ARROW_ASSIGN_OR_RAISE(NodePtr joined, JoinOn(std::move(left), std::move(right), std::move(spec),
                                                 filters.condition, ids_));
    return MakeFilter(std::move(joined), std::move(filters.above));
  }

  ColumnIdGenerator* ids_;
};

}  // namespace

arrow::Result<NodePtr> PushDownFilters(const NodePtr& plan, const OptimizerContext& context) {
  return FilterPusher(context.ids).Push(plan, {});
}

}  // namespace keepone
