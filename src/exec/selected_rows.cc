// SPDX-License-Identifier: Apache-2.0
#include "exec/selected_rows.h"

#include <cstring>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "exec/keep_spec.h"

namespace keepone {

bool FindSelectedRows(const arrow::RecordBatch& batch, const AggregateColumn& column,
                      std::vector<uint32_t>* rows) {
  rows->clear();
  const auto rows_all = static_cast<uint32_t>(batch.num_rows());
  const arrow::BooleanArray* filter = nullptr;
  if (column.filter.has_value()) {
    filter =
        &arrow::internal::checked_cast<const arrow::BooleanArray&>(*batch.column(*column.filter));
  }
  bool any_null = false;
  for (const int required : column.required) {
    any_null = any_null || batch.column(required)->ComputeLogicalNullCount() > 0;
  }
  if (!any_null && (filter == nullptr || filter->true_count() == batch.num_rows())) {
    return false;
  }
  for (uint32_t row = 0; row < rows_all; ++row) {
    bool counts = filter == nullptr || (filter->IsValid(row) && filter->Value(row));
    for (size_t i = 0; counts && i < column.required.size(); ++i) {
      counts = batch.column(column.required[i])->IsValid(row);
    }
    if (counts) {
      rows->push_back(row);
    }
  }
  return true;
}

arrow::Result<SelectedRows> SelectRows(QueryContext* context, const GroupedBatch& batch,
                                       const AggregateColumn& column,
                                       const std::vector<int>& columns) {
  arrow::FieldVector fields;
  for (const int index : columns) {
    fields.push_back(batch.rows.schema()->field(index));
  }
  SelectedRows selected;
  selected.rows = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.rows.num_rows(),
                                           SelectColumns(batch.rows, columns));
  selected.group_ids = batch.group_ids;
  selected.positions = batch.positions;
  std::vector<uint32_t> rows;
  if (!FindSelectedRows(batch.rows, column, &rows)) {
    return selected;
  }
  std::vector<RowPlace> refs;
  refs.reserve(rows.size());
  for (const uint32_t row : rows) {
    refs.push_back({0, row});
    selected.own_group_ids.push_back(batch.group_ids[row]);
    selected.own_positions.push_back(batch.positions[row]);
  }
  selected.group_ids = selected.own_group_ids;
  selected.positions = selected.own_positions;
  if (columns.empty()) {
    selected.rows = arrow::RecordBatch::Make(
        selected.rows->schema(), static_cast<int64_t>(rows.size()), arrow::ArrayVector{});
    return selected;
  }
  ARROW_ASSIGN_OR_RAISE(
      selected.rows, GatherPlaces(selected.rows->schema(), {selected.rows}, refs, context->pool()));
  return selected;
}

std::shared_ptr<arrow::RecordBatch> WithGroupColumn(const arrow::RecordBatch& batch,
                                                    std::shared_ptr<arrow::Array> groups) {
  arrow::FieldVector fields = batch.schema()->fields();
  fields.push_back(arrow::field("group", arrow::uint32()));
  arrow::ArrayVector columns = batch.columns();
  columns.push_back(std::move(groups));
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(),
                                  std::move(columns));
}

namespace {

// A copy of the values.
template <typename ArrayType, typename Value>
arrow::Result<std::shared_ptr<arrow::Array>> ArrayOf(std::span<const Value> values,
                                                     arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(static_cast<int64_t>(values.size_bytes()), pool));
  if (!values.empty()) {
    std::memcpy(buffer->mutable_data(), values.data(), values.size_bytes());
  }
  return std::make_shared<ArrayType>(static_cast<int64_t>(values.size()), std::move(buffer));
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> GroupArray(std::span<const uint32_t> group_ids,
                                                        arrow::MemoryPool* pool) {
  return ArrayOf<arrow::UInt32Array>(group_ids, pool);
}

arrow::Result<std::shared_ptr<arrow::Array>> PositionArray(std::span<const int64_t> positions,
                                                           arrow::MemoryPool* pool) {
  return ArrayOf<arrow::Int64Array>(positions, pool);
}

std::span<const uint32_t> GroupsOf(const arrow::RecordBatch& batch) {
  const auto& groups = arrow::internal::checked_cast<const arrow::UInt32Array&>(
      *batch.column(batch.num_columns() - 1));
  return {groups.raw_values(), static_cast<size_t>(groups.length())};
}

}  // namespace keepone
