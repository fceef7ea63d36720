// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "exec/held_rows.h"
#include "exec/join_spill.h"
#include "exec/keep_spec.h"

namespace keepone {

// How rows of groups are put aside.
struct AsideSpec {
  std::shared_ptr<arrow::Schema> schema;  // the last column is the position
  std::vector<int> groups;
  std::vector<KeyField> group_keys;
  int level = 0;
  bool is_possible = false;  // not what cannot be cut, nor when it was cut often enough
};
AsideSpec MakeAsideSpec(const QueryContext& context, const BoundKeepSpec& spec,
                        std::shared_ptr<arrow::Schema> schema, int level);

// Rows put aside by one of several that do so. Used by one thread at a time.
class RowsAside {
 public:
  RowsAside(QueryContext* context, const AsideSpec* spec) : context_(context), spec_(spec) {}

  // Whether the owner of so many bytes should put them aside.
  bool IsWanted(int64_t own_bytes) const {
    return spec_->is_possible && context_->ShouldSpill(own_bytes);
  }
  bool is_used() const { return spill_ != nullptr; }

  // The rows of `batches` at `places`.
  arrow::Status Add(const arrow::RecordBatchVector& batches, std::span<const RowPlace> places);
  // Adds the files to those of each partition.
  arrow::Status Finish(std::vector<SpillRuns>* partitions);

 private:
  QueryContext* context_;
  const AsideSpec* spec_;
  std::unique_ptr<JoinSpill> spill_;
};

}  // namespace keepone
