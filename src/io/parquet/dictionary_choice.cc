// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/dictionary_choice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>

namespace keepone {

namespace {

constexpr size_t kSampleValues = size_t{1} << 15;
constexpr double kWorthwhilePart = 0.75;

// What is seen of one column (leaf).
struct Leaf {
  std::vector<size_t> hashes;  // of the first values that are not NULL
  int64_t sample_bytes = 0;    // of those
  int64_t values = 0;          // NULLs included, of all batches
  bool is_judged = true;
};

template <typename ArrayType>
void SampleTexts(const ArrayType& array, Leaf* leaf) {
  for (int64_t i = 0; i < array.length() && leaf->hashes.size() < kSampleValues; ++i) {
    if (array.IsValid(i)) {
      const std::string_view value = array.GetView(i);
      leaf->hashes.push_back(std::hash<std::string_view>()(value));
      leaf->sample_bytes += static_cast<int64_t>(value.size() + sizeof(int32_t));
    }
  }
}

void SampleFixed(const arrow::Array& array, int width, Leaf* leaf) {
  const uint8_t* values = array.data()->GetValues<uint8_t>(1, array.offset() * int64_t{width});
  for (int64_t i = 0; i < array.length() && leaf->hashes.size() < kSampleValues; ++i) {
    if (array.IsValid(i)) {
      const auto* value = reinterpret_cast<const char*>(values + i * width);
      leaf->hashes.push_back(std::hash<std::string_view>()({value, static_cast<size_t>(width)}));
      leaf->sample_bytes += width;
    }
  }
}

void SampleLeaf(const arrow::Array& array, Leaf* leaf) {
  leaf->values += array.length();
  const arrow::DataType& type = *array.type();
  switch (type.id()) {
    case arrow::Type::STRING:
      return SampleTexts(static_cast<const arrow::StringArray&>(array), leaf);
    case arrow::Type::BINARY:
      return SampleTexts(static_cast<const arrow::BinaryArray&>(array), leaf);
    case arrow::Type::LARGE_STRING:
      return SampleTexts(static_cast<const arrow::LargeStringArray&>(array), leaf);
    case arrow::Type::LARGE_BINARY:
      return SampleTexts(static_cast<const arrow::LargeBinaryArray&>(array), leaf);
    case arrow::Type::STRING_VIEW:
      return SampleTexts(static_cast<const arrow::StringViewArray&>(array), leaf);
    case arrow::Type::BINARY_VIEW:
      return SampleTexts(static_cast<const arrow::BinaryViewArray&>(array), leaf);
    default:
      break;
  }
  if (arrow::is_fixed_width(type.id()) && type.id() != arrow::Type::BOOL &&
      type.id() != arrow::Type::DICTIONARY && type.byte_width() > 0) {
    return SampleFixed(array, type.byte_width(), leaf);
  }
  leaf->is_judged = false;
}

// Walks the leaves in the order in which Parquet numbers them.
void SampleArray(const arrow::Array& array, size_t* next, std::vector<Leaf>* leaves) {
  switch (array.type_id()) {
    case arrow::Type::EXTENSION:
      return SampleArray(*static_cast<const arrow::ExtensionArray&>(array).storage(), next, leaves);
    case arrow::Type::STRUCT: {
      const auto& structs = static_cast<const arrow::StructArray&>(array);
      for (int i = 0; i < structs.num_fields(); ++i) {
        SampleArray(*structs.field(i), next, leaves);
      }
      return;
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapArray&>(array);
      const int64_t begin = map.value_offset(0);
      const int64_t length = map.value_offset(map.length()) - begin;
      SampleArray(*map.keys()->Slice(begin, length), next, leaves);
      return SampleArray(*map.items()->Slice(begin, length), next, leaves);
    }
    case arrow::Type::LIST: {
      const auto& list = static_cast<const arrow::ListArray&>(array);
      const int64_t begin = list.value_offset(0);
      return SampleArray(*list.values()->Slice(begin, list.value_offset(list.length()) - begin),
                         next, leaves);
    }
    case arrow::Type::LARGE_LIST: {
      const auto& list = static_cast<const arrow::LargeListArray&>(array);
      const int64_t begin = list.value_offset(0);
      return SampleArray(*list.values()->Slice(begin, list.value_offset(list.length()) - begin),
                         next, leaves);
    }
    case arrow::Type::FIXED_SIZE_LIST: {
      const auto& list = static_cast<const arrow::FixedSizeListArray&>(array);
      const int64_t size = list.value_length();
      return SampleArray(*list.values()->Slice(list.value_offset(0), list.length() * size), next,
                         leaves);
    }
    // Their elements lie anywhere: all of them are taken.
    case arrow::Type::LIST_VIEW:
      return SampleArray(*static_cast<const arrow::ListViewArray&>(array).values(), next, leaves);
    case arrow::Type::LARGE_LIST_VIEW:
      return SampleArray(*static_cast<const arrow::LargeListViewArray&>(array).values(), next,
                         leaves);
    default:
      break;
  }
  if (*next < leaves->size()) {
    SampleLeaf(array, &(*leaves)[*next]);
  }
  ++*next;
}

// How many of `kinds` equally frequent values are seen in `draws` draws.
double SeenOf(double kinds, double draws) {
  return kinds * -std::expm1(-draws / kinds);
}

// How many different values `values` values have, of which the first `sampled` had `distinct`.
double EstimateDistinct(double distinct, double sampled, double values) {
  if (distinct >= sampled) {
    return values;
  }
  double low = distinct;
  double high = distinct;
  while (SeenOf(high, sampled) < distinct && high < 1e15) {
    high *= 2;
  }
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (SeenOf(middle, sampled) < distinct ? low : high) = middle;
  }
  return SeenOf(high, values);
}

bool PaysOff(Leaf* leaf) {
  const auto sampled = static_cast<double>(leaf->hashes.size());
  if (!leaf->is_judged || leaf->hashes.empty()) {
    return true;
  }
  std::sort(leaf->hashes.begin(), leaf->hashes.end());
  const auto end = std::unique(leaf->hashes.begin(), leaf->hashes.end());
  const auto distinct = static_cast<double>(end - leaf->hashes.begin());
  const double width = static_cast<double>(leaf->sample_bytes) / sampled;
  const auto values = static_cast<double>(leaf->values);
  const double all_distinct = EstimateDistinct(distinct, sampled, values);
  const auto index_bits = static_cast<double>(std::bit_width(static_cast<uint64_t>(all_distinct)));
  return all_distinct * width + values * index_bits / 8 < kWorthwhilePart * values * width;
}

}  // namespace

std::vector<std::string> ColumnsWithoutDictionary(const parquet::SchemaDescriptor& schema,
                                                  const arrow::RecordBatchVector& batches) {
  std::vector<Leaf> leaves(static_cast<size_t>(schema.num_columns()));
  for (const auto& batch : batches) {
    size_t next = 0;
    for (const auto& column : batch->columns()) {
      SampleArray(*column, &next, &leaves);
    }
    if (next != leaves.size()) {
      return {};
    }
  }
  std::vector<std::string> paths;
  for (int i = 0; i < schema.num_columns(); ++i) {
    if (!PaysOff(&leaves[static_cast<size_t>(i)])) {
      paths.push_back(schema.Column(i)->path()->ToDotString());
    }
  }
  return paths;
}

}  // namespace keepone
