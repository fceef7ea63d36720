// SPDX-License-Identifier: Apache-2.0
#include "exec/group_states.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/gather.h"
#include "column/row_bytes.h"
#include "exec/keep_spec.h"
#include "function/state_column.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

// Whether values that are equal as keys may have different bits.
bool Varies(const arrow::DataType& type) {
  if (arrow::is_floating(type.id())) {
    return true;
  }
  if (type.id() == arrow::Type::EXTENSION) {
    return Varies(*checked_cast<const arrow::ExtensionType&>(type).storage_type());
  }
  if (type.id() == arrow::Type::DICTIONARY) {
    return Varies(*checked_cast<const arrow::DictionaryType&>(type).value_type());
  }
  return std::any_of(type.fields().begin(), type.fields().end(),
                     [](const auto& field) { return Varies(*field->type()); });
}

// Numbers the columns that are used, in the order in which they are met.
class UsedColumns {
 public:
  int Use(int column) {
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    if (found != columns_.end()) {
      return static_cast<int>(found - columns_.begin());
    }
    columns_.push_back(column);
    return static_cast<int>(columns_.size()) - 1;
  }
  void UseAll(std::vector<int>* columns) {
    for (int& column : *columns) {
      column = Use(column);
    }
  }
  const std::vector<int>& columns() const { return columns_; }

 private:
  std::vector<int> columns_;
};

}  // namespace

arrow::Result<std::unique_ptr<AggregateLayout>> AggregateLayout::Make(
    QueryContext* context, std::vector<int> groups, std::vector<AggregateColumn> columns,
    const arrow::Schema& input, const arrow::Schema& output) {
  auto layout = std::make_unique<AggregateLayout>();
  layout->column_count_ = columns.size();
  UsedColumns used;
  used.UseAll(&groups);
  for (AggregateColumn& column : columns) {
    used.UseAll(&column.arguments);
    used.UseAll(&column.required);
    for (OrderColumn& order : column.order) {
      order.column = used.Use(order.column);
    }
    if (column.filter.has_value()) {
      column.filter = used.Use(*column.filter);
    }
  }
  layout->used_ = used.columns();
  arrow::FieldVector fields;
  for (const int column : layout->used_) {
    fields.push_back(input.field(column));
  }
  layout->narrow_schema_ = arrow::schema(std::move(fields));
  layout->groups_ = std::move(groups);
  arrow::FieldVector key_fields;
  for (size_t i = 0; i < layout->groups_.size(); ++i) {
    const auto& type = layout->narrow_schema_->field(layout->groups_[i])->type();
    layout->keys_vary_ = layout->keys_vary_ || Varies(*type);
    layout->key_fields_.push_back({type});
    key_fields.push_back(arrow::field(output.field(static_cast<int>(i))->name(), type));
  }
  layout->key_schema_ = arrow::schema(key_fields);
  layout->steps_ = MakeAggregateSteps(columns, *layout->narrow_schema_);
  arrow::FieldVector state_fields = std::move(key_fields);
  state_fields.push_back(arrow::field("position", arrow::int64(), false));
  for (size_t step = 0; step < layout->steps_.size(); ++step) {
    ARROW_ASSIGN_OR_RAISE(const arrow::DataTypeVector types,
                          layout->steps_[step]->state_types(context));
    layout->state_widths_.push_back(types.size());
    for (size_t i = 0; i < types.size(); ++i) {
      state_fields.push_back(
          arrow::field("state" + std::to_string(step) + "_" + std::to_string(i), types[i]));
    }
  }
  layout->state_schema_ = arrow::schema(std::move(state_fields));
  return layout;
}

std::shared_ptr<arrow::RecordBatch> AggregateLayout::Narrow(const arrow::RecordBatch& batch) const {
  return arrow::RecordBatch::Make(narrow_schema_, batch.num_rows(), SelectColumns(batch, used_));
}

arrow::ArrayVector AggregateLayout::KeysOf(const arrow::RecordBatch& narrowed) const {
  return SelectColumns(narrowed, groups_);
}

