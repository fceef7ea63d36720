// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/compute/api.h>
#include <arrow/type.h>

#include "function/arrow_call.h"
#include "function/cast.h"
#include "function/list_kernels.h"
#include "function/scalar_row.h"
#include "function/text_rows.h"
#include "function/value_class.h"

namespace keepone {

int64_t CodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

size_t ByteOfCodePoint(std::string_view text, int64_t index) {
  size_t position = 0;
  while (index > 0 && position < text.size()) {
    ++position;
    while (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80) {
      ++position;
    }
    --index;
  }
  return position;
}

std::string_view CodePointRange(std::string_view text, int64_t begin, int64_t end) {
  begin = std::max<int64_t>(begin, 0);
  if (end <= begin) {
    return {};
  }
  text.remove_prefix(ByteOfCodePoint(text, begin));
  return text.substr(0, ByteOfCodePoint(text, end - begin));
}

namespace {

using arrow::Datum;
using Resolved = arrow::Result<std::optional<ScalarResolution>>;

// An Arrow kernel that counts in INT32, as BIGINT.
ScalarKernel Counting(std::string kernel) {
  return [kernel = std::move(kernel)](const ScalarCall& call,
                                      const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Datum count, CallArrow(call.context, kernel, values));
    return CallArrowCast(call.context, count, arrow::int64(), ArrowCast::kSafe);
  };
}

ScalarResolver OneText(std::string kernel) {
  return Overloads({{{arrow::utf8()}, arrow::utf8(), ArrowKernel(std::move(kernel))}});
}

// Joins texts, blobs or lists; numbers and the like take part as text beside a text.
Resolved ResolveConcat(ScalarArguments arguments) {
  if (arguments.empty()) {
    return std::nullopt;
  }
  bool has_list = false;
  bool has_text = false;
  bool has_blob = false;
  for (const ScalarArgument& argument : arguments) {
    const TypePtr type = PlainType(argument.type);
    has_list = has_list || IsListType(*type);
    has_blob = has_blob || IsBlobType(*type);
    has_text = has_text || IsTextType(*type) || type->id() == arrow::Type::NA;
  }
  if (has_list) {
    return ResolveListConcat(arguments);
  }
  ScalarResolution resolution;
  resolution.result_type = has_blob && !has_text ? arrow::binary() : arrow::utf8();
  for (const ScalarArgument& argument : arguments) {
    if (!(has_text || has_blob) || !CanCast(*argument.type, *resolution.result_type)) {
      return std::nullopt;
    }
    resolution.argument_types.push_back(resolution.result_type);
  }
  const bool blob = has_blob && !has_text;
  resolution.run = [blob](const ScalarCall& call,
                          const std::vector<Datum>& values) -> arrow::Result<Datum> {
    std::vector<Datum> parts = values;
    if (blob) {
      parts.emplace_back(std::make_shared<arrow::BinaryScalar>(arrow::Buffer::FromString("")));
    } else {
      parts.emplace_back(std::make_shared<arrow::StringScalar>(""));
    }
    return CallArrow(call.context, "binary_join_element_wise", parts);
  };
  return resolution;
}

// concat_ws(separator, ...): NULL parts are left out; only a NULL separator gives NULL.
ScalarKernel JoinWithSeparator() {
  return [](const ScalarCall& call, const std::vector<Datum>& values) -> arrow::Result<Datum> {
    std::vector<Datum> parts(values.begin() + 1, values.end());
    parts.push_back(values[0]);
    const arrow::compute::JoinOptions options(arrow::compute::JoinOptions::SKIP);
    return CallArrow(call.context, "binary_join_element_wise", parts, &options);
  };
}

Resolved ResolveLength(ScalarArguments arguments) {
  if (arguments.size() == 1 &&
      (IsListType(*PlainType(arguments[0].type)) || arguments[0].type->id() == arrow::Type::MAP)) {
    return ResolveListLength(arguments);
  }
  return Overloads({{{arrow::utf8()}, arrow::int64(), Counting("utf8_length")},
                    {{arrow::binary()}, arrow::int64(), Counting("binary_length")}})(arguments);
}

Resolved ResolveContains(ScalarArguments arguments) {
  if (arguments.size() == 2 && IsListType(*PlainType(arguments[0].type))) {
    return ResolveListContains(arguments);
  }
  const auto contains = ValueKernel<arrow::BooleanBuilder>(
      [](const TextRow& row) { return row.Text(0).find(row.Text(1)) != std::string_view::npos; });
  return Overloads({{{arrow::utf8(), arrow::utf8()}, arrow::boolean(), contains}})(arguments);
}

// 1 for the first code point, 0 when it is not there.
int64_t Find(std::string_view text, std::string_view part) {
  const size_t position = text.find(part);
  return position == std::string_view::npos ? 0 : CodePoints(text.substr(0, position)) + 1;
}

arrow::Status Replace(const TextRow& row, std::string* out) {
  const std::string_view text = row.Text(0);
  const std::string_view from = row.Text(1);
  size_t position = 0;
  while (!from.empty()) {
    const size_t found = text.find(from, position);
    if (found == std::string_view::npos) {
      break;
    }
    out->append(text, position, found - position);
    out->append(row.Text(2));
    position = found + from.size();
  }
  out->append(text, position);
  return arrow::Status::OK();
}

int64_t FirstCodePoint(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = ByteOfCodePoint(text, 1);
  int64_t value = length == 1 ? lead : lead & (0xFF >> (length + 1));
  for (size_t i = 1; i < length && i < 4; ++i) {
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  return value;
}

ScalarResolver TwoTextsTest(bool (*test)(std::string_view, std::string_view)) {
  return Overloads({{{arrow::utf8(), arrow::utf8()},
                     arrow::boolean(),
                     ValueKernel<arrow::BooleanBuilder>(
                         [test](const TextRow& row) { return test(row.Text(0), row.Text(1)); })}});
}

ScalarResolver FindResolver(size_t text_index) {
  return Overloads({{{arrow::utf8(), arrow::utf8()},
                     arrow::int64(),
                     ValueKernel<arrow::Int64Builder>([text_index](const TextRow& row) {
                       return Find(row.Text(text_index), row.Text(1 - text_index));
                     })}});
}

}  // namespace

std::vector<ScalarRow> TextRows() {
  const TypePtr text = arrow::utf8();
  const TypePtr count = arrow::int64();
  return {
      {"upper",
       {"ucase"},
       "upper(VARCHAR) -> VARCHAR",
       "the text in upper case",
       OneText("utf8_upper")},
      {"lower",
       {"lcase"},
       "lower(VARCHAR) -> VARCHAR",
       "the text in lower case",
       OneText("utf8_lower")},
      {"initcap",
       {},
       "initcap(VARCHAR) -> VARCHAR",
       "the text with each word capitalised",
       OneText("utf8_title")},
      {"reverse",
       {},
       "reverse(VARCHAR) -> VARCHAR",
       "the code points from the last to the first",
       OneText("utf8_reverse")},
      {"concat",
       {"||"},
       "concat(VARCHAR | BLOB | LIST, ...) -> VARCHAR | BLOB | LIST",
       "a || b; NULL when one is NULL",
       ResolveConcat},
      {"concat_ws",
       {},
       "concat_ws(VARCHAR separator, VARCHAR, ...) -> VARCHAR",
       "the texts joined, NULLs left out",
       Overloads({{{text, text}, text, JoinWithSeparator(), true}})},
      {"length",
       {"len", "char_length", "character_length", "strlen"},
       "length(VARCHAR | BLOB | LIST | MAP) -> BIGINT",
       "the code points of a text, the bytes of a blob, the elements of a list or map",
       ResolveLength},
      {"octet_length",
       {"byte_length"},
       "octet_length(VARCHAR | BLOB) -> BIGINT",
       "the bytes",
       Overloads({{{text}, count, Counting("binary_length")},
                  {{arrow::binary()}, count, Counting("binary_length")}})},
      {"contains",
       {},
       "contains(VARCHAR, VARCHAR) -> BOOLEAN; contains(LIST, ANY) -> BOOLEAN",
       "whether the text holds the other, or the list the value",
       ResolveContains},
      {"starts_with",
       {"prefix", "^@"},
       "starts_with(VARCHAR, VARCHAR) -> BOOLEAN",
       "whether the text begins with the other",
       TwoTextsTest([](std::string_view a, std::string_view b) { return a.starts_with(b); })},
      {"ends_with",
       {"suffix"},
       "ends_with(VARCHAR, VARCHAR) -> BOOLEAN",
       "whether the text ends with the other",
       TwoTextsTest([](std::string_view a, std::string_view b) { return a.ends_with(b); })},
      {"position",
       {},
       "position(VARCHAR part, VARCHAR text) -> BIGINT",
       "where the part begins, from 1; 0 when it is not there",
       FindResolver(1)},
      {"strpos",
       {"instr"},
       "strpos(VARCHAR text, VARCHAR part) -> BIGINT",
       "where the part begins, from 1; 0 when it is not there",
       FindResolver(0)},
      {"replace",
       {},
       "replace(VARCHAR, VARCHAR from, VARCHAR to) -> VARCHAR",
       "each `from` replaced by `to`",
       Overloads({{{text, text, text}, text, TextKernel(Replace)}})},
      {"ascii",
       {"unicode", "ord"},
       "ascii(VARCHAR) -> BIGINT",
       "the first code point's number",
       Overloads({{{text}, count, ValueKernel<arrow::Int64Builder>([](const TextRow& row) {
                     return FirstCodePoint(row.Text(0));
                   })}})},
  };
}

}  // namespace keepone
