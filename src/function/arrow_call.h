// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/compute/type_fwd.h>
#include <arrow/datum.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"

namespace keepone {

// Makes Arrow's kernels known; the first call does the work. Safe for concurrent use.
arrow::Status PrepareArrowKernels();

// Runs an Arrow kernel with the query's memory. `context` may be nullptr.
arrow::Result<arrow::Datum> CallArrow(QueryContext* context, const std::string& kernel,
                                      const std::vector<arrow::Datum>& arguments,
                                      const arrow::compute::FunctionOptions* options = nullptr);

// Arrow's own cast, with the query's memory. `lossy` lets fractions and time units be cut.
enum class ArrowCast { kSafe, kLossy };
arrow::Result<arrow::Datum> CallArrowCast(QueryContext* context, const arrow::Datum& value,
                                          const std::shared_ptr<arrow::DataType>& type,
                                          ArrowCast mode);

// The query's pool, or Arrow's without a query.
arrow::MemoryPool* PoolOf(QueryContext* context);

// The values as an array of `length` rows: an array as it is, a scalar repeated.
arrow::Result<std::shared_ptr<arrow::Array>> DatumToArray(QueryContext* context,
                                                          const arrow::Datum& value,
                                                          int64_t length);

// The values at the positions, of any type; a position of -1 gives NULL. Only small results: no
// more than offsets of the type can address.
arrow::Result<std::shared_ptr<arrow::Array>> TakeRows(QueryContext* context,
                                                      const std::shared_ptr<arrow::Array>& array,
                                                      const std::vector<int64_t>& positions);

}  // namespace keepone
