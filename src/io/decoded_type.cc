// SPDX-License-Identifier: Apache-2.0
#include "io/decoded_type.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>
#include <arrow/util/checked_cast.h>

#include "column/gather.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
using ArrayPointer = std::shared_ptr<arrow::Array>;

arrow::Status TooLong() {
  return arrow::Status::CapacityError("values of more than 2 GiB in one batch");
}

// The rows in an array of their own, without offset and with children of just these rows.
arrow::Result<ArrayPointer> Compact(const ArrayPointer& array, arrow::MemoryPool* pool) {
  const ChunkRange all{0, 0, array->length()};
  ARROW_ASSIGN_OR_RAISE(const auto gathered, GatherRanges(array->type(), {array}, {&all, 1}, pool));
  return gathered->num_chunks() == 1 ? gathered->chunk(0) : arrow::Result<ArrayPointer>(TooLong());
}

// `rows` of values, plain.
arrow::Result<ArrayPointer> TakeDecoded(const ArrayPointer& values, const std::vector<RowRef>& rows,
                                        arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto gathered, GatherRows(values->type(), {values}, rows, pool));
  if (gathered->num_chunks() != 1) {
    return TooLong();
  }
  return DecodedArray(gathered->chunk(0), pool);
}

arrow::Result<ArrayPointer> DecodeDictionary(const arrow::DictionaryArray& array,
                                             arrow::MemoryPool* pool) {
  std::vector<RowRef> rows(static_cast<size_t>(array.length()));
  for (int64_t i = 0; i < array.length(); ++i) {
    rows[static_cast<size_t>(i)] =
        array.IsNull(i) ? RowRef{ChunkRange::kNullChunk, 0} : RowRef{0, array.GetValueIndex(i)};
  }
  return TakeDecoded(array.dictionary(), rows, pool);
}

template <typename RunEnd>
std::vector<RowRef> RowsOfRuns(const arrow::RunEndEncodedArray& array) {
  const auto& ends = checked_cast<const arrow::NumericArray<RunEnd>&>(*array.run_ends());
  std::vector<RowRef> rows;
  rows.reserve(static_cast<size_t>(array.length()));
  const auto* const begin = ends.raw_values();
  const auto* const end = begin + ends.length();
  const auto* run = std::upper_bound(begin, end, array.offset(), [](int64_t row, auto run_end) {
    return row < static_cast<int64_t>(run_end);
  });
  for (int64_t row = array.offset(); row < array.offset() + array.length(); ++row) {
    run += row >= static_cast<int64_t>(*run) ? 1 : 0;
    rows.push_back({0, run - begin});
  }
  return rows;
}

arrow::Result<ArrayPointer> DecodeRuns(const arrow::RunEndEncodedArray& array,
                                       arrow::MemoryPool* pool) {
  switch (array.run_ends()->type_id()) {
    case arrow::Type::INT16:
      return TakeDecoded(array.values(), RowsOfRuns<arrow::Int16Type>(array), pool);
    case arrow::Type::INT32:
      return TakeDecoded(array.values(), RowsOfRuns<arrow::Int32Type>(array), pool);
    default:
      return TakeDecoded(array.values(), RowsOfRuns<arrow::Int64Type>(array), pool);
  }
}

arrow::Result<ArrayPointer> CopyViews(const arrow::BinaryViewArray& array,
                                      arrow::MemoryPool* pool) {
  const int64_t length = array.length();
  int64_t bytes = 0;
  for (int64_t i = 0; i < length; ++i) {
    bytes += array.IsNull(i) ? 0 : static_cast<int64_t>(array.GetView(i).size());
  }
  if (bytes > std::numeric_limits<int32_t>::max()) {
    return TooLong();
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets,
                        arrow::AllocateBuffer((length + 1) * 4, pool));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> values, arrow::AllocateBuffer(bytes, pool));
  auto* const ends = reinterpret_cast<int32_t*>(offsets->mutable_data());
  int32_t place = 0;
  ends[0] = 0;
  for (int64_t i = 0; i < length; ++i) {
    if (!array.IsNull(i)) {
      const std::string_view value = array.GetView(i);
      std::copy(value.begin(), value.end(), values->mutable_data() + place);
      place += static_cast<int32_t>(value.size());
    }
    ends[i + 1] = place;
  }
  std::shared_ptr<arrow::Buffer> validity;
  if (array.null_count() > 0) {
    ARROW_ASSIGN_OR_RAISE(validity, arrow::internal::CopyBitmap(pool, array.null_bitmap_data(),
                                                                array.offset(), length));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(
      DecodedType(array.type()), length,
      {std::move(validity), std::move(offsets), std::move(values)}, array.null_count()));
}

}  // namespace

