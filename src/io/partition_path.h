// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace keepone {

// Appends `text` as a name of a directory in the layout of Hive: what paths, patterns or the layout
// itself give a meaning, and control characters, become % and two hexadecimal digits a byte.
void AppendPathSegment(std::string_view text, std::string* out);

// What stands for NULL there.
inline constexpr std::string_view kNullPartition = "__HIVE_DEFAULT_PARTITION__";

}  // namespace keepone
