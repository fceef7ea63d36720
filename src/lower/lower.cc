// SPDX-License-Identifier: Apache-2.0
#include "lower/lower.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/error.h"
#include "exec/aggregate.h"
#include "exec/batch_map.h"
#include "exec/carry_winners.h"
#include "exec/fetch.h"
#include "exec/filter.h"
#include "exec/hash_join.h"
#include "exec/limit.h"
#include "exec/nest_rows.h"
#include "exec/pick_winners.h"
#include "exec/project.h"
#include "exec/sort.h"
#include "exec/union_all.h"
#include "exec/unnest.h"
#include "exec/values.h"
#include "exec/window.h"
#include "io/source.h"
#include "lower/lower_expression.h"
#include "plan/fetch_node.h"
#include "plan/group_nodes.h"
#include "plan/join_node.h"
#include "plan/leaf_nodes.h"
#include "plan/list_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {

namespace {

using ColumnSet = std::unordered_set<ColumnId>;

// A node's operator: it gives the required ones of the node's columns, and maybe others.
struct LoweredNode {
  std::unique_ptr<BatchStream> stream;
  std::vector<ColumnId> columns;
  MetricsTree metrics;
  std::shared_ptr<SourceCounters> counters;  // of a scan or a fetch
};

constexpr std::array kNodeNames = {"Scan",     "Values",   "Filter", "Project", "Aggregate",
                                   "Window",   "KeepRows", "Fetch",  "Sort",    "Limit",
                                   "UnionAll", "Join",     "Unnest", "Nest"};

std::shared_ptr<arrow::Schema> SchemaOf(const std::vector<Column>& columns) {
  arrow::FieldVector fields;
  for (const Column& column : columns) {
    fields.push_back(arrow::field(column.name, column.type));
  }
  return arrow::schema(std::move(fields));
}

std::vector<ColumnId> IdsOf(const std::vector<Column>& columns) {
  std::vector<ColumnId> ids;
  for (const Column& column : columns) {
    ids.push_back(column.id);
  }
  return ids;
}

arrow::Result<std::vector<int>> Positions(const std::vector<ColumnId>& columns,
                                          const std::vector<ColumnId>& ids) {
  std::vector<int> positions;
  for (const ColumnId id : ids) {
    ARROW_ASSIGN_OR_RAISE(const int position, ColumnPosition(columns, id));
    positions.push_back(position);
  }
  return positions;
}

arrow::Result<std::vector<OrderColumn>> OrderPositions(const std::vector<ColumnId>& columns,
                                                       const std::vector<SortKey>& keys) {
  std::vector<OrderColumn> order;
  for (const SortKey& key : keys) {
    ARROW_ASSIGN_OR_RAISE(const int position, ColumnPosition(columns, key.column));
    order.push_back({position, key.descending, key.nulls_first});
  }
  return order;
}

arrow::Result<AggregateColumn> LowerAggregateCall(const std::vector<ColumnId>& columns,
                                                  const AggregateCall& call) {
  AggregateColumn lowered;
  lowered.function = call.function;
  ARROW_ASSIGN_OR_RAISE(lowered.arguments, Positions(columns, call.arguments));
  ARROW_ASSIGN_OR_RAISE(lowered.order, OrderPositions(columns, call.order));
  lowered.ties_to_last = call.ties_to_last;
  lowered.nth = call.nth;
  lowered.limit = call.limit;
  if (call.filter.has_value()) {
    ARROW_ASSIGN_OR_RAISE(lowered.filter, ColumnPosition(columns, *call.filter));
  }
  ARROW_ASSIGN_OR_RAISE(lowered.required, Positions(columns, call.required));
  lowered.distinct = call.distinct;
  return lowered;
}

void AddKeys(const std::vector<SortKey>& keys, ColumnSet* required) {
  for (const SortKey& key : keys) {
    required->insert(key.column);
  }
}

void AddCall(const AggregateCall& call, ColumnSet* required) {
  required->insert(call.arguments.begin(), call.arguments.end());
  required->insert(call.required.begin(), call.required.end());
  AddKeys(call.order, required);
  if (call.filter.has_value()) {
    required->insert(*call.filter);
  }
}

// Whether the rows of `node` are in the order of the addresses that a scan below gives as `id`, so
// that the address breaks ties as the row's place in the input would.
bool IsScanAddress(const Node* node, ColumnId id) {
  while (true) {
    switch (node->kind()) {
      case NodeKind::kScan:
        return As<ScanNode>(*node).spec().address == id;
      case NodeKind::kFilter:
      case NodeKind::kProject:
      case NodeKind::kLimit:
      case NodeKind::kWindow:
      case NodeKind::kKeepRows:
        node = node->input().get();
        break;
      case NodeKind::kJoin:
        if (GivesRightColumns(As<JoinNode>(*node).spec().kind)) {
          return false;
        }
        node = node->input().get();
        break;
      default:
        return false;
    }
  }
}

// One row of no columns, for expressions that read none.
std::shared_ptr<arrow::RecordBatch> OneRow() {
  return arrow::RecordBatch::Make(arrow::schema({}), 1, arrow::ArrayVector{});
}

class Lowering {
 public:
  explicit Lowering(QueryContext* context) : context_(context) {}

