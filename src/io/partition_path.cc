// SPDX-License-Identifier: Apache-2.0
#include "io/partition_path.h"

namespace keepone {

void AppendPathSegment(std::string_view text, std::string* out) {
  constexpr std::string_view kSpecial = "\"#%'*/:=?\\{}[]^<>|";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr unsigned char kDelete = 0x7F;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == kDelete || kSpecial.find(c) != std::string_view::npos) {
      *out += '%';
      *out += kDigits[byte >> 4U];
      *out += kDigits[byte & 0xFU];
    } else {
      *out += c;
    }
  }
}

}  // namespace keepone
