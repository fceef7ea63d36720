// SPDX-License-Identifier: Apache-2.0
#include "column/value_encoder.h"

#include <arrow/array/data.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/binary_view_util.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"

namespace keepone {

using arrow::internal::checked_cast;

void Validity::Bind(const arrow::ArrayData& data) {
  bits_ = data.MayHaveNulls() && data.buffers[0] != nullptr ? data.buffers[0]->data() : nullptr;
  offset_ = data.offset;
}

namespace {

// How the values of a fixed-width type lie in memory and how they are written.
template <typename T>
struct NumberTraits {
  static constexpr int64_t kWidth = sizeof(T);
  static uint8_t* Write(const uint8_t* values, int64_t index, uint8_t* out) {
    return StoreBigEndian(OrderBits(LoadAs<T>(values + index * kWidth)), out);
  }
};

struct HalfTraits {
  static constexpr int64_t kWidth = 2;
  static uint8_t* Write(const uint8_t* values, int64_t index, uint8_t* out) {
    return StoreBigEndian(HalfOrderBits(LoadAs<uint16_t>(values + index * 2)), out);
  }
};

struct BooleanTraits {
  static constexpr int64_t kWidth = 1;
  static uint8_t* Write(const uint8_t* values, int64_t index, uint8_t* out) {
    *out = static_cast<uint8_t>((values[index >> 3] >> (index & 7)) & 1);
    return out + 1;
  }
};

// Two's complement words, the least significant first.
template <int kWords>
struct DecimalTraits {
  static constexpr int64_t kWidth = 8 * kWords;
  static uint8_t* Write(const uint8_t* values, int64_t index, uint8_t* out) {
    const uint8_t* value = values + index * kWidth;
    out = StoreBigEndian(OrderBits(LoadAs<int64_t>(value + kWidth - 8)), out);
    for (int word = kWords - 2; word >= 0; --word) {
      out = StoreBigEndian(LoadAs<uint64_t>(value + word * 8), out);
    }
    return out;
  }
};

struct DayTimeTraits {
  static constexpr int64_t kWidth = 8;
  static uint8_t* Write(const uint8_t* values, int64_t index, uint8_t* out) {
    out = StoreBigEndian(OrderBits(LoadAs<int32_t>(values + index * 8)), out);
    return StoreBigEndian(OrderBits(LoadAs<int32_t>(values + index * 8 + 4)), out);
  }
};

struct MonthDayNanoTraits {
  static constexpr int64_t kWidth = 16;
  static uint8_t* Write(const uint8_t* values, int64_t index, uint8_t* out) {
    out = StoreBigEndian(OrderBits(LoadAs<int32_t>(values + index * 16)), out);
    out = StoreBigEndian(OrderBits(LoadAs<int32_t>(values + index * 16 + 4)), out);
    return StoreBigEndian(OrderBits(LoadAs<int64_t>(values + index * 16 + 8)), out);
  }
};

template <typename Traits>
class FixedEncoder final : public ColumnLoops<FixedEncoder<Traits>> {
 public:
  FixedEncoder() : ColumnLoops<FixedEncoder<Traits>>(Traits::kWidth) {}

  void Bind(const arrow::ArrayData& data) override {
    validity_.Bind(data);
    values_ = data.buffers[1] != nullptr ? data.buffers[1]->data() : nullptr;
    offset_ = data.offset;
  }
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t Size(int64_t) const override { return Traits::kWidth; }
  uint8_t* Write(int64_t row, uint8_t* out) const override {
    return Traits::Write(values_, offset_ + row, out);
  }

 private:
  Validity validity_;
  const uint8_t* values_ = nullptr;
  int64_t offset_ = 0;
};

class FixedSizeBinaryEncoder final : public ColumnLoops<FixedSizeBinaryEncoder> {
 public:
  explicit FixedSizeBinaryEncoder(int64_t width) : ColumnLoops(width) {}

  void Bind(const arrow::ArrayData& data) override {
    validity_.Bind(data);
    values_ = data.buffers[1] != nullptr ? data.buffers[1]->data() : nullptr;
    offset_ = data.offset;
  }
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t Size(int64_t) const override { return fixed_width_; }
  uint8_t* Write(int64_t row, uint8_t* out) const override {
    if (fixed_width_ > 0) {
      std::memcpy(out, values_ + (offset_ + row) * fixed_width_, static_cast<size_t>(fixed_width_));
    }
    return out + fixed_width_;
  }

 private:
  Validity validity_;
  const uint8_t* values_ = nullptr;
  int64_t offset_ = 0;
};

class NullEncoder final : public ColumnLoops<NullEncoder> {
 public:
  NullEncoder() : ColumnLoops(0) {}
  void Bind(const arrow::ArrayData&) override {}
  bool IsNull(int64_t) const override { return true; }
  int64_t Size(int64_t) const override { return 0; }
  uint8_t* Write(int64_t, uint8_t* out) const override { return out; }
};

// A string ends with 00 00; a zero byte within is written 00 FF, so that the end sorts below it.
constexpr uint8_t kZeroFollower = 0xFF;

int64_t EscapedSize(const uint8_t* data, int64_t length) {
  int64_t zeros = 0;
  for (int64_t i = 0; i < length; ++i) {
    zeros += data[i] == 0 ? 1 : 0;
  }
  return length + zeros + 2;
}

uint8_t* WriteEscaped(const uint8_t* data, int64_t length, uint8_t* out) {
  while (length > 0) {
    const void* zero = std::memchr(data, 0, static_cast<size_t>(length));
    const int64_t run = zero == nullptr ? length : static_cast<const uint8_t*>(zero) - data;
    std::memcpy(out, data, static_cast<size_t>(run));
    out += run;
    if (zero == nullptr) {
      break;
    }
    *out++ = 0;
    *out++ = kZeroFollower;
    data += run + 1;
    length -= run + 1;
  }
  *out++ = 0;
  *out++ = 0;
  return out;
}

struct Bytes {
  const uint8_t* data;
  int64_t length;
};

// Where the bytes of a string lie.
template <typename Offset>
class OffsetStrings {
 public:
  void Bind(const arrow::ArrayData& data) {
    offsets_ = data.GetValues<Offset>(1);
    bytes_ = data.buffers[2] != nullptr ? data.buffers[2]->data() : nullptr;
  }
  Bytes Get(int64_t row) const {
    return {bytes_ + offsets_[row], static_cast<int64_t>(offsets_[row + 1] - offsets_[row])};
  }

