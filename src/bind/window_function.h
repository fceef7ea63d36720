// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "plan/group_nodes.h"

namespace keepone {

// Whether the name is of a function that makes sense only with OVER.
bool IsWindowFunction(std::string_view name);

// row_number, rank and dense_rank; nothing for every other name.
std::optional<WindowCall::Kind> RankingKind(std::string_view name);

}  // namespace keepone
