// SPDX-License-Identifier: Apache-2.0
#include "exec/filter.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/datum.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/util/checked_cast.h>

#include "column/gather.h"
#include "exec/batch_map.h"

namespace keepone {

std::unique_ptr<BatchStream> MakeFilter(QueryContext* context, std::unique_ptr<BatchStream> input,
                                        ExpressionPtr predicate) {
  std::shared_ptr<arrow::Schema> schema = input->schema();
  BatchMap map = [context, predicate = std::shared_ptr<const Expression>(std::move(predicate))](
                     const std::shared_ptr<arrow::RecordBatch>& batch,
                     int64_t position) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    ARROW_ASSIGN_OR_RAISE(arrow::Datum wanted, predicate->Evaluate(context, *batch, position));
    if (wanted.is_scalar()) {
      const arrow::Scalar& scalar = *wanted.scalar();
      const bool all = scalar.is_valid &&
                       arrow::internal::checked_cast<const arrow::BooleanScalar&>(scalar).value;
      return all ? batch : nullptr;
    }
    const std::shared_ptr<arrow::Array> array = wanted.make_array();
    const auto& mask = arrow::internal::checked_cast<const arrow::BooleanArray&>(*array);
    const int64_t kept = mask.true_count();
    if (kept == 0) {
      return nullptr;
    }
    if (kept == batch->num_rows()) {
      return batch;
    }
    return FilterRows(*batch, mask, context->pool());
  };
  return MakeBatchMap(context, std::move(input), std::move(schema), std::move(map));
}

}  // namespace keepone
