// SPDX-License-Identifier: Apache-2.0
#include "column/row_bytes.h"

#include <algorithm>
#include <vector>

#include <arrow/array/data.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/binary_view_util.h>
#include <arrow/util/checked_cast.h>

#include "column/value_encoder.h"

namespace keepone {

using arrow::internal::checked_cast;

namespace {

int64_t TypedRowBytes(const arrow::DataType& type, const arrow::ArrayData& array, int64_t begin,
                      int64_t count);

int64_t ChildBytes(const arrow::DataType& type, const arrow::ArrayData& array, size_t child,
                   int64_t begin, int64_t count) {
  return TypedRowBytes(*type.field(static_cast<int>(child))->type(), *array.child_data[child],
                       begin, count);
}

// Of `count` rows somewhere in the child.
int64_t MeanChildBytes(const arrow::DataType& type, const arrow::ArrayData& array, size_t child,
                       int64_t count) {
  const int64_t length = array.child_data[child]->length;
  if (length == 0 || count == 0) {
    return 0;
  }
  const auto all = static_cast<double>(ChildBytes(type, array, child, 0, length));
  return static_cast<int64_t>(all / static_cast<double>(length) * static_cast<double>(count));
}

template <typename Offset>
int64_t StringBytes(const arrow::ArrayData& array, int64_t begin, int64_t count) {
  const Offset* offsets = array.GetValues<Offset>(1) + begin;
  return count * static_cast<int64_t>(sizeof(Offset)) + (offsets[count] - offsets[0]);
}

int64_t ViewBytes(const arrow::ArrayData& array, int64_t begin, int64_t count) {
  const auto* views = array.GetValues<arrow::BinaryViewType::c_type>(1) + begin;
  Validity validity;
  validity.Bind(array);
  int64_t bytes = count * arrow::BinaryViewType::kSize;
  for (int64_t i = 0; i < count; ++i) {
    if (!validity.IsNull(begin + i) && !views[i].is_inline()) {
      bytes += views[i].size();
    }
  }
  return bytes;
}

template <typename Offset>
int64_t ListBytes(const arrow::DataType& type, const arrow::ArrayData& array, int64_t begin,
                  int64_t count) {
  const Offset* offsets = array.GetValues<Offset>(1) + begin;
  return count * static_cast<int64_t>(sizeof(Offset)) +
         ChildBytes(type, array, 0, offsets[0], offsets[count] - offsets[0]);
}

template <typename Offset>
int64_t ListViewBytes(const arrow::DataType& type, const arrow::ArrayData& array, int64_t begin,
                      int64_t count) {
  const Offset* sizes = array.GetValues<Offset>(2) + begin;
  int64_t elements = 0;
  for (int64_t i = 0; i < count; ++i) {
    elements += sizes[i];
  }
  return count * 2 * static_cast<int64_t>(sizeof(Offset)) +
         MeanChildBytes(type, array, 0, elements);
}

int64_t UnionBytes(const arrow::DataType& type, const arrow::ArrayData& array, int64_t begin,
                   int64_t count) {
  const auto& union_type = checked_cast<const arrow::UnionType&>(type);
  const bool dense = union_type.mode() == arrow::UnionMode::DENSE;
  int64_t bytes = count * (dense ? 5 : 1);
  std::vector<int64_t> rows(array.child_data.size(), 0);
  const auto* codes = array.GetValues<int8_t>(1) + begin;
  for (int64_t i = 0; dense && i < count; ++i) {
    ++rows[static_cast<size_t>(union_type.child_ids()[static_cast<size_t>(codes[i])])];
  }
  for (size_t i = 0; i < array.child_data.size(); ++i) {
    bytes += dense ? MeanChildBytes(type, array, i, rows[i])
                   : ChildBytes(type, array, i, array.offset + begin, count);
  }
  return bytes;
}

template <typename RunEnd>
int64_t RunEndBytes(const arrow::DataType& type, const arrow::ArrayData& array, int64_t begin,
                    int64_t count) {
  const auto* ends = array.child_data[0]->GetValues<RunEnd>(1);
  const auto* last = ends + array.child_data[0]->length;
  const int64_t row = array.offset + begin;
  const auto* first_run = std::upper_bound(ends, last, row);
  const auto* last_run = std::upper_bound(first_run, last, row + count - 1);
  const int64_t runs = last_run - first_run + (last_run == last ? 0 : 1);
  return runs * static_cast<int64_t>(sizeof(RunEnd)) +
         ChildBytes(type, array, 1, first_run - ends, runs);
}

int64_t NestedBytes(const arrow::DataType& type, const arrow::ArrayData& array, int64_t begin,
                    int64_t count) {
  switch (type.id()) {
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return ListBytes<int32_t>(type, array, begin, count);
    case arrow::Type::LARGE_LIST:
      return ListBytes<int64_t>(type, array, begin, count);
    case arrow::Type::LIST_VIEW:
      return ListViewBytes<int32_t>(type, array, begin, count);
    case arrow::Type::LARGE_LIST_VIEW:
      return ListViewBytes<int64_t>(type, array, begin, count);
    case arrow::Type::FIXED_SIZE_LIST: {
      const int64_t size = checked_cast<const arrow::FixedSizeListType&>(type).list_size();
      return ChildBytes(type, array, 0, (array.offset + begin) * size, count * size);
    }
    case arrow::Type::STRUCT: {
      int64_t bytes = 0;
      for (size_t i = 0; i < array.child_data.size(); ++i) {
        bytes += ChildBytes(type, array, i, array.offset + begin, count);
      }
      return bytes;
    }
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
      return UnionBytes(type, array, begin, count);
    case arrow::Type::RUN_END_ENCODED:
      break;
    default:
      return 0;
  }
  switch (checked_cast<const arrow::RunEndEncodedType&>(type).run_end_type()->id()) {
    case arrow::Type::INT16:
      return RunEndBytes<int16_t>(type, array, begin, count);
    case arrow::Type::INT32:
      return RunEndBytes<int32_t>(type, array, begin, count);
    default:
      return RunEndBytes<int64_t>(type, array, begin, count);
  }
}

int64_t ValueBytes(const arrow::DataType& type, const arrow::ArrayData& array, int64_t begin,
                   int64_t count) {
  switch (type.id()) {
    case arrow::Type::NA:
      return 0;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return StringBytes<int32_t>(array, begin, count);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return StringBytes<int64_t>(array, begin, count);
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return ViewBytes(array, begin, count);
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = checked_cast<const arrow::DictionaryType&>(type);
      return count * dictionary.index_type()->byte_width() +
             TypedRowBytes(*dictionary.value_type(), *array.dictionary, 0,
                           array.dictionary->length);
    }
    default:
      if (arrow::is_nested(type.id())) {
        return NestedBytes(type, array, begin, count);
      }
      return (count * checked_cast<const arrow::FixedWidthType&>(type).bit_width() + 7) / 8;
  }
}

int64_t TypedRowBytes(const arrow::DataType& type, const arrow::ArrayData& array, int64_t begin,
                      int64_t count) {
  if (type.id() == arrow::Type::EXTENSION) {
    return TypedRowBytes(*checked_cast<const arrow::ExtensionType&>(type).storage_type(), array,
                         begin, count);
  }
  if (count == 0) {
    return 0;
  }
  const bool has_bitmap = !array.buffers.empty() && array.buffers[0] != nullptr;
  return (has_bitmap ? (count + 7) / 8 : 0) + ValueBytes(type, array, begin, count);
}

int64_t BatchRowBytes(const arrow::RecordBatch& batch, int64_t begin, int64_t count) {
  int64_t bytes = 0;
  for (int i = 0; i < batch.num_columns(); ++i) {
    bytes += RowBytes(*batch.column_data(i), begin, count);
  }
  return bytes;
}

}  // namespace

int64_t RowBytes(const arrow::ArrayData& array, int64_t begin, int64_t count) {
  return TypedRowBytes(*array.type, array, begin, count);
}

int64_t BatchBytes(const arrow::RecordBatch& batch) {
  return BatchRowBytes(batch, 0, batch.num_rows());
}

arrow::RecordBatchVector SplitByBytes(const std::shared_ptr<arrow::RecordBatch>& batch,
                                      int64_t rows_max, int64_t bytes_max) {
  arrow::RecordBatchVector slices;
  const int64_t rows = batch->num_rows();
  for (int64_t begin = 0; begin < rows;) {
    // The largest count that fits, by bisection: bytes never shrink as rows are added.
    int64_t fits = std::min(rows_max, rows - begin);
    if (BatchRowBytes(*batch, begin, fits) > bytes_max) {
      int64_t too_many = fits;
      fits = 1;
      while (too_many - fits > 1) {
        const int64_t middle = fits + (too_many - fits) / 2;
        (BatchRowBytes(*batch, begin, middle) > bytes_max ? too_many : fits) = middle;
      }
    }
    slices.push_back(begin == 0 && fits == rows ? batch : batch->Slice(begin, fits));
    begin += fits;
  }
  return slices;
}

}  // namespace keepone
