// SPDX-License-Identifier: Apache-2.0
#include "optimize/row_chain.h"

#include <algorithm>
#include <utility>

#include <arrow/type.h>

#include "plan/expr.h"
#include "plan/join_node.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

const char* KindName(NodeKind kind) {
  switch (kind) {
    case NodeKind::kScan:
      return "a scan";
    case NodeKind::kValues:
      return "a list of values";
    case NodeKind::kFilter:
      return "a filter";
    case NodeKind::kProject:
      return "a projection";
    case NodeKind::kAggregate:
      return "an aggregate";
    case NodeKind::kWindow:
      return "a window function";
    case NodeKind::kKeepRows:
      return "rows kept before";
    case NodeKind::kFetch:
      return "a fetch";
    case NodeKind::kSort:
      return "a sort";
    case NodeKind::kLimit:
      return "a limit";
    case NodeKind::kUnionAll:
      return "a union";
    case NodeKind::kJoin:
      return "a join";
    case NodeKind::kUnnest:
      return "unnested lists";
    case NodeKind::kNest:
      return "nested rows";
  }
  return "a node";
}

// Whether the node gives some of the rows of its left input, as they are and in their order.
bool PassesLeftRows(const Node& node) {
  const auto* join = AsIf<JoinNode>(node);
  return join != nullptr && !GivesRightColumns(join->spec().kind);
}

void AddUnique(ColumnId id, std::vector<ColumnId>* ids) {
  if (std::find(ids->begin(), ids->end(), id) == ids->end()) {
    ids->push_back(id);
  }
}

const ScanNode::Field* FindField(const std::vector<ScanNode::Field>& fields, ColumnId id) {
  for (const ScanNode::Field& field : fields) {
    if (field.id == id) {
      return &field;
    }
  }
  return nullptr;
}

}  // namespace

bool IsInAddressOrder(const Node& node) {
  if (PassesLeftRows(node)) {
    return IsInAddressOrder(*node.input());
  }
  switch (node.kind()) {
    case NodeKind::kScan:
      return true;
    case NodeKind::kFilter:
    case NodeKind::kProject:
    case NodeKind::kWindow:
    case NodeKind::kKeepRows:
    case NodeKind::kLimit:
      return IsInAddressOrder(*node.input());
    case NodeKind::kFetch:
      return !As<FetchNode>(node).spec().keeps_input_order || IsInAddressOrder(*node.input());
    default:
      return false;
  }
}

const std::vector<ScanNode::Field>& RowChain::fields() const {
  const auto* scan = AsIf<ScanNode>(*base);
  return scan != nullptr ? scan->spec().fields : As<FetchNode>(*base).spec().fields;
}

const Source& RowChain::source() const {
  const auto* scan = AsIf<ScanNode>(*base);
  return scan != nullptr ? *scan->spec().source : *As<FetchNode>(*base).spec().source;
}

RowChainSearch FindRowChain(const NodePtr& node) {
  RowChain chain;
  chain.top = node;
  chain.base = node;
  while (chain.base->kind() == NodeKind::kFilter || chain.base->kind() == NodeKind::kProject ||
         PassesLeftRows(*chain.base)) {
    chain.steps.push_back(chain.base.get());
    chain.base = chain.base->input();
  }
  if (const auto* scan = AsIf<ScanNode>(*chain.base)) {
    if (!scan->spec().source->can_fetch()) {
      return {std::nullopt, scan->spec().name + " cannot be read again"};
    }
    if (scan->spec().address.has_value()) {
      return {std::nullopt, "the rows are addresses already"};
    }
    return {std::move(chain), ""};
  }
  const auto* fetch = AsIf<FetchNode>(*chain.base);
  if (fetch != nullptr && (fetch->spec().keeps_input_order || IsInAddressOrder(*fetch->input()))) {
    return {std::move(chain), ""};
  }
  return {std::nullopt, std::string("the input comes from ") + KindName(chain.base->kind()) +
                            " and cannot be read again"};
}

int64_t FieldBytesPerRow(const Source& source, const SourceStatistics& statistics, int field) {
  const auto index = static_cast<size_t>(field);
  if (index < statistics.column_bytes.size() && statistics.row_count.value_or(0) > 0) {
    return (statistics.column_bytes[index] + *statistics.row_count - 1) / *statistics.row_count;
  }
  // Without statistics nested values and texts count as wide ones, which makes the fetch likely:
  // taking them along for nothing costs more than reading them twice.
  constexpr int64_t kTextBytes = 24;
  constexpr int64_t kNestedBytes = 128;
  const arrow::DataType& type = *source.schema()->field(field)->type();
  if (arrow::is_fixed_width(type)) {
    return std::max<int64_t>(1, type.bit_width() / 8);
  }
  return arrow::is_nested(type) ? kNestedBytes : kTextBytes;
}

