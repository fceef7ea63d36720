// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/group_states.h"
#include "exec/held_rows.h"

namespace keepone {

// Finished groups of several parts as rows, in the order of their first rows in the input.
// Read by any number of threads at once.
class GroupRows {
 public:
  // The groups have the columns of `schema`. Sorts on all workers.
  static arrow::Result<std::shared_ptr<GroupRows>> Make(QueryContext* context,
                                                        std::shared_ptr<arrow::Schema> schema,
                                                        std::vector<FinishedGroups> parts);

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  int64_t row_count() const { return order_.size(); }

  // Rows from `first` on: as many as the query's bounds of a batch allow, and not beyond `end`.
  // REQUIRES: first < end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Read(int64_t first, int64_t end) const;
  // The position of the first input row of a row's group, until they are dropped.
  int64_t PositionOf(int64_t row) const {
    const RowPlace place = order_.refs()[static_cast<size_t>(row)];
    return parts_[place.batch].positions[place.row];
  }

  arrow::Status DropPositions();

  QueryContext* context() const { return context_; }

 private:
  // One column of all parts.
  struct Column {
    arrow::ArrayVector chunks;
    std::vector<uint32_t> first_chunks;  // of each part
    double row_bytes = 0;
  };

  GroupRows(QueryContext* context, std::shared_ptr<arrow::Schema> schema,
            std::vector<FinishedGroups> parts);
  arrow::Status Sort();
  arrow::Status SortParts(std::vector<std::vector<uint32_t>>* sorted);
  RowPlace PlaceOf(size_t column, RowPlace group) const;
  size_t CountRows(std::span<const RowPlace> groups) const;

  QueryContext* context_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<FinishedGroups> parts_;
  std::vector<Column> columns_;
  double row_bytes_ = 0;
  MemoryReservation reserved_;
  RowOrder order_;  // the group of each row, by part
};

// Gives the rows in batches and morsels that are gathered in parallel.
std::unique_ptr<BatchStream> MakeGroupStream(std::shared_ptr<const GroupRows> rows);

}  // namespace keepone
