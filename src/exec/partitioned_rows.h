// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "exec/held_rows.h"
#include "exec/order_column.h"

namespace keepone {

// The whole input of a window operator, cut into partitions and, within them, into peers: rows
// that are equal under the order.
class PartitionedRows {
 public:
  // `batches` in input order.
  static arrow::Result<std::unique_ptr<PartitionedRows>> Make(
      QueryContext* context, arrow::RecordBatchVector batches, const std::vector<int>& partition,
      const std::vector<OrderColumn>& order);

  // The input's columns, then the partition's number ("group").
  const arrow::RecordBatchVector& batches() const { return batches_; }
  int64_t row_count() const { return row_count_; }
  int64_t partition_count() const { return partition_count_; }

  // The rows by partition, order and place in the input; whether each begins peers of its own, and
  // whether it begins a partition.
  const std::vector<RowPlace>& sorted() const { return order_->refs(); }
  bool BeginsPeers(size_t at) const { return begins_[at] != 0; }
  bool BeginsPartition(size_t at) const {
    return at == 0 || PartitionOf(sorted()[at - 1]) != PartitionOf(sorted()[at]);
  }
  uint32_t PartitionOf(RowPlace ref) const { return partitions_[ref.batch][ref.row]; }
  // The row's number in the input.
  int64_t RowNumber(RowPlace ref) const { return first_rows_[ref.batch] + ref.row; }

 private:
  explicit PartitionedRows(QueryContext* context)
      : order_(std::make_unique<RowOrder>(context->budget())) {}

  arrow::RecordBatchVector batches_;
  std::vector<const uint32_t*> partitions_;  // of each batch's rows
  std::vector<int64_t> first_rows_;
  int64_t row_count_ = 0;
  int64_t partition_count_ = 0;
  std::unique_ptr<RowOrder> order_;
  std::vector<uint8_t> begins_;
};

}  // namespace keepone
