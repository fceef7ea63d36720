// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"

namespace keepone {

// The state of one aggregate function for every group at once.
// Group ids are dense: 0, 1, 2, ...; an id stands until Finish(). Used by one thread at a time.
// Rows are given in any order of batches; the answer does not depend on it, except for rounding
// of sums of floats, which is why those are summed exactly or in a fixed tree.
//
// A state can be taken out as Arrow columns, one row for each group, put aside or sent elsewhere,
// and merged into another state of the same function and argument types. The columns of each
// function are told where it is made (accumulators.h); a change to any of them raises the version
// in exec/aggregate_step.h.
class GroupAccumulator {
 public:
  virtual ~GroupAccumulator() = default;
  // Makes groups [0, group_count) valid. REQUIRES: group_count never shrinks.
  virtual arrow::Status Resize(int64_t group_count) = 0;
  // Row i of `arguments` belongs to group_ids[i]. REQUIRES: equal lengths; every id is valid.
  virtual arrow::Status Update(const arrow::ArrayVector& arguments,
                               std::span<const uint32_t> group_ids) = 0;

  // The types of the state's columns.
  virtual arrow::DataTypeVector state_types() const = 0;
  // The states of these groups, a row each. Several threads may do so at once while nobody changes
  // the state.
  virtual arrow::Result<arrow::ArrayVector> ExportState(std::span<const uint32_t> groups) const = 0;
  // Adds row i of such columns, which may be slices, to group_ids[i]. REQUIRES: as for Update.
  virtual arrow::Status MergeState(const arrow::ArrayVector& state,
                                   std::span<const uint32_t> group_ids) = 0;

  // Gives one value per group in id order, in as many chunks as offsets need, and resets.
  virtual arrow::Result<std::shared_ptr<arrow::ChunkedArray>> Finish() = 0;
  // Bytes this object makes the process hold outside of the query's pool.
  virtual int64_t bytes_used() const = 0;
};

}  // namespace keepone
