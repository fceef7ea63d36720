// SPDX-License-Identifier: Apache-2.0
#include "exec/project.h"

#include <utility>

#include <arrow/record_batch.h>

#include "exec/batch_map.h"

namespace keepone {

std::unique_ptr<BatchStream> MakeProject(QueryContext* context, std::unique_ptr<BatchStream> input,
                                         std::vector<ExpressionPtr> expressions,
                                         std::shared_ptr<arrow::Schema> schema) {
  auto shared = std::make_shared<const std::vector<ExpressionPtr>>(std::move(expressions));
  BatchMap map = [context, shared, schema](
                     const std::shared_ptr<arrow::RecordBatch>& batch,
                     int64_t position) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    arrow::ArrayVector columns;
    for (const ExpressionPtr& expression : *shared) {
      ARROW_ASSIGN_OR_RAISE(auto column, EvaluateToArray(*expression, context, *batch, position));
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(columns));
  };
  return MakeBatchMap(context, std::move(input), std::move(schema), std::move(map));
}

}  // namespace keepone