arrow::Result<std::unique_ptr<GroupStates>> GroupStates::Make(QueryContext* context,
                                                              const AggregateLayout& layout) {
  std::unique_ptr<GroupStates> groups(new GroupStates(context, layout));
  ARROW_ASSIGN_OR_RAISE(groups->table_, GroupTable::Make(layout.key_fields(), context->budget()));
  for (const auto& step : layout.steps()) {
    ARROW_ASSIGN_OR_RAISE(auto state, step->MakeState(context));
    groups->states_.push_back(std::move(state));
  }
  return groups;
}

arrow::Status GroupStates::Update(const arrow::RecordBatch& rows,
                                  std::span<const int64_t> positions) {
  ARROW_RETURN_NOT_OK(FindGroups(layout_.KeysOf(rows), positions));
  const GroupedBatch batch{rows, positions, group_ids_, int64_t{table_->group_count()}};
  for (const auto& state : states_) {
    ARROW_RETURN_NOT_OK(state->Update(batch));
  }
  return arrow::Status::OK();
}

arrow::Status GroupStates::Merge(const arrow::RecordBatch& groups) {
  const auto key_count = static_cast<std::ptrdiff_t>(layout_.key_fields().size());
  const arrow::ArrayVector& columns = groups.columns();
  ARROW_RETURN_NOT_OK(FindGroups(arrow::ArrayVector(columns.begin(), columns.begin() + key_count),
                                 StateValues<int64_t>(*columns[static_cast<size_t>(key_count)])));
  auto next = columns.begin() + key_count + 1;
  for (size_t i = 0; i < states_.size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(layout_.state_widths()[i]);
    ARROW_RETURN_NOT_OK(states_[i]->Merge(arrow::ArrayVector(next, end), group_ids_,
                                          int64_t{table_->group_count()}));
    next = end;
  }
  return arrow::Status::OK();
}

arrow::Status GroupStates::FindGroups(const arrow::ArrayVector& keys,
                                      std::span<const int64_t> positions) {
  group_ids_.resize(positions.size());
  const auto rows = static_cast<int64_t>(positions.size());
  ARROW_RETURN_NOT_OK(table_->Insert(keys, rows, group_ids_));
  std::vector<RowPlace> fresh;
  std::vector<RowPlace> earlier;
  auto next = static_cast<uint32_t>(first_positions_.size());
  if (positions.empty()) {
    return arrow::Status::OK();
  }
  // Nothing comes earlier as long as rows come in order.
  const auto [least, largest] = std::minmax_element(positions.begin(), positions.end());
  const bool ascends = *least > position_max_ && std::is_sorted(positions.begin(), positions.end());
  position_max_ = std::max(position_max_, *largest);
  for (uint32_t row = 0; row < positions.size(); ++row) {
    const uint32_t group = group_ids_[row];
    if (group == next) {
      fresh.push_back({0, row});
      first_positions_.push_back(positions[row]);
      ++next;
    } else if (!ascends && positions[row] < first_positions_[group]) {
      first_positions_[group] = positions[row];
      if (layout_.keys_vary()) {
        earlier.push_back({0, row});
        earlier_groups_.push_back(group);
      }
    }
  }
  ARROW_RETURN_NOT_OK(KeepKeys(keys, rows, fresh, &keys_));
  ARROW_RETURN_NOT_OK(KeepKeys(keys, rows, earlier, &earlier_keys_));
  return reserved_.Resize(static_cast<int64_t>(first_positions_.capacity() * sizeof(int64_t) +
                                               earlier_groups_.capacity() * sizeof(uint32_t)));
}

arrow::Status GroupStates::KeepKeys(const arrow::ArrayVector& keys, int64_t rows,
                                    const std::vector<RowPlace>& chosen, RowArena* arena) {
  if (chosen.empty() || keys.empty()) {
    return arrow::Status::OK();
  }
  const auto batch = arrow::RecordBatch::Make(layout_.key_schema(), rows, keys);
  ARROW_ASSIGN_OR_RAISE(auto kept,
                        GatherPlaces(layout_.key_schema(), {batch}, chosen, context_->pool()));
  key_bytes_ += BatchBytes(*kept);
  return arena->Append(std::move(kept));
}

