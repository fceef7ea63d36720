// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <arrow/result.h>

#include "function/scalar_row.h"

namespace keepone {

// add, subtract, multiply of dates, timestamps and intervals; nothing for other types.
arrow::Result<std::optional<ScalarResolution>> ResolveTemporalArithmetic(const std::string& kernel,
                                                                         ScalarArguments arguments);

// -interval
std::optional<ScalarResolution> ResolveIntervalNegation();

}  // namespace keepone
