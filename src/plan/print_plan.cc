// SPDX-License-Identifier: Apache-2.0
#include "plan/print_plan.h"

#include <optional>
#include <string>
#include <vector>

#include <arrow/scalar.h>

#include "plan/expr.h"
#include "plan/fetch_node.h"
#include "plan/group_nodes.h"
#include "plan/join_node.h"
#include "plan/leaf_nodes.h"
#include "plan/list_nodes.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

// A list of names beyond this is cut: nobody reads the four hundredth.
constexpr size_t kNamesMax = 24;

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size() && i < kNamesMax; ++i) {
    text += (i > 0 ? ", " : "") + parts[i];
  }
  if (parts.size() > kNamesMax) {
    text += ", and " + std::to_string(parts.size() - kNamesMax) + " more";
  }
  return text;
}

std::string InBrackets(const std::vector<std::string>& parts) {
  return "[" + Join(parts) + "]";
}

std::string Name(const Node& input, ColumnId id) {
  return PassedColumn(input, id).name;
}

std::string Names(const Node& input, const std::vector<ColumnId>& ids) {
  std::vector<std::string> names;
  for (ColumnId id : ids) {
    names.push_back(Name(input, id));
  }
  return InBrackets(names);
}

std::string ColumnNames(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) {
    names.push_back(column.name);
  }
  return InBrackets(names);
}

std::string FieldNames(const std::vector<ScanNode::Field>& fields) {
  std::vector<std::string> names;
  for (const ScanNode::Field& field : fields) {
    names.push_back(field.name);
  }
  return InBrackets(names);
}

std::string Keys(const Node& input, const std::vector<SortKey>& keys) {
  std::vector<std::string> parts;
  for (const SortKey& key : keys) {
    parts.push_back(Name(input, key.column) + (key.descending ? " DESC" : " ASC") +
                    (key.nulls_first ? " NULLS FIRST" : " NULLS LAST"));
  }
  return Join(parts);
}

std::string BoundText(const ScanNode::Spec& spec, const ColumnBound& bound) {
  std::string name = "?";
  for (const ScanNode::Field& field : spec.fields) {
    if (field.index == bound.column) {
      name = field.name;
    }
  }
  const std::string value =
      bound.value != nullptr ? ToString(*MakeLiteralExpr(bound.value)) : std::string();
  switch (bound.op) {
    case ColumnBound::Op::kEqual:
      return name + " = " + value;
    case ColumnBound::Op::kLess:
      return name + " < " + value;
    case ColumnBound::Op::kLessEqual:
      return name + " <= " + value;
    case ColumnBound::Op::kGreater:
      return name + " > " + value;
    case ColumnBound::Op::kGreaterEqual:
      return name + " >= " + value;
    case ColumnBound::Op::kIsNull:
      return name + " IS NULL";
    case ColumnBound::Op::kIsNotNull:
      return name + " IS NOT NULL";
  }
  return name;
}

std::string DescribeScan(const ScanNode& node) {
  const ScanNode::Spec& spec = node.spec();
  std::string text = "Scan: " + spec.name + " " + FieldNames(spec.fields);
  if (spec.address.has_value()) {
    text += " with row addresses";
  }
  if (!spec.bounds.empty()) {
    std::vector<std::string> parts;
    for (const ColumnBound& bound : spec.bounds) {
      parts.push_back(BoundText(spec, bound));
    }
    text += ", bounds " + InBrackets(parts);
  }
  return text;
}

std::string DescribeValues(const ValuesNode& node) {
  const size_t rows = node.rows().size();
  std::string text = "Values: ";
  text += rows == 0 ? "no rows" : std::to_string(rows) + (rows == 1 ? " row" : " rows");
  return node.columns().empty() ? text : text + " " + ColumnNames(node.columns());
}

std::string DescribeProject(const ProjectNode& node) {
  std::vector<std::string> parts;
  for (const ProjectNode::Item& item : node.items()) {
    std::string text = ToString(*item.expr);
    if (text != item.name) {
      text += " AS " + item.name;
    }
    parts.push_back(std::move(text));
  }
  return parts.empty() ? "Project: no columns" : "Project: " + Join(parts);
}

