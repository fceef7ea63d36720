// SPDX-License-Identifier: Apache-2.0
#include "exec/partitioned_rows.h"

#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/group_table.h"
#include "exec/keep_spec.h"
#include "exec/selected_rows.h"
#include "exec/sort_rows.h"

namespace keepone {

arrow::Result<std::unique_ptr<PartitionedRows>> PartitionedRows::Make(
    QueryContext* context, arrow::RecordBatchVector batches, const std::vector<int>& partition,
    const std::vector<OrderColumn>& order) {
  std::unique_ptr<PartitionedRows> rows(new PartitionedRows(context));
  if (batches.empty()) {
    return rows;
  }
  const int group_column = batches[0]->num_columns();
  std::vector<KeyField> types;
  for (const int column : partition) {
    types.push_back({batches[0]->column(column)->type()});
  }
  ARROW_ASSIGN_OR_RAISE(auto table, GroupTable::Make(std::move(types), context->budget()));
  for (auto& batch : batches) {
    ARROW_RETURN_NOT_OK(context->CheckStop());
    std::vector<uint32_t> numbers(static_cast<size_t>(batch->num_rows()));
    ARROW_RETURN_NOT_OK(
        table->Insert(SelectColumns(*batch, partition), batch->num_rows(), numbers));
    ARROW_ASSIGN_OR_RAISE(auto groups, GroupArray(numbers, context->pool()));
    rows->batches_.push_back(WithGroupColumn(*batch, std::move(groups)));
    rows->partitions_.push_back(GroupsOf(*rows->batches_.back()).data());
    rows->first_rows_.push_back(rows->row_count_);
    rows->row_count_ += batch->num_rows();
    batch.reset();
  }
  rows->partition_count_ = table->group_count();
  table.reset();
  std::vector<OrderColumn> keys = {OrderColumn{group_column}};
  keys.insert(keys.end(), order.begin(), order.end());
  ARROW_RETURN_NOT_OK(ReferToAllRows(rows->batches_, rows->order_.get()));
  ARROW_RETURN_NOT_OK(SortRows(context, rows->batches_, keys, rows->order_.get(), &rows->begins_));
  return rows;
}

}  // namespace keepone
