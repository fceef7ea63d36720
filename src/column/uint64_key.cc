// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <arrow/array/data.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "column/key_encoder.h"
#include "column/order_bits.h"

namespace keepone {

namespace {

const arrow::DataType& StorageType(const arrow::DataType& type) {
  const arrow::DataType* storage = &type;
  while (storage->id() == arrow::Type::EXTENSION) {
    storage =
        arrow::internal::checked_cast<const arrow::ExtensionType&>(*storage).storage_type().get();
  }
  return *storage;
}

template <typename T>
void MapIntegers(const void* from, int64_t offset, int64_t rows, uint64_t flip, uint64_t* values) {
  const T* in = static_cast<const T*>(from) + offset;
  for (int64_t i = 0; i < rows; ++i) {
    values[i] = static_cast<uint64_t>(OrderBits(in[i])) ^ flip;
  }
}

void MapHalves(const void* from, int64_t offset, int64_t rows, uint64_t flip, uint64_t* values) {
  const uint16_t* in = static_cast<const uint16_t*>(from) + offset;
  for (int64_t i = 0; i < rows; ++i) {
    values[i] = static_cast<uint64_t>(HalfOrderBits(in[i])) ^ flip;
  }
}

void MapBooleans(const void* from, int64_t offset, int64_t rows, uint64_t flip, uint64_t* values) {
  const auto* bits = static_cast<const uint8_t*>(from);
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t bit = offset + i;
    values[i] = static_cast<uint64_t>((bits[bit >> 3] >> (bit & 7)) & 1) ^ flip;
  }
}

// The days come first in memory and in the order, then the milliseconds.
void MapDayTimes(const void* from, int64_t offset, int64_t rows, uint64_t flip, uint64_t* values) {
  const auto* in = static_cast<const uint8_t*>(from) + offset * 8;
  for (int64_t i = 0; i < rows; ++i) {
    const uint64_t days = OrderBits(LoadAs<int32_t>(in + i * 8));
    const uint64_t milliseconds = OrderBits(LoadAs<int32_t>(in + i * 8 + 4));
    values[i] = ((days << 32) | milliseconds) ^ flip;
  }
}

using Mapper = void (*)(const void*, int64_t, int64_t, uint64_t, uint64_t*);

Mapper FindMapper(arrow::Type::type id) {
  switch (id) {
    case arrow::Type::BOOL:
      return MapBooleans;
    case arrow::Type::INT8:
      return MapIntegers<int8_t>;
    case arrow::Type::UINT8:
      return MapIntegers<uint8_t>;
    case arrow::Type::INT16:
      return MapIntegers<int16_t>;
    case arrow::Type::UINT16:
      return MapIntegers<uint16_t>;
    case arrow::Type::INT32:
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::DECIMAL32:
      return MapIntegers<int32_t>;
    case arrow::Type::UINT32:
      return MapIntegers<uint32_t>;
    case arrow::Type::INT64:
    case arrow::Type::DATE64:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DURATION:
    case arrow::Type::DECIMAL64:
      return MapIntegers<int64_t>;
    case arrow::Type::UINT64:
      return MapIntegers<uint64_t>;
    case arrow::Type::HALF_FLOAT:
      return MapHalves;
    case arrow::Type::FLOAT:
      return MapIntegers<float>;
    case arrow::Type::DOUBLE:
      return MapIntegers<double>;
    case arrow::Type::INTERVAL_DAY_TIME:
      return MapDayTimes;
    default:
      return nullptr;
  }
}

}  // namespace

bool IsUInt64Key(const arrow::DataType& type) {
  return FindMapper(StorageType(type).id()) != nullptr;
}

bool EncodeUInt64(const arrow::ArrayData& column, bool descending, int64_t offset, int64_t rows,
                  uint64_t* values, uint8_t* nulls) {
  if (rows == 0) {
    return false;
  }
  const int64_t first = column.offset + offset;
  const Mapper mapper = FindMapper(StorageType(*column.type).id());
  mapper(column.buffers[1]->data(), first, rows, descending ? ~uint64_t{0} : 0, values);
  if (!column.MayHaveNulls() || column.buffers[0] == nullptr) {
    std::memset(nulls, 0, static_cast<size_t>(rows));
    return false;
  }
  const uint8_t* bits = column.buffers[0]->data();
  uint8_t any = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t bit = first + i;
    const auto valid = static_cast<uint8_t>((bits[bit >> 3] >> (bit & 7)) & 1);
    nulls[i] = valid ^ 1;
    any |= nulls[i];
    values[i] &= uint64_t{0} - valid;
  }
  return any != 0;
}

}  // namespace keepone
