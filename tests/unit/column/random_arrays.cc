// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/column/random_arrays.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <arrow/api.h>
#include <arrow/extension/uuid.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/checked_cast.h>
#include <arrow/util/float16.h>
#include <arrow/util/ree_util.h>

namespace keepone {

using arrow::internal::checked_cast;

namespace {

int64_t Pick(int64_t count, std::mt19937* random) {
  return std::uniform_int_distribution<int64_t>(0, count - 1)(*random);
}

std::shared_ptr<arrow::Buffer> RandomValidity(int64_t length, bool with_nulls,
                                              std::mt19937* random) {
  if (!with_nulls) {
    return nullptr;
  }
  auto buffer = arrow::AllocateEmptyBitmap(length).ValueOrDie();
  for (int64_t i = 0; i < length; ++i) {
    arrow::bit_util::SetBitTo(buffer->mutable_data(), i, Pick(4, random) != 0);
  }
  return buffer;
}

std::shared_ptr<arrow::Buffer> NewBuffer(int64_t bytes) {
  return arrow::AllocateBuffer(bytes).ValueOrDie();
}

template <typename T>
std::shared_ptr<arrow::Buffer> PickBuffer(const std::vector<T>& values, int64_t length,
                                          std::mt19937* random) {
  auto buffer = NewBuffer(length * static_cast<int64_t>(sizeof(T)));
  for (int64_t i = 0; i < length; ++i) {
    const T& value = values[static_cast<size_t>(Pick(static_cast<int64_t>(values.size()), random))];
    std::memcpy(buffer->mutable_data() + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }
  return buffer;
}

template <typename T>
std::vector<T> OddIntegers() {
  return {std::numeric_limits<T>::min(),
          std::numeric_limits<T>::max(),
          T{0},
          T{1},
          T{2},
          T{100},
          static_cast<T>(-1),
          static_cast<T>(-2)};
}

std::shared_ptr<arrow::Buffer> FloatBuffer(arrow::Type::type id, int64_t length,
                                           std::mt19937* random) {
  if (id == arrow::Type::HALF_FLOAT) {
    return PickBuffer<uint16_t>(
        {0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x0001}, length, random);
  }
  if (id == arrow::Type::FLOAT) {
    return PickBuffer<uint32_t>({0, 0x80000000u, 0x3F800000u, 0xBF800000u, 0x7F800000u, 0xFF800000u,
                                 0x7FC00000u, 0xFFC00001u, 1},
                                length, random);
  }
  return PickBuffer<uint64_t>(
      {0, uint64_t{1} << 63, std::bit_cast<uint64_t>(1.0), std::bit_cast<uint64_t>(-1.0),
       uint64_t{0x7FF} << 52, uint64_t{0xFFF} << 52, uint64_t{0x7FF8} << 48,
       (uint64_t{0xFFF8} << 48) + 1, 1},
      length, random);
}

std::shared_ptr<arrow::Buffer> ValueBuffer(const arrow::DataType& type, int64_t length,
                                           std::mt19937* random) {
  const int width = checked_cast<const arrow::FixedWidthType&>(type).bit_width();
  switch (type.id()) {
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      return FloatBuffer(type.id(), length, random);
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      auto buffer = NewBuffer(length * width / 8);
      for (int64_t i = 0; i < length * width / 64; ++i) {
        const std::vector<int64_t> words = {0, -1, 1, std::numeric_limits<int64_t>::min(), 5};
        std::memcpy(buffer->mutable_data() + i * 8, &words[static_cast<size_t>(Pick(5, random))],
                    8);
      }
      return buffer;
    }
    case arrow::Type::DECIMAL32:
      return PickBuffer<int32_t>({-99999, 99999, 0, 1, -1}, length, random);
    case arrow::Type::DECIMAL64:
      return PickBuffer<int64_t>({-999999999, 999999999, 0, 1, -1}, length, random);
    case arrow::Type::INTERVAL_DAY_TIME:
      return PickBuffer<int32_t>(OddIntegers<int32_t>(), length * 2, random);
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return PickBuffer<int32_t>(OddIntegers<int32_t>(), length * 4, random);
    case arrow::Type::BOOL:
      return PickBuffer<uint8_t>(OddIntegers<uint8_t>(), length / 8 + 1, random);
    case arrow::Type::FIXED_SIZE_BINARY:
      return PickBuffer<uint8_t>({0, 1, 255}, length * width / 8, random);
    default:
      break;
  }
  switch (width) {
    case 8:
      return PickBuffer<uint8_t>(OddIntegers<uint8_t>(), length, random);
    case 16:
      return PickBuffer<uint16_t>(OddIntegers<uint16_t>(), length, random);
    case 32: {
      auto values = OddIntegers<uint32_t>();
      values.push_back(0x80000000u);
      return PickBuffer(values, length, random);
    }
    default: {
      auto values = OddIntegers<uint64_t>();
      values.push_back(uint64_t{1} << 63);
      return PickBuffer(values, length, random);
    }
  }
}

std::string OddString(std::mt19937* random) {
  using namespace std::string_literals;
  static const std::vector<std::string> kStrings = {""s,
                                                    "a"s,
                                                    "a\0"s,
                                                    "a\0b"s,
                                                    "ab"s,
                                                    "b"s,
                                                    "\0"s,
                                                    "\0\0"s,
                                                    "\x7F"s,
                                                    "a string that is longer than twelve bytes"s,
                                                    "a string that is longer than twelve bytez"s,
                                                    "a string that is longer than twelve"s};
  return kStrings[static_cast<size_t>(Pick(static_cast<int64_t>(kStrings.size()), random))];
}

template <typename Builder>
std::shared_ptr<arrow::Array> MakeStrings(const std::shared_ptr<arrow::DataType>& type,
                                          int64_t length, bool with_nulls, std::mt19937* random) {
  Builder builder(arrow::default_memory_pool());
  for (int64_t i = 0; i < length; ++i) {
    const bool null = with_nulls && Pick(4, random) == 0;
    const arrow::Status status = null ? builder.AppendNull() : builder.Append(OddString(random));
    if (!status.ok()) {
      return nullptr;
    }
  }
  auto data = builder.Finish().ValueOrDie()->data()->Copy();
  data->type = type;
  return arrow::MakeArray(data);
}

template <typename Offset>
std::shared_ptr<arrow::Array> Lists(const std::shared_ptr<arrow::DataType>& type, int64_t length,
                                    bool with_nulls, std::mt19937* random) {
  auto offsets = NewBuffer((length + 1) * static_cast<int64_t>(sizeof(Offset)));
  auto* at = reinterpret_cast<Offset*>(offsets->mutable_data());
  at[0] = static_cast<Offset>(Pick(3, random));
  for (int64_t i = 0; i < length; ++i) {
    at[i + 1] = static_cast<Offset>(at[i] + static_cast<Offset>(Pick(4, random)));
  }
  const bool map = type->id() == arrow::Type::MAP;
  const auto child_type = type->field(0)->type();
  std::shared_ptr<arrow::Array> child;
  if (map) {
    auto keys = RandomArray(child_type->field(0)->type(), at[length], false, random);
    auto items = RandomArray(child_type->field(1)->type(), at[length], with_nulls, random);
    child = arrow::StructArray::Make({keys, items}, child_type->fields()).ValueOrDie();
  } else {
    child = RandomArray(child_type, at[length], with_nulls, random);
  }
  return arrow::MakeArray(arrow::ArrayData::Make(
      type, length, {RandomValidity(length, with_nulls, random), offsets}, {child->data()}));
}

template <typename Offset>
std::shared_ptr<arrow::Array> ListViews(const std::shared_ptr<arrow::DataType>& type,
                                        int64_t length, bool with_nulls, std::mt19937* random) {
  constexpr int64_t kChildren = 40;
  auto offsets = NewBuffer(length * static_cast<int64_t>(sizeof(Offset)));
  auto sizes = NewBuffer(length * static_cast<int64_t>(sizeof(Offset)));
  for (int64_t i = 0; i < length; ++i) {
    reinterpret_cast<Offset*>(offsets->mutable_data())[i] =
        static_cast<Offset>(Pick(kChildren - 3, random));
    reinterpret_cast<Offset*>(sizes->mutable_data())[i] = static_cast<Offset>(Pick(4, random));
  }
  auto child = RandomArray(type->field(0)->type(), kChildren, with_nulls, random);
  return arrow::MakeArray(arrow::ArrayData::Make(
      type, length, {RandomValidity(length, with_nulls, random), offsets, sizes}, {child->data()}));
}

std::shared_ptr<arrow::Array> Union(const std::shared_ptr<arrow::DataType>& type, int64_t length,
                                    bool with_nulls, std::mt19937* random) {
  const auto& union_type = checked_cast<const arrow::UnionType&>(*type);
  auto codes = PickBuffer(union_type.type_codes(), length, random);
  std::vector<std::shared_ptr<arrow::Buffer>> buffers = {nullptr, codes};
  if (union_type.mode() == arrow::UnionMode::DENSE) {
    // Offsets of each child ascend.
    auto offsets = NewBuffer(length * 4);
    for (int64_t i = 0; i < length; ++i) {
      reinterpret_cast<int32_t*>(offsets->mutable_data())[i] = static_cast<int32_t>(i);
    }
    buffers.push_back(offsets);
  }
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  for (const auto& field : type->fields()) {
    children.push_back(RandomArray(field->type(), length, with_nulls, random)->data());
  }
  return arrow::MakeArray(arrow::ArrayData::Make(type, length, buffers, children, 0));
}

std::shared_ptr<arrow::Array> Dictionary(const std::shared_ptr<arrow::DataType>& type,
                                         int64_t length, bool with_nulls, std::mt19937* random) {
  const auto& dictionary_type = checked_cast<const arrow::DictionaryType&>(*type);
  const int64_t size = 3 + Pick(6, random);
  auto dictionary = RandomArray(dictionary_type.value_type(), size, with_nulls, random);
  const int64_t width = dictionary_type.index_type()->byte_width();
  auto indices = NewBuffer(length * width);
  std::memset(indices->mutable_data(), 0, static_cast<size_t>(indices->size()));
  for (int64_t i = 0; i < length; ++i) {
    indices->mutable_data()[i * width] = static_cast<uint8_t>(Pick(size, random));
  }
  auto data =
      arrow::ArrayData::Make(type, length, {RandomValidity(length, with_nulls, random), indices});
  data->dictionary = dictionary->data();
  return arrow::MakeArray(data);
}

std::shared_ptr<arrow::Array> RunEnds(const std::shared_ptr<arrow::DataType>& type, int64_t length,
                                      bool with_nulls, std::mt19937* random) {
  const auto& ree = checked_cast<const arrow::RunEndEncodedType&>(*type);
  const int64_t width = ree.run_end_type()->byte_width();
  std::vector<int64_t> ends;
  for (int64_t end = 0; end < length;) {
    end = std::min(length, end + 1 + Pick(3, random));
    ends.push_back(end);
  }
  auto buffer = NewBuffer(static_cast<int64_t>(ends.size()) * width);
  for (size_t i = 0; i < ends.size(); ++i) {
    std::memcpy(buffer->mutable_data() + static_cast<int64_t>(i) * width, &ends[i],
                static_cast<size_t>(width));
  }
  const auto runs = static_cast<int64_t>(ends.size());
  auto run_ends = arrow::ArrayData::Make(ree.run_end_type(), runs, {nullptr, buffer}, 0);
  auto values = RandomArray(ree.value_type(), runs, with_nulls, random);
  return arrow::MakeArray(
      arrow::ArrayData::Make(type, length, {nullptr}, {run_ends, values->data()}, 0));
}

std::shared_ptr<arrow::Array> Unsliced(const std::shared_ptr<arrow::DataType>& type, int64_t length,
                                       bool with_nulls, std::mt19937* random) {
  switch (type->id()) {
    case arrow::Type::NA:
      return std::make_shared<arrow::NullArray>(length);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return MakeStrings<arrow::BinaryBuilder>(type, length, with_nulls, random);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return MakeStrings<arrow::LargeBinaryBuilder>(type, length, with_nulls, random);
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return MakeStrings<arrow::BinaryViewBuilder>(type, length, with_nulls, random);
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return Lists<int32_t>(type, length, with_nulls, random);
    case arrow::Type::LARGE_LIST:
      return Lists<int64_t>(type, length, with_nulls, random);
    case arrow::Type::LIST_VIEW:
      return ListViews<int32_t>(type, length, with_nulls, random);
    case arrow::Type::LARGE_LIST_VIEW:
      return ListViews<int64_t>(type, length, with_nulls, random);
    case arrow::Type::FIXED_SIZE_LIST: {
      const int64_t size = checked_cast<const arrow::FixedSizeListType&>(*type).list_size();
      auto child = RandomArray(type->field(0)->type(), length * size, with_nulls, random);
      return arrow::MakeArray(arrow::ArrayData::Make(
          type, length, {RandomValidity(length, with_nulls, random)}, {child->data()}));
    }
    case arrow::Type::STRUCT: {
      std::vector<std::shared_ptr<arrow::ArrayData>> children;
      for (const auto& field : type->fields()) {
        children.push_back(RandomArray(field->type(), length, with_nulls, random)->data());
      }
      return arrow::MakeArray(arrow::ArrayData::Make(
          type, length, {RandomValidity(length, with_nulls, random)}, children));
    }
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
      return Union(type, length, with_nulls, random);
    case arrow::Type::DICTIONARY:
      return Dictionary(type, length, with_nulls, random);
    case arrow::Type::RUN_END_ENCODED:
      return RunEnds(type, length, with_nulls, random);
    case arrow::Type::EXTENSION: {
      const auto& storage = checked_cast<const arrow::ExtensionType&>(*type).storage_type();
      auto data = Unsliced(storage, length, with_nulls, random)->data()->Copy();
      data->type = type;
      return arrow::MakeArray(data);
    }
    default:
      return arrow::MakeArray(arrow::ArrayData::Make(
          type, length,
          {RandomValidity(length, with_nulls, random), ValueBuffer(*type, length, random)}));
  }
}

}  // namespace

std::vector<std::shared_ptr<arrow::DataType>> AllTypes() {
  using namespace arrow;  // NOLINT: names of types only
  auto entry = struct_({field("x", int32()), field("y", utf8())});
  return {
      boolean(),
      null(),
      int8(),
      uint8(),
      int16(),
      uint16(),
      int32(),
      uint32(),
      int64(),
      uint64(),
      float16(),
      float32(),
      float64(),
      decimal32(5, 2),
      decimal64(12, 2),
      decimal128(30, 3),
      decimal256(60, 4),
      date32(),
      date64(),
      time32(TimeUnit::MILLI),
      time64(TimeUnit::NANO),
      timestamp(TimeUnit::MICRO),
      timestamp(TimeUnit::SECOND, "UTC"),
      duration(TimeUnit::NANO),
      month_interval(),
      day_time_interval(),
      month_day_nano_interval(),
      fixed_size_binary(3),
      fixed_size_binary(0),
      utf8(),
      binary(),
      large_utf8(),
      large_binary(),
      utf8_view(),
      binary_view(),
      dictionary(int8(), utf8()),
      dictionary(uint32(), float64()),
      dictionary(int64(), large_utf8()),
      run_end_encoded(int16(), utf8()),
      run_end_encoded(int32(), int64()),
      run_end_encoded(int64(), list(int8())),
      list(int32()),
      list(utf8()),
      list(utf8_view()),
      large_list(float64()),
      list_view(utf8()),
      large_list_view(int16()),
      fixed_size_list(int32(), 2),
      fixed_size_list(utf8(), 3),
      fixed_size_list(boolean(), 0),
      entry,
      struct_({field("b", boolean())}),
      struct_(FieldVector{}),
      map(utf8(), int32()),
      map(int32(), list(utf8())),
      sparse_union({field("i", int32()), field("s", utf8())}, {0, 5}),
      dense_union({field("i", int32()), field("s", utf8())}, {3, 1}),
      list(entry),
      list(list(entry)),
      list(dictionary(int16(), utf8())),
      list(run_end_encoded(int32(), utf8())),
      struct_({field("l", list_view(entry)), field("v", utf8_view()), field("n", null())}),
      extension::uuid(),
      list(extension::uuid()),
      list(decimal256(60, 4)),
  };
}

std::shared_ptr<arrow::Array> RandomArray(const std::shared_ptr<arrow::DataType>& type,
                                          int64_t length, bool with_nulls, std::mt19937* random) {
  const int64_t before = Pick(12, random);
  const int64_t behind = Pick(4, random);
  return Unsliced(type, before + length + behind, with_nulls, random)->Slice(before, length);
}

bool IsNullValue(const arrow::Array& array, int64_t row) {
  switch (array.type_id()) {
    case arrow::Type::SPARSE_UNION: {
      const auto& value = checked_cast<const arrow::SparseUnionArray&>(array);
      return IsNullValue(*value.field(value.child_id(row)), row);
    }
    case arrow::Type::DENSE_UNION: {
      const auto& value = checked_cast<const arrow::DenseUnionArray&>(array);
      return IsNullValue(*value.field(value.child_id(row)), value.value_offset(row));
    }
    case arrow::Type::DICTIONARY: {
      const auto& value = checked_cast<const arrow::DictionaryArray&>(array);
      return value.IsNull(row) || IsNullValue(*value.dictionary(), value.GetValueIndex(row));
    }
    case arrow::Type::RUN_END_ENCODED: {
      const auto& value = checked_cast<const arrow::RunEndEncodedArray&>(array);
      return IsNullValue(*value.values(),
                         arrow::ree_util::FindPhysicalIndex(*value.data(), row, value.offset()));
    }
    case arrow::Type::EXTENSION:
      return IsNullValue(*checked_cast<const arrow::ExtensionArray&>(array).storage(), row);
    default:
      return array.IsNull(row);
  }
}

namespace {

template <typename T>
int Three(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int CompareFloats(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
  }
  return Three(a, b);
}

// NULLs inside nested values come last.
int CompareElements(const arrow::Array& a, int64_t row_a, const arrow::Array& b, int64_t row_b) {
  const bool null_a = IsNullValue(a, row_a);
  const bool null_b = IsNullValue(b, row_b);
  if (null_a || null_b) {
    return static_cast<int>(null_a) - static_cast<int>(null_b);
  }
  return CompareValues(a, row_a, b, row_b);
}

template <typename ListArray>
int CompareLists(const arrow::Array& a, int64_t row_a, const arrow::Array& b, int64_t row_b) {
  const auto values_a = checked_cast<const ListArray&>(a).value_slice(row_a);
  const auto values_b = checked_cast<const ListArray&>(b).value_slice(row_b);
  for (int64_t i = 0; i < std::min(values_a->length(), values_b->length()); ++i) {
    if (const int order = CompareElements(*values_a, i, *values_b, i); order != 0) {
      return order;
    }
  }
  return Three(values_a->length(), values_b->length());
}

template <typename Type>
int ComparePrimitives(const arrow::Array& a, int64_t row_a, const arrow::Array& b, int64_t row_b) {
  using ArrayType = typename arrow::TypeTraits<Type>::ArrayType;
  return Three(checked_cast<const ArrayType&>(a).GetView(row_a),
               checked_cast<const ArrayType&>(b).GetView(row_b));
}

template <typename Decimal>
int CompareDecimals(const arrow::Array& a, int64_t row_a, const arrow::Array& b, int64_t row_b) {
  const auto& values_a = checked_cast<const arrow::FixedSizeBinaryArray&>(a);
  const auto& values_b = checked_cast<const arrow::FixedSizeBinaryArray&>(b);
  return Three(Decimal(values_a.GetValue(row_a)), Decimal(values_b.GetValue(row_b)));
}

int CompareIntervals(const arrow::Array& a, int64_t row_a, const arrow::Array& b, int64_t row_b) {
  if (a.type_id() == arrow::Type::INTERVAL_DAY_TIME) {
    const auto x = checked_cast<const arrow::DayTimeIntervalArray&>(a).GetValue(row_a);
    const auto y = checked_cast<const arrow::DayTimeIntervalArray&>(b).GetValue(row_b);
    return x.days != y.days ? Three(x.days, y.days) : Three(x.milliseconds, y.milliseconds);
  }
  const auto x = checked_cast<const arrow::MonthDayNanoIntervalArray&>(a).GetValue(row_a);
  const auto y = checked_cast<const arrow::MonthDayNanoIntervalArray&>(b).GetValue(row_b);
  if (x.months != y.months) {
    return Three(x.months, y.months);
  }
  return x.days != y.days ? Three(x.days, y.days) : Three(x.nanoseconds, y.nanoseconds);
}

int CompareNested(const arrow::Array& a, int64_t row_a, const arrow::Array& b, int64_t row_b) {
  switch (a.type_id()) {
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return CompareLists<arrow::ListArray>(a, row_a, b, row_b);
    case arrow::Type::LARGE_LIST:
      return CompareLists<arrow::LargeListArray>(a, row_a, b, row_b);
    case arrow::Type::LIST_VIEW:
      return CompareLists<arrow::ListViewArray>(a, row_a, b, row_b);
    case arrow::Type::LARGE_LIST_VIEW:
      return CompareLists<arrow::LargeListViewArray>(a, row_a, b, row_b);
    case arrow::Type::FIXED_SIZE_LIST:
      return CompareLists<arrow::FixedSizeListArray>(a, row_a, b, row_b);
    case arrow::Type::STRUCT: {
      const auto& x = checked_cast<const arrow::StructArray&>(a);
      const auto& y = checked_cast<const arrow::StructArray&>(b);
      for (int i = 0; i < x.num_fields(); ++i) {
        if (int order = CompareElements(*x.field(i), row_a, *y.field(i), row_b); order != 0) {
          return order;
        }
      }
      return 0;
    }
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION: {
      const auto& x = checked_cast<const arrow::UnionArray&>(a);
      const auto& y = checked_cast<const arrow::UnionArray&>(b);
      if (x.type_code(row_a) != y.type_code(row_b)) {
        return Three(x.type_code(row_a), y.type_code(row_b));
      }
      const auto at = [](const arrow::UnionArray& array, int64_t row) {
        return array.mode() == arrow::UnionMode::DENSE
                   ? int64_t{checked_cast<const arrow::DenseUnionArray&>(array).value_offset(row)}
                   : row;
      };
      return CompareValues(*x.field(x.child_id(row_a)), at(x, row_a), *y.field(y.child_id(row_b)),
                           at(y, row_b));
    }
    default:
      return 0;
  }
}

}  // namespace

int CompareValues(const arrow::Array& a, int64_t row_a, const arrow::Array& b, int64_t row_b) {
  switch (a.type_id()) {
    case arrow::Type::DICTIONARY: {
      const auto& x = checked_cast<const arrow::DictionaryArray&>(a);
      const auto& y = checked_cast<const arrow::DictionaryArray&>(b);
      return CompareValues(*x.dictionary(), x.GetValueIndex(row_a), *y.dictionary(),
                           y.GetValueIndex(row_b));
    }
    case arrow::Type::RUN_END_ENCODED: {
      const auto& x = checked_cast<const arrow::RunEndEncodedArray&>(a);
      const auto& y = checked_cast<const arrow::RunEndEncodedArray&>(b);
      return CompareValues(
          *x.values(), arrow::ree_util::FindPhysicalIndex(*x.data(), row_a, x.offset()),
          *y.values(), arrow::ree_util::FindPhysicalIndex(*y.data(), row_b, y.offset()));
    }
    case arrow::Type::EXTENSION:
      return CompareValues(*checked_cast<const arrow::ExtensionArray&>(a).storage(), row_a,
                           *checked_cast<const arrow::ExtensionArray&>(b).storage(), row_b);
    case arrow::Type::HALF_FLOAT: {
      const auto value = [](const arrow::Array& array, int64_t row) {
        const auto bits = checked_cast<const arrow::HalfFloatArray&>(array).Value(row);
        return arrow::util::Float16::FromBits(bits).ToDouble();
      };
      return CompareFloats(value(a, row_a), value(b, row_b));
    }
    case arrow::Type::FLOAT:
      return CompareFloats(double{checked_cast<const arrow::FloatArray&>(a).Value(row_a)},
                           double{checked_cast<const arrow::FloatArray&>(b).Value(row_b)});
    case arrow::Type::DOUBLE:
      return CompareFloats(checked_cast<const arrow::DoubleArray&>(a).Value(row_a),
                           checked_cast<const arrow::DoubleArray&>(b).Value(row_b));
    case arrow::Type::DECIMAL32:
      return CompareDecimals<arrow::Decimal32>(a, row_a, b, row_b);
    case arrow::Type::DECIMAL64:
      return CompareDecimals<arrow::Decimal64>(a, row_a, b, row_b);
    case arrow::Type::DECIMAL128:
      return CompareDecimals<arrow::Decimal128>(a, row_a, b, row_b);
    case arrow::Type::DECIMAL256:
      return CompareDecimals<arrow::Decimal256>(a, row_a, b, row_b);
    case arrow::Type::INTERVAL_DAY_TIME:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return CompareIntervals(a, row_a, b, row_b);
#define COMPARE_AS(ID, TYPE) \
  case arrow::Type::ID:      \
    return ComparePrimitives<arrow::TYPE>(a, row_a, b, row_b)
      COMPARE_AS(BOOL, BooleanType);
      COMPARE_AS(INT8, Int8Type);
      COMPARE_AS(UINT8, UInt8Type);
      COMPARE_AS(INT16, Int16Type);
      COMPARE_AS(UINT16, UInt16Type);
      COMPARE_AS(INT32, Int32Type);
      COMPARE_AS(UINT32, UInt32Type);
      COMPARE_AS(INT64, Int64Type);
      COMPARE_AS(UINT64, UInt64Type);
      COMPARE_AS(DATE32, Date32Type);
      COMPARE_AS(DATE64, Date64Type);
      COMPARE_AS(TIME32, Time32Type);
      COMPARE_AS(TIME64, Time64Type);
      COMPARE_AS(TIMESTAMP, TimestampType);
      COMPARE_AS(DURATION, DurationType);
      COMPARE_AS(INTERVAL_MONTHS, MonthIntervalType);
      COMPARE_AS(FIXED_SIZE_BINARY, FixedSizeBinaryType);
      COMPARE_AS(STRING, StringType);
      COMPARE_AS(BINARY, BinaryType);
      COMPARE_AS(LARGE_STRING, LargeStringType);
      COMPARE_AS(LARGE_BINARY, LargeBinaryType);
      COMPARE_AS(STRING_VIEW, StringViewType);
      COMPARE_AS(BINARY_VIEW, BinaryViewType);
#undef COMPARE_AS
    default:
      return CompareNested(a, row_a, b, row_b);
  }
}

}  // namespace keepone