std::string DescribeAggregate(const AggregateNode& node) {
  std::vector<std::string> parts;
  for (const AggregateCall& call : node.calls()) {
    parts.push_back(call.spelling == call.name ? call.spelling
                                               : call.spelling + " AS " + call.name);
  }
  std::string text = "Aggregate: group " + Names(*node.input(), node.groups());
  return parts.empty() ? text : text + ", " + Join(parts);
}

std::string WindowFunction(const WindowCall& call) {
  switch (call.kind) {
    case WindowCall::Kind::kRowNumber:
      return "row_number()";
    case WindowCall::Kind::kRank:
      return "rank()";
    case WindowCall::Kind::kDenseRank:
      return "dense_rank()";
    case WindowCall::Kind::kAggregate:
      return call.aggregate.has_value() ? call.aggregate->spelling : "?";
    case WindowCall::Kind::kPercentRank:
    case WindowCall::Kind::kCumeDist:
    case WindowCall::Kind::kNtile:
    case WindowCall::Kind::kShift:
      break;
  }
  return call.spelling;
}

std::string DescribeWindow(const WindowNode& node) {
  const WindowNode::Spec& spec = node.spec();
  std::string over;
  if (!spec.partition.empty()) {
    const std::string names = Names(*node.input(), spec.partition);
    over = "PARTITION BY " + names.substr(1, names.size() - 2);
  }
  if (!spec.order.empty()) {
    over += (over.empty() ? "" : " ") + std::string("ORDER BY ") + Keys(*node.input(), spec.order);
  }
  std::vector<std::string> parts;
  for (const WindowCall& call : spec.calls) {
    const std::string frame = call.to_row ? " ROWS UNBOUNDED PRECEDING" : "";
    parts.push_back(call.name + " = " + WindowFunction(call) + " OVER (" + over + frame + ")");
  }
  return "Window: " + Join(parts);
}

std::string DescribeKeepRows(const KeepRowsNode& node) {
  const KeepRowsNode::Spec& spec = node.spec();
  const Node& input = *node.input();
  std::string text = "KeepRows: group " + Names(input, spec.groups) + ", order [" +
                     Keys(input, spec.order) + "], ";
  switch (spec.ties) {
    case KeepRowsNode::Ties::kCut:
      text += "first ";
      break;
    case KeepRowsNode::Ties::kKeepRank:
      text += "rank up to ";
      break;
    case KeepRowsNode::Ties::kKeepDense:
      text += "dense rank up to ";
      break;
  }
  text += std::to_string(spec.rows_max);
  text += spec.ties_to_last ? ", ties to the last" : "";
  text += spec.spelling.empty() ? "" : " (" + spec.spelling + ")";
  if (spec.group_limit.has_value()) {
    text += ", of the first " + std::to_string(*spec.group_limit) + " groups by [" +
            Keys(input, spec.group_order) + "]";
  }
  text += ", gives " + Names(input, spec.payload);
  if (spec.number.has_value()) {
    text += ", numbers as " + spec.number->name;
  }
  return spec.form.empty() ? text : text + "; " + spec.form;
}

std::string DescribeFetch(const FetchNode& node) {
  const FetchNode::Spec& spec = node.spec();
  std::string text = "Fetch: " + spec.name + " " + FieldNames(spec.fields) + " by " +
                     Name(*node.input(), spec.address);
  return spec.keeps_input_order ? text + ", in input order" : text;
}

std::string DescribeSort(const SortNode& node) {
  std::string text = "Sort: " + Keys(*node.input(), node.keys());
  return node.limit().has_value() ? text + ", first " + std::to_string(*node.limit()) : text;
}

std::string DescribeLimit(const LimitNode& node) {
  std::string text = "Limit: ";
  text += node.limit().has_value() ? std::to_string(*node.limit()) : "all";
  return node.offset() > 0 ? text + ", after " + std::to_string(node.offset()) : text;
}

