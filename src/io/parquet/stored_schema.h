// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace keepone {

// The bytes of a Parquet footer in which the Arrow schema that the writer stored has plain types:
// views and dictionaries, at any depth, become the values that they stand for. Without such types,
// and when there is no such schema or it cannot be read, the footer comes back as it is.
//
// The footer is where this must be done: Arrow's reader takes the types from it alone, and its
// kernels can neither take nor compare views.
std::string NormalizeStoredSchema(std::string_view footer);

}  // namespace keepone
