// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/memory_budget.h"
#include "column/key_encoder.h"

namespace keepone {

// Gives the rows of equal group keys the same number. Numbers are dense: 0, 1, 2, ... in order of
// first appearance; a number stands as long as the table.
//
// Keys of any type; equality is that of KeyEncoder: NULLs are one group, NaN equals NaN, -0.0
// equals 0.0, strings are compared by bytes. No key columns make all rows one group.
// At most 2^32 - 1 groups, then a resource error. Memory: 16 to 30 bytes per group for one column
// of at most 8 bytes, otherwise that and the key; taken from the budget as it grows.
// Not for use by several threads at once. After an error only destruction is defined.
class GroupTable {
 public:
  // Where Find() has no group.
  static constexpr uint32_t kNoGroup = UINT32_MAX;

  // Of the fields only the types matter, unless EncodedKey() is to follow an order.
  // `budget` must outlive the table.
  static arrow::Result<std::unique_ptr<GroupTable>> Make(std::vector<KeyField> fields,
                                                         MemoryBudget* budget);
  virtual ~GroupTable() = default;

  // Gives each of `rows` rows of the columns its group, which is made where there is none.
  // REQUIRES: every column has `rows` rows; so has `groups`.
  virtual arrow::Status Insert(const arrow::ArrayVector& columns, int64_t rows,
                               std::span<uint32_t> groups) = 0;
  // The same without making groups: kNoGroup where there is none.
  virtual arrow::Status Find(const arrow::ArrayVector& columns, int64_t rows,
                             std::span<uint32_t> groups) = 0;

  // Adds the groups of `other`, a table of the same fields, that lie in one of `partition_count`
  // partitions by hash: mapping[g] becomes our number of its group g, or kNoGroup in another
  // partition. Several threads may merge from one `other` at once.
  virtual arrow::Status MergeFrom(const GroupTable& other, uint32_t partition,
                                  uint32_t partition_count, std::vector<uint32_t>* mapping) = 0;

  // The partition of a group: the same for equal keys in every table of the same fields.
  virtual uint32_t Partition(uint32_t group, uint32_t partition_count) const = 0;
  // Appends the key of a group as bytes: equal for equal keys, and in memcmp order of the fields.
  virtual void EncodedKey(uint32_t group, std::string* out) const = 0;

  virtual uint32_t group_count() const = 0;
  virtual int64_t bytes_used() const = 0;
};

}  // namespace keepone