const char* JoinName(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner:
      return "inner";
    case JoinKind::kLeft:
      return "left";
    case JoinKind::kRight:
      return "right";
    case JoinKind::kFull:
      return "full";
    case JoinKind::kSemi:
      return "semi";
    case JoinKind::kAnti:
      break;
  }
  return "anti";
}

std::string DescribeJoin(const JoinNode& node) {
  const JoinNode::Spec& spec = node.spec();
  std::vector<std::string> keys;
  for (const JoinNode::Key& key : spec.keys) {
    keys.push_back(Name(*node.left(), key.left) +
                   (key.null_equals_null ? " IS NOT DISTINCT FROM " : " = ") +
                   Name(*node.right(), key.right));
  }
  std::string text = std::string("Join: ") + JoinName(spec.kind);
  text += keys.empty() ? ", every pair" : " on " + InBrackets(keys);
  return spec.residual == nullptr ? text : text + " where " + ToString(*spec.residual);
}

std::string DescribeUnnest(const UnnestNode& node) {
  const UnnestNode::Spec& spec = node.spec();
  std::vector<std::string> parts;
  for (const UnnestNode::List& list : spec.lists) {
    parts.push_back(Name(*node.input(), list.list) + " AS " + list.element.name);
  }
  std::string text = "Unnest: " + Join(parts);
  text += spec.ordinality.has_value() ? ", numbers as " + spec.ordinality->name : "";
  text += spec.keeps_empty ? ", keeps rows without elements" : "";
  return spec.ordinals.has_value() ? text + ", only at " + Name(*node.input(), *spec.ordinals)
                                   : text;
}

std::string DescribeNest(const NestNode& node) {
  std::vector<ColumnId> values;
  for (const NestNode::List& list : node.spec().lists) {
    values.push_back(list.value);
  }
  return "Nest: " + Names(*node.input(), values) + " by " +
         Name(*node.input(), node.spec().address);
}

void PrintNode(const Node& node, size_t indent,
               const std::function<std::string(const Node&)>& annotate, std::string* text) {
  text->append(indent * 2, ' ');
  *text += DescribeNode(node);
  if (annotate != nullptr) {
    const std::string note = annotate(node);
    *text += note.empty() ? "" : "  " + note;
  }
  *text += '\n';
  for (const NodePtr& input : node.inputs()) {
    PrintNode(*input, indent + 1, annotate, text);
  }
}

}  // namespace

std::string DescribeNode(const Node& node) {
  switch (node.kind()) {
    case NodeKind::kScan:
      return DescribeScan(As<ScanNode>(node));
    case NodeKind::kValues:
      return DescribeValues(As<ValuesNode>(node));
    case NodeKind::kFilter:
      return "Filter: " + ToString(*As<FilterNode>(node).predicate());
    case NodeKind::kProject:
      return DescribeProject(As<ProjectNode>(node));
    case NodeKind::kAggregate:
      return DescribeAggregate(As<AggregateNode>(node));
    case NodeKind::kWindow:
      return DescribeWindow(As<WindowNode>(node));
    case NodeKind::kKeepRows:
      return DescribeKeepRows(As<KeepRowsNode>(node));
    case NodeKind::kFetch:
      return DescribeFetch(As<FetchNode>(node));
    case NodeKind::kSort:
      return DescribeSort(As<SortNode>(node));
    case NodeKind::kLimit:
      return DescribeLimit(As<LimitNode>(node));
    case NodeKind::kUnionAll:
      return "UnionAll: " + ColumnNames(node.columns());
    case NodeKind::kJoin:
      return DescribeJoin(As<JoinNode>(node));
    case NodeKind::kUnnest:
      return DescribeUnnest(As<UnnestNode>(node));
    case NodeKind::kNest:
      return DescribeNest(As<NestNode>(node));
  }
  return "?";
}

std::string PrintPlan(const Node& root, const std::function<std::string(const Node&)>& annotate) {
  std::string text;
  PrintNode(root, 0, annotate, &text);
  return text;
}

}  // namespace keepone
