// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace keepone {

// Unsigned integers in the order of signed ones and of floats.

template <typename T>
T LoadAs(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void StoreAs(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <typename Unsigned>
constexpr Unsigned SignBit() {
  return static_cast<Unsigned>(Unsigned{1} << (sizeof(Unsigned) * 8 - 1));
}

template <typename Integer>
constexpr auto OrderBits(Integer value) {
  using Unsigned = std::make_unsigned_t<Integer>;
  if constexpr (std::is_signed_v<Integer>) {
    return static_cast<Unsigned>(static_cast<Unsigned>(value) ^ SignBit<Unsigned>());
  } else {
    return value;
  }
}

// From the bits of an IEEE float with `kMantissaBits`: NaNs become one value above infinity, -0.0
// becomes 0.0.
template <typename Unsigned, int kMantissaBits>
constexpr Unsigned FloatOrderBits(Unsigned bits) {
  constexpr Unsigned kSign = SignBit<Unsigned>();
  constexpr Unsigned kInfinity =
      static_cast<Unsigned>(static_cast<Unsigned>(~((Unsigned{1} << kMantissaBits) - 1)) & ~kSign);
  const Unsigned magnitude = static_cast<Unsigned>(bits & ~kSign);
  const Unsigned ordered = (bits & kSign) != 0 ? static_cast<Unsigned>(kSign - magnitude)
                                               : static_cast<Unsigned>(kSign + magnitude);
  return magnitude > kInfinity ? static_cast<Unsigned>(~Unsigned{0}) : ordered;
}

constexpr uint16_t HalfOrderBits(uint16_t bits) {
  return FloatOrderBits<uint16_t, 10>(bits);
}
constexpr uint32_t OrderBits(float value) {
  return FloatOrderBits<uint32_t, 23>(std::bit_cast<uint32_t>(value));
}
constexpr uint64_t OrderBits(double value) {
  return FloatOrderBits<uint64_t, 52>(std::bit_cast<uint64_t>(value));
}

template <typename Unsigned>
uint8_t* StoreBigEndian(Unsigned value, uint8_t* out) {
  if constexpr (std::endian::native == std::endian::little) {
    if constexpr (sizeof(Unsigned) == 2) {
      value = __builtin_bswap16(value);
    } else if constexpr (sizeof(Unsigned) == 4) {
      value = __builtin_bswap32(value);
    } else if constexpr (sizeof(Unsigned) == 8) {
      value = __builtin_bswap64(value);
    }
  }
  std::memcpy(out, &value, sizeof(Unsigned));
  return out + sizeof(Unsigned);
}

inline uint64_t LoadBigEndian64(const uint8_t* from) {
  const auto value = LoadAs<uint64_t>(from);
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

}  // namespace keepone
