// SPDX-License-Identifier: Apache-2.0
#include "exec/carry_winners.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include "exec/breaker.h"
#include "exec/carried_rows.h"
#include "exec/held_rows.h"

namespace keepone {

std::unique_ptr<BatchStream> MakeCarryWinners(QueryContext* context,
                                              std::unique_ptr<BatchStream> input, KeepSpec spec,
                                              std::vector<int> payload,
                                              std::shared_ptr<arrow::Schema> schema) {
  BreakerRun run = [context, spec = std::move(spec), payload = std::move(payload),
                    schema](BatchStream& rows) -> arrow::Result<std::unique_ptr<BatchStream>> {
    const BoundKeepSpec bound = BindKeepSpec(spec, *rows.schema());
    ARROW_ASSIGN_OR_RAISE(CarriedRows::Kept kept, CarryRows(context, rows, bound));
    HeldRows held;
    const auto first_field = schema->fields().begin();
    arrow::FieldVector fields(first_field,
                              first_field + static_cast<std::ptrdiff_t>(payload.size()));
    const auto payload_schema = arrow::schema(std::move(fields));
    for (auto& batch : kept.batches) {
      held.batches.push_back(arrow::RecordBatch::Make(payload_schema, batch->num_rows(),
                                                      SelectColumns(*batch, payload)));
      batch.reset();
    }
    if (spec.gives_number) {
      std::shared_ptr<arrow::Array> numbers = kept.numbers;
      if (numbers == nullptr) {
        ARROW_ASSIGN_OR_RAISE(
            numbers,
            arrow::MakeArrayFromScalar(arrow::Int64Scalar(1), kept.order->size(), context->pool()));
      }
      held.more.push_back(SlicesOf(std::move(numbers)));
    }
    held.order = std::move(kept.order);
    return MakeHeldRows(context, schema, std::move(held));
  };
  return MakeBreaker(std::move(input), std::move(schema), std::move(run));
}

}  // namespace keepone
