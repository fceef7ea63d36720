// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/concatenate.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "base/error.h"
#include "column/key_encoder.h"
#include "column/value_text.h"
#include "function/arrow_call.h"
#include "function/list_kernels.h"
#include "function/operand.h"
#include "function/scalar_row.h"
#include "function/value_class.h"

namespace keepone {

namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using Resolved = arrow::Result<std::optional<ScalarResolution>>;

TypePtr ListTypeOf(const ScalarArgument& argument) {
  const TypePtr type = PlainType(argument.type);
  return IsListType(*type) ? type : nullptr;
}

// list[i]: from 1, from the end when negative; NULL where there is none.
Resolved ResolveElementExtract(ScalarArguments arguments) {
  const TypePtr type = arguments.size() == 2 ? ListTypeOf(arguments[0]) : nullptr;
  if (type == nullptr || !ConvertsTo(arguments[1], *arrow::int64())) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {type, arrow::int64()};
  resolution.result_type = type->field(0)->type();
  resolution.run =
      RowWise([](const ScalarCall& call, const Operands& operands) -> arrow::Result<ArrayPtr> {
        const auto lists = operands.At<arrow::Array>(0);
        const auto indices = operands.At<arrow::Int64Array>(1);
        const ListReader reader(lists.array());
        std::vector<int64_t> positions;
        positions.reserve(static_cast<size_t>(operands.length()));
        for (int64_t row = 0; row < operands.length(); ++row) {
          int64_t position = -1;
          if (!operands.AnyNull(row)) {
            const int64_t length = reader.Length(lists.Position(row));
            const int64_t index = indices.Value(row);
            const int64_t place = index > 0 ? index - 1 : index < -length ? -1 : length + index;
            if (index != 0 && place >= 0 && place < length) {
              position = reader.Begin(lists.Position(row)) + place;
            }
          }
          positions.push_back(position);
        }
        return TakeRows(call.context, reader.values(), positions);
      });
  return resolution;
}

// list[from:to], both included and counted from 1, or from the end when negative; NULL is open.
Resolved ResolveSlice(ScalarArguments arguments) {
  const TypePtr type = arguments.size() == 3 ? ListTypeOf(arguments[0]) : nullptr;
  if (type == nullptr || !ConvertsTo(arguments[1], *arrow::int64()) ||
      !ConvertsTo(arguments[2], *arrow::int64())) {
    return std::nullopt;
  }
  const TypePtr result = arrow::list(type->field(0)->type());
  ScalarResolution resolution;
  resolution.argument_types = {type, arrow::int64(), arrow::int64()};
  resolution.result_type = result;
  resolution.run = RowWise([result](const ScalarCall& call,
                                    const Operands& operands) -> arrow::Result<ArrayPtr> {
    const auto lists = operands.At<arrow::Array>(0);
    const auto from = operands.At<arrow::Int64Array>(1);
    const auto to = operands.At<arrow::Int64Array>(2);
    const ListReader reader(lists.array());
    std::vector<int64_t> positions;
    std::vector<int64_t> lengths;
    for (int64_t row = 0; row < operands.length(); ++row) {
      if (lists.IsNull(row)) {
        lengths.push_back(-1);
        continue;
      }
      const int64_t length = reader.Length(lists.Position(row));
      const auto place = [length](int64_t index) {
        return index < 0 ? (index < -length ? 0 : length + index + 1) : std::min(index, length + 1);
      };
      const int64_t first = from.IsNull(row) ? 1 : std::max<int64_t>(place(from.Value(row)), 1);
      const int64_t last = to.IsNull(row) ? length : std::min(place(to.Value(row)), length);
      for (int64_t i = first; i <= last; ++i) {
        positions.push_back(reader.Begin(lists.Position(row)) + i - 1);
      }
      lengths.push_back(std::max<int64_t>(last - first + 1, 0));
    }
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr taken, TakeRows(call.context, reader.values(), positions));
    return BuildLists(operands.pool(), result, lengths, taken);
  });
  return resolution;
}

// [a, b, ...]: elements may be NULL.
Resolved ResolveListValue(ScalarArguments arguments) {
  const TypePtr type = MeetingType(arguments);
  if (type == nullptr) {
    return std::nullopt;
  }
  const TypePtr result = arrow::list(type);
  ScalarResolution resolution;
  resolution.argument_types.assign(arguments.size(), type);
  resolution.result_type = result;
  resolution.run = RowWise([result](const ScalarCall& call,
                                    const Operands& operands) -> arrow::Result<ArrayPtr> {
    const auto width = static_cast<int64_t>(operands.size());
    const std::vector<int64_t> lengths(static_cast<size_t>(operands.length()), width);
    if (width == 0) {
      return BuildLists(operands.pool(), result, lengths, std::make_shared<arrow::NullArray>(0));
    }
    arrow::ArrayVector parts;
    std::vector<int64_t> bases;
    int64_t base = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
      bases.push_back(base);
      base += operands.array(i)->length();
      parts.push_back(operands.array(i));
    }
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr all, arrow::Concatenate(parts, operands.pool()));
    std::vector<int64_t> positions;
    positions.reserve(static_cast<size_t>(operands.length() * width));
    for (int64_t row = 0; row < operands.length(); ++row) {
      for (size_t i = 0; i < operands.size(); ++i) {
        positions.push_back(bases[i] + operands.At<arrow::Array>(i).Position(row));
      }
    }
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr values, TakeRows(call.context, all, positions));
    return BuildLists(operands.pool(), result, lengths, values);
  });
  return resolution;
}

