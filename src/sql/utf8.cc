// SPDX-License-Identifier: Apache-2.0
#include "sql/utf8.h"

namespace keepone::ast {

namespace {

constexpr uint32_t kCodePointMax = 0x10FFFF;

bool IsSurrogate(uint32_t code_point) {
  return code_point >= 0xD800 && code_point <= 0xDFFF;
}

char Byte(uint32_t value) {
  return static_cast<char>(static_cast<unsigned char>(value));
}

}  // namespace

DecodedCharacter DecodeUtf8(std::string_view text) {
  if (text.empty()) {
    return {};
  }
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) {
    return {first, 1};
  }
  size_t length = 0;
  uint32_t code_point = 0;
  uint32_t least = 0;
  if ((first & 0xE0) == 0xC0) {
    length = 2;
    code_point = first & 0x1F;
    least = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3;
    code_point = first & 0x0F;
    least = 0x800;
  } else if ((first & 0xF8) == 0xF0) {
    length = 4;
    code_point = first & 0x07;
    least = 0x10000;
  }
  if (length == 0 || text.size() < length) {
    return {};
  }
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) {
      return {};
    }
    code_point = (code_point << 6) | (next & 0x3F);
  }
  if (code_point < least || code_point > kCodePointMax || IsSurrogate(code_point)) {
    return {};
  }
  return {code_point, static_cast<int64_t>(length)};
}

int64_t FindInvalidUtf8(std::string_view text) {
  size_t offset = 0;
  while (offset < text.size()) {
    if (static_cast<unsigned char>(text[offset]) < 0x80) {
      ++offset;
      continue;
    }
    const DecodedCharacter character = DecodeUtf8(text.substr(offset));
    if (character.length_bytes == 0) {
      return static_cast<int64_t>(offset);
    }
    offset += static_cast<size_t>(character.length_bytes);
  }
  return -1;
}

bool AppendUtf8(uint32_t code_point, std::string* out) {
  if (code_point > kCodePointMax || IsSurrogate(code_point)) {
    return false;
  }
  if (code_point < 0x80) {
    *out += Byte(code_point);
  } else if (code_point < 0x800) {
    *out += Byte(0xC0 | (code_point >> 6));
    *out += Byte(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    *out += Byte(0xE0 | (code_point >> 12));
    *out += Byte(0x80 | ((code_point >> 6) & 0x3F));
    *out += Byte(0x80 | (code_point & 0x3F));
  } else {
    *out += Byte(0xF0 | (code_point >> 18));
    *out += Byte(0x80 | ((code_point >> 12) & 0x3F));
    *out += Byte(0x80 | ((code_point >> 6) & 0x3F));
    *out += Byte(0x80 | (code_point & 0x3F));
  }
  return true;
}

}  // namespace keepone::ast
