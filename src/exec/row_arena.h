// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"

namespace keepone {

// Holds rows that come in small pieces, joined to batches of a useful size as they gather.
class RowArena {
 public:
  explicit RowArena(QueryContext* context) : context_(context) {}

  // REQUIRES: all batches have the same schema.
  arrow::Status Append(std::shared_ptr<arrow::RecordBatch> rows);
  // Ends the pieces: batches() has all rows, in the order in which they came.
  arrow::Status Flush();
  const arrow::RecordBatchVector& batches() const { return batches_; }

 private:
  QueryContext* context_;
  arrow::RecordBatchVector batches_;
  arrow::RecordBatchVector pieces_;
  int64_t piece_rows_ = 0;
  int64_t piece_bytes_ = 0;
};

}  // namespace keepone
