// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace keepone {

// Statements that use every construct of the language, each at least once.
const std::vector<std::string_view>& SqlCorpus();

}  // namespace keepone
