// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#  include <emmintrin.h>
#endif

namespace keepone {

// 64 bytes of text, which are looked at all at once. Bit i of a mask stands for byte i.
class ByteBlock {
 public:
  static constexpr size_t kBytes = 64;

#ifdef __SSE2__
  // From 64 readable bytes.
  explicit ByteBlock(const char* text) {
    for (int i = 0; i < kParts; ++i) {
      parts_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + i);
    }
  }
  uint64_t Equal(char byte) const {
    const __m128i wanted = _mm_set1_epi8(byte);
    return Mask([&wanted](__m128i part) { return _mm_cmpeq_epi8(part, wanted); });
  }
  // Bytes that are no ASCII.
  uint64_t High() const {
    return Mask([](__m128i part) { return part; });
  }

 private:
  static constexpr int kParts = 4;

  template <typename Compare>
  uint64_t Mask(Compare compare) const {
    uint64_t mask = 0;
    for (int i = 0; i < kParts; ++i) {
      const auto bits = static_cast<uint32_t>(_mm_movemask_epi8(compare(parts_[i])));
      mask |= static_cast<uint64_t>(bits) << (16 * i);
    }
    return mask;
  }

  __m128i parts_[kParts];
#else
  explicit ByteBlock(const char* text) : text_(text) {}
  uint64_t Equal(char byte) const {
    return Mask([byte](char each) { return each == byte; });
  }
  uint64_t High() const {
    return Mask([](char each) { return static_cast<unsigned char>(each) >= 0x80; });
  }

 private:
  template <typename Compare>
  uint64_t Mask(Compare compare) const {
    uint64_t mask = 0;
    for (size_t i = 0; i < kBytes; ++i) {
      mask |= static_cast<uint64_t>(compare(text_[i])) << i;
    }
    return mask;
  }

  const char* text_;
#endif
};

// Bit i is whether an odd number of bits up to i, itself included, is set.
inline uint64_t PrefixXor(uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) {
    bits ^= bits << shift;
  }
  return bits;
}

// The lowest `count` bits, at most 64.
inline uint64_t LowBits(size_t count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

}  // namespace keepone
