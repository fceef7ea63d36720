// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/hybrid_reader.h"

#include <algorithm>
#include <cstring>

namespace keepone {

bool HybridReader::NextRun() {
  if (bit_width_ == 0) {
    // All values are zero, and nothing needs to be stored for them.
    run_left_ = INT64_MAX;
    return true;
  }
  while (run_left_ == 0) {
    uint64_t header = 0;
    for (int shift = 0;; shift += 7) {
      if (position_ >= data_.size() || shift > 35) {
        return false;
      }
      const uint8_t byte = data_[position_++];
      header |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) {
        break;
      }
    }
    packed_ = (header & 1) != 0;
    const auto width = static_cast<uint64_t>(bit_width_);
    const uint64_t bytes_left = data_.size() - position_;
    if (packed_) {
      // Writers may leave out the padding of the last group.
      const uint64_t bytes = std::min((header >> 1) * width, bytes_left);
      packed_begin_ = position_;
      packed_next_ = 0;
      run_left_ = static_cast<int64_t>(std::min((header >> 1) * 8, bytes * 8 / width));
      position_ += bytes;
      if (run_left_ == 0 && header > 1) {
        return false;
      }
    } else {
      const size_t bytes = (width + 7) / 8;
      if (bytes > bytes_left) {
        return false;
      }
      value_ = 0;
      for (size_t i = 0; i < bytes; ++i) {
        value_ |= static_cast<uint32_t>(data_[position_ + i]) << (8 * i);
      }
      position_ += bytes;
      run_left_ = static_cast<int64_t>(header >> 1);
    }
  }
  return true;
}

bool HybridReader::Skip(int64_t count) {
  while (count > 0) {
    if (run_left_ == 0 && !NextRun()) {
      return false;
    }
    const int64_t step = std::min(count, run_left_);
    packed_next_ += step;
    run_left_ -= step;
    count -= step;
  }
  return true;
}

uint32_t HybridReader::UnpackOne(int64_t index) const {
  const auto bit = static_cast<uint64_t>(index) * static_cast<uint64_t>(bit_width_);
  const size_t byte = packed_begin_ + bit / 8;
  uint64_t word = 0;
  std::memcpy(&word, data_.data() + byte, std::min<size_t>(8, data_.size() - byte));
  return static_cast<uint32_t>((word >> (bit % 8)) & ((uint64_t{1} << bit_width_) - 1));
}

bool HybridReader::Read(int64_t count, std::vector<uint32_t>* out) {
  while (count > 0) {
    if (run_left_ == 0 && !NextRun()) {
      return false;
    }
    const int64_t step = std::min(count, run_left_);
    if (packed_) {
      for (int64_t i = 0; i < step; ++i) {
        out->push_back(UnpackOne(packed_next_ + i));
      }
      packed_next_ += step;
    } else {
      out->insert(out->end(), static_cast<size_t>(step), value_);
    }
    run_left_ -= step;
    count -= step;
  }
  return true;
}

void AppendBitPacked(std::span<const uint32_t> values, int bit_width, std::vector<uint8_t>* out) {
  const uint64_t groups = (values.size() + 7) / 8;
  for (uint64_t header = groups << 1 | 1;; header >>= 7) {
    if (header < 0x80) {
      out->push_back(static_cast<uint8_t>(header));
      break;
    }
    out->push_back(static_cast<uint8_t>(header | 0x80));
  }
  const size_t end = out->size() + groups * static_cast<size_t>(bit_width);
  uint64_t word = 0;
  int bits = 0;
  for (const uint32_t value : values) {
    word |= static_cast<uint64_t>(value) << bits;
    for (bits += bit_width; bits >= 8; bits -= 8, word >>= 8) {
      out->push_back(static_cast<uint8_t>(word));
    }
  }
  if (bits > 0) {
    out->push_back(static_cast<uint8_t>(word));
  }
  out->resize(end);
}

}  // namespace keepone
