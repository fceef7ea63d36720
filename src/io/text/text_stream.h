// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "column/batch_stream.h"
#include "io/text/text_reading.h"

namespace keepone {

// All rows of the files, in their order. Errors of opening a file come when it is reached.
std::unique_ptr<BatchStream> MakeTextScan(std::shared_ptr<const TextReading> reading);

// The rows at `addresses`, as in FetchRequest.
std::unique_ptr<BatchStream> MakeTextFetch(std::shared_ptr<const TextReading> reading,
                                           std::shared_ptr<arrow::Int64Array> addresses);

}  // namespace keepone
