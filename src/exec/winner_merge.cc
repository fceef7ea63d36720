// SPDX-License-Identifier: Apache-2.0
#include "exec/winner_merge.h"

#include <utility>

#include "exec/metrics.h"
#include "exec/worker.h"

namespace keepone {

arrow::Result<Winners> MergeWinners(QueryContext* context, const WinnerSpec& spec,
                                    std::vector<std::unique_ptr<WinnerTable>> tables) {
  std::erase(tables, nullptr);
  int64_t bytes = 0;
  for (const auto& table : tables) {
    bytes += table->bytes_used();
  }
  NoteBytesHeld(bytes);
  if (tables.size() <= 1) {
    return WinnerTable::Finish(tables, context->budget());
  }
  // A limit on groups holds over all of them, so they cannot be cut apart; such tables are small.
  const uint32_t partitions =
      spec.group_count_max >= 0 ? 1 : static_cast<uint32_t>(context->threads());
  std::vector<std::unique_ptr<WinnerTable>> merged(partitions);
  const auto merge = [&](int64_t partition) -> arrow::Status {
    std::unique_ptr<WinnerTable>& table = merged[static_cast<size_t>(partition)];
    ARROW_ASSIGN_OR_RAISE(table, WinnerTable::Make(spec, context->budget()));
    for (const auto& other : tables) {
      ARROW_RETURN_NOT_OK(table->MergeFrom(*other, static_cast<uint32_t>(partition), partitions));
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ForEachTask(context, partitions, merge));
  for (const auto& table : merged) {
    bytes += table->bytes_used();
  }
  NoteBytesHeld(bytes);
  tables.clear();
  return WinnerTable::Finish(merged, context->budget());
}

}  // namespace keepone
