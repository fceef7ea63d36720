// SPDX-License-Identifier: Apache-2.0
#include "exec/sort.h"

#include <limits>
#include <utility>

#include <arrow/record_batch.h>

#include "exec/breaker.h"
#include "exec/carried_rows.h"
#include "exec/held_rows.h"
#include "exec/metrics.h"
#include "exec/sort_rows.h"
#include "exec/values.h"

namespace keepone {

namespace {

// Beyond this many rows a limit saves nothing.
constexpr int64_t kLimitedRowsMax = std::numeric_limits<int32_t>::max();

// The rows of the input that can be among the first `rows_max`, in input order.
arrow::Result<HeldRows> HoldFirst(QueryContext* context, BatchStream& input,
                                  const std::vector<OrderColumn>& keys, int64_t rows_max) {
  KeepSpec spec;
  spec.order = keys;
  spec.n = rows_max;
  ARROW_ASSIGN_OR_RAISE(CarriedRows::Kept kept,
                        CarryRows(context, input, BindKeepSpec(spec, *input.schema())));
  HeldRows held;
  held.batches = std::move(kept.batches);
  held.order = std::move(kept.order);
  return held;
}

}  // namespace

std::unique_ptr<BatchStream> MakeSort(QueryContext* context, std::unique_ptr<BatchStream> input,
                                      std::vector<OrderColumn> keys,
                                      std::optional<int64_t> rows_max) {
  std::shared_ptr<arrow::Schema> schema = input->schema();
  BreakerRun run = [context, keys = std::move(keys), rows_max,
                    schema](BatchStream& rows) -> arrow::Result<std::unique_ptr<BatchStream>> {
    if (rows_max == 0) {
      return MakeValues(schema, {});
    }
    HeldRows held;
    if (rows_max.has_value() && *rows_max < kLimitedRowsMax) {
      ARROW_ASSIGN_OR_RAISE(held, HoldFirst(context, rows, keys, *rows_max));
    } else {
      ARROW_ASSIGN_OR_RAISE(held.batches, CollectInOrder(context, rows));
      held.order = std::make_unique<RowOrder>(context->budget());
      ARROW_RETURN_NOT_OK(ReferToAllRows(held.batches, held.order.get()));
    }
    NoteBytesHeld(TotalBytes(held.batches));
    ARROW_RETURN_NOT_OK(SortRows(context, held.batches, keys, held.order.get()));
    return MakeHeldRows(context, schema, std::move(held));
  };
  return MakeBreaker(std::move(input), std::move(schema), std::move(run));
}

}  // namespace keepone
