// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/join_spill.h"
#include "exec/rows_aside.h"
#include "exec/window.h"

namespace keepone {

// The whole input of a window operator: in memory, or, when that is short, put aside by hash of the
// partition keys, so that parts which hold whole partitions can be worked off one after the other.
class WindowInput {
 public:
  static arrow::Result<WindowInput> Read(QueryContext* context, BatchStream& input,
                                         const WindowSpec& spec);

  bool is_aside() const { return !parts_.empty(); }

  // The batches in input order. REQUIRES: not aside.
  arrow::RecordBatchVector TakeBatches() { return std::move(batches_); }

  // The input's columns, then the position in the input, which the rows of parts have.
  const std::shared_ptr<arrow::Schema>& placed_schema() const { return aside_.schema; }
  // Calls handle with the rows of each part in input order. A part that does not fit the memory is
  // cut by other bits of the hash; where it cannot be cut, the error says what it needs.
  using PartHandler = std::function<arrow::Status(arrow::RecordBatchVector rows)>;
  arrow::Status ForEachPart(const PartHandler& handle);

 private:
  WindowInput() = default;
  arrow::Status HandlePart(SpillRuns files, int level, const PartHandler& handle);
  arrow::Result<std::vector<SpillRuns>> Cut(SpillRuns files, int level);
  int64_t BytesNeeded(const SpillRuns& files) const;

  QueryContext* context_ = nullptr;
  std::vector<OrderColumn> order_;
  AsideSpec aside_;
  arrow::RecordBatchVector batches_;
  std::vector<SpillRuns> parts_;
};

}  // namespace keepone
