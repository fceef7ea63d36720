// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "optimize/rule.h"

namespace keepone {

// The rules in the order in which they are applied; a rule may stand in several places.
std::span<const Rule> DefaultRules();

}  // namespace keepone
