// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/winner_table.h"
#include "exec/held_rows.h"
#include "exec/keep_spec.h"

namespace keepone {

// The rows of one worker that may stay: whole batches, thinned out from time to time.
//
//   Add:     | living rows | new batch | new batch | ...     nothing is copied
//   thin:    | living rows |                                 when new rows outnumber the living
//
// To thin, a WinnerTable picks among all rows that are held, and those that stay are gathered. So
// the cost for each row is bounded, and what is held is about twice what stays, or a few batches.
// Used by one thread at a time.
class CarriedRows {
 public:
  // A batch and where its rows stand in the input.
  struct Batch {
    std::shared_ptr<arrow::RecordBatch> rows;
    int64_t first_position = 0;                    // of consecutive rows,
    std::shared_ptr<arrow::Int64Array> positions;  // unless this is set: ascending
  };

  CarriedRows(QueryContext* context, BoundKeepSpec spec)
      : context_(context), spec_(std::move(spec)) {}

  // REQUIRES: positions ascend from call to call.
  arrow::Status Add(Batch batch);

  std::vector<Batch> TakeBatches() { return std::move(batches_); }

  // What stays of the rows of all workers.
  struct Kept {
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    std::unique_ptr<RowOrder> order;             // of the rows that stay, in input order
    std::shared_ptr<arrow::Int64Array> numbers;  // by the rule; nullptr where all are 1
  };
  // Each part holds the batches of one worker, whose positions ascend; uses them up.
  static arrow::Result<Kept> Finish(QueryContext* context, const BoundKeepSpec& spec,
                                    std::vector<std::vector<Batch>> parts);

 private:
  arrow::Status Thin();
  bool IsFull() const;

  QueryContext* context_;
  BoundKeepSpec spec_;
  std::vector<Batch> batches_;
  int64_t rows_living_ = 0;  // that stayed when last thinned
  int64_t bytes_living_ = 0;
  int64_t rows_new_ = 0;
  int64_t bytes_new_ = 0;
};

// Reads the whole input and keeps what stays of it, on all workers.
arrow::Result<CarriedRows::Kept> CarryRows(QueryContext* context, BatchStream& input,
                                           const BoundKeepSpec& spec);

}  // namespace keepone
