// SPDX-License-Identifier: Apache-2.0
#include "exec/sort.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "exec/breaker.h"
#include "exec/carried_rows.h"
#include "exec/external_sort.h"
#include "exec/held_rows.h"
#include "exec/limit.h"
#include "exec/metrics.h"
#include "exec/sort_rows.h"
#include "exec/values.h"

namespace keepone {

namespace {

// Beyond this many rows a limit saves nothing.
constexpr int64_t kLimitedRowsMax = std::numeric_limits<int32_t>::max();
// The first rows are held in memory if, at this width, they take a small part of it.
constexpr int64_t kFetchedRowBytes = 4096;

int64_t LimitedRowsMax(const QueryContext& context) {
  const int64_t limit = context.memory_bytes_max();
  return limit < 0 ? kLimitedRowsMax : std::min(kLimitedRowsMax, limit / kFetchedRowBytes);
}

// The rows of the input that can be among the first `rows_max`, in input order.
arrow::Result<HeldRows> HoldFirst(QueryContext* context, BatchStream& input,
                                  const std::vector<OrderColumn>& keys, int64_t rows_max) {
  KeepSpec spec;
  spec.order = keys;
  spec.n = rows_max;
  // There are no groups, so that nothing is put aside.
  const auto carried =
      CarriedRows::Make(context, BindKeepSpec(spec, *input.schema()), WithPosition(input.schema()),
                        context->threads(), /*level=*/0);
  ARROW_RETURN_NOT_OK(CarryRows(context, input, carried.get()));
  ARROW_ASSIGN_OR_RAISE(CarriedRows::Kept kept, carried->Finish());
  HeldRows held;
  const std::vector<int> columns = AllColumns(*input.schema());
  for (auto& batch : kept.batches) {
    held.batches.push_back(arrow::RecordBatch::Make(input.schema(), batch->num_rows(),
                                                    SelectColumns(*batch, columns)));
    batch.reset();
  }
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
    if (!rows_max.has_value() || *rows_max >= LimitedRowsMax(*context)) {
      ARROW_ASSIGN_OR_RAISE(auto sorted, SortAll(context, rows, keys));
      return rows_max.has_value() ? MakeLimit(context, std::move(sorted), {*rows_max})
                                  : std::move(sorted);
    }
    ARROW_ASSIGN_OR_RAISE(HeldRows held, HoldFirst(context, rows, keys, *rows_max));
    NoteBytesHeld(TotalBytes(held.batches));
    ARROW_RETURN_NOT_OK(SortRows(context, held.batches, keys, held.order.get()));
    return MakeHeldRows(context, schema, std::move(held));
  };
  return MakeBreaker(std::move(input), std::move(schema), std::move(run));
}

}  // namespace keepone
