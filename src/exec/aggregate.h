// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/aggregate_column.h"

namespace keepone {

// Gives one row per group: the group columns, then one column per aggregate, named by `schema`.
// NULL keys form one group; keys of any type. Without group columns there is one row, also over no
// input. Groups come out in the order of their first rows and show the first row's key.
// Winner columns with equal order, filter, required columns and ties come from one row.
std::unique_ptr<BatchStream> MakeAggregate(QueryContext* context,
                                           std::unique_ptr<BatchStream> input,
                                           std::vector<int> groups,
                                           std::vector<AggregateColumn> columns,
                                           std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
