// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace keepone {

// What the header of a Zstandard frame (RFC 8878, section 3.1.1) says.
struct ZstdFrameHeader {
  int64_t header_bytes = 0;              // up to the first block
  std::optional<int64_t> content_bytes;  // decompressed, where the header tells
  bool has_dictionary = false;
};

// Of the frame that `data` begins with; nullopt when it is none, or too short to tell.
std::optional<ZstdFrameHeader> ParseZstdFrameHeader(std::span<const uint8_t> data);

// Decompressed bytes of a block, as writers fill them but for the last one. The format bounds a
// block by this; it does not ask for it.
constexpr int64_t kZstdBlockBytes = 128 << 10;

constexpr int64_t kZstdBlockHeaderBytes = 3;

// The bytes of the block that `data` begins with, header included. nullopt: one that is known not
// to be of the usual size, the last one, or no block.
std::optional<int64_t> UsualZstdBlock(std::span<const uint8_t> data);

// Bytes before a frame that a ZstdFrameCut may write to, so that every header has room.
constexpr int64_t kZstdCutRoom = 16;

// Makes the first blocks of a frame a frame of their own, in place, while it lives: a decoder that
// gives whole frames only, as fast as it can, then gives these blocks and stops.
class ZstdFrameCut {
 public:
  // `first_block` is where the first block begins, behind a header and at least kZstdCutRoom bytes
  // in all that may be written to; `last_block` is the block to end with and `end` where that ends.
  ZstdFrameCut(uint8_t* first_block, uint8_t* last_block, const uint8_t* end,
               int64_t content_bytes);
  ~ZstdFrameCut();
  ZstdFrameCut(const ZstdFrameCut&) = delete;
  ZstdFrameCut& operator=(const ZstdFrameCut&) = delete;

  std::span<const uint8_t> frame() const { return {header_, end_}; }

 private:
  static constexpr size_t kHeaderBytes = 9;

  uint8_t* header_;
  uint8_t* last_block_;
  const uint8_t* end_;
  std::array<uint8_t, kHeaderBytes> replaced_;
  uint8_t last_block_replaced_;
};

}  // namespace keepone