  arrow::Result<LoweredNode> LowerNode(const Node& node, const ColumnSet& required) {
    ARROW_ASSIGN_OR_RAISE(LoweredNode lowered, MakeOperator(node, required));
    auto [known, is_new] = metrics_of_.try_emplace(&node);
    if (is_new) {
      known->second.metrics = std::make_shared<OperatorMetrics>();
    }
    MetricsTree& tree = lowered.metrics;
    tree.metrics = known->second.metrics;
    if (tree.name.empty()) {
      tree.name = kNodeNames[static_cast<size_t>(node.kind())];
    }
    if (lowered.counters != nullptr) {
      tree.metrics->source = lowered.counters;
    }
    known->second = tree;
    lowered.stream = MakeMeasured(std::move(lowered.stream), tree.metrics);
    return lowered;
  }

  std::unordered_map<const Node*, MetricsTree> TakeMetrics() { return std::move(metrics_of_); }

 private:
  arrow::Result<LoweredNode> MakeOperator(const Node& node, const ColumnSet& required) {
    switch (node.kind()) {
      case NodeKind::kScan:
        return LowerScan(As<ScanNode>(node));
      case NodeKind::kValues:
        return LowerValues(As<ValuesNode>(node));
      case NodeKind::kFilter:
        return LowerFilter(As<FilterNode>(node), required);
      case NodeKind::kProject:
        return LowerProject(As<ProjectNode>(node), required);
      case NodeKind::kAggregate:
        return LowerAggregate(As<AggregateNode>(node));
      case NodeKind::kWindow:
        return LowerWindow(As<WindowNode>(node), required);
      case NodeKind::kKeepRows:
        return LowerKeepRows(As<KeepRowsNode>(node));
      case NodeKind::kFetch:
        return LowerFetch(As<FetchNode>(node), required);
      case NodeKind::kSort:
        return LowerSort(As<SortNode>(node), required);
      case NodeKind::kLimit:
        return LowerLimit(As<LimitNode>(node), required);
      case NodeKind::kUnionAll:
        return LowerUnionAll(As<UnionAllNode>(node));
      case NodeKind::kJoin:
        return LowerJoin(As<JoinNode>(node), required);
      case NodeKind::kUnnest:
        return LowerUnnest(As<UnnestNode>(node), required);
      case NodeKind::kNest:
        return LowerNest(As<NestNode>(node));
    }
    return InternalError("unknown kind of plan node");
  }

  arrow::Result<LoweredNode> LowerInput(const Node& node, const ColumnSet& required,
                                        LoweredNode* lowered) {
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerNode(*node.input(), required));
    lowered->metrics.inputs.push_back(std::move(input.metrics));
    return input;
  }

