// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

namespace keepone {

// The state of one aggregate function for every group at once.
// Group ids are dense: 0, 1, 2, ...; an id stands until Finish(). Used by one thread at a time.
// Rows are given in any order of batches; the answer does not depend on it, except for rounding
// of sums of floats, which is why those are summed exactly or in a fixed tree.
class GroupAccumulator {
 public:
  virtual ~GroupAccumulator() = default;
  // Makes groups [0, group_count) valid. REQUIRES: group_count never shrinks.
  virtual arrow::Status Resize(int64_t group_count) = 0;
  // Row i of `arguments` belongs to group_ids[i]. REQUIRES: equal lengths; every id is valid.
  virtual arrow::Status Update(const arrow::ArrayVector& arguments,
                               std::span<const uint32_t> group_ids) = 0;
  // Adds the groups of `other`, which is of the same function: its group g becomes mapping[g].
  virtual arrow::Status Merge(GroupAccumulator&& other, std::span<const uint32_t> mapping) = 0;
  // Gives one value per group in id order, in as many chunks as offsets need, and resets.
  virtual arrow::Result<std::shared_ptr<arrow::ChunkedArray>> Finish() = 0;
  // Bytes this object makes the process hold outside of the query's pool.
  virtual int64_t bytes_used() const = 0;
};

}  // namespace keepone
