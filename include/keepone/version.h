// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace keepone {

// "0.1.0".
std::string Version();

// "26.0.1": of the Arrow library that is loaded.
std::string ArrowVersion();

}  // namespace keepone
