// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "function/exact_sum.h"

namespace keepone {

// Columns of exported states (GroupAccumulator::ExportState), a row for each of `groups`.

// A column without NULLs of a number type, or of FixedSizeBinary: the bytes of value_of(group).
template <typename ValueOf>
arrow::Result<std::shared_ptr<arrow::Array>> ExportValues(
    const std::shared_ptr<arrow::DataType>& type, std::span<const uint32_t> groups,
    arrow::MemoryPool* pool, const ValueOf& value_of) {
  using Value = std::decay_t<decltype(value_of(uint32_t{0}))>;
  const auto count = static_cast<int64_t>(groups.size());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> values,
                        arrow::AllocateBuffer(count * static_cast<int64_t>(sizeof(Value)), pool));
  uint8_t* out = values->mutable_data();
  for (const uint32_t group : groups) {
    const Value value = value_of(group);
    std::memcpy(out, &value, sizeof(Value));
    out += sizeof(Value);
  }
  return arrow::MakeArray(arrow::ArrayData::Make(type, count, {nullptr, std::move(values)}, 0));
}

// The values of such a column.
template <typename Value>
std::span<const Value> StateValues(const arrow::Array& column) {
  const arrow::ArrayData& data = *column.data();
  return {reinterpret_cast<const Value*>(data.buffers[1]->data()) + data.offset,
          static_cast<size_t>(data.length)};
}

// An exact sum takes two columns of List<DOUBLE>: terms whose exact sum it is (infinities and NaN
// among them), and terms scaled by 2^-128, which are too large for the others.
inline arrow::DataTypeVector SumStateTypes() {
  return {arrow::list(arrow::float64()), arrow::list(arrow::float64())};
}

// Appends the two columns of sum_of(group).
template <typename SumOf>
arrow::Status ExportSums(std::span<const uint32_t> groups, arrow::MemoryPool* pool,
                         const SumOf& sum_of, arrow::ArrayVector* columns) {
  const auto terms = std::make_shared<arrow::DoubleBuilder>(pool);
  const auto huge = std::make_shared<arrow::DoubleBuilder>(pool);
  arrow::ListBuilder term_lists(pool, terms, arrow::list(arrow::float64()));
  arrow::ListBuilder huge_lists(pool, huge, arrow::list(arrow::float64()));
  std::vector<double> scratch;
  for (const uint32_t group : groups) {
    const ExactSum& sum = sum_of(group);
    scratch.clear();
    sum.AppendTerms(&scratch);
    ARROW_RETURN_NOT_OK(term_lists.Append());
    ARROW_RETURN_NOT_OK(terms->AppendValues(scratch));
    scratch.clear();
    sum.AppendHugeTerms(&scratch);
    ARROW_RETURN_NOT_OK(huge_lists.Append());
    ARROW_RETURN_NOT_OK(huge->AppendValues(scratch));
  }
  for (arrow::ListBuilder* builder : {&term_lists, &huge_lists}) {
    ARROW_ASSIGN_OR_RAISE(auto column, builder->Finish());
    columns->push_back(std::move(column));
  }
  return arrow::Status::OK();
}

// Reads the two columns, of which the first is columns[first].
class SumStateReader {
 public:
  SumStateReader(const arrow::ArrayVector& columns, size_t first)
      : terms_(Lists(*columns[first])), huge_(Lists(*columns[first + 1])) {}

  void AddTo(int64_t row, ExactSum* sum) const {
    ForEach(terms_, row, [&](double term) { sum->Add(term); });
    ForEach(huge_, row, [&](double term) { sum->AddHugeTerm(term); });
  }

 private:
  static const arrow::ListArray& Lists(const arrow::Array& column) {
    return arrow::internal::checked_cast<const arrow::ListArray&>(column);
  }
  template <typename Visit>
  static void ForEach(const arrow::ListArray& lists, int64_t row, const Visit& visit) {
    const auto& values = arrow::internal::checked_cast<const arrow::DoubleArray&>(*lists.values());
    for (int64_t i = lists.value_offset(row); i < lists.value_offset(row + 1); ++i) {
      visit(values.Value(i));
    }
  }

  const arrow::ListArray& terms_;
  const arrow::ListArray& huge_;
};

}  // namespace keepone
