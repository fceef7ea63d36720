// SPDX-License-Identifier: Apache-2.0
#include "base/byte_size.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/error.h"

namespace keepone {

namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

constexpr double kKibi = 1024;
constexpr double kKilo = 1000;
constexpr std::array<Unit, 18> kUnits = {{
    {"", 1},
    {"b", 1},
    {"k", kKibi},
    {"kib", kKibi},
    {"kb", kKilo},
    {"m", kKibi * kKibi},
    {"mib", kKibi * kKibi},
    {"mb", kKilo * kKilo},
    {"g", kKibi * kKibi * kKibi},
    {"gib", kKibi * kKibi * kKibi},
    {"gb", kKilo * kKilo * kKilo},
    {"t", kKibi * kKibi * kKibi * kKibi},
    {"tib", kKibi * kKibi * kKibi * kKibi},
    {"tb", kKilo * kKilo * kKilo * kKilo},
    {"byte", 1},
    {"bytes", 1},
    {"ki", kKibi},
    {"mi", kKibi * kKibi},
}};

}  // namespace

arrow::Result<int64_t> ParseByteSize(std::string_view text) {
  std::string compact;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      compact += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  double number = 0;
  const auto [end, error] = std::from_chars(compact.data(), compact.data() + compact.size(), number,
                                            std::chars_format::fixed);
  const std::string_view unit_name(end, static_cast<size_t>(compact.data() + compact.size() - end));
  if (error == std::errc() && number >= 0) {
    for (const Unit& unit : kUnits) {
      if (unit.name == unit_name && number * unit.bytes < 9.2e18) {
        return static_cast<int64_t>(std::llround(number * unit.bytes));
      }
    }
  }
  return WithHint(BindError({}, "\"", text, "\" is not a size in bytes"),
                  "sizes are written like 512MB, 64MiB or 2g");
}

std::string FormatByteSize(int64_t bytes) {
  constexpr std::array<const char*, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (std::abs(value) >= kKibi && unit + 1 < kNames.size()) {
    value /= kKibi;
    ++unit;
  }
  std::array<char, 48> text;
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kNames[unit]);
  return text.data();
}

}  // namespace keepone