 private:
  const Offset* offsets_ = nullptr;
  const uint8_t* bytes_ = nullptr;
};

class ViewStrings {
 public:
  void Bind(const arrow::ArrayData& data) {
    views_ = data.GetValues<arrow::BinaryViewType::c_type>(1);
    buffers_ = data.buffers.data() + 2;
  }
  Bytes Get(int64_t row) const {
    const auto& view = views_[row];
    if (view.is_inline()) {
      return {view.inline_data(), view.size()};
    }
    return {buffers_[view.ref.buffer_index]->data() + view.ref.offset, view.size()};
  }

 private:
  const arrow::BinaryViewType::c_type* views_ = nullptr;
  const std::shared_ptr<arrow::Buffer>* buffers_ = nullptr;
};

template <typename Strings>
class StringEncoder final : public ColumnLoops<StringEncoder<Strings>> {
 public:
  StringEncoder() : ColumnLoops<StringEncoder<Strings>>(-1) {}

  void Bind(const arrow::ArrayData& data) override {
    validity_.Bind(data);
    strings_.Bind(data);
  }
  bool IsNull(int64_t row) const override { return validity_.IsNull(row); }
  int64_t Size(int64_t row) const override {
    const Bytes bytes = strings_.Get(row);
    return omit_end_ ? bytes.length : EscapedSize(bytes.data, bytes.length);
  }
  uint8_t* Write(int64_t row, uint8_t* out) const override {
    const Bytes bytes = strings_.Get(row);
    if (!omit_end_) {
      return WriteEscaped(bytes.data, bytes.length, out);
    }
    if (bytes.length > 0) {
      std::memcpy(out, bytes.data, static_cast<size_t>(bytes.length));
    }
    return out + bytes.length;
  }
  void OmitEnd() override { omit_end_ = true; }

 private:
  Validity validity_;
  Strings strings_;
  bool omit_end_ = false;
};

template <typename Encoder>
std::unique_ptr<ValueEncoder> New() {
  return std::make_unique<Encoder>();
}

using EncoderMaker = std::unique_ptr<ValueEncoder> (*)();

EncoderMaker FindNumberEncoder(arrow::Type::type id) {
  switch (id) {
    case arrow::Type::BOOL:
      return New<FixedEncoder<BooleanTraits>>;
    case arrow::Type::INT8:
      return New<FixedEncoder<NumberTraits<int8_t>>>;
    case arrow::Type::UINT8:
      return New<FixedEncoder<NumberTraits<uint8_t>>>;
    case arrow::Type::INT16:
      return New<FixedEncoder<NumberTraits<int16_t>>>;
    case arrow::Type::UINT16:
      return New<FixedEncoder<NumberTraits<uint16_t>>>;
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::DECIMAL32:
      return New<FixedEncoder<NumberTraits<int32_t>>>;
    case arrow::Type::UINT32:
      return New<FixedEncoder<NumberTraits<uint32_t>>>;
    case arrow::Type::INT64:
    case arrow::Type::DATE64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
    case arrow::Type::DECIMAL64:
      return New<FixedEncoder<NumberTraits<int64_t>>>;
    case arrow::Type::UINT64:
      return New<FixedEncoder<NumberTraits<uint64_t>>>;
    case arrow::Type::HALF_FLOAT:
      return New<FixedEncoder<HalfTraits>>;
    case arrow::Type::FLOAT:
      return New<FixedEncoder<NumberTraits<float>>>;
    case arrow::Type::DOUBLE:
      return New<FixedEncoder<NumberTraits<double>>>;
    case arrow::Type::DECIMAL128:
      return New<FixedEncoder<DecimalTraits<2>>>;
    case arrow::Type::DECIMAL256:
      return New<FixedEncoder<DecimalTraits<4>>>;
    case arrow::Type::INTERVAL_DAY_TIME:
      return New<FixedEncoder<DayTimeTraits>>;
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return New<FixedEncoder<MonthDayNanoTraits>>;
    default:
      return nullptr;
  }
}

}  // namespace

arrow::Result<std::unique_ptr<ValueEncoder>> MakeValueEncoder(const arrow::DataType& type) {
  if (const EncoderMaker maker = FindNumberEncoder(type.id())) {
    return maker();
  }
  switch (type.id()) {
    case arrow::Type::NA:
      return New<NullEncoder>();
    case arrow::Type::FIXED_SIZE_BINARY:
      return std::make_unique<FixedSizeBinaryEncoder>(
          checked_cast<const arrow::FixedSizeBinaryType&>(type).byte_width());
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return New<StringEncoder<OffsetStrings<int32_t>>>();
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return New<StringEncoder<OffsetStrings<int64_t>>>();
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return New<StringEncoder<ViewStrings>>();
    case arrow::Type::EXTENSION:
      return MakeValueEncoder(*checked_cast<const arrow::ExtensionType&>(type).storage_type());
    default:
      return MakeNestedValueEncoder(type);
  }
}

}  // namespace keepone
