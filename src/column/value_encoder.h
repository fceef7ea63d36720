// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "column/order_bits.h"

namespace keepone {

// The byte before every value.
constexpr uint8_t kNullFirstMarker = 0;
constexpr uint8_t kValueMarker = 1;
constexpr uint8_t kNullLastMarker = 2;

// Encodes the values of one column, or of a child of one. The part of KeyEncoder that knows a type.
// Rows count from the offset of the bound array. Values are written for ascending order; whoever
// writes a descending column inverts the bytes.
class ValueEncoder {
 public:
  virtual ~ValueEncoder() = default;

  // The array must stay until the next Bind().
  virtual void Bind(const arrow::ArrayData& data) = 0;
  virtual bool IsNull(int64_t row) const = 0;
  // The bytes of the row's value, which is not NULL, without its marker.
  virtual int64_t Size(int64_t row) const = 0;
  // Writes that value and returns its end.
  virtual uint8_t* Write(int64_t row, uint8_t* out) const = 0;

  // Adds the bytes of rows [offset, offset + rows), markers included, to sizes.
  virtual void AddSizes(int64_t offset, int64_t rows, int64_t* sizes) const = 0;
  // Writes a marker and a value for each row at its cursor and moves the cursor.
  virtual void WriteColumn(int64_t offset, int64_t rows, uint8_t null_marker, bool descending,
                           uint8_t** cursors) const = 0;

  // The bytes of a value, or -1 when they differ. A NULL takes as many, all zero.
  int64_t fixed_width() const { return fixed_width_; }
  // Leaves out the end of a string: for the last column of a key in ascending order.
  virtual void OmitEnd() {}

  int64_t MarkedSize(int64_t row) const {
    if (fixed_width_ >= 0) {
      return 1 + fixed_width_;
    }
    return IsNull(row) ? 1 : 1 + Size(row);
  }
  uint8_t* WriteMarked(int64_t row, uint8_t* out) const {
    if (IsNull(row)) {
      *out++ = kNullLastMarker;
      if (fixed_width_ > 0) {
        std::memset(out, 0, static_cast<size_t>(fixed_width_));
        out += fixed_width_;
      }
      return out;
    }
    *out++ = kValueMarker;
    return Write(row, out);
  }

 protected:
  explicit ValueEncoder(int64_t fixed_width) : fixed_width_(fixed_width) {}
  int64_t fixed_width_;
};

arrow::Result<std::unique_ptr<ValueEncoder>> MakeValueEncoder(const arrow::DataType& type);
// For list, map, struct, union, dictionary and run-end encoded types.
arrow::Result<std::unique_ptr<ValueEncoder>> MakeNestedValueEncoder(const arrow::DataType& type);

// The loops over a column, written once for all encoders without a virtual call per value.
template <typename Derived>
class ColumnLoops : public ValueEncoder {
 public:
  void AddSizes(int64_t offset, int64_t rows, int64_t* sizes) const final {
    const auto& self = static_cast<const Derived&>(*this);
    for (int64_t i = 0; i < rows; ++i) {
      if (fixed_width_ >= 0) {
        sizes[i] += 1 + fixed_width_;
      } else {
        sizes[i] += self.Derived::IsNull(offset + i) ? 1 : 1 + self.Derived::Size(offset + i);
      }
    }
  }

  void WriteColumn(int64_t offset, int64_t rows, uint8_t null_marker, bool descending,
                   uint8_t** cursors) const final {
    const auto& self = static_cast<const Derived&>(*this);
    for (int64_t i = 0; i < rows; ++i) {
      uint8_t* out = cursors[i];
      if (self.Derived::IsNull(offset + i)) {
        *out++ = null_marker;
        if (fixed_width_ > 0) {
          std::memset(out, 0, static_cast<size_t>(fixed_width_));
          out += fixed_width_;
        }
        cursors[i] = out;
        continue;
      }
      *out++ = kValueMarker;
      uint8_t* end = self.Derived::Write(offset + i, out);
      cursors[i] = end;
      if (descending) {
        for (; out != end; ++out) {
          *out = static_cast<uint8_t>(~*out);
        }
      }
    }
  }

 protected:
  using ValueEncoder::ValueEncoder;
};

// The validity bitmap of a bound array.
class Validity {
 public:
  void Bind(const arrow::ArrayData& data);
  bool IsNull(int64_t row) const {
    if (bits_ == nullptr) {
      return false;
    }
    const int64_t bit = offset_ + row;
    return ((bits_[bit >> 3] >> (bit & 7)) & 1) == 0;
  }

 private:
  const uint8_t* bits_ = nullptr;
  int64_t offset_ = 0;
};

}  // namespace keepone
