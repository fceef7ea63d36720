// SPDX-License-Identifier: Apache-2.0
#include "cli/table_printer.h"

#include <wchar.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include <arrow/api.h>

#include "column/value_text.h"

namespace keepone {

namespace {

constexpr int64_t kCellWidthMin = 10;  // of cells that are cut
constexpr int64_t kFrameWidth = 3;     // a line and two blanks for each column
constexpr int64_t kCellBytesMax = 4096;

struct Lines {
  const char* horizontal;
  const char* vertical;
  const char* top[3];
  const char* middle[3];
  const char* bottom[3];
  const char* ellipsis;
};
constexpr Lines kBox = {"─", "│", {"┌", "┬", "┐"}, {"├", "┼", "┤"}, {"└", "┴", "┘"}, "…"};
constexpr Lines kAscii = {"-", "|", {"+", "+", "+"}, {"+", "+", "+"}, {"+", "+", "+"}, "~"};

// The code point at `text[*at]`, moving on; a broken byte is one code point.
uint32_t NextCodePoint(std::string_view text, size_t* at) {
  const auto lead = static_cast<unsigned char>(text[*at]);
  size_t length = 1;
  uint32_t code = lead;
  if (lead >= 0xF0) {
    length = 4;
    code = lead & 0x07;
  } else if (lead >= 0xE0) {
    length = 3;
    code = lead & 0x0F;
  } else if (lead >= 0xC0) {
    length = 2;
    code = lead & 0x1F;
  }
  if (*at + length > text.size()) {
    ++*at;
    return lead;
  }
  for (size_t i = 1; i < length; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[*at + i]) & 0x3F);
  }
  *at += length;
  return code;
}

int64_t WidthOf(uint32_t code) {
  const int width = ::wcwidth(static_cast<wchar_t>(code));
  // Outside of a UTF-8 locale the C library knows no wide characters; one column is the best guess.
  return width < 0 ? 1 : width;
}

// One line: line breaks and control characters would break the table.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      c = ' ';
    }
  }
  return text;
}

std::string CutTo(const std::string& text, int64_t width, const char* ellipsis) {
  std::string cut;
  int64_t used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const int64_t step = WidthOf(NextCodePoint(text, &at));
    if (used + step > width - 1) {
      break;
    }
    cut.append(text, begin, at - begin);
    used += step;
  }
  return cut + ellipsis;
}

// Whether a part of a value tells most of it, as a part of a number or a time does not.
bool MayBeCut(const arrow::DataType& type) {
  return arrow::is_nested(type.id()) || arrow::is_base_binary_like(type.id());
}

bool IsRightAligned(const arrow::DataType& type) {
  return arrow::is_numeric(type.id()) || arrow::is_decimal(type.id());
}

std::string WithCommas(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<size_t>(at), ",");
  }
  return digits;
}

}  // namespace

int64_t DisplayWidth(const std::string& text) {
  int64_t width = 0;
  for (size_t at = 0; at < text.size();) {
    width += WidthOf(NextCodePoint(text, &at));
  }
  return width;
}

TablePrinter::TablePrinter(std::shared_ptr<arrow::Schema> schema, Options options)
    : schema_(std::move(schema)), options_(options) {
  for (const auto& field : schema_->fields()) {
    Cell cell{OneLine(field->name()), 0};
    cell.width = DisplayWidth(cell.text);
    header_.push_back(std::move(cell));
  }
}

arrow::Status TablePrinter::Add(const arrow::RecordBatch& batch) {
  const int64_t kept =
      std::min(batch.num_rows(), options_.rows_max - static_cast<int64_t>(rows_.size()));
  row_count_ += batch.num_rows();
  if (kept <= 0) {
    return arrow::Status::OK();
  }
  std::vector<std::unique_ptr<ValueText>> columns;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(auto text, MakeValueText(column, TextStyle::kPlain));
    columns.push_back(std::move(text));
  }
  for (int64_t row = 0; row < kept; ++row) {
    std::vector<Cell> cells;
    for (const auto& column : columns) {
      Cell cell;
      if (column->IsNull(row)) {
        cell.text = "NULL";
      } else {
        column->Append(row, &cell.text);
        if (static_cast<int64_t>(cell.text.size()) > kCellBytesMax) {
          cell.text.resize(static_cast<size_t>(kCellBytesMax));
        }
        cell.text = OneLine(std::move(cell.text));
      }
      cell.width = DisplayWidth(cell.text);
      cells.push_back(std::move(cell));
    }
    rows_.push_back(std::move(cells));
  }
  return arrow::Status::OK();
}

