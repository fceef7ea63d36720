// SPDX-License-Identifier: Apache-2.0
#include "exec/sorted_run.h"

#include <arrow/record_batch.h>

namespace keepone {

arrow::Result<std::unique_ptr<SpillFile>> WriteRun(QueryContext* context, BatchStream& rows) {
  ARROW_RETURN_NOT_OK(rows.Prepare());
  ARROW_ASSIGN_OR_RAISE(auto run, SpillFile::Make(context, rows.schema()));
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(const auto morsel, rows.NextMorsel());
    if (morsel == nullptr) {
      break;
    }
    for (;;) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, morsel->Next());
      if (batch == nullptr) {
        break;
      }
      ARROW_RETURN_NOT_OK(run->Append(*batch));
    }
  }
  ARROW_RETURN_NOT_OK(run->Close());
  return run;
}

}  // namespace keepone