int64_t GroupStates::bytes_used() const {
  int64_t bytes = table_->bytes_used() + key_bytes_ + reserved_.bytes();
  for (const auto& state : states_) {
    bytes += state->bytes_used();
  }
  return bytes;
}

arrow::Status GroupStates::Cut(uint32_t of_partitions, uint32_t first_partition,
                               uint32_t partition_count) {
  ARROW_ASSIGN_OR_RAISE(key_values_, KeyValues());
  const uint32_t count = table_->group_count();
  ARROW_RETURN_NOT_OK(reserved_.Resize(reserved_.bytes() + int64_t{count} * 8));
  std::vector<uint32_t> partitions(count);
  cut_begins_.assign(partition_count + 1, 0);
  for (uint32_t group = 0; group < count; ++group) {
    partitions[group] = table_->Partition(group, of_partitions) - first_partition;
    ++cut_begins_[partitions[group]];
  }
  // First the end of each partition, which moves down to its begin as groups are placed.
  size_t end = 0;
  for (size_t& begin : cut_begins_) {
    end += begin;
    begin = end;
  }
  cut_groups_.resize(count);
  for (uint32_t group = count; group-- > 0;) {
    cut_groups_[--cut_begins_[partitions[group]]] = group;
  }
  for (const auto& state : states_) {
    ARROW_RETURN_NOT_OK(state->PrepareExport(count));
  }
  return arrow::Status::OK();
}

std::span<const uint32_t> GroupStates::GroupsOfPartition(uint32_t partition) const {
  return std::span(cut_groups_)
      .subspan(cut_begins_[partition], cut_begins_[partition + 1] - cut_begins_[partition]);
}

arrow::Status GroupStates::Export(const Visit& visit) const {
  const int64_t group_bytes = bytes_used() / std::max<int64_t>(table_->group_count(), 1) + 1;
  const auto block = static_cast<size_t>(std::clamp<int64_t>(
      context_->batch_bytes_max() / group_bytes, 1, context_->batch_rows_max()));
  for (uint32_t partition = 0; partition + 1 < cut_begins_.size(); ++partition) {
    const std::span<const uint32_t> groups = GroupsOfPartition(partition);
    for (size_t first = 0; first < groups.size(); first += block) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(const auto batch, ExportGroups(groups.subspan(
                                                  first, std::min(block, groups.size() - first))));
      ARROW_RETURN_NOT_OK(visit(partition, batch));
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> GroupStates::ExportGroups(
    std::span<const uint32_t> groups) const {
  ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector columns, GatherKeys(groups));
  ARROW_ASSIGN_OR_RAISE(auto positions,
                        ExportValues(arrow::int64(), groups, context_->pool(),
                                     [this](uint32_t group) { return first_positions_[group]; }));
  columns.push_back(std::move(positions));
  for (const auto& state : states_) {
    ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector state_columns, state->Export(groups));
    columns.insert(columns.end(), state_columns.begin(), state_columns.end());
  }
  return arrow::RecordBatch::Make(layout_.state_schema(), static_cast<int64_t>(groups.size()),
                                  std::move(columns));
}

arrow::Status GroupStates::MergeLast(const GroupStates& other, uint32_t partition) {
  const std::span<const uint32_t> groups = other.GroupsOfPartition(partition);
  if (groups.empty()) {
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector keys, other.GatherKeys(groups));
  std::vector<int64_t> positions;
  positions.reserve(groups.size());
  for (const uint32_t group : groups) {
    positions.push_back(other.first_positions_[group]);
  }
  ARROW_RETURN_NOT_OK(FindGroups(keys, positions));
  for (size_t i = 0; i < states_.size(); ++i) {
    ARROW_RETURN_NOT_OK(states_[i]->MergeLast(*other.states_[i], groups, group_ids_,
                                              int64_t{table_->group_count()}));
  }
  return arrow::Status::OK();
}

arrow::Result<arrow::ArrayVector> GroupStates::GatherKeys(std::span<const uint32_t> groups) const {
  arrow::ArrayVector columns;
  std::vector<RowPlace> places(groups.size());
  for (size_t column = 0; column < key_values_.size(); ++column) {
    if (column == 0) {
      std::transform(groups.begin(), groups.end(), places.begin(),
                     [this](uint32_t group) { return key_values_[0].PlaceOf(group); });
    }
    ARROW_ASSIGN_OR_RAISE(auto values,
                          GatherValues(key_values_[column].chunks, places, context_->pool()));
    columns.push_back(std::move(values));
  }
  return columns;
}