  arrow::Result<LoweredNode> LowerScan(const ScanNode& node) {
    LoweredNode lowered;
    lowered.columns = IdsOf(node.columns());
    lowered.counters = std::make_shared<SourceCounters>();
    ScanRequest request;
    for (const ScanNode::Field& field : node.spec().fields) {
      request.columns.push_back(field.index);
    }
    request.with_addresses = node.spec().address.has_value();
    request.bounds = node.spec().bounds;
    ARROW_ASSIGN_OR_RAISE(lowered.stream,
                          node.spec().source->Scan(context_, std::move(request), lowered.counters));
    return lowered;
  }

  arrow::Result<LoweredNode> LowerValues(const ValuesNode& node) {
    LoweredNode lowered;
    lowered.columns = IdsOf(node.columns());
    const std::shared_ptr<arrow::RecordBatch> one_row = OneRow();
    std::vector<arrow::ArrayVector> cells(node.columns().size());
    for (const std::vector<ExprPtr>& row : node.rows()) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      for (size_t i = 0; i < cells.size(); ++i) {
        ARROW_ASSIGN_OR_RAISE(const ExpressionPtr expression, LowerExpression(*row[i], {}));
        ARROW_ASSIGN_OR_RAISE(auto cell, EvaluateToArray(*expression, context_, *one_row, 0));
        cells[i].push_back(std::move(cell));
      }
    }
    arrow::ArrayVector columns;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].empty()) {
        ARROW_ASSIGN_OR_RAISE(auto none,
                              arrow::MakeEmptyArray(node.columns()[i].type, context_->pool()));
        cells[i].push_back(std::move(none));
      }
      ARROW_ASSIGN_OR_RAISE(auto column, arrow::Concatenate(cells[i], context_->pool()));
      columns.push_back(std::move(column));
    }
    std::shared_ptr<arrow::Schema> schema = SchemaOf(node.columns());
    const std::shared_ptr<arrow::RecordBatch> all = arrow::RecordBatch::Make(
        schema, static_cast<int64_t>(node.rows().size()), std::move(columns));
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    for (int64_t row = 0; row < all->num_rows(); row += context_->batch_rows_max()) {
      batches.push_back(all->Slice(row, context_->batch_rows_max()));
    }
    lowered.stream = MakeValues(std::move(schema), std::move(batches));
    return lowered;
  }

  arrow::Result<LoweredNode> LowerFilter(const FilterNode& node, ColumnSet required) {
    LoweredNode lowered;
    CollectColumns(*node.predicate(), &required);
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, required, &lowered));
    ARROW_ASSIGN_OR_RAISE(ExpressionPtr predicate,
                          LowerExpression(*node.predicate(), input.columns));
    lowered.stream = MakeFilter(context_, std::move(input.stream), std::move(predicate));
    lowered.columns = std::move(input.columns);
    return lowered;
  }

  arrow::Result<LoweredNode> LowerProject(const ProjectNode& node, const ColumnSet& required) {
    LoweredNode lowered;
    ColumnSet read;
    std::vector<Column> columns;
    std::vector<const Expr*> exprs;
    for (size_t i = 0; i < node.items().size(); ++i) {
      const ProjectNode::Item& item = node.items()[i];
      if (required.contains(item.id)) {
        CollectColumns(*item.expr, &read);
        columns.push_back(node.columns()[i]);
        exprs.push_back(item.expr.get());
      }
    }
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, read, &lowered));
    std::vector<ExpressionPtr> expressions;
    for (const Expr* expr : exprs) {
      ARROW_ASSIGN_OR_RAISE(ExpressionPtr expression, LowerExpression(*expr, input.columns));
      expressions.push_back(std::move(expression));
    }
    lowered.columns = IdsOf(columns);
    lowered.stream =
        MakeProject(context_, std::move(input.stream), std::move(expressions), SchemaOf(columns));
    return lowered;
  }

  arrow::Result<LoweredNode> LowerAggregate(const AggregateNode& node) {
    LoweredNode lowered;
    ColumnSet required(node.groups().begin(), node.groups().end());
    for (const AggregateCall& call : node.calls()) {
      AddCall(call, &required);
    }
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, required, &lowered));
    ARROW_ASSIGN_OR_RAISE(std::vector<int> groups, Positions(input.columns, node.groups()));
    std::vector<AggregateColumn> calls;
    for (const AggregateCall& call : node.calls()) {
      ARROW_ASSIGN_OR_RAISE(AggregateColumn column, LowerAggregateCall(input.columns, call));
      calls.push_back(std::move(column));
    }
    lowered.columns = IdsOf(node.columns());
    lowered.stream = MakeAggregate(context_, std::move(input.stream), std::move(groups),
                                   std::move(calls), SchemaOf(node.columns()));
    return lowered;
  }

  arrow::Result<LoweredNode> LowerWindow(const WindowNode& node, ColumnSet required) {
    LoweredNode lowered;
    const WindowNode::Spec& spec = node.spec();
    std::vector<Column> given;
    for (const WindowCall& call : spec.calls) {
      given.push_back({call.id, call.name, call.type});
      required.erase(call.id);
      if (call.aggregate.has_value()) {
        AddCall(*call.aggregate, &required);
      }
      required.insert(call.arguments.begin(), call.arguments.end());
    }
    required.insert(spec.partition.begin(), spec.partition.end());
    AddKeys(spec.order, &required);
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, required, &lowered));
    WindowSpec window;
    ARROW_ASSIGN_OR_RAISE(window.partition, Positions(input.columns, spec.partition));
    ARROW_ASSIGN_OR_RAISE(window.order, OrderPositions(input.columns, spec.order));
    for (const WindowCall& call : spec.calls) {
      ARROW_ASSIGN_OR_RAISE(WindowColumn column, LowerWindowCall(input.columns, call));
      window.columns.push_back(std::move(column));
    }
    arrow::FieldVector fields = input.stream->schema()->fields();
    for (const Column& column : given) {
      fields.push_back(arrow::field(column.name, column.type));
    }
    lowered.columns = std::move(input.columns);
    for (const Column& column : given) {
      lowered.columns.push_back(column.id);
    }
    lowered.stream = MakeWindow(context_, std::move(input.stream), std::move(window),
                                arrow::schema(std::move(fields)));
    return lowered;
  }

  static arrow::Result<WindowColumn> LowerWindowCall(const std::vector<ColumnId>& columns,
                                                     const WindowCall& call) {
    WindowColumn column;
    ARROW_ASSIGN_OR_RAISE(column.arguments, Positions(columns, call.arguments));
    column.offset = call.offset;
    column.ignores_nulls = call.ignores_nulls;
    column.to_row = call.to_row;
    switch (call.kind) {
      case WindowCall::Kind::kRowNumber:
        column.kind = WindowColumn::Kind::kRowNumber;
        break;
      case WindowCall::Kind::kRank:
        column.kind = WindowColumn::Kind::kRank;
        break;
      case WindowCall::Kind::kDenseRank:
        column.kind = WindowColumn::Kind::kDenseRank;
        break;
      case WindowCall::Kind::kPercentRank:
        column.kind = WindowColumn::Kind::kPercentRank;
        break;
      case WindowCall::Kind::kCumeDist:
        column.kind = WindowColumn::Kind::kCumeDist;
        break;
      case WindowCall::Kind::kNtile:
        column.kind = WindowColumn::Kind::kNtile;
        break;
      case WindowCall::Kind::kShift:
        column.kind = WindowColumn::Kind::kShift;
        break;
      case WindowCall::Kind::kAggregate: {
        column.kind = WindowColumn::Kind::kAggregate;
        ARROW_ASSIGN_OR_RAISE(column.aggregate, LowerAggregateCall(columns, *call.aggregate));
        break;
      }
    }
    return column;
  }

  arrow::Result<LoweredNode> LowerKeepRows(const KeepRowsNode& node) {
    LoweredNode lowered;
    const KeepRowsNode::Spec& spec = node.spec();
    ColumnSet required(spec.groups.begin(), spec.groups.end());
    required.insert(spec.payload.begin(), spec.payload.end());
    AddKeys(spec.order, &required);
    AddKeys(spec.group_order, &required);
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, required, &lowered));
    KeepSpec keep;
    ARROW_ASSIGN_OR_RAISE(keep.groups, Positions(input.columns, spec.groups));
    ARROW_ASSIGN_OR_RAISE(keep.order, OrderPositions(input.columns, spec.order));
    ARROW_ASSIGN_OR_RAISE(keep.group_order, OrderPositions(input.columns, spec.group_order));
    keep.group_limit = spec.group_limit;
    keep.n = spec.rows_max;
    keep.ties_to_last = spec.ties_to_last;
    keep.gives_number = spec.number.has_value();
    switch (spec.ties) {
      case KeepRowsNode::Ties::kCut:
        keep.rule = KeepRule::kRowNumber;
        break;
      case KeepRowsNode::Ties::kKeepRank:
        keep.rule = KeepRule::kRank;
        break;
      case KeepRowsNode::Ties::kKeepDense:
        keep.rule = KeepRule::kDenseRank;
        break;
    }
    ARROW_ASSIGN_OR_RAISE(std::vector<int> payload, Positions(input.columns, spec.payload));
    lowered.columns = IdsOf(node.columns());
    std::shared_ptr<arrow::Schema> schema = SchemaOf(node.columns());
    if (payload.size() == 1 && IsScanAddress(node.input().get(), spec.payload[0])) {
      lowered.metrics.name = "PickWinners";
      lowered.stream = MakePickWinners(context_, std::move(input.stream), std::move(keep),
                                       payload[0], std::move(schema));
    } else {
      lowered.metrics.name = "CarryWinners";
      lowered.stream = MakeCarryWinners(context_, std::move(input.stream), std::move(keep),
                                        std::move(payload), std::move(schema));
    }
    return lowered;
  }

  arrow::Result<LoweredNode> LowerFetch(const FetchNode& node, ColumnSet required) {
    LoweredNode lowered;
    const FetchNode::Spec& spec = node.spec();
    // Columns of the input that nobody reads are not given: without them the source's morsels
    // pass straight through.
    const ColumnSet wanted = required;
    for (const ScanNode::Field& field : spec.fields) {
      required.erase(field.id);
    }
    required.insert(spec.address);
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, required, &lowered));
    FetchSpec fetch;
    fetch.source = spec.source;
    fetch.keeps_input_order = spec.keeps_input_order;
    fetch.input_in_address_order = spec.input_in_address_order;
    ARROW_ASSIGN_OR_RAISE(fetch.address, ColumnPosition(input.columns, spec.address));
    std::vector<Column> columns;
    for (const Column& column : node.input()->columns()) {
      if (wanted.contains(column.id)) {
        ARROW_ASSIGN_OR_RAISE(const int position, ColumnPosition(input.columns, column.id));
        fetch.input_columns.push_back(position);
        columns.push_back(column);
      }
    }
    for (const ScanNode::Field& field : spec.fields) {
      if (wanted.contains(field.id)) {
        fetch.fields.push_back(field.index);
        columns.push_back({field.id, field.name, field.type});
      }
    }
    lowered.columns = IdsOf(columns);
    lowered.counters = std::make_shared<SourceCounters>();
    lowered.stream = MakeFetch(context_, std::move(input.stream), std::move(fetch),
                               SchemaOf(columns), lowered.counters);
    return lowered;
  }

  arrow::Result<LoweredNode> LowerSort(const SortNode& node, ColumnSet required) {
    LoweredNode lowered;
    AddKeys(node.keys(), &required);
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, required, &lowered));
    ARROW_ASSIGN_OR_RAISE(std::vector<OrderColumn> keys,
                          OrderPositions(input.columns, node.keys()));
    lowered.columns = std::move(input.columns);
    lowered.stream = MakeSort(context_, std::move(input.stream), std::move(keys), node.limit());
    return lowered;
  }

  arrow::Result<LoweredNode> LowerLimit(const LimitNode& node, const ColumnSet& required) {
    LoweredNode lowered;
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, required, &lowered));
    lowered.columns = std::move(input.columns);
    lowered.stream = MakeLimit(context_, std::move(input.stream), {node.limit(), node.offset()});
    return lowered;
  }

  arrow::Result<LoweredNode> LowerUnionAll(const UnionAllNode& node) {
    LoweredNode lowered;
    const std::shared_ptr<arrow::Schema> schema = SchemaOf(node.columns());
    std::vector<std::unique_ptr<BatchStream>> streams;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      const std::vector<ColumnId>& sources = node.sources()[i];
      const ColumnSet required(sources.begin(), sources.end());
      ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerNode(*node.inputs()[i], required));
      lowered.metrics.inputs.push_back(std::move(input.metrics));
      ARROW_ASSIGN_OR_RAISE(std::vector<int> columns, Positions(input.columns, sources));
      streams.push_back(
          MakeSelectColumns(context_, std::move(input.stream), std::move(columns), schema));
    }
    lowered.columns = IdsOf(node.columns());
    lowered.stream = MakeUnionAll(std::move(streams));
    return lowered;
  }

  // One input of a join with just those of its columns that are read: the others would be put
  // beside every match.
  arrow::Result<LoweredNode> LowerJoinSide(const Node& side, const ColumnSet& read,
                                           LoweredNode* join) {
    ColumnSet required;
    for (const Column& column : side.columns()) {
      if (read.contains(column.id)) {
        required.insert(column.id);
      }
    }
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerNode(side, required));
    join->metrics.inputs.push_back(input.metrics);
    std::vector<ColumnId> kept;
    std::vector<int> positions;
    arrow::FieldVector fields;
    for (size_t i = 0; i < input.columns.size(); ++i) {
      if (required.contains(input.columns[i])) {
        kept.push_back(input.columns[i]);
        positions.push_back(static_cast<int>(i));
        fields.push_back(input.stream->schema()->field(static_cast<int>(i)));
      }
    }
    if (kept.size() < input.columns.size()) {
      input.stream = MakeSelectColumns(context_, std::move(input.stream), std::move(positions),
                                       arrow::schema(std::move(fields)));
      input.columns = std::move(kept);
    }
    return input;
  }

  arrow::Result<LoweredNode> LowerJoin(const JoinNode& node, ColumnSet read) {
    LoweredNode lowered;
    const JoinNode::Spec& spec = node.spec();
    for (const JoinNode::Key& key : spec.keys) {
      read.insert(key.left);
      read.insert(key.right);
    }
    if (spec.residual != nullptr) {
      CollectColumns(*spec.residual, &read);
    }
    ARROW_ASSIGN_OR_RAISE(LoweredNode left, LowerJoinSide(*node.left(), read, &lowered));
    ARROW_ASSIGN_OR_RAISE(LoweredNode right, LowerJoinSide(*node.right(), read, &lowered));
    JoinSpec join;
    join.kind = spec.kind;
    for (const JoinNode::Key& key : spec.keys) {
      ARROW_ASSIGN_OR_RAISE(const int left_key, ColumnPosition(left.columns, key.left));
      ARROW_ASSIGN_OR_RAISE(const int right_key, ColumnPosition(right.columns, key.right));
      join.left_keys.push_back(left_key);
      join.right_keys.push_back(right_key);
      join.null_equals_null.push_back(key.null_equals_null);
    }
    std::vector<ColumnId> both = left.columns;
    both.insert(both.end(), right.columns.begin(), right.columns.end());
    if (spec.residual != nullptr) {
      ARROW_ASSIGN_OR_RAISE(join.residual, LowerExpression(*spec.residual, both));
    }
    arrow::FieldVector fields = left.stream->schema()->fields();
    if (GivesRightColumns(spec.kind)) {
      const arrow::FieldVector& others = right.stream->schema()->fields();
      fields.insert(fields.end(), others.begin(), others.end());
    }
    lowered.columns = GivesRightColumns(spec.kind) ? std::move(both) : left.columns;
    lowered.stream = MakeHashJoin(context_, std::move(left.stream), std::move(right.stream),
                                  std::move(join), arrow::schema(std::move(fields)));
    return lowered;
  }

  // Gives only what is required: a list is repeated beside its elements only where it is read.
  arrow::Result<LoweredNode> LowerUnnest(const UnnestNode& node, const ColumnSet& wanted) {
    LoweredNode lowered;
    const UnnestNode::Spec& spec = node.spec();
    ColumnSet required;
    std::vector<Column> columns;
    for (const Column& column : node.input()->columns()) {
      if (wanted.contains(column.id)) {
        required.insert(column.id);
        columns.push_back(column);
      }
    }
    const std::vector<ColumnId> passed = IdsOf(columns);
    for (const UnnestNode::List& list : spec.lists) {
      required.insert(list.list);
    }
    if (spec.ordinals.has_value()) {
      required.insert(*spec.ordinals);
    }
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, required, &lowered));
    UnnestSpec unnest;
    ARROW_ASSIGN_OR_RAISE(unnest.passed, Positions(input.columns, passed));
    for (const UnnestNode::List& list : spec.lists) {
      const bool is_given = wanted.contains(list.element.id);
      ARROW_ASSIGN_OR_RAISE(const int position, ColumnPosition(input.columns, list.list));
      unnest.lists.push_back({position, list.per_ordinal, is_given});
      if (is_given) {
        columns.push_back(list.element);
      }
    }
    if (spec.ordinality.has_value() && wanted.contains(spec.ordinality->id)) {
      unnest.gives_ordinality = true;
      columns.push_back(*spec.ordinality);
    }
    unnest.keeps_empty = spec.keeps_empty;
    if (spec.ordinals.has_value()) {
      ARROW_ASSIGN_OR_RAISE(unnest.ordinals, ColumnPosition(input.columns, *spec.ordinals));
    }
    lowered.columns = IdsOf(columns);
    lowered.stream =
        MakeUnnest(context_, std::move(input.stream), std::move(unnest), SchemaOf(columns));
    return lowered;
  }

  arrow::Result<LoweredNode> LowerNest(const NestNode& node) {
    LoweredNode lowered;
    const NestNode::Spec& spec = node.spec();
    std::vector<ColumnId> values;
    for (const NestNode::List& list : spec.lists) {
      values.push_back(list.value);
    }
    ColumnSet required(values.begin(), values.end());
    required.insert(spec.address);
    ARROW_ASSIGN_OR_RAISE(LoweredNode input, LowerInput(node, required, &lowered));
    NestSpec nest;
    ARROW_ASSIGN_OR_RAISE(nest.address, ColumnPosition(input.columns, spec.address));
    ARROW_ASSIGN_OR_RAISE(nest.values, Positions(input.columns, values));
    lowered.columns = IdsOf(node.columns());
    lowered.stream =
        MakeNestRows(context_, std::move(input.stream), std::move(nest), SchemaOf(node.columns()));
    return lowered;
  }

  QueryContext* context_;
  std::unordered_map<const Node*, MetricsTree> metrics_of_;
};

}  // namespace

arrow::Result<LoweredPlan> Lower(const NodePtr& plan, QueryContext* context) {
  Lowering lowering(context);
  const std::vector<ColumnId> ids = IdsOf(plan->columns());
  ARROW_ASSIGN_OR_RAISE(LoweredNode root,
                        lowering.LowerNode(*plan, ColumnSet(ids.begin(), ids.end())));
  LoweredPlan lowered;
  std::shared_ptr<arrow::Schema> schema = SchemaOf(plan->columns());
  if (root.columns != ids || !root.stream->schema()->Equals(*schema)) {
    ARROW_ASSIGN_OR_RAISE(std::vector<int> columns, Positions(root.columns, ids));
    root.stream =
        MakeSelectColumns(context, std::move(root.stream), std::move(columns), std::move(schema));
  }
  lowered.stream = std::move(root.stream);
  lowered.metrics = std::move(root.metrics);
  lowered.metrics_of = lowering.TakeMetrics();
  return lowered;
}

}  // namespace keepone