RowSplit::RowSplit(RowChain chain, Request request)
    : chain_(std::move(chain)), request_(std::move(request)) {
  FindVolatile();
  const ColumnSet given(request_.given.begin(), request_.given.end());
  ColumnSet recomputed;
  for (ColumnId id : request_.payload) {
    if (given.contains(id)) {
      continue;
    }
    if (volatile_.contains(id)) {
      AddUnique(id, &carried_);
    } else {
      recomputed.insert(id);
    }
  }
  wide_needed_ = WalkDown(recomputed, /*with_filters=*/false);
  // A given column that the wide part reads too is taken from there, where it has its own id.
  const auto is_read = [this, &recomputed](ColumnId id) {
    return !recomputed.contains(id) &&
           std::any_of(wide_needed_.begin(), wide_needed_.end(),
                       [id](const ColumnSet& level) { return level.contains(id); });
  };
  for (ColumnId id : request_.payload) {
    if (is_read(id)) {
      recomputed.insert(id);
    }
  }
  wide_needed_ = WalkDown(std::move(recomputed), /*with_filters=*/false);
  ColumnSet narrow(request_.keys.begin(), request_.keys.end());
  narrow.insert(carried_.begin(), carried_.end());
  narrow_needed_ = WalkDown(narrow, /*with_filters=*/true);

  for (const ScanNode::Field& field : chain_.fields()) {
    if (narrow_needed_.back().contains(field.id)) {
      narrow_fields_.push_back(field);
    }
    if (wide_needed_.back().contains(field.id)) {
      fetch_fields_.push_back(field);
    }
  }
  // What a Fetch passes on from below keeps its id, and is carried past the picking.
  if (chain_.base->kind() == NodeKind::kFetch) {
    for (const Column& column : chain_.base->input()->columns()) {
      if (wide_needed_.back().contains(column.id)) {
        AddUnique(column.id, &carried_);
      }
    }
  }
  CountBytes();
}

void RowSplit::FindVolatile() {
  for (auto step = chain_.steps.rbegin(); step != chain_.steps.rend(); ++step) {
    const auto* project = AsIf<ProjectNode>(**step);
    if (project == nullptr) {
      continue;
    }
    for (const ProjectNode::Item& item : project->items()) {
      ColumnSet reads;
      CollectColumns(*item.expr, &reads);
      if (!IsDeterministic(*item.expr) ||
          std::any_of(reads.begin(), reads.end(),
                      [this](ColumnId id) { return volatile_.contains(id); })) {
        volatile_.insert(item.id);
      }
    }
  }
}

RowSplit::NeededColumns RowSplit::WalkDown(ColumnSet needed, bool with_filters) const {
  NeededColumns levels;
  levels.push_back(needed);
  for (const Node* step : chain_.steps) {
    if (const auto* project = AsIf<ProjectNode>(*step)) {
      ColumnSet below;
      for (const ProjectNode::Item& item : project->items()) {
        if (needed.contains(item.id)) {
          CollectColumns(*item.expr, &below);
        }
      }
      needed = std::move(below);
    } else if (with_filters) {
      ColumnSet reads;
      CollectReads(*step, &reads);
      for (const Column& column : step->input()->columns()) {
        if (reads.contains(column.id)) {
          needed.insert(column.id);
        }
      }
    }
    levels.push_back(needed);
  }
  return levels;
}

void RowSplit::CountBytes() {
  const Source& source = chain_.source();
  const SourceStatistics statistics = source.statistics();
  for (const ScanNode::Field& field : narrow_fields_) {
    narrow_bytes_ += FieldBytesPerRow(source, statistics, field.index);
  }
  for (const ScanNode::Field& field : fetch_fields_) {
    const bool is_read_already =
        std::any_of(narrow_fields_.begin(), narrow_fields_.end(),
                    [&field](const ScanNode::Field& other) { return other.index == field.index; });
    if (!is_read_already) {
      saves_fields_ = true;
      wide_bytes_ += FieldBytesPerRow(source, statistics, field.index);
    }
  }
}