arrow::Result<std::vector<GroupValues>> GroupStates::KeyValues() {
  ARROW_RETURN_NOT_OK(keys_.Flush());
  ARROW_RETURN_NOT_OK(earlier_keys_.Flush());
  std::vector<GroupValues> columns;
  for (int column = 0; column < layout_.key_schema()->num_fields(); ++column) {
    arrow::ArrayVector chunks;
    for (const auto& batch : keys_.batches()) {
      chunks.push_back(batch->column(column));
    }
    columns.push_back(ValuesInOrder(std::move(chunks)));
  }
  if (earlier_groups_.empty() || columns.empty()) {
    return columns;
  }
  const auto places = std::make_shared<RowOrder>(context_->budget());
  const auto count = static_cast<uint32_t>(first_positions_.size());
  ARROW_RETURN_NOT_OK(places->Resize(count));
  for (uint32_t group = 0; group < count; ++group) {
    places->refs()[group] = columns[0].PlaceOf(group);
  }
  // Of several keys of a group the last one that was kept comes first in the input.
  size_t next = 0;
  auto chunk = static_cast<uint32_t>(keys_.batches().size());
  for (const auto& batch : earlier_keys_.batches()) {
    for (uint32_t row = 0; row < batch->num_rows(); ++row) {
      places->refs()[earlier_groups_[next++]] = {chunk, row};
    }
    ++chunk;
    for (size_t column = 0; column < columns.size(); ++column) {
      columns[column].chunks.push_back(batch->column(static_cast<int>(column)));
    }
  }
  for (GroupValues& column : columns) {
    column.places = places;
  }
  return columns;
}

arrow::Result<FinishedGroups> GroupStates::Finish() {
  FinishedGroups finished;
  finished.group_count = table_->group_count();
  if (layout_.key_fields().empty() && finished.group_count == 0) {
    finished.group_count = 1;
    first_positions_.push_back(0);
  }
  table_.reset();
  ARROW_ASSIGN_OR_RAISE(finished.columns, KeyValues());
  const size_t key_count = finished.columns.size();
  finished.columns.resize(key_count + layout_.column_count());
  for (size_t i = 0; i < states_.size(); ++i) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    ARROW_ASSIGN_OR_RAISE(auto values, states_[i]->Finish(finished.group_count));
    states_[i].reset();
    for (size_t j = 0; j < values.size(); ++j) {
      finished.columns[key_count + layout_.steps()[i]->outputs()[j]] = std::move(values[j]);
    }
  }
  finished.positions = std::move(first_positions_);
  return finished;
}

arrow::Result<std::shared_ptr<arrow::Array>> GatherValues(const arrow::ArrayVector& chunks,
                                                          std::span<const RowPlace> places,
                                                          arrow::MemoryPool* pool) {
  std::vector<RowRef> rows;
  rows.reserve(places.size());
  arrow::ArrayVector used;
  if (chunks.size() <= 2 * places.size()) {
    for (const RowPlace place : places) {
      rows.push_back({static_cast<int32_t>(place.batch), int64_t{place.row}});
    }
  } else {
    // A few rows of many chunks: looking at every chunk would cost more than the rows.
    std::unordered_map<uint32_t, int32_t> numbers;
    for (const RowPlace place : places) {
      const auto [number, is_new] =
          numbers.try_emplace(place.batch, static_cast<int32_t>(used.size()));
      if (is_new) {
        used.push_back(chunks[place.batch]);
      }
      rows.push_back({number->second, int64_t{place.row}});
    }
  }
  ARROW_ASSIGN_OR_RAISE(const auto values,
                        GatherRows(chunks[0]->type(), used.empty() ? chunks : used, rows, pool));
  if (values->num_chunks() != 1) {
    return ResourceError(places.size(), " rows do not fit one batch: a column of theirs has more ",
                         "than 2^31 bytes or values");
  }
  return values->chunk(0);
}

}  // namespace keepone
