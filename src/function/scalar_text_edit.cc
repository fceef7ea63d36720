// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <arrow/type.h>

#include "base/error.h"
#include "function/scalar_row.h"
#include "function/text_rows.h"

namespace keepone {

namespace {

constexpr int64_t kTextBytesMax = int64_t{1} << 30;

arrow::Status CheckBytes(int64_t bytes) {
  if (bytes > kTextBytesMax) {
    return DataError("a text of ", bytes, " bytes is longer than 1 GiB");
  }
  return arrow::Status::OK();
}

enum class Sides { kBoth, kLeft, kRight };

// Removes all code points of a set from the ends.
arrow::Status TrimTo(std::string_view text, std::string_view set, Sides sides, std::string* out) {
  const auto in_set = [&](std::string_view code_point) {
    return set.find(code_point) != std::string_view::npos;
  };
  while (sides != Sides::kRight && !text.empty()) {
    const size_t size = ByteOfCodePoint(text, 1);
    if (!in_set(text.substr(0, size))) {
      break;
    }
    text.remove_prefix(size);
  }
  while (sides != Sides::kLeft && !text.empty()) {
    size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) {
      --begin;
    }
    if (!in_set(text.substr(begin))) {
      break;
    }
    text.remove_suffix(text.size() - begin);
  }
  out->append(text);
  return arrow::Status::OK();
}

ScalarRow TrimRow(const std::string& name, std::vector<std::string> aliases, Sides sides,
                  const std::string& place) {
  const TypePtr text = arrow::utf8();
  const auto blanks = TextKernel([sides](const TextRow& row, std::string* out) {
    return TrimTo(row.Text(0), " ", sides, out);
  });
  const auto set = TextKernel([sides](const TextRow& row, std::string* out) {
    return TrimTo(row.Text(0), row.Text(1), sides, out);
  });
  return {name, std::move(aliases), name + "(VARCHAR[, VARCHAR characters]) -> VARCHAR",
          "the text without blanks, or the characters, at " + place,
          Overloads({{{text}, text, blanks}, {{text, text}, text, set}})};
}

// From code point `begin`, counted from 1; places before the text count as part of the length.
arrow::Status Substring(const TextRow& row, std::string* out) {
  const std::string_view text = row.Text(0);
  int64_t begin = row.Integer(1);
  if (row.size() == 2) {
    out->append(begin < 0
                    ? CodePointRange(text, CodePoints(text) + std::max(begin, -kTextBytesMax * 2),
                                     std::numeric_limits<int64_t>::max())
                    : CodePointRange(text, begin - (begin > 0 ? 1 : 0),
                                     std::numeric_limits<int64_t>::max()));
    return arrow::Status::OK();
  }
  const int64_t length = row.Integer(2);
  if (length < 0) {
    return DataError("negative length ", length, " in substring");
  }
  if (begin < 0) {
    begin = CodePoints(text) + std::max(begin, -kTextBytesMax * 2) + 1;
  }
  int64_t end = 0;
  if (__builtin_add_overflow(begin, length, &end)) {
    end = std::numeric_limits<int64_t>::max();
  }
  out->append(CodePointRange(text, begin - 1, end - 1));
  return arrow::Status::OK();
}

// A negative count leaves out that many at the other end.
arrow::Status Left(const TextRow& row, std::string* out) {
  const std::string_view text = row.Text(0);
  const int64_t count = row.Integer(1);
  out->append(CodePointRange(text, 0, count >= 0 ? count : CodePoints(text) + count));
  return arrow::Status::OK();
}

arrow::Status Right(const TextRow& row, std::string* out) {
  const std::string_view text = row.Text(0);
  const int64_t count = row.Integer(1);
  const int64_t total = CodePoints(text);
  const int64_t begin = count == std::numeric_limits<int64_t>::min() ? total
                        : count >= 0                                 ? total - count
                                                                     : -count;
  out->append(CodePointRange(text, begin, total));
  return arrow::Status::OK();
}

// Fills up to a width with a pad, over and over; cuts what is longer.
arrow::Status Pad(const TextRow& row, Sides side, std::string* out) {
  const std::string_view text = row.Text(0);
  const std::string_view pad = row.size() == 3 ? row.Text(2) : " ";
  const int64_t width = std::max<int64_t>(row.Integer(1), 0);
  const int64_t missing = width - CodePoints(text);
  if (missing <= 0 || pad.empty()) {
    out->append(CodePointRange(text, 0, width));
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(CheckBytes(missing));
  const int64_t pad_width = CodePoints(pad);
  std::string fill;
  for (int64_t i = 0; i < missing / pad_width; ++i) {
    fill += pad;
  }
  fill += CodePointRange(pad, 0, missing % pad_width);
  *out += side == Sides::kLeft ? fill : std::string(text);
  *out += side == Sides::kLeft ? std::string(text) : fill;
  return arrow::Status::OK();
}

ScalarRow PadRow(const std::string& name, Sides side, const std::string& place) {
  const TypePtr text = arrow::utf8();
  const auto pad =
      TextKernel([side](const TextRow& row, std::string* out) { return Pad(row, side, out); });
  return {
      name,
      {},
      name + "(VARCHAR, BIGINT width[, VARCHAR pad]) -> VARCHAR",
      "the text filled up at " + place + ", or cut, to the width",
      Overloads({{{text, arrow::int64()}, text, pad}, {{text, arrow::int64(), text}, text, pad}})};
}

arrow::Status Repeat(const TextRow& row, std::string* out) {
  const std::string_view text = row.Text(0);
  const int64_t count = std::max<int64_t>(row.Integer(1), 0);
  int64_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<int64_t>(text.size()), count, &bytes)) {
    bytes = std::numeric_limits<int64_t>::max();
  }
  ARROW_RETURN_NOT_OK(CheckBytes(bytes));
  out->reserve(static_cast<size_t>(bytes));
  for (int64_t i = 0; i < count && !text.empty(); ++i) {
    out->append(text);
  }
  return arrow::Status::OK();
}

