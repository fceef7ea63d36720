// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/winner_table.h"
#include "exec/winner_partitions.h"

namespace keepone {

// Picks the winners among the rows of all workers. Each begins with a table of its own, which is
// fast while there are few groups; once that has many, and more with every batch, it goes over to
// the tables that workers share (WinnerPartitions), so that no group is held twice.
// Under memory pressure it does so at once, as those can be put aside.
class WinnerCollector {
 public:
  WinnerCollector(QueryContext* context, WinnerSpec spec);

  // Takes in rows as WinnerTable::Consume does. Workers, numbered below QueryContext::threads(), do
  // so at once.
  arrow::Status Consume(int worker, const arrow::ArrayVector& group_columns,
                        const arrow::ArrayVector& order_columns,
                        std::span<const int64_t> addresses);
  // Gives what stays as a stream of addresses, ascending, and the numbers if the schema has two
  // columns. To be called once, behind the last row.
  arrow::Result<std::unique_ptr<BatchStream>> Finish(std::shared_ptr<arrow::Schema> schema);

 private:
  struct Worker {
    std::unique_ptr<WinnerTable> table;            // its own, until it shares
    std::unique_ptr<WinnerPartitions::Feed> feed;  // from then on
    // Since when last asked whether to share.
    int64_t rows = 0;
    uint32_t groups = 0;
  };

  bool WantsToShare(Worker* worker) const;
  arrow::Status Share(Worker* worker);
  arrow::Status PassOnRest();

  QueryContext* context_;
  WinnerSpec spec_;
  std::vector<Worker> workers_;
  std::mutex mutex_;  // of the next one's making
  std::unique_ptr<WinnerPartitions> shared_;
};

}  // namespace keepone
