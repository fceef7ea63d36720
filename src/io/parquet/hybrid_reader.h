// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace keepone {

// Reads Parquet's hybrid of runs and bit-packed groups, the form of dictionary indices and of RLE
// booleans. Skipping costs per run, not per value.
class HybridReader {
 public:
  // REQUIRES: 0 <= bit_width <= 32. `data` outlives the reader.
  HybridReader(std::span<const uint8_t> data, int bit_width) : data_(data), bit_width_(bit_width) {}

  // Both return false when the data ends before `count` values.
  bool Skip(int64_t count);
  // Appends to `out`.
  bool Read(int64_t count, std::vector<uint32_t>* out);

 private:
  // Makes the current run hold a value; false at the end of the data.
  bool NextRun();
  uint32_t UnpackOne(int64_t index) const;

  std::span<const uint8_t> data_;
  int bit_width_;
  size_t position_ = 0;  // behind the current run
  int64_t run_left_ = 0;
  bool packed_ = false;
  uint32_t value_ = 0;       // of a repeated run
  size_t packed_begin_ = 0;  // of a packed run, in data_
  int64_t packed_next_ = 0;  // its next value
};

// Appends `values` as one bit-packed run. REQUIRES: each fits into `bit_width` bits.
void AppendBitPacked(std::span<const uint32_t> values, int bit_width, std::vector<uint8_t>* out);

}  // namespace keepone
