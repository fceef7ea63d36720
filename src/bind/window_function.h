// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace keepone {

// Whether the name is of a function that makes sense only with OVER.
bool IsWindowFunction(std::string_view name);

}  // namespace keepone
