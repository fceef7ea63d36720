// SPDX-License-Identifier: Apache-2.0
#include "plan/verify_plan.h"

#include <unordered_set>
#include <vector>

#include <arrow/scalar.h>
#include <arrow/type.h>

#include "base/error.h"
#include "plan/expr.h"
#include "plan/fetch_node.h"
#include "plan/group_nodes.h"
#include "plan/join_node.h"
#include "plan/leaf_nodes.h"
#include "plan/list_nodes.h"
#include "plan/print_plan.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

class Verifier {
 public:
  arrow::Status Visit(const Node& node) {
    for (const NodePtr& input : node.inputs()) {
      ARROW_RETURN_NOT_OK(Visit(*input));
    }
    node_ = &node;
    ARROW_RETURN_NOT_OK(CheckNode());
    std::unordered_set<ColumnId> seen;
    for (const Column& column : node.columns()) {
      if (column.type == nullptr) {
        return Violation("gives column ", column.name, "#", column.id.value, " without a type");
      }
      if (!seen.insert(column.id).second) {
        return Violation("gives column ", column.name, "#", column.id.value, " twice");
      }
    }
    return arrow::Status::OK();
  }

 private:
  template <typename... Parts>
  arrow::Status Violation(Parts&&... parts) {
    return InternalError("plan node ", std::forward<Parts>(parts)..., ": ", DescribeNode(*node_));
  }

  arrow::Status CheckNode() {
    switch (node_->kind()) {
      case NodeKind::kScan:
        return CheckScan(As<ScanNode>(*node_));
      case NodeKind::kValues:
        return CheckValues(As<ValuesNode>(*node_));
      case NodeKind::kFilter:
        return CheckPredicate(*As<FilterNode>(*node_).predicate());
      case NodeKind::kProject:
        return CheckProject(As<ProjectNode>(*node_));
      case NodeKind::kAggregate:
        return CheckAggregate(As<AggregateNode>(*node_));
      case NodeKind::kWindow:
        return CheckWindow(As<WindowNode>(*node_));
      case NodeKind::kKeepRows:
        return CheckKeepRows(As<KeepRowsNode>(*node_));
      case NodeKind::kFetch:
        return CheckFetch(As<FetchNode>(*node_));
      case NodeKind::kSort: {
        const auto& sort = As<SortNode>(*node_);
        ARROW_RETURN_NOT_OK(CheckKeys(sort.keys()));
        return CheckNotNegative(sort.limit().value_or(0));
      }
      case NodeKind::kLimit: {
        const auto& limit = As<LimitNode>(*node_);
        ARROW_RETURN_NOT_OK(CheckNotNegative(limit.limit().value_or(0)));
        return CheckNotNegative(limit.offset());
      }
      case NodeKind::kUnionAll:
        return CheckUnionAll(As<UnionAllNode>(*node_));
      case NodeKind::kJoin:
        return CheckJoin(As<JoinNode>(*node_));
      case NodeKind::kUnnest:
        return CheckUnnest(As<UnnestNode>(*node_));
      case NodeKind::kNest:
        return CheckNest(As<NestNode>(*node_));
    }
    return Violation("is of no known kind");
  }

  arrow::Status CheckNotNegative(int64_t number) {
    return number < 0 ? Violation("has the negative limit ", number) : arrow::Status::OK();
  }