// The widths of the columns that are shown: their own as far as there is room. Else texts and
// nested values give way first, and of columns that give way narrow ones keep their width and wide
// ones share what is left.
std::vector<int64_t> TablePrinter::ColumnWidths(std::vector<size_t>* shown) const {
  std::vector<int64_t> widths;
  for (size_t column = 0; column < header_.size(); ++column) {
    int64_t width = std::max<int64_t>(header_[column].width, 1);
    for (const auto& row : rows_) {
      width = std::max(width, row[column].width);
    }
    widths.push_back(width);
  }
  const auto least = [&](size_t column) { return std::min(widths[column], kCellWidthMin); };
  shown->resize(header_.size());
  std::iota(shown->begin(), shown->end(), size_t{0});
  int64_t needed = 1;
  for (const size_t column : *shown) {
    needed += least(column) + kFrameWidth;
  }
  while (shown->size() > 2 && needed > options_.width) {
    const auto middle = shown->begin() + static_cast<int64_t>(shown->size() / 2);
    needed -= least(*middle) + kFrameWidth;
    shown->erase(middle);
  }
  int64_t room = options_.width - static_cast<int64_t>(shown->size()) * kFrameWidth - 1;
  int64_t whole_width = 0;  // with texts and nested values at their least
  for (const size_t column : *shown) {
    const bool may_be_cut = MayBeCut(*schema_->field(static_cast<int>(column))->type());
    whole_width += may_be_cut ? least(column) : widths[column];
  }
  const bool keeps_whole = whole_width <= room;
  std::vector<size_t> sharing;
  for (const size_t column : *shown) {
    if (keeps_whole && !MayBeCut(*schema_->field(static_cast<int>(column))->type())) {
      room -= widths[column];
    } else {
      sharing.push_back(column);
    }
  }
  std::stable_sort(sharing.begin(), sharing.end(),
                   [&](size_t x, size_t y) { return widths[x] < widths[y]; });
  auto left = static_cast<int64_t>(sharing.size());
  for (const size_t column : sharing) {
    widths[column] = std::min(widths[column], std::max<int64_t>(room / left, least(column)));
    room -= widths[column];
    --left;
  }
  return widths;
}

std::string TablePrinter::Finish() const {
  const Lines& lines = options_.ascii ? kAscii : kBox;
  std::vector<size_t> shown;
  const std::vector<int64_t> widths = ColumnWidths(&shown);
  std::string out;
  const auto rule = [&](const char* const(&joints)[3]) {
    for (size_t i = 0; i < shown.size(); ++i) {
      out += joints[i == 0 ? 0 : 1];
      for (int64_t k = 0; k < widths[shown[i]] + 2; ++k) {
        out += lines.horizontal;
      }
    }
    out += std::string(joints[2]) + "\n";
  };
  const auto line = [&](const std::vector<Cell>& cells, bool header) {
    for (size_t i = 0; i < shown.size(); ++i) {
      const Cell& cell = cells[shown[i]];
      const int64_t column_width = widths[shown[i]];
      std::string text = cell.text;
      int64_t width = cell.width;
      if (width > column_width) {
        text = CutTo(text, column_width, lines.ellipsis);
        width = DisplayWidth(text);
      }
      const int64_t blanks = std::max<int64_t>(0, column_width - width);
      const std::string padding(static_cast<size_t>(blanks), ' ');
      const bool right =
          !header && IsRightAligned(*schema_->field(static_cast<int>(shown[i]))->type());
      out += std::string(lines.vertical) + " " + (right ? padding + text : text + padding) + " ";
    }
    out += std::string(lines.vertical) + "\n";
  };
  if (!shown.empty()) {
    rule(lines.top);
    line(header_, true);
    rule(lines.middle);
    for (const auto& row : rows_) {
      line(row, false);
    }
    rule(lines.bottom);
  }
  out += WithCommas(row_count_) + (row_count_ == 1 ? " row" : " rows");
  const int64_t rows_hidden = row_count_ - static_cast<int64_t>(rows_.size());
  if (rows_hidden > 0) {
    out += " (" + WithCommas(rows_hidden) + " not shown)";
  }
  if (shown.size() < header_.size()) {
    out += ", " + std::to_string(header_.size()) + " columns (" +
           std::to_string(header_.size() - shown.size()) + " not shown)";
  }
  return out + "\n";
}

}  // namespace keepone
