// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace keepone::ast {

struct DecodedCharacter {
  uint32_t code_point = 0;
  int64_t length_bytes = 0;  // 0 when `text` does not begin with a valid character.
};

// The character at the beginning of `text`. Overlong forms and surrogates are not valid.
DecodedCharacter DecodeUtf8(std::string_view text);

// Where the first invalid character begins, or -1 when all of `text` is UTF-8.
int64_t FindInvalidUtf8(std::string_view text);

// Appends `code_point`; false when it is no character.
bool AppendUtf8(uint32_t code_point, std::string* out);

}  // namespace keepone::ast
