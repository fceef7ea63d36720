// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"

namespace keepone {

// The rows at the positions, of these columns; the other columns are NULL.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> ChooseRows(
    QueryContext* context, const arrow::RecordBatch& batch, const std::vector<int64_t>& positions,
    const std::unordered_set<int>& columns);

}  // namespace keepone