  arrow::Status Introduce(ColumnId id) {
    if (!introduced_.insert(id).second) {
      return Violation("gives a second meaning to column #", id.value);
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckRead(ColumnId id, const Node& input) {
    if (FindColumn(input.columns(), id) == nullptr) {
      return Violation("reads column #", id.value, " that its input does not give");
    }
    return arrow::Status::OK();
  }
  arrow::Status CheckRead(ColumnId id) { return CheckRead(id, *node_->input()); }

  arrow::Status CheckReads(const std::vector<ColumnId>& ids) {
    for (ColumnId id : ids) {
      ARROW_RETURN_NOT_OK(CheckRead(id));
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckKeys(const std::vector<SortKey>& keys) {
    for (const SortKey& key : keys) {
      ARROW_RETURN_NOT_OK(CheckRead(key.column));
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckBoolean(ColumnId id) {
    ARROW_RETURN_NOT_OK(CheckRead(id));
    return FindColumn(node_->input()->columns(), id)->type->id() == arrow::Type::BOOL
               ? arrow::Status::OK()
               : Violation("filters by column #", id.value, " that is not BOOLEAN");
  }

  // `given` are the columns that may be read.
  arrow::Status CheckExpr(const Expr& expr, const std::vector<Column>& given) {
    if (expr.kind == ExprKind::kColumn) {
      const Column* column = FindColumn(given, expr.column);
      if (column == nullptr) {
        return Violation("reads column ", expr.name, "#", expr.column.value,
                         " that its input does not give");
      }
      if (column->type == nullptr || !column->type->Equals(*expr.type)) {
        return Violation("reads column ", expr.name, " as ", expr.type->ToString());
      }
    }
    if (expr.kind == ExprKind::kCall) {
      if (expr.children.size() != expr.function->argument_types.size()) {
        return Violation("calls ", expr.function->name, " with ", expr.children.size(),
                         " arguments");
      }
      for (size_t i = 0; i < expr.children.size(); ++i) {
        if (!expr.children[i]->type->Equals(*expr.function->argument_types[i])) {
          return Violation("calls ", expr.function->name, " with an argument of type ",
                           expr.children[i]->type->ToString());
        }
      }
    }
    if (expr.kind == ExprKind::kCase) {
      if (expr.children.size() % 2 == 0) {
        return Violation("has a CASE without its default");
      }
      for (size_t i = 0; i < expr.children.size(); ++i) {
        const bool is_condition = i % 2 == 0 && i + 1 < expr.children.size();
        const arrow::DataType& child = *expr.children[i]->type;
        if (is_condition ? child.id() != arrow::Type::BOOL : !child.Equals(*expr.type)) {
          return Violation("has a CASE with a part of type ", child.ToString());
        }
      }
    }
    for (const ExprPtr& child : expr.children) {
      ARROW_RETURN_NOT_OK(CheckExpr(*child, given));
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckPredicate(const Expr& predicate) {
    return CheckPredicate(predicate, node_->input()->columns());
  }
  arrow::Status CheckPredicate(const Expr& predicate, const std::vector<Column>& given) {
    ARROW_RETURN_NOT_OK(CheckExpr(predicate, given));
    return predicate.type->id() == arrow::Type::BOOL ? arrow::Status::OK()
                                                     : Violation("has a predicate of another type");
  }

  arrow::Status CheckFields(const std::vector<ScanNode::Field>& fields, const Source& source) {
    for (const ScanNode::Field& field : fields) {
      ARROW_RETURN_NOT_OK(Introduce(field.id));
      if (field.index < 0 || field.index >= source.schema()->num_fields() ||
          !source.schema()->field(field.index)->type()->Equals(*field.type)) {
        return Violation("reads field ", field.index, " as ", field.type->ToString());
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckScan(const ScanNode& node) {
    const ScanNode::Spec& spec = node.spec();
    ARROW_RETURN_NOT_OK(CheckFields(spec.fields, *spec.source));
    if (spec.address.has_value()) {
      ARROW_RETURN_NOT_OK(Introduce(*spec.address));
    }
    for (const ColumnBound& bound : spec.bounds) {
      if (bound.column < 0 || bound.column >= spec.source->schema()->num_fields()) {
        return Violation("bounds field ", bound.column);
      }
      if (bound.value != nullptr &&
          (!bound.value->is_valid ||
           !bound.value->type->Equals(*spec.source->schema()->field(bound.column)->type()))) {
        return Violation("bounds field ", bound.column, " by ", bound.value->ToString());
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckValues(const ValuesNode& node) {
    for (const Column& column : node.columns()) {
      ARROW_RETURN_NOT_OK(Introduce(column.id));
    }
    for (const std::vector<ExprPtr>& row : node.rows()) {
      if (row.size() != node.columns().size()) {
        return Violation("has a row of ", row.size(), " values");
      }
      for (size_t i = 0; i < row.size(); ++i) {
        ARROW_RETURN_NOT_OK(CheckExpr(*row[i], {}));
        if (!row[i]->type->Equals(*node.columns()[i].type)) {
          return Violation("has a value of type ", row[i]->type->ToString());
        }
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckProject(const ProjectNode& node) {
    for (const ProjectNode::Item& item : node.items()) {
      ARROW_RETURN_NOT_OK(CheckExpr(*item.expr, node.input()->columns()));
      if (!ProjectNode::IsPass(item)) {
        ARROW_RETURN_NOT_OK(Introduce(item.id));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckCall(const AggregateCall& call) {
    ARROW_RETURN_NOT_OK(CheckReads(call.arguments));
    ARROW_RETURN_NOT_OK(CheckReads(call.required));
    ARROW_RETURN_NOT_OK(CheckKeys(call.order));
    if (call.filter.has_value()) {
      ARROW_RETURN_NOT_OK(CheckBoolean(*call.filter));
    }
    if (call.function->kind != AggregateKind::kAccumulate && call.arguments.size() != 1) {
      return Violation("has ", call.spelling, " over ", call.arguments.size(), " values");
    }
    if (call.nth < 1 || call.limit.value_or(1) < 1) {
      return Violation("has ", call.spelling, " for a number of rows below 1");
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckAggregate(const AggregateNode& node) {
    ARROW_RETURN_NOT_OK(CheckReads(node.groups()));
    for (const AggregateCall& call : node.calls()) {
      ARROW_RETURN_NOT_OK(CheckCall(call));
      ARROW_RETURN_NOT_OK(Introduce(call.id));
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckWindow(const WindowNode& node) {
    ARROW_RETURN_NOT_OK(CheckReads(node.spec().partition));
    ARROW_RETURN_NOT_OK(CheckKeys(node.spec().order));
    for (const WindowCall& call : node.spec().calls) {
      if (call.aggregate.has_value() != (call.kind == WindowCall::Kind::kAggregate)) {
        return Violation("has a window call of two kinds");
      }
      if (call.aggregate.has_value()) {
        ARROW_RETURN_NOT_OK(CheckCall(*call.aggregate));
      }
      ARROW_RETURN_NOT_OK(CheckReads(call.arguments));
      if (call.kind == WindowCall::Kind::kNtile && call.offset < 1) {
        return Violation("cuts a partition into ", call.offset, " buckets");
      }
      ARROW_RETURN_NOT_OK(Introduce(call.id));
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckKeepRows(const KeepRowsNode& node) {
    const KeepRowsNode::Spec& spec = node.spec();
    ARROW_RETURN_NOT_OK(CheckReads(spec.groups));
    ARROW_RETURN_NOT_OK(CheckKeys(spec.order));
    ARROW_RETURN_NOT_OK(CheckReads(spec.payload));
    if (spec.rows_max < 1) {
      return Violation("keeps ", spec.rows_max, " rows");
    }
    if (spec.number.has_value()) {
      ARROW_RETURN_NOT_OK(Introduce(spec.number->id));
      if (spec.number->type->id() != arrow::Type::INT64) {
        return Violation("numbers rows as ", spec.number->type->ToString());
      }
    }
    if (!spec.group_limit.has_value()) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(CheckNotNegative(*spec.group_limit));
    std::unordered_set<ColumnId> ordered;
    for (const SortKey& key : spec.group_order) {
      ordered.insert(key.column);
    }
    const std::unordered_set<ColumnId> grouped(spec.groups.begin(), spec.groups.end());
    return ordered == grouped ? arrow::Status::OK()
                              : Violation("limits groups by other columns than their own");
  }

  arrow::Status CheckFetch(const FetchNode& node) {
    const FetchNode::Spec& spec = node.spec();
    ARROW_RETURN_NOT_OK(CheckRead(spec.address));
    if (FindColumn(node.input()->columns(), spec.address)->type->id() != arrow::Type::INT64) {
      return Violation("fetches by an address that is not INT64");
    }
    if (!spec.source->can_fetch()) {
      return Violation("fetches from a source that cannot be read again");
    }
    return CheckFields(spec.fields, *spec.source);
  }

  arrow::Status CheckUnionAll(const UnionAllNode& node) {
    if (node.sources().size() != node.inputs().size()) {
      return Violation("has ", node.inputs().size(), " inputs and ", node.sources().size(),
                       " lists of columns");
    }
    for (const Column& column : node.columns()) {
      ARROW_RETURN_NOT_OK(Introduce(column.id));
    }
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      const std::vector<ColumnId>& ids = node.sources()[i];
      if (ids.size() != node.columns().size()) {
        return Violation("takes ", ids.size(), " columns of an input");
      }
      for (size_t c = 0; c < ids.size(); ++c) {
        ARROW_RETURN_NOT_OK(CheckRead(ids[c], *node.inputs()[i]));
        if (!FindColumn(node.inputs()[i]->columns(), ids[c])
                 ->type->Equals(*node.columns()[c].type)) {
          return Violation("takes column ", node.columns()[c].name, " as another type");
        }
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status CheckJoin(const JoinNode& node) {
    for (const JoinNode::Key& key : node.spec().keys) {
      ARROW_RETURN_NOT_OK(CheckRead(key.left, *node.left()));
      ARROW_RETURN_NOT_OK(CheckRead(key.right, *node.right()));
      const TypePtr& left = FindColumn(node.left()->columns(), key.left)->type;
      const TypePtr& right = FindColumn(node.right()->columns(), key.right)->type;
      if (!left->Equals(*right)) {
        return Violation("compares keys of types ", left->ToString(), " and ", right->ToString());
      }
    }
    std::vector<Column> given = node.left()->columns();
    given.insert(given.end(), node.right()->columns().begin(), node.right()->columns().end());
    return node.spec().residual == nullptr ? arrow::Status::OK()
                                           : CheckPredicate(*node.spec().residual, given);
  }

  arrow::Status CheckUnnest(const UnnestNode& node) {
    const UnnestNode::Spec& spec = node.spec();
    if (spec.lists.empty() && !spec.ordinals.has_value()) {
      return Violation("has no list");
    }
    for (const UnnestNode::List& list : spec.lists) {
      ARROW_RETURN_NOT_OK(CheckRead(list.list));
      const TypePtr element = ElementType(*FindColumn(node.input()->columns(), list.list)->type);
      if (element == nullptr || list.element.type == nullptr ||
          !element->Equals(*list.element.type)) {
        return Violation("has elements ", list.element.name, " of another type than their list's");
      }
      ARROW_RETURN_NOT_OK(Introduce(list.element.id));
    }
    if (spec.ordinality.has_value()) {
      ARROW_RETURN_NOT_OK(Introduce(spec.ordinality->id));
      if (spec.ordinality->type->id() != arrow::Type::INT64) {
        return Violation("numbers elements as ", spec.ordinality->type->ToString());
      }
    }
    if (!spec.ordinals.has_value()) {
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(CheckRead(*spec.ordinals));
    const TypePtr place = ElementType(*FindColumn(node.input()->columns(), *spec.ordinals)->type);
    return place != nullptr && place->id() == arrow::Type::INT64 && !spec.keeps_empty
               ? arrow::Status::OK()
               : Violation("has ordinals that are no list of INT64");
  }

  arrow::Status CheckNest(const NestNode& node) {
    ARROW_RETURN_NOT_OK(CheckRead(node.spec().address));
    for (const NestNode::List& list : node.spec().lists) {
      ARROW_RETURN_NOT_OK(CheckRead(list.value));
      ARROW_RETURN_NOT_OK(Introduce(list.list.id));
      const TypePtr value = ElementType(*list.list.type);
      if (value == nullptr ||
          !value->Equals(*FindColumn(node.input()->columns(), list.value)->type)) {
        return Violation("makes lists ", list.list.name, " of another type than their values'");
      }
    }
    return arrow::Status::OK();
  }

  const Node* node_ = nullptr;
  std::unordered_set<ColumnId> introduced_;
};

}  // namespace

arrow::Status VerifyPlan(const Node& root) {
  Verifier verifier;
  return verifier.Visit(root);
}

}  // namespace keepone
