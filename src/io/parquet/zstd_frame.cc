// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/zstd_frame.h"

#include <algorithm>
#include <limits>

namespace keepone {

namespace {

constexpr std::array<uint8_t, 4> kMagic = {0x28, 0xB5, 0x2F, 0xFD};
constexpr auto kBlockHeaderBytes = static_cast<size_t>(kZstdBlockHeaderBytes);

// Bits of the byte behind the magic number.
constexpr int kContentSizeShift = 6;
constexpr unsigned kSingleSegment = 1U << 5;
constexpr unsigned kDictionaryMask = 3;
// A content size of four bytes, nothing else.
constexpr uint8_t kCutDescriptor = 2U << kContentSizeShift | kSingleSegment;

uint64_t LoadUnsigned(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    value |= uint64_t{bytes[i]} << (8 * i);
  }
  return value;
}

}  // namespace

std::optional<ZstdFrameHeader> ParseZstdFrameHeader(std::span<const uint8_t> data) {
  if (data.size() <= kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), data.begin())) {
    return std::nullopt;
  }
  const unsigned descriptor = data[kMagic.size()];
  const bool single_segment = (descriptor & kSingleSegment) != 0;
  constexpr std::array<size_t, 4> kDictionaryBytes = {0, 1, 2, 4};
  constexpr std::array<size_t, 4> kContentBytes = {0, 2, 4, 8};
  size_t content_width = kContentBytes[descriptor >> kContentSizeShift];
  if (content_width == 0 && single_segment) {
    content_width = 1;
  }
  const size_t dictionary_width = kDictionaryBytes[descriptor & kDictionaryMask];
  const size_t content_begin = kMagic.size() + 1 + (single_segment ? 0 : 1) + dictionary_width;
  if (data.size() < content_begin + content_width) {
    return std::nullopt;
  }
  ZstdFrameHeader header;
  header.header_bytes = static_cast<int64_t>(content_begin + content_width);
  header.has_dictionary = dictionary_width > 0;
  if (content_width > 0) {
    // Two bytes begin to count where one byte ends.
    const uint64_t bytes =
        LoadUnsigned(data.subspan(content_begin, content_width)) + (content_width == 2 ? 256 : 0);
    if (bytes <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      header.content_bytes = static_cast<int64_t>(bytes);
    }
  }
  return header;
}

std::optional<int64_t> UsualZstdBlock(std::span<const uint8_t> data) {
  enum Type : unsigned { kRaw = 0, kRepeated = 1, kCompressed = 2 };
  if (data.size() < kBlockHeaderBytes) {
    return std::nullopt;
  }
  const auto header = static_cast<unsigned>(LoadUnsigned(data.first(kBlockHeaderBytes)));
  const bool is_last = (header & 1) != 0;
  const unsigned type = header >> 1 & 3;
  const int64_t size = header >> 3;
  // Of a compressed block only its decompression tells how much it holds.
  if (is_last || type > kCompressed || (type != kCompressed && size != kZstdBlockBytes)) {
    return std::nullopt;
  }
  return kZstdBlockHeaderBytes + (type == kRepeated ? 1 : size);
}

ZstdFrameCut::ZstdFrameCut(uint8_t* first_block, uint8_t* last_block, const uint8_t* end,
                           int64_t content_bytes)
    : header_(first_block - kHeaderBytes),
      last_block_(last_block),
      end_(end),
      last_block_replaced_(*last_block) {
  std::copy_n(header_, kHeaderBytes, replaced_.begin());
  uint8_t* out = std::copy(kMagic.begin(), kMagic.end(), header_);
  *out++ = kCutDescriptor;
  for (int shift = 0; shift < 32; shift += 8) {
    *out++ = static_cast<uint8_t>(content_bytes >> shift);
  }
  *last_block_ = static_cast<uint8_t>(*last_block_ | 1U);
}

ZstdFrameCut::~ZstdFrameCut() {
  *last_block_ = last_block_replaced_;
  std::copy(replaced_.begin(), replaced_.end(), header_);
}

}  // namespace keepone