// The elements' texts joined; NULL elements are left out.
Resolved ResolveToString(ScalarArguments arguments) {
  const TypePtr type = arguments.size() == 2 ? ListTypeOf(arguments[0]) : nullptr;
  if (type == nullptr || !ConvertsTo(arguments[1], *arrow::utf8())) {
    return std::nullopt;
  }
  ScalarResolution resolution;
  resolution.argument_types = {type, arrow::utf8()};
  resolution.result_type = arrow::utf8();
  resolution.run =
      RowWise([](const ScalarCall&, const Operands& operands) -> arrow::Result<ArrayPtr> {
        const auto lists = operands.At<arrow::Array>(0);
        const auto separators = operands.At<arrow::StringArray>(1);
        const ListReader reader(lists.array());
        ARROW_ASSIGN_OR_RAISE(const auto texts, MakeValueText(reader.values(), TextStyle::kPlain));
        arrow::StringBuilder builder(operands.pool());
        std::string text;
        for (int64_t row = 0; row < operands.length(); ++row) {
          if (operands.AnyNull(row)) {
            ARROW_RETURN_NOT_OK(builder.AppendNull());
            continue;
          }
          text.clear();
          const int64_t begin = reader.Begin(lists.Position(row));
          bool first = true;
          for (int64_t i = begin; i < begin + reader.Length(lists.Position(row)); ++i) {
            if (!texts->IsNull(i)) {
              text += first ? std::string_view() : separators.Value(row);
              texts->Append(i, &text);
              first = false;
            }
          }
          ARROW_RETURN_NOT_OK(builder.Append(text));
        }
        return builder.Finish();
      });
  return resolution;
}

// The parts of a text between separators, as a list; an empty separator does not split.
arrow::Result<ArrayPtr> SplitTexts(const ScalarCall&, const Operands& operands) {
  const auto texts = operands.At<arrow::StringArray>(0);
  const auto separators = operands.At<arrow::StringArray>(1);
  auto parts = std::make_shared<arrow::StringBuilder>(operands.pool());
  arrow::ListBuilder builder(operands.pool(), parts, arrow::list(arrow::utf8()));
  for (int64_t row = 0; row < operands.length(); ++row) {
    if (operands.AnyNull(row)) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
      continue;
    }
    ARROW_RETURN_NOT_OK(builder.Append());
    std::string_view text = texts.Value(row);
    const std::string_view separator = separators.Value(row);
    size_t found = separator.empty() ? std::string_view::npos : text.find(separator);
    while (found != std::string_view::npos) {
      ARROW_RETURN_NOT_OK(parts->Append(text.substr(0, found)));
      text.remove_prefix(found + separator.size());
      found = text.find(separator);
    }
    ARROW_RETURN_NOT_OK(parts->Append(text));
  }
  return builder.Finish();
}

// map[key]: NULL where the key is not there.
Resolved ResolveMapExtract(ScalarArguments arguments) {
  const TypePtr type = arguments.size() == 2 ? PlainType(arguments[0].type) : nullptr;
  if (type == nullptr || type->id() != arrow::Type::MAP) {
    return type != nullptr && IsListType(*type) ? ResolveElementExtract(arguments)
                                                : Resolved(std::nullopt);
  }
  const auto& map_type = arrow::internal::checked_cast<const arrow::MapType&>(*type);
  if (!ConvertsTo(arguments[1], *PlainType(map_type.key_type()))) {
    return std::nullopt;
  }
  const TypePtr key_type = map_type.key_type();
  ScalarResolution resolution;
  resolution.argument_types = {type, key_type};
  resolution.result_type = map_type.item_type();
  resolution.run = RowWise([key_type](const ScalarCall& call,
                                      const Operands& operands) -> arrow::Result<ArrayPtr> {
    const auto maps = operands.At<arrow::MapArray>(0);
    const auto wanted = operands.At<arrow::Array>(1);
    ARROW_ASSIGN_OR_RAISE(const auto encoder, KeyEncoder::Make({KeyField{key_type, false, false}}));
    EncodedKeys keys(operands.pool());
    EncodedKeys wanted_keys(operands.pool());
    ARROW_RETURN_NOT_OK(encoder->Encode({maps.array().keys()}, &keys));
    ARROW_RETURN_NOT_OK(encoder->Encode({operands.array(1)}, &wanted_keys));
    std::vector<int64_t> positions;
    for (int64_t row = 0; row < operands.length(); ++row) {
      positions.push_back(-1);
      if (operands.AnyNull(row)) {
        continue;
      }
      const int64_t at = maps.Position(row);
      for (int64_t i = maps.array().value_offset(at); i < maps.array().value_offset(at + 1); ++i) {
        if (keys[i] == wanted_keys[wanted.Position(row)]) {
          positions.back() = i;
        }
      }
    }
    return TakeRows(call.context, maps.array().items(), positions);
  });
  return resolution;
}

