// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "exec/aggregate_column.h"
#include "exec/aggregate_step.h"

namespace keepone {

// The rows of a batch that count for an aggregate: its filter is TRUE and no required column NULL.
// False when all of them do, and then `rows` is empty.
bool FindSelectedRows(const arrow::RecordBatch& batch, const AggregateColumn& column,
                      std::vector<uint32_t>* rows);

// Columns of the rows that count, with their groups and positions, which are those of the batch
// where all rows count.
struct SelectedRows {
  std::shared_ptr<arrow::RecordBatch> rows;  // the columns asked for, in order
  std::span<const uint32_t> group_ids;
  std::span<const int64_t> positions;

  std::vector<uint32_t> own_group_ids;
  std::vector<int64_t> own_positions;
};
arrow::Result<SelectedRows> SelectRows(QueryContext* context, const GroupedBatch& batch,
                                       const AggregateColumn& column,
                                       const std::vector<int>& columns);

// The batch with a UInt32 column "group" of these values behind the others.
std::shared_ptr<arrow::RecordBatch> WithGroupColumn(const arrow::RecordBatch& batch,
                                                    std::shared_ptr<arrow::Array> groups);
arrow::Result<std::shared_ptr<arrow::Array>> GroupArray(std::span<const uint32_t> group_ids,
                                                        arrow::MemoryPool* pool);
arrow::Result<std::shared_ptr<arrow::Array>> PositionArray(std::span<const int64_t> positions,
                                                           arrow::MemoryPool* pool);
// The last column's groups.
std::span<const uint32_t> GroupsOf(const arrow::RecordBatch& batch);

}  // namespace keepone
