// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace keepone {

class ValueEncoder;

// One column of a key: its type and its place in the order.
struct KeyField {
  std::shared_ptr<arrow::DataType> type;
  bool descending = false;
  bool nulls_first = false;  // holds in both directions
};

// The encoded keys of some rows. Reused from batch to batch, so that its memory is taken once.
class EncodedKeys {
 public:
  explicit EncodedKeys(arrow::MemoryPool* pool) : pool_(pool) {}

  int64_t size() const { return size_; }
  const uint8_t* data(int64_t row) const {
    return bytes_ + (fixed_width_ >= 0 ? row * fixed_width_ : offsets_[static_cast<size_t>(row)]);
  }
  int64_t length(int64_t row) const {
    return fixed_width_ >= 0
               ? fixed_width_
               : offsets_[static_cast<size_t>(row) + 1] - offsets_[static_cast<size_t>(row)];
  }
  std::string_view operator[](int64_t row) const {
    return {reinterpret_cast<const char*>(data(row)), static_cast<size_t>(length(row))};
  }

 private:
  friend class KeyEncoder;

  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::ResizableBuffer> buffer_;
  uint8_t* bytes_ = nullptr;
  int64_t size_ = 0;
  int64_t fixed_width_ = -1;
  std::vector<int64_t> offsets_;  // size_ + 1, unless the width is fixed
  std::vector<uint8_t*> cursors_;
};

// Turns the rows of a set of columns into byte strings whose memcmp order (the shorter first when
// one is the beginning of the other) is the order of the rows, and whose equality is the equality
// of groups.
//
//   columns (a int32, b utf8 DESC)      key: 01 | a, sign flipped, big endian | 01 | ~b, ~end
//
// Order: integers, dates, times and decimals by value; false before true; floats by value with
// -0.0 equal to 0.0 and NaN (all payloads are equal) above every number; strings and binaries by
// bytes; intervals by months, then days, then the rest (so 30 days differ from 1 month); lists and
// maps (as lists of their entries) by elements, the shorter first; structs by fields; unions by
// type code, then value; dictionaries and run-end encodings by the value they stand for; extension
// types by their storage.
// NULLs: placed by `nulls_first`, whatever the direction; all NULLs of a column are equal. NULLs
// inside lists, structs and maps are above every value, and below it when the column descends.
// A union whose chosen child is NULL is NULL.
// Any type is a key. Offsets of sliced arrays are honoured. Not for use by several threads at once.
class KeyEncoder {
 public:
  static arrow::Result<std::unique_ptr<KeyEncoder>> Make(std::vector<KeyField> fields);
  ~KeyEncoder();

  // Encodes all rows. REQUIRES: columns have the types of the fields and equal lengths.
  arrow::Status Encode(const arrow::ArrayVector& columns, EncodedKeys* out);

  // In parts: Bind() once (the columns must stay until the last EncodeRows()), then rows
  // [offset, offset + rows), or fewer so that the keys take at most `bytes_max`, but at least one;
  // out->size() says how many.
  arrow::Status Bind(const arrow::ArrayVector& columns);
  arrow::Status EncodeRows(int64_t offset, int64_t rows, int64_t bytes_max, EncodedKeys* out);

  // The bytes of every key, or -1 when keys differ in length.
  int64_t fixed_width() const { return fixed_width_; }
  const std::vector<KeyField>& fields() const { return fields_; }

 private:
  explicit KeyEncoder(std::vector<KeyField> fields);

  std::vector<KeyField> fields_;
  std::vector<std::unique_ptr<ValueEncoder>> columns_;
  arrow::ArrayVector bound_;
  int64_t fixed_width_ = 0;
};

// Whether EncodeUInt64 takes a column of this type: fixed width of at most 8 bytes, and its
// extension types.
bool IsUInt64Key(const arrow::DataType& type);

// Maps rows [offset, offset + rows) of a column to integers in the order of KeyEncoder without
// NULLs: values[i] < values[j] exactly when row i comes first, equal exactly when they are equal.
// A NULL gives the value 0 and nulls[i] = 1, others nulls[i] = 0; returns whether there is a NULL.
// REQUIRES: IsUInt64Key(type).
bool EncodeUInt64(const arrow::ArrayData& column, bool descending, int64_t offset, int64_t rows,
                  uint64_t* values, uint8_t* nulls);

}  // namespace keepone
