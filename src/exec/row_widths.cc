// SPDX-License-Identifier: Apache-2.0
#include "exec/row_widths.h"

#include <algorithm>

#include <arrow/array/data.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/checked_cast.h>

#include "column/row_bytes.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;

// Rows of a column that are all narrower than this need not be told apart.
constexpr int64_t kNarrowBytes = 128;

// Whether every value takes the same bytes.
bool IsFixedWidth(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return true;
    case arrow::Type::EXTENSION:
      return IsFixedWidth(*checked_cast<const arrow::ExtensionType&>(type).storage_type());
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::STRUCT:
      return std::all_of(type.fields().begin(), type.fields().end(),
                         [](const auto& field) { return IsFixedWidth(*field->type()); });
    case arrow::Type::DICTIONARY:
      return false;
    default:
      return arrow::is_fixed_width(type.id());
  }
}

double AverageBytes(const arrow::ArrayData& column) {
  return static_cast<double>(RowBytes(column, 0, column.length)) /
         static_cast<double>(column.length);
}

// A dictionary counts in full however few its rows are, so its values are taken by their average.
double DictionaryRowBytes(const arrow::ArrayData& column) {
  const double index =
      checked_cast<const arrow::DictionaryType&>(*column.type).index_type()->bit_width() / 8.0;
  return column.dictionary->length == 0 ? index : index + AverageBytes(*column.dictionary);
}

bool HasWideRow(const arrow::ArrayData& column) {
  for (int64_t row = 0; row < column.length; ++row) {
    if (RowBytes(column, row, 1) > kNarrowBytes) {
      return true;
    }
  }
  return false;
}

}  // namespace

RowWidths::RowWidths(const arrow::RecordBatch& batch) {
  if (batch.num_rows() == 0) {
    return;
  }
  for (const std::shared_ptr<arrow::ArrayData>& column : batch.column_data()) {
    if (column->type->id() == arrow::Type::DICTIONARY) {
      bytes_ += DictionaryRowBytes(*column);
    } else if (IsFixedWidth(*column->type) || !HasWideRow(*column)) {
      bytes_ += AverageBytes(*column);
    } else {
      measured_.push_back(column);
    }
  }
}

double RowWidths::Of(int64_t row) const {
  double bytes = bytes_;
  for (const auto& column : measured_) {
    bytes += static_cast<double>(RowBytes(*column, row, 1));
  }
  return bytes;
}

}  // namespace keepone
