// SPDX-License-Identifier: Apache-2.0
#include "eval/chosen_rows.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "function/arrow_call.h"

namespace keepone {

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ChooseRows(
    QueryContext* context, const arrow::RecordBatch& batch, const std::vector<int64_t>& positions,
    const std::unordered_set<int>& columns) {
  const auto count = static_cast<int64_t>(positions.size());
  arrow::ArrayVector chosen;
  arrow::FieldVector fields;
  for (int i = 0; i < batch.num_columns(); ++i) {
    if (columns.contains(i)) {
      ARROW_ASSIGN_OR_RAISE(auto taken, TakeRows(context, batch.column(i), positions));
      chosen.push_back(std::move(taken));
    } else {
      chosen.push_back(std::make_shared<arrow::NullArray>(count));
    }
    fields.push_back(arrow::field(batch.column_name(i), chosen.back()->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), count, std::move(chosen));
}

}  // namespace keepone
