// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/query_context.h"
#include "column/batch_stream.h"

namespace keepone {

struct LimitSpec {
  std::optional<int64_t> rows_max;
  int64_t offset = 0;
};

// Leaves out the first `offset` rows of the input and gives the next `rows_max`, all without it.
// Stops its input as soon as it has them. Gives one morsel.
std::unique_ptr<BatchStream> MakeLimit(QueryContext* context, std::unique_ptr<BatchStream> input,
                                       LimitSpec spec);

}  // namespace keepone
