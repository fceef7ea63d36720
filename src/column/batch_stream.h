// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

namespace keepone {

// A piece of a stream that one worker works off by itself: a row group, a block of lines.
// Used by one thread at a time.
class Morsel {
 public:
  virtual ~Morsel() = default;
  // The next batch, never an empty one, or nullptr at the end.
  // Work on a morsel begins here, not where the morsel was handed out.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
};

// Rows in a fixed order, cut into morsels that workers pull in parallel.
//
//   stream   | morsel 0        | morsel 1  | morsel 2 | ...    handed out in this order
//   batches  | b b b           | b         | b b      |        each morsel's in order, by one
//   worker
//
// The rows of morsel 0, then of morsel 1 and so on are the stream's rows in order, however many
// threads work on them. Batches are bounded by rows and by bytes (QueryContext).
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  // Called once, by one thread, before the first NextMorsel. What needs all of its input before it
  // can give a row runs its input here, on as many workers as the query may use.
  virtual arrow::Status Prepare() { return arrow::Status::OK(); }
  // The next morsel, or nullptr when there are no more. Safe for concurrent use, and quick.
  virtual arrow::Result<std::unique_ptr<Morsel>> NextMorsel() = 0;
};

}  // namespace keepone
