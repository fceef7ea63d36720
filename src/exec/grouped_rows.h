// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "exec/held_rows.h"
#include "exec/row_arena.h"

namespace keepone {

// The rows that aggregates hold of each group, and their exported form: for each group a list of
// its rows as structs.
class GroupedRows {
 public:
  // `schema` is that of the rows, without the group.
  GroupedRows(QueryContext* context, std::shared_ptr<arrow::Schema> schema);

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  // Of the exported lists.
  std::shared_ptr<arrow::DataType> list_type() const;

  // `rows` may have more columns than the schema; those are left out.
  arrow::Status Append(const arrow::RecordBatch& rows, std::span<const uint32_t> group_ids);
  // Ends appending for now: batches() has all rows, with a last column "group".
  arrow::Status Flush() { return arena_.Flush(); }
  const arrow::RecordBatchVector& batches() const { return arena_.batches(); }

  // Finds the rows of each group, for Export().
  arrow::Status Index(int64_t group_count);
  // A LargeList of Structs for each of these groups, its rows as they came.
  arrow::Result<std::shared_ptr<arrow::Array>> Export(std::span<const uint32_t> groups) const;

  int64_t bytes_used() const { return bytes_; }

 private:
  QueryContext* context_;
  std::shared_ptr<arrow::Schema> schema_;
  RowArena arena_;
  int64_t bytes_ = 0;
  RowOrder by_group_;
  std::vector<int64_t> ends_;  // of each group, in by_group_
};

// The rows of exported lists, and the group of each: those of list i are of group_ids[i].
struct UnpackedRows {
  std::shared_ptr<arrow::RecordBatch> rows;
  std::vector<uint32_t> group_ids;
};
arrow::Result<UnpackedRows> UnpackGroupedRows(const arrow::Array& lists,
                                              std::span<const uint32_t> group_ids,
                                              arrow::MemoryPool* pool);

}  // namespace keepone