std::shared_ptr<arrow::DataType> DecodedType(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::BINARY_VIEW:
      return arrow::binary();
    case arrow::Type::DICTIONARY:
      return DecodedType(checked_cast<const arrow::DictionaryType&>(*type).value_type());
    case arrow::Type::RUN_END_ENCODED:
      return DecodedType(checked_cast<const arrow::RunEndEncodedType&>(*type).value_type());
    case arrow::Type::STRUCT:
      return arrow::struct_(DecodedFields(type->fields()));
    case arrow::Type::LIST:
      return arrow::list(DecodedFields(type->fields())[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(DecodedFields(type->fields())[0]);
    case arrow::Type::LIST_VIEW:
      return arrow::list_view(DecodedFields(type->fields())[0]);
    case arrow::Type::LARGE_LIST_VIEW:
      return arrow::large_list_view(DecodedFields(type->fields())[0]);
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(
          DecodedFields(type->fields())[0],
          checked_cast<const arrow::FixedSizeListType&>(*type).list_size());
    case arrow::Type::MAP: {
      const auto& map = checked_cast<const arrow::MapType&>(*type);
      const arrow::FieldVector fields = DecodedFields({map.key_field(), map.item_field()});
      return std::make_shared<arrow::MapType>(fields[0], fields[1], map.keys_sorted());
    }
    case arrow::Type::SPARSE_UNION:
      return arrow::sparse_union(DecodedFields(type->fields()),
                                 checked_cast<const arrow::UnionType&>(*type).type_codes());
    case arrow::Type::DENSE_UNION:
      return arrow::dense_union(DecodedFields(type->fields()),
                                checked_cast<const arrow::UnionType&>(*type).type_codes());
    case arrow::Type::EXTENSION: {
      const auto& storage = checked_cast<const arrow::ExtensionType&>(*type).storage_type();
      const auto plain = DecodedType(storage);
      return plain->Equals(*storage) ? type : plain;
    }
    default:
      return type;
  }
}

arrow::FieldVector DecodedFields(const arrow::FieldVector& fields) {
  arrow::FieldVector plain;
  for (const auto& field : fields) {
    plain.push_back(field->WithType(DecodedType(field->type())));
  }
  return plain;
}

arrow::Result<ArrayPointer> DecodedArray(const ArrayPointer& array, arrow::MemoryPool* pool) {
  const std::shared_ptr<arrow::DataType> plain = DecodedType(array->type());
  if (plain->Equals(*array->type())) {
    return array;
  }
  switch (array->type_id()) {
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return CopyViews(checked_cast<const arrow::BinaryViewArray&>(*array), pool);
    case arrow::Type::DICTIONARY:
      return DecodeDictionary(checked_cast<const arrow::DictionaryArray&>(*array), pool);
    case arrow::Type::RUN_END_ENCODED:
      return DecodeRuns(checked_cast<const arrow::RunEndEncodedArray&>(*array), pool);
    case arrow::Type::EXTENSION:
      return DecodedArray(checked_cast<const arrow::ExtensionArray&>(*array).storage(), pool);
    default: {
      ARROW_ASSIGN_OR_RAISE(const ArrayPointer compact, Compact(array, pool));
      const std::shared_ptr<arrow::ArrayData> data = compact->data()->Copy();
      for (auto& child : data->child_data) {
        ARROW_ASSIGN_OR_RAISE(const ArrayPointer values,
                              DecodedArray(arrow::MakeArray(child), pool));
        child = values->data();
      }
      data->type = plain;
      return arrow::MakeArray(data);
    }
  }
}

}  // namespace keepone
