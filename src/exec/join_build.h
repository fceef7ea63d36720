// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/gather_array.h"
#include "column/join_kind.h"
#include "column/pool_storage.h"
#include "eval/expression.h"
#include "exec/join_table.h"
#include "exec/row_widths.h"

namespace keepone {

// A JoinSpec made ready for its inputs. The inputs may have more columns than the residual and the
// keys know of: they stand behind the others and are given out with them.
struct JoinShape {
  JoinKind kind = JoinKind::kInner;
  std::vector<int> left_keys;
  std::vector<int> right_keys;
  std::vector<bool> null_equals_null;
  std::vector<KeyField> key_fields;
  std::shared_ptr<const Expression> residual;
  // Of the residual, which counts the right columns from `left_columns` on.
  std::vector<int> residual_left;
  std::vector<int> residual_right;
  int left_columns = 0;
  int right_columns = 0;
  // What the inputs have and what the join gives, more columns included.
  std::shared_ptr<arrow::Schema> left_schema;
  std::shared_ptr<arrow::Schema> right_schema;
  std::shared_ptr<arrow::Schema> schema;

  // Whether the keys alone, without the rows behind them, decide the join.
  bool needs_keys_only() const { return !GivesRightColumns(kind) && residual == nullptr; }
};

// The right rows of a join, held in memory with the table that finds them. Rows are numbered from 0
// through all batches. Safe for concurrent use.
class JoinBuild {
 public:
  // Takes the rows; `threads` workers join small batches to larger ones and build the table.
  // `context` and `shape` must outlive it. REQUIRES: fewer than JoinTable::kRowsMax rows.
  static arrow::Result<std::unique_ptr<JoinBuild>> Make(QueryContext* context,
                                                        const JoinShape* shape,
                                                        arrow::RecordBatchVector batches,
                                                        int threads);

  int64_t row_count() const { return first_rows_.back(); }
  const JoinTable& table() const { return *table_; }
  int64_t bytes_used() const;

  // Of the batches that hold the rows; none where needs_keys_only().
  size_t batch_count() const { return batches_.size(); }
  int64_t first_row(size_t batch) const { return first_rows_[batch]; }
  RowRef Place(uint32_t row) const {
    size_t batch = batch_of_block_[row >> kBlockBits];
    while (static_cast<int64_t>(row) >= first_rows_[batch + 1]) {
      ++batch;
    }
    return {static_cast<int32_t>(batch), static_cast<int64_t>(row) - first_rows_[batch]};
  }
  // A column of all batches.
  const ArrayGather::Chunks& column(int index) const {
    return columns_[static_cast<size_t>(index)];
  }
  // Bytes of a row: of all columns, or of those that the residual reads.
  double RowBytes(RowRef row) const { return widths_[static_cast<size_t>(row.chunk)].Of(row.row); }
  // The first one, where all rows of all batches have about the same.
  const std::optional<double>& row_bytes_constant() const { return row_bytes_constant_; }
  double ResidualRowBytes(RowRef row) const {
    return residual_widths_[static_cast<size_t>(row.chunk)].Of(row.row);
  }

  // Which rows had a match, where the kind gives those that had none.
  void MarkMatched(uint32_t row) {
    std::atomic_ref<uint8_t> flag(matched_.data()[row]);
    if (flag.load(std::memory_order_relaxed) == 0) {
      flag.store(1, std::memory_order_relaxed);
    }
  }
  bool IsMatched(uint32_t row) const { return matched_.data()[row] != 0; }

 private:
  static constexpr int kBlockBits = 10;

  JoinBuild(QueryContext* context, const JoinShape* shape) : context_(context), shape_(shape) {}
  arrow::Status BuildTable(int threads);
  arrow::Status KeepRows(int threads);

  QueryContext* context_;
  const JoinShape* shape_;
  arrow::RecordBatchVector batches_;
  std::vector<int64_t> first_rows_ = {0};  // of each batch, and their end
  std::vector<uint32_t> batch_of_block_;   // of the first row of each 2^kBlockBits rows
  std::vector<ArrayGather::Chunks> columns_;
  std::vector<RowWidths> widths_;
  std::vector<RowWidths> residual_widths_;
  std::optional<double> row_bytes_constant_;
  std::unique_ptr<JoinTable> table_;
  PoolBlock matched_;
};

// These columns of a batch.
std::shared_ptr<arrow::RecordBatch> SelectBatchColumns(const arrow::RecordBatch& batch,
                                                       const std::vector<int>& columns);

}  // namespace keepone
