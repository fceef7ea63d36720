// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "eval/expression.h"

namespace keepone {

// Gives one column per expression over the input's columns, row by row, named as in `schema`,
// whose types are the expressions'.
std::unique_ptr<BatchStream> MakeProject(QueryContext* context, std::unique_ptr<BatchStream> input,
                                         std::vector<ExpressionPtr> expressions,
                                         std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