// Part `index` from 1, or from -1 at the end; an empty text when there is none.
arrow::Status SplitPart(const TextRow& row, std::string* out) {
  const std::string_view text = row.Text(0);
  const std::string_view separator = row.Text(1);
  const int64_t index = row.Integer(2);
  if (index == 0) {
    return DataError("split_part counts from 1, or from -1 at the end; 0 is no part");
  }
  std::vector<std::string_view> parts;
  size_t position = 0;
  while (!separator.empty()) {
    const size_t found = text.find(separator, position);
    if (found == std::string_view::npos) {
      break;
    }
    parts.push_back(text.substr(position, found - position));
    position = found + separator.size();
  }
  parts.push_back(text.substr(position));
  const auto count = static_cast<int64_t>(parts.size());
  const int64_t place = index > 0 ? index - 1 : count + index;
  if (place >= 0 && place < count) {
    out->append(parts[static_cast<size_t>(place)]);
  }
  return arrow::Status::OK();
}

// Each code point of `from` becomes the one at its place in `to`, or goes.
arrow::Status Translate(const TextRow& row, std::string* out) {
  std::string_view text = row.Text(0);
  while (!text.empty()) {
    const size_t size = ByteOfCodePoint(text, 1);
    const std::string_view code_point = text.substr(0, size);
    const size_t found = row.Text(1).find(code_point);
    if (found == std::string_view::npos) {
      out->append(code_point);
    } else {
      const int64_t place = CodePoints(row.Text(1).substr(0, found));
      out->append(CodePointRange(row.Text(2), place, place + 1));
    }
    text.remove_prefix(size);
  }
  return arrow::Status::OK();
}

arrow::Status CodePointText(const TextRow& row, std::string* out) {
  const int64_t value = row.Integer(0);
  if (value < 1 || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return DataError(value, " is no code point");
  }
  const auto append = [out](int64_t byte) {
    *out += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (value < 0x80) {
    append(value);
  } else if (value < 0x800) {
    append(0xC0 | (value >> 6));
    append(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    append(0xE0 | (value >> 12));
    append(0x80 | ((value >> 6) & 0x3F));
    append(0x80 | (value & 0x3F));
  } else {
    append(0xF0 | (value >> 18));
    append(0x80 | ((value >> 12) & 0x3F));
    append(0x80 | ((value >> 6) & 0x3F));
    append(0x80 | (value & 0x3F));
  }
  return arrow::Status::OK();
}

}  // namespace

std::vector<ScalarRow> TextEditRows() {
  const TypePtr text = arrow::utf8();
  const TypePtr count = arrow::int64();
  const auto one_kernel = [](std::vector<TypePtr> types,
                             arrow::Status (*append)(const TextRow&, std::string*)) {
    return Overloads({{std::move(types), arrow::utf8(), TextKernel(append)}});
  };
  return {
      TrimRow("trim", {"btrim"}, Sides::kBoth, "both ends"),
      TrimRow("ltrim", {}, Sides::kLeft, "its begin"),
      TrimRow("rtrim", {}, Sides::kRight, "its end"),
      {"substring",
       {"substr"},
       "substring(VARCHAR, BIGINT from[, BIGINT length]) -> VARCHAR",
       "the code points from a place, counted from 1, or from the end when negative",
       Overloads({{{text, count}, text, TextKernel(Substring)},
                  {{text, count, count}, text, TextKernel(Substring)}})},
      {"left",
       {},
       "left(VARCHAR, BIGINT) -> VARCHAR",
       "the first code points; all but the last when negative",
       one_kernel({text, count}, Left)},
      {"right",
       {},
       "right(VARCHAR, BIGINT) -> VARCHAR",
       "the last code points; all but the first when negative",
       one_kernel({text, count}, Right)},
      PadRow("lpad", Sides::kLeft, "its begin"),
      PadRow("rpad", Sides::kRight, "its end"),
      {"repeat",
       {},
       "repeat(VARCHAR, BIGINT) -> VARCHAR",
       "the text several times",
       one_kernel({text, count}, Repeat)},
      {"split_part",
       {},
       "split_part(VARCHAR, VARCHAR separator, BIGINT index) -> VARCHAR",
       "one part of the text, counted from 1, or from -1 at the end",
       one_kernel({text, text, count}, SplitPart)},
      {"translate",
       {},
       "translate(VARCHAR, VARCHAR from, VARCHAR to) -> VARCHAR",
       "each code point of `from` replaced by the one at its place in `to`",
       one_kernel({text, text, text}, Translate)},
      {"chr",
       {},
       "chr(BIGINT) -> VARCHAR",
       "the code point of a number",
       one_kernel({count}, CodePointText)},
  };
}

}  // namespace keepone
