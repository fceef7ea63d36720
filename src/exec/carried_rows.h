// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/held_rows.h"
#include "exec/join_spill.h"
#include "exec/keep_spec.h"

namespace keepone {

// The rows that may stay of those seen so far, of all workers, each with its position in the input
// as its last column.
//
//   in memory    where a group keeps one row: the winners (winner_shards.h); otherwise all rows of
//                late, thinned out from time to time (thinned_rows.h)
//   put aside    when memory is short, by hash of the group key: rows of a group may then be both
//                in memory and in several files of one partition, to be picked among again
class CarriedRows {
 public:
  // `schema` is that of the batches: the input's columns, then the position. `level` counts how
  // often these rows have been put aside already.
  static std::unique_ptr<CarriedRows> Make(QueryContext* context, const BoundKeepSpec& spec,
                                           std::shared_ptr<arrow::Schema> schema, int workers,
                                           int level);
  virtual ~CarriedRows() = default;

  // Takes in rows of the schema, in any order. Each worker does so by itself, all at once.
  virtual arrow::Status Add(int worker, const std::shared_ptr<arrow::RecordBatch>& rows) = 0;

  // Whether rows have been put aside. Not to be asked while workers add rows.
  virtual bool has_put_aside() const = 0;

  // What stays.
  struct Kept {
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
    std::unique_ptr<RowOrder> order;             // of the rows that stay, in input order
    std::shared_ptr<arrow::Int64Array> numbers;  // by the rule; nullptr where all are 1
  };
  // Gives what stays and empties this. REQUIRES: nothing has been put aside.
  virtual arrow::Result<Kept> Finish() = 0;
  // Puts the rest aside too and gives the files of each partition.
  virtual arrow::Result<std::vector<SpillRuns>> FinishAside() = 0;
};

// Reads the whole input and gives its rows, with their positions, to `rows`, on all workers.
arrow::Status CarryRows(QueryContext* context, BatchStream& input, CarriedRows* rows);

}  // namespace keepone
