// SPDX-License-Identifier: Apache-2.0
#include "function/list_kernels.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/buffer.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/key_encoder.h"
#include "function/cast.h"
#include "function/operand.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using arrow::internal::checked_cast;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using Resolved = arrow::Result<std::optional<ScalarResolution>>;

// Calls `read` with the array as what it is.
template <typename Read>
auto VisitLists(const arrow::Array& array, Read read) {
  switch (array.type_id()) {
    case arrow::Type::LARGE_LIST:
      return read(checked_cast<const arrow::LargeListArray&>(array));
    case arrow::Type::LIST_VIEW:
      return read(checked_cast<const arrow::ListViewArray&>(array));
    case arrow::Type::LARGE_LIST_VIEW:
      return read(checked_cast<const arrow::LargeListViewArray&>(array));
    case arrow::Type::FIXED_SIZE_LIST:
      return read(checked_cast<const arrow::FixedSizeListArray&>(array));
    default:
      return read(checked_cast<const arrow::ListArray&>(array));
  }
}

}  // namespace

ListReader::ListReader(const arrow::Array& array)
    : array_(array), values_(VisitLists(array, [](const auto& lists) { return lists.values(); })) {}

int64_t ListReader::Begin(int64_t row) const {
  return VisitLists(
      array_, [row](const auto& lists) { return static_cast<int64_t>(lists.value_offset(row)); });
}

int64_t ListReader::Length(int64_t row) const {
  return VisitLists(
      array_, [row](const auto& lists) { return static_cast<int64_t>(lists.value_length(row)); });
}

arrow::Result<ArrayPtr> BuildLists(arrow::MemoryPool* pool, const TypePtr& type,
                                   const std::vector<int64_t>& lengths, const ArrayPtr& values) {
  arrow::TypedBufferBuilder<int32_t> offsets(pool);
  arrow::TypedBufferBuilder<bool> validity(pool);
  int64_t position = 0;
  int64_t null_count = 0;
  ARROW_RETURN_NOT_OK(offsets.Append(0));
  for (const int64_t length : lengths) {
    position += length < 0 ? 0 : length;
    null_count += length < 0 ? 1 : 0;
    if (position > std::numeric_limits<int32_t>::max()) {
      return ResourceError("lists of more than 2^31 values in one batch");
    }
    ARROW_RETURN_NOT_OK(offsets.Append(static_cast<int32_t>(position)));
    ARROW_RETURN_NOT_OK(validity.Append(length >= 0));
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offset_buffer, offsets.Finish());
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> valid_buffer, validity.Finish());
  return arrow::MakeArray(arrow::ArrayData::Make(
      type, static_cast<int64_t>(lengths.size()),
      {null_count == 0 ? nullptr : std::move(valid_buffer), std::move(offset_buffer)},
      {values->data()}, null_count));
}

Resolved ResolveListLength(ScalarArguments arguments) {
  const TypePtr type = arguments.size() == 1 ? PlainType(arguments[0].type) : nullptr;
  if (type == nullptr || !(IsListType(*type) || type->id() == arrow::Type::MAP)) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {type};
  resolution.result_type = arrow::int64();
  resolution.run =
      RowWise([](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
        const auto lists = operands.At<arrow::Array>(0);
        const ListReader reader(lists.array());
        arrow::Int64Builder builder(operands.pool());
        ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
        for (int64_t row = 0; row < operands.length(); ++row) {
          if (lists.IsNull(row)) {
            builder.UnsafeAppendNull();
          } else {
            builder.UnsafeAppend(reader.Length(lists.Position(row)));
          }
        }
        return builder.Finish();
      });
  return resolution;
}

Resolved ResolveListContains(ScalarArguments arguments) {
  if (arguments.size() != 2 || !IsListType(*PlainType(arguments[0].type))) {
    return std::nullopt;
  }
  const ScalarArgument element{PlainType(arguments[0].type)->field(0)->type(), nullptr, ""};
  const std::vector<ScalarArgument> pair = {element, arguments[1]};
  const TypePtr type = MeetingType(pair);
  if (type == nullptr) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {arrow::list(type), type};
  resolution.result_type = arrow::boolean();
  resolution.run =
      RowWise([type](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
        const auto lists = operands.At<arrow::Array>(0);
        const auto wanted = operands.At<arrow::Array>(1);
        const ListReader reader(lists.array());
        ARROW_ASSIGN_OR_RAISE(const auto encoder, KeyEncoder::Make({KeyField{type, false, false}}));
        EncodedKeys value_keys(operands.pool());
        EncodedKeys wanted_keys(operands.pool());
        ARROW_RETURN_NOT_OK(encoder->Encode({reader.values()}, &value_keys));
        ARROW_RETURN_NOT_OK(encoder->Encode({operands.array(1)}, &wanted_keys));
        arrow::BooleanBuilder builder(operands.pool());
        ARROW_RETURN_NOT_OK(builder.Reserve(operands.length()));
        for (int64_t row = 0; row < operands.length(); ++row) {
          if (operands.AnyNull(row)) {
            builder.UnsafeAppendNull();
            continue;
          }
          const int64_t begin = reader.Begin(lists.Position(row));
          const int64_t end = begin + reader.Length(lists.Position(row));
          int64_t at = begin;
          while (at < end && value_keys[at] != wanted_keys[wanted.Position(row)]) {
            ++at;
          }
          builder.UnsafeAppend(at < end);
        }
        return builder.Finish();
      });
  return resolution;
}

Resolved ResolveListConcat(ScalarArguments arguments) {
  TypePtr common = arrow::null();
  for (const ScalarArgument& argument : arguments) {
    common = CommonType(common, PlainType(argument.type));
    if (common == nullptr) {
      return std::nullopt;
    }
  }
  if (!IsListType(*common)) {
    return std::nullopt;
  }
  const TypePtr type = arrow::list(common->field(0)->type());
  ScalarResolution resolution;
  resolution.argument_types.assign(arguments.size(), type);
  resolution.result_type = type;
  resolution.run =
      RowWise([type](const ScalarCall& call, const Operands& operands) -> arrow::Result<ArrayPtr> {
        std::vector<ListReader> readers;
        std::vector<int64_t> bases;
        arrow::ArrayVector values;
        int64_t base = 0;
        for (size_t i = 0; i < operands.size(); ++i) {
          readers.emplace_back(*operands.array(i));
          bases.push_back(base);
          base += readers.back().values()->length();
          values.push_back(readers.back().values());
        }
        ARROW_ASSIGN_OR_RAISE(const ArrayPtr all, arrow::Concatenate(values, operands.pool()));
        std::vector<int64_t> positions;
        std::vector<int64_t> lengths;
        for (int64_t row = 0; row < operands.length(); ++row) {
          if (operands.AnyNull(row)) {
            lengths.push_back(-1);
            continue;
          }
          const size_t before = positions.size();
          for (size_t i = 0; i < readers.size(); ++i) {
            const int64_t at = operands.At<arrow::Array>(i).Position(row);
            for (int64_t k = 0; k < readers[i].Length(at); ++k) {
              positions.push_back(bases[i] + readers[i].Begin(at) + k);
            }
          }
          lengths.push_back(static_cast<int64_t>(positions.size() - before));
        }
        ARROW_ASSIGN_OR_RAISE(const ArrayPtr taken, TakeRows(call.context, all, positions));
        return BuildLists(operands.pool(), type, lengths, taken);
      });
  return resolution;
}

}  // namespace keepone
