// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "column/batch_stream.h"

namespace keepone {

// Gives batches that are there already, in one morsel; empty ones are left out.
std::unique_ptr<BatchStream> MakeValues(std::shared_ptr<arrow::Schema> schema,
                                        std::vector<std::shared_ptr<arrow::RecordBatch>> batches);

}  // namespace keepone
