// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "engine/run_query.h"
#include "keepone/result.h"

namespace keepone {

// The rows of a query, computed as they are read.
std::unique_ptr<QueryResult> MakeStreamingResult(RunningQuery query);

// Rows that are there already; `summary` is the word of the statement.
std::unique_ptr<QueryResult> MakeBatchResult(std::shared_ptr<QueryContext> context,
                                             std::shared_ptr<arrow::RecordBatch> batch,
                                             std::string summary);

// No rows, only what was done.
std::unique_ptr<QueryResult> MakeSummaryResult(std::shared_ptr<QueryContext> context,
                                               std::string summary);

}  // namespace keepone
