// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "column/batch_stream.h"

namespace keepone {

// Gives the rows of the first input, then those of the second, and so on. The inputs have columns
// of the same types; names are the first one's. REQUIRES: at least one input.
std::unique_ptr<BatchStream> MakeUnionAll(std::vector<std::unique_ptr<BatchStream>> inputs);

}  // namespace keepone
