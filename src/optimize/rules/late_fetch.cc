// SPDX-License-Identifier: Apache-2.0
#include "optimize/rules/late_fetch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "optimize/row_chain.h"
#include "optimize/rules/late_fetch_winners.h"
#include "plan/row_nodes.h"

namespace keepone {
namespace {

using Form = OptimizerSettings::Form;

// From this width on, carrying a payload through the picking costs more than reading the pages of
// the winners a second time: where one row is kept of each group, from the first byte on, as a
// winner's address costs its group nothing and carried columns are gathered at every win; where an
// address is a carried value like others, from some columns on (docs/performance.md).
constexpr int64_t kOneRowFetchBytesMin = 1;
constexpr int64_t kFetchBytesMin = 32;
// So few rows touch few pages, however narrow they are.
constexpr int64_t kFewRows = 10'000;
// A Fetch that keeps the order holds all of its rows at once, and cannot spill them as a Sort can.
constexpr int64_t kOrderedBytesMax = int64_t{256} << 20;

std::string WithCommas(int64_t number) {
  std::string text = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(text.size()) - 3; i > 0; i -= 3) {
    text.insert(static_cast<size_t>(i), ",");
  }
  return text;
}

std::string Bytes(int64_t bytes) {
  return WithCommas(bytes) + (bytes == 1 ? " byte" : " bytes");
}

struct Choice {
  bool fetch;
  std::string form;
};

Choice ChooseForm(const RowSplit& split, const KeepRowsNode::Spec& spec, Form form) {
  if (split.fetches_nothing()) {
    return {false, "carry: there is no payload to read"};
  }
  if (form == Form::kFetch) {
    return {true, "fetch: as it is set"};
  }
  if (form == Form::kCarry) {
    return {false, "carry: as it is set"};
  }
  if (!split.saves_fields()) {
    return {false, "carry: the payload is part of the keys"};
  }
  if (spec.group_limit.has_value() && *spec.group_limit <= kFewRows) {
    return {true, "fetch: only " + WithCommas(*spec.group_limit) +
                      (*spec.group_limit == 1 ? " group is" : " groups are") + " wanted"};
  }
  const std::string payload = "the payload is " + Bytes(split.wide_bytes()) + " a row";
  const bool is_one_row = spec.rows_max == 1 && spec.ties == KeepRowsNode::Ties::kCut;
  if (split.wide_bytes() < (is_one_row ? kOneRowFetchBytesMin : kFetchBytesMin)) {
    return {false, "carry: " + payload};
  }
  return {true, "fetch: " + payload + " against " + Bytes(split.narrow_bytes()) + " of keys"};
}

void RenameKeys(const RowSplit::Narrow& narrow, std::vector<SortKey>* keys) {
  for (SortKey& key : *keys) {
    key.column = narrow.ids.at(key.column);
  }
}

void AddKeyColumns(const std::vector<SortKey>& keys, std::vector<ColumnId>* columns) {
  for (const SortKey& key : keys) {
    columns->push_back(key.column);
  }
}

NodePtr FetchKeptRows(const NodePtr& node, const OptimizerContext& context) {
  const auto& keep = As<KeepRowsNode>(*node);
  KeepRowsNode::Spec spec = keep.spec();
  RowChainSearch search = FindRowChain(keep.input());
  if (!search.chain.has_value()) {
    spec.form = "carry: " + search.reason;
    return KeepRowsNode::Make(keep.input(), std::move(spec));
  }
  RowSplit::Request request;
  request.keys = spec.groups;
  AddKeyColumns(spec.order, &request.keys);
  request.payload = spec.payload;
  const RowSplit split(*std::move(search.chain), std::move(request));
  Choice choice = ChooseForm(split, spec, context.settings->form);
  spec.form = std::move(choice.form);
  if (!choice.fetch) {
    return KeepRowsNode::Make(keep.input(), std::move(spec));
  }
  const RowSplit::Narrow narrow = split.MakeNarrow(context.ids);
  for (ColumnId& group : spec.groups) {
    group = narrow.ids.at(group);
  }
  RenameKeys(narrow, &spec.order);
  RenameKeys(narrow, &spec.group_order);
  spec.payload = {narrow.address};
  spec.payload.insert(spec.payload.end(), narrow.carried.begin(), narrow.carried.end());
  std::vector<Column> extras;
  if (spec.number.has_value()) {
    extras.push_back(*spec.number);
  }
  // Rows that a sort has put in order come out in that order.
  const bool keeps_input_order = !IsInAddressOrder(*narrow.node);
  return split.MakeWide(narrow, KeepRowsNode::Make(narrow.node, std::move(spec)), extras,
                        keeps_input_order);
}

// Whether no more rows come out of the Fetch under these Projects than a Sort keeps.
bool GivesAtMost(const Node& node, int64_t rows) {
  if (node.kind() == NodeKind::kProject || node.kind() == NodeKind::kFetch) {
    return GivesAtMost(*node.input(), rows);
  }
  const auto* keep = AsIf<KeepRowsNode>(node);
  return keep != nullptr && keep->spec().ties == KeepRowsNode::Ties::kCut &&
         keep->spec().rows_max == 1 && keep->spec().group_limit.has_value() &&
         *keep->spec().group_limit <= rows;
}

std::vector<ColumnId> Ids(const std::vector<Column>& columns) {
  std::vector<ColumnId> ids;
  for (const Column& column : columns) {
    ids.push_back(column.id);
  }
  return ids;
}

NodePtr FetchTopRows(const NodePtr& node, const OptimizerContext& context) {
  const auto& sort = As<SortNode>(*node);
  const Form form = context.settings->form;
  if (!sort.limit().has_value() || form == Form::kCarry ||
      GivesAtMost(*sort.input(), *sort.limit())) {
    return node;
  }
  RowChainSearch search = FindRowChain(sort.input());
  if (!search.chain.has_value()) {
    return node;
  }
  RowSplit::Request request;
  AddKeyColumns(sort.keys(), &request.keys);
  request.payload = Ids(sort.columns());
  request.given = request.keys;
  const RowSplit split(*std::move(search.chain), std::move(request));
  if (split.fetches_nothing() || !split.saves_fields()) {
    return node;
  }
  if (form == Form::kAuto && *sort.limit() > kFewRows &&
      (split.wide_bytes() < kFetchBytesMin ||
       *sort.limit() > kOrderedBytesMax / split.wide_bytes())) {
    return node;
  }
  const RowSplit::Narrow narrow = split.MakeNarrow(context.ids);
  std::vector<SortKey> keys = sort.keys();
  RenameKeys(narrow, &keys);
  return split.MakeWide(narrow, SortNode::Make(narrow.node, std::move(keys), sort.limit()), {},
                        /*keeps_input_order=*/true);
}

NodePtr FetchFilteredRows(const NodePtr& node, const OptimizerContext& context) {
  const auto& filter = As<FilterNode>(*node);
  RowChainSearch search = FindRowChain(filter.input());
  if (context.settings->form == Form::kCarry || !search.chain.has_value() ||
      search.chain->base->kind() != NodeKind::kFetch || !IsDeterministic(*filter.predicate())) {
    return node;
  }
  const bool keeps_order = As<FetchNode>(*search.chain->base).spec().keeps_input_order;
  ColumnSet reads;
  CollectColumns(*filter.predicate(), &reads);
  RowSplit::Request request;
  request.keys.assign(reads.begin(), reads.end());
  std::sort(request.keys.begin(), request.keys.end());
  request.payload = Ids(filter.columns());
  request.given = request.keys;
  const RowSplit split(*std::move(search.chain), std::move(request));
  if (split.fetches_nothing() || !split.saves_fields() ||
      (split.wide_bytes() < kFetchBytesMin && context.settings->form == Form::kAuto)) {
    return node;
  }
  const RowSplit::Narrow narrow = split.MakeNarrow(context.ids);
  const auto rename = [&narrow](const Expr& column) {
    return MakeColumnExpr(narrow.ids.at(column.column), column.name, column.type, column.span);
  };
  NodePtr picked = FilterNode::Make(narrow.node, ReplaceColumns(filter.predicate(), rename));
  return split.MakeWide(narrow, std::move(picked), {}, keeps_order);
}

// Projects and such Fetches keep the number of rows and their order.
NodePtr SinkLimit(const LimitNode& limit, const NodePtr& node) {
  const auto* fetch = AsIf<FetchNode>(*node);
  const bool is_ordered_fetch =
      fetch != nullptr && (fetch->spec().keeps_input_order || IsInAddressOrder(*node->input()));
  if (node->kind() == NodeKind::kProject || is_ordered_fetch) {
    return node->WithInputs({SinkLimit(limit, node->input())});
  }
  return LimitNode::Make(node, limit.limit(), limit.offset());
}

}  // namespace

arrow::Result<NodePtr> LateFetch(const NodePtr& plan, const OptimizerContext& context) {
  return RewriteUp(plan, [&context](const NodePtr& node) -> arrow::Result<NodePtr> {
    switch (node->kind()) {
      case NodeKind::kKeepRows:
        return FetchKeptRows(node, context);
      case NodeKind::kSort:
        return FetchTopRows(node, context);
      case NodeKind::kFilter:
        return FetchFilteredRows(node, context);
      case NodeKind::kAggregate:
        return FetchWinners(node, kFetchBytesMin, context);
      case NodeKind::kLimit:
        return SinkLimit(As<LimitNode>(*node), node->input());
      default:
        return node;
    }
  });
}

}  // namespace keepone