RowSplit::Narrow RowSplit::MakeNarrow(ColumnIdGenerator* ids) const {
  Narrow narrow;
  std::vector<ScanNode::Field> fields = narrow_fields_;
  for (ScanNode::Field& field : fields) {
    const ColumnId fresh = ids->Next();
    narrow.ids[field.id] = fresh;
    field.id = fresh;
  }
  ColumnSet passed;  // columns that every Project passes on
  if (const auto* scan = AsIf<ScanNode>(*chain_.base)) {
    ScanNode::Spec spec = scan->spec();
    spec.fields = std::move(fields);
    spec.address = ids->Next();
    narrow.address = *spec.address;
    narrow.node = ScanNode::Make(std::move(spec));
    passed.insert(narrow.address);
  } else {
    const auto& fetch = As<FetchNode>(*chain_.base);
    narrow.address = fetch.spec().address;
    narrow.node = fetch.input();
    if (!fields.empty()) {
      FetchNode::Spec spec = fetch.spec();
      spec.fields = std::move(fields);
      narrow.node = FetchNode::Make(fetch.input(), std::move(spec));
    }
    for (const Column& column : fetch.input()->columns()) {
      narrow.ids[column.id] = column.id;
      passed.insert(column.id);
    }
  }
  const auto rename = [&narrow](const Expr& column) -> ExprPtr {
    const auto found = narrow.ids.find(column.column);
    return found == narrow.ids.end() || found->second == column.column
               ? nullptr
               : MakeColumnExpr(found->second, column.name, column.type, column.span);
  };
  for (size_t i = chain_.steps.size(); i-- > 0;) {
    if (const auto* filter = AsIf<FilterNode>(*chain_.steps[i])) {
      narrow.node =
          FilterNode::Make(std::move(narrow.node), ReplaceColumns(filter->predicate(), rename));
      continue;
    }
    if (const auto* join = AsIf<JoinNode>(*chain_.steps[i])) {
      JoinNode::Spec spec = join->spec();
      for (JoinNode::Key& key : spec.keys) {
        key.left = narrow.ids.at(key.left);
      }
      if (spec.residual != nullptr) {
        spec.residual = ReplaceColumns(spec.residual, rename);
      }
      narrow.node = JoinNode::Make(std::move(narrow.node), join->right(), std::move(spec));
      continue;
    }
    std::vector<ProjectNode::Item> items;
    for (const Column& column : narrow.node->columns()) {
      if (passed.contains(column.id)) {
        items.push_back(ProjectNode::Pass(column));
      }
    }
    std::unordered_map<ColumnId, ColumnId> renamed;
    for (const ProjectNode::Item& item : As<ProjectNode>(*chain_.steps[i]).items()) {
      if (!narrow_needed_[i].contains(item.id) ||
          (ProjectNode::IsPass(item) && passed.contains(item.id))) {
        continue;
      }
      ExprPtr expr = ReplaceColumns(item.expr, rename);
      const ColumnId id = ProjectNode::IsPass(item) ? expr->column : ids->Next();
      renamed[item.id] = id;
      items.push_back({id, item.name, std::move(expr)});
    }
    for (const auto& [from, to] : renamed) {
      narrow.ids[from] = to;
    }
    narrow.node = ProjectNode::Make(std::move(narrow.node), std::move(items));
  }
  for (ColumnId id : carried_) {
    if (narrow.ids.at(id) != narrow.address) {
      AddUnique(narrow.ids.at(id), &narrow.carried);
    }
  }
  return narrow;
}

NodePtr RowSplit::MakeWide(const Narrow& narrow, NodePtr picked, const std::vector<Column>& extras,
                           bool keeps_input_order) const {
  NodePtr node = std::move(picked);
  if (!fetch_fields_.empty()) {
    FetchNode::Spec spec;
    if (const auto* scan = AsIf<ScanNode>(*chain_.base)) {
      spec.source = scan->spec().source;
      spec.name = scan->spec().name;
    } else {
      spec.source = As<FetchNode>(*chain_.base).spec().source;
      spec.name = As<FetchNode>(*chain_.base).spec().name;
    }
    spec.address = narrow.address;
    spec.fields = fetch_fields_;
    spec.keeps_input_order = keeps_input_order;
    spec.input_in_address_order = IsInAddressOrder(*node);
    node = FetchNode::Make(node, std::move(spec));
  }
  // From here on all columns are passed on, but fields that no one needs higher up.
  std::vector<Column> passed = node->columns();
  std::erase_if(passed, [this](const Column& column) {
    return FindField(fetch_fields_, column.id) != nullptr;
  });
  for (size_t i = chain_.steps.size(); i-- > 0;) {
    const auto* project = AsIf<ProjectNode>(*chain_.steps[i]);
    if (project == nullptr) {
      continue;
    }
    std::vector<ProjectNode::Item> items;
    for (const Column& column : passed) {
      items.push_back(ProjectNode::Pass(column));
    }
    for (const ProjectNode::Item& item : project->items()) {
      if (wide_needed_[i].contains(item.id) && FindColumn(passed, item.id) == nullptr) {
        items.push_back(item);
      }
    }
    node = ProjectNode::Make(std::move(node), std::move(items));
  }
  std::vector<ProjectNode::Item> items;
  for (ColumnId id : request_.payload) {
    const Column column = PassedColumn(*chain_.top, id);
    const bool is_recomputed = FindColumn(node->columns(), id) != nullptr;
    const ColumnId source = is_recomputed ? id : narrow.ids.at(id);
    items.push_back({id, column.name, MakeColumnExpr(source, column.name, column.type)});
  }
  for (const Column& column : extras) {
    items.push_back(ProjectNode::Pass(column));
  }
  return ProjectNode::Make(std::move(node), std::move(items));
}

}  // namespace keepone
