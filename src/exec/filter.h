// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "eval/expression.h"

namespace keepone {

// Gives the rows for which `predicate`, a BOOLEAN over the input's columns, is TRUE.
std::unique_ptr<BatchStream> MakeFilter(QueryContext* context, std::unique_ptr<BatchStream> input,
                                        ExpressionPtr predicate);

}  // namespace keepone
