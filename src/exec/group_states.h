// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/group_table.h"
#include "exec/aggregate_column.h"
#include "exec/aggregate_step.h"
#include "exec/row_arena.h"

namespace keepone {

// What all objects of one aggregation share: which columns are the keys, and the steps.
class AggregateLayout {
 public:
  // The operator's groups and columns, by positions of `input`; the first fields of `output` name
  // the groups.
  static arrow::Result<std::unique_ptr<AggregateLayout>> Make(QueryContext* context,
                                                              std::vector<int> groups,
                                                              std::vector<AggregateColumn> columns,
                                                              const arrow::Schema& input,
                                                              const arrow::Schema& output);

  // The columns of a batch that aggregation needs; all other members count by these.
  std::shared_ptr<arrow::RecordBatch> Narrow(const arrow::RecordBatch& batch) const;

  arrow::ArrayVector KeysOf(const arrow::RecordBatch& narrowed) const;
  const std::vector<KeyField>& key_fields() const { return key_fields_; }
  const std::shared_ptr<arrow::Schema>& key_schema() const { return key_schema_; }
  // Whether keys of one group may look different: 0.0 and -0.0. The first one is shown.
  bool keys_vary() const { return keys_vary_; }
  const std::vector<std::unique_ptr<AggregateStep>>& steps() const { return steps_; }
  // How many columns the exported state of each step has.
  const std::vector<size_t>& state_widths() const { return state_widths_; }
  size_t column_count() const { return column_count_; }

  // Exported groups: the key columns, INT64 "position" of the group's first row, and the columns
  // of each step's state (aggregate_step.h).
  const std::shared_ptr<arrow::Schema>& state_schema() const { return state_schema_; }

 private:
  std::vector<int> used_;
  std::shared_ptr<arrow::Schema> narrow_schema_;
  std::vector<int> groups_;
  std::vector<KeyField> key_fields_;
  std::shared_ptr<arrow::Schema> key_schema_;
  bool keys_vary_ = false;
  std::vector<std::unique_ptr<AggregateStep>> steps_;
  std::vector<size_t> state_widths_;
  size_t column_count_ = 0;
  std::shared_ptr<arrow::Schema> state_schema_;
};

// Groups in their final state: the keys and the values of all aggregate columns.
struct FinishedGroups {
  int64_t group_count = 0;
  std::vector<int64_t> positions;  // of each group's first row in the input
  std::vector<GroupValues> columns;
};

// A set of groups and all that is known of them. Used by one thread at a time, but for what is
// const.
class GroupStates {
 public:
  static arrow::Result<std::unique_ptr<GroupStates>> Make(QueryContext* context,
                                                          const AggregateLayout& layout);

  // Adds rows, narrowed; `positions` ascend.
  arrow::Status Update(const arrow::RecordBatch& rows, std::span<const int64_t> positions);
  // Adds exported groups.
  arrow::Status Merge(const arrow::RecordBatch& groups);

  // Cuts the groups into partitions by hash of the key, of which those from `first_partition` on,
  // at most `partition_count` of `of_partitions`, hold groups. To be called before the next two.
  arrow::Status Cut(uint32_t of_partitions, uint32_t first_partition, uint32_t partition_count);
  // Gives the groups of each partition, numbered from the first, in turn: exported, in batches of
  // about the query's bounds.
  using Visit =
      std::function<arrow::Status(uint32_t partition, const std::shared_ptr<arrow::RecordBatch>&)>;
  arrow::Status Export(const Visit& visit) const;
  // Adds the groups of a partition of `other`. Nothing but this and Finish() may follow. Several
  // threads may do so with one `other`.
  arrow::Status MergeLast(const GroupStates& other, uint32_t partition);

  uint32_t group_count() const { return table_->group_count(); }
  int64_t bytes_used() const;

  // Uses all up. Without key columns there is one group, also of no rows.
  arrow::Result<FinishedGroups> Finish();

 private:
  GroupStates(QueryContext* context, const AggregateLayout& layout)
      : context_(context),
        layout_(layout),
        keys_(context),
        earlier_keys_(context),
        reserved_(context->budget()) {}

  // Finds the groups of rows with these keys and notes the first row of each.
  arrow::Status FindGroups(const arrow::ArrayVector& keys, std::span<const int64_t> positions);
  arrow::Status KeepKeys(const arrow::ArrayVector& keys, int64_t rows,
                         const std::vector<RowPlace>& chosen, RowArena* arena);
  arrow::Result<std::vector<GroupValues>> KeyValues();
  std::span<const uint32_t> GroupsOfPartition(uint32_t partition) const;
  arrow::Result<arrow::ArrayVector> GatherKeys(std::span<const uint32_t> groups) const;
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ExportGroups(
      std::span<const uint32_t> groups) const;

  QueryContext* context_;
  const AggregateLayout& layout_;
  std::unique_ptr<GroupTable> table_;
  RowArena keys_;                         // of each group, as in the row that made it
  std::vector<int64_t> first_positions_;  // of each group
  int64_t position_max_ = -1;             // of all rows
  // Where keys vary: those of rows that came later but stand before the ones in `keys_`, and whose
  // they are.
  RowArena earlier_keys_;
  std::vector<uint32_t> earlier_groups_;
  int64_t key_bytes_ = 0;
  std::vector<std::unique_ptr<AggregateState>> states_;
  std::vector<uint32_t> group_ids_;  // of one batch
  // Made by Cut().
  std::vector<GroupValues> key_values_;
  std::vector<uint32_t> cut_groups_;
  std::vector<size_t> cut_begins_;  // of each partition, and the end
  MemoryReservation reserved_;
};

// The values of a column at places; a resource error where one array cannot hold them.
arrow::Result<std::shared_ptr<arrow::Array>> GatherValues(const arrow::ArrayVector& chunks,
                                                          std::span<const RowPlace> places,
                                                          arrow::MemoryPool* pool);

}  // namespace keepone
