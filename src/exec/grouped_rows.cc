// SPDX-License-Identifier: Apache-2.0
#include "exec/grouped_rows.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "column/row_bytes.h"
#include "exec/selected_rows.h"

namespace keepone {

GroupedRows::GroupedRows(QueryContext* context, std::shared_ptr<arrow::Schema> schema)
    : context_(context),
      schema_(std::move(schema)),
      arena_(context),
      by_group_(context->budget()) {}

std::shared_ptr<arrow::DataType> GroupedRows::list_type() const {
  return arrow::large_list(arrow::struct_(schema_->fields()));
}

arrow::Status GroupedRows::Append(const arrow::RecordBatch& rows,
                                  std::span<const uint32_t> group_ids) {
  if (rows.num_rows() == 0) {
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(auto groups, GroupArray(group_ids, context_->pool()));
  const auto first = rows.columns().begin();
  const arrow::ArrayVector columns(first, first + schema_->num_fields());
  auto batch = WithGroupColumn(*arrow::RecordBatch::Make(schema_, rows.num_rows(), columns),
                               std::move(groups));
  bytes_ += BatchBytes(*batch);
  return arena_.Append(std::move(batch));
}

arrow::Status GroupedRows::Index(int64_t group_count) {
  ARROW_RETURN_NOT_OK(Flush());
  ends_.assign(static_cast<size_t>(group_count), 0);
  int64_t row_count = 0;
  for (const auto& batch : batches()) {
    for (const uint32_t group : GroupsOf(*batch)) {
      ++ends_[group];
    }
    row_count += batch->num_rows();
  }
  ARROW_RETURN_NOT_OK(by_group_.Resize(row_count));
  int64_t begin = 0;
  for (int64_t& end : ends_) {
    begin += std::exchange(end, begin);
  }
  for (uint32_t batch = 0; batch < batches().size(); ++batch) {
    uint32_t row = 0;
    for (const uint32_t group : GroupsOf(*batches()[batch])) {
      by_group_.refs()[static_cast<size_t>(ends_[group]++)] = {batch, row++};
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> GroupedRows::Export(
    std::span<const uint32_t> groups) const {
  const auto count = static_cast<int64_t>(groups.size());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets,
                        arrow::AllocateBuffer((count + 1) * 8, context_->pool()));
  auto* offset = reinterpret_cast<int64_t*>(offsets->mutable_data());
  *offset = 0;
  std::vector<RowPlace> refs;
  for (const uint32_t group : groups) {
    const auto begin = by_group_.refs().begin();
    const int64_t first = group == 0 ? 0 : ends_[group - 1];
    refs.insert(refs.end(), begin + first, begin + ends_[group]);
    *++offset = static_cast<int64_t>(refs.size());
  }
  arrow::FieldVector fields = schema_->fields();
  fields.push_back(arrow::field("group", arrow::uint32()));
  ARROW_ASSIGN_OR_RAISE(const auto rows, GatherPlaces(arrow::schema(std::move(fields)), batches(),
                                                      refs, context_->pool()));
  arrow::ArrayVector columns = rows->columns();
  columns.pop_back();
  auto structs = std::make_shared<arrow::StructArray>(arrow::struct_(schema_->fields()),
                                                      rows->num_rows(), std::move(columns));
  return std::make_shared<arrow::LargeListArray>(list_type(), count, std::move(offsets),
                                                 std::move(structs));
}

arrow::Result<UnpackedRows> UnpackGroupedRows(const arrow::Array& lists,
                                              std::span<const uint32_t> group_ids,
                                              arrow::MemoryPool* pool) {
  using arrow::internal::checked_cast;
  const auto& list = checked_cast<const arrow::LargeListArray&>(lists);
  UnpackedRows unpacked;
  for (size_t i = 0; i < group_ids.size(); ++i) {
    unpacked.group_ids.insert(unpacked.group_ids.end(),
                              static_cast<size_t>(list.value_length(static_cast<int64_t>(i))),
                              group_ids[i]);
  }
  const int64_t first = list.value_offset(0);
  const auto values = list.values()->Slice(first, list.value_offset(list.length()) - first);
  const auto& structs = checked_cast<const arrow::StructArray&>(*values);
  ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector columns, structs.Flatten(pool));
  unpacked.rows = arrow::RecordBatch::Make(arrow::schema(structs.type()->fields()),
                                           structs.length(), std::move(columns));
  return unpacked;
}

}  // namespace keepone
