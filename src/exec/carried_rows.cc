// SPDX-License-Identifier: Apache-2.0
#include "exec/carried_rows.h"

#include <utility>

#include <arrow/record_batch.h>

#include "exec/rows_aside.h"
#include "exec/thinned_rows.h"
#include "exec/winner_shards.h"
#include "exec/worker.h"

namespace keepone {

std::unique_ptr<CarriedRows> CarriedRows::Make(QueryContext* context, const BoundKeepSpec& spec,
                                               std::shared_ptr<arrow::Schema> schema, int workers,
                                               int level) {
  const AsideSpec aside = MakeAsideSpec(*context, spec, std::move(schema), level);
  const WinnerSpec& winners = spec.winners;
  if (winners.rule == KeepRule::kRowNumber && winners.n == 1 && winners.group_count_max < 0) {
    return MakeWinnerShards(context, spec, aside, workers);
  }
  return MakeThinnedRows(context, spec, aside, workers);
}

arrow::Status CarryRows(QueryContext* context, BatchStream& input, CarriedRows* rows) {
  const auto add = [&](const MorselBatch& morsel) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto placed, AddPositions(context, *morsel.batch, morsel.position()));
    return rows->Add(morsel.worker, placed);
  };
  return ForEachMorsel(context, input, add);
}

}  // namespace keepone