enum class MapPart { kKeys, kValues };

ScalarResolver MapParts(MapPart part) {
  return [part](ScalarArguments arguments) -> Resolved {
    const TypePtr type = arguments.size() == 1 ? PlainType(arguments[0].type) : nullptr;
    if (type == nullptr || type->id() != arrow::Type::MAP) {
      return std::nullopt;
    }
    const auto& map_type = arrow::internal::checked_cast<const arrow::MapType&>(*type);
    const TypePtr result =
        arrow::list(part == MapPart::kKeys ? map_type.key_type() : map_type.item_type());
    ScalarResolution resolution;
    resolution.argument_types = {type};
    resolution.result_type = result;
    resolution.run = RowWise([part, result](const ScalarCall& call,
                                            const Operands& operands) -> arrow::Result<ArrayPtr> {
      const auto maps = operands.At<arrow::MapArray>(0);
      std::vector<int64_t> positions;
      std::vector<int64_t> lengths;
      for (int64_t row = 0; row < operands.length(); ++row) {
        const int64_t at = maps.Position(row);
        lengths.push_back(maps.IsNull(row) ? -1 : maps.array().value_length(at));
        for (int64_t i = 0; i < lengths.back(); ++i) {
          positions.push_back(maps.array().value_offset(at) + i);
        }
      }
      const ArrayPtr& values = part == MapPart::kKeys ? maps.array().keys() : maps.array().items();
      ARROW_ASSIGN_OR_RAISE(const ArrayPtr taken, TakeRows(call.context, values, positions));
      return BuildLists(operands.pool(), result, lengths, taken);
    });
    return resolution;
  };
}

}  // namespace

std::vector<ScalarRow> ListRows() {
  const TypePtr text = arrow::utf8();
  return {
      {"list_value",
       {"list_pack", "array_value"},
       "list_value(ANY, ...) -> LIST",
       "[a, b, ...]",
       ResolveListValue},
      {"list_extract",
       {"array_extract", "list_element"},
       "list_extract(LIST, BIGINT) -> ANY",
       "list[i], counted from 1, or from the end when negative; NULL where there is none",
       ResolveElementExtract},
      {"list_slice",
       {"array_slice"},
       "list_slice(LIST, BIGINT from, BIGINT to) -> LIST",
       "list[from:to], both included; NULL is an open end",
       ResolveSlice},
      {"list_length",
       {"array_length", "cardinality"},
       "list_length(LIST | MAP) -> BIGINT",
       "the number of elements",
       ResolveListLength},
      {"list_contains",
       {"array_contains", "list_has", "array_has"},
       "list_contains(LIST, ANY) -> BOOLEAN",
       "whether the list holds the value",
       ResolveListContains},
      {"list_concat",
       {"array_concat", "array_cat", "list_cat"},
       "list_concat(LIST, ...) -> LIST",
       "the lists one after the other",
       [](ScalarArguments arguments) -> Resolved {
         return arguments.empty() ? Resolved(std::nullopt) : ResolveListConcat(arguments);
       }},
      {"array_to_string",
       {"list_to_string"},
       "array_to_string(LIST, VARCHAR separator) -> VARCHAR",
       "the elements as one text, NULLs left out",
       ResolveToString},
      {"string_split",
       {"string_to_array", "str_split", "split"},
       "string_split(VARCHAR, VARCHAR separator) -> VARCHAR[]",
       "the parts of the text",
       Overloads({{{text, text}, arrow::list(text), RowWise(SplitTexts)}})},
      {"map_extract",
       {"element_at"},
       "map_extract(MAP, ANY key) -> ANY",
       "map[key]; NULL where the key is not there",
       ResolveMapExtract},
      {"map_keys", {}, "map_keys(MAP) -> LIST", "the keys", MapParts(MapPart::kKeys)},
      {"map_values", {}, "map_values(MAP) -> LIST", "the values", MapParts(MapPart::kValues)},
  };
}

}  // namespace keepone
