// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/group_states.h"
#include "exec/spill_file.h"

namespace keepone {

// Groups that do not fit the memory, put aside by hash of the key.
//
//   Put:     groups --exported--> | file | file | file | ...       by partition
//   Finish:  each file --merged--> groups --finished--> a run      in the order of first rows
//            runs --merged by position--> rows
//
// A partition that is too big to be merged in memory is cut again, by further bits of the hash.
class GroupSpill {
 public:
  // `schema` is that of the finished rows.
  static arrow::Result<std::unique_ptr<GroupSpill>> Make(QueryContext* context,
                                                         const AggregateLayout& layout,
                                                         std::shared_ptr<arrow::Schema> schema);

  // Puts all groups aside; the object is of no use after that. Safe for concurrent use.
  arrow::Status Put(GroupStates* groups);

  // Gives the rows of all groups in the order of their first rows. To be called once, behind the
  // last Put().
  arrow::Result<std::unique_ptr<BatchStream>> Finish();

 private:
  // The partition `number` of `count` that a file holds.
  struct Cut {
    uint32_t number;
    uint32_t count;
  };

  GroupSpill(QueryContext* context, const AggregateLayout& layout,
             std::shared_ptr<arrow::Schema> schema);
  arrow::Result<std::unique_ptr<SpillPartitions>> MakePartitions() const;
  // Exports the groups of a cut to partitions of it.
  static arrow::Status Write(GroupStates* groups, Cut cut, std::mutex* mutex,
                             SpillPartitions* partitions);
  arrow::Status MergeFile(std::unique_ptr<SpillFile> file, Cut cut);
  arrow::Status WriteRun(GroupStates* groups);

  QueryContext* context_;
  const AggregateLayout& layout_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::Schema> run_schema_;  // and the position
  std::mutex mutex_;                           // of the next two
  std::unique_ptr<SpillPartitions> partitions_;
  std::vector<std::unique_ptr<SpillFile>> runs_;
};

}  // namespace keepone
