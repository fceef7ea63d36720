// SPDX-License-Identifier: Apache-2.0
#include "io/csv/csv_record.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "io/csv/csv_block.h"

namespace keepone {

namespace {

// Passes over lines that are no records; nothing where the text ends in one.
std::optional<size_t> SkipToRecord(const CsvDialect& dialect, std::string_view text,
                                   size_t position) {
  while (position < text.size()) {
    if (dialect.comment == text[position]) {
      position = text.find('\n', position);
      if (position == std::string_view::npos) {
        return std::nullopt;
      }
      ++position;
    } else if (!dialect.has_one_column && text[position] == '\n') {
      ++position;
    } else if (!dialect.has_one_column && text.substr(position, 2) == "\r\n") {
      position += 2;
    } else {
      return position;
    }
  }
  return std::nullopt;
}

// The line end behind the record at `position`, or the end of the text. `*state` is that at the
// end of the text.
size_t FindCsvEnd(const CsvDialect& dialect, std::string_view text, size_t position,
                  CsvState* state) {
  CsvBlocks blocks(&dialect, CsvState::kRecordBegin);
  size_t at = position;
  for (; at < text.size(); at += ByteBlock::kBytes) {
    const std::optional<CsvMarks> marks = blocks.Next(text, at);
    if (!marks.has_value()) {
      break;
    }
    if (marks->line_ends != 0) {
      return at + static_cast<size_t>(std::countr_zero(marks->line_ends));
    }
  }
  *state = blocks.state();
  bool ends = false;
  for (; at < text.size(); ++at) {
    *state = NextCsvState(dialect, *state, text[at], &ends);
    if (ends) {
      return at;
    }
  }
  return text.size();
}

class CsvRecordEnds final : public RecordEnds {
 public:
  explicit CsvRecordEnds(const CsvDialect* dialect) : blocks_(dialect, CsvState::kRecordBegin) {}

  std::optional<size_t> Scan(std::string_view text) override {
    std::optional<size_t> end;
    for (size_t at = 0; at < text.size(); at += ByteBlock::kBytes) {
      const std::optional<CsvMarks> marks = blocks_.Next(text, at);
      const uint64_t line_ends =
          marks.has_value() ? marks->line_ends : blocks_.NextByBytes(text, at);
      if (line_ends != 0) {
        end = at + static_cast<size_t>(std::bit_width(line_ends));
      }
    }
    return end;
  }

 private:
  CsvBlocks blocks_;
};

}  // namespace

CsvState NextCsvState(const CsvDialect& dialect, CsvState state, char byte, bool* ends_record) {
  *ends_record = false;
  switch (state) {
    case CsvState::kRecordBegin:
      if (dialect.comment == byte) {
        return CsvState::kComment;
      }
      [[fallthrough]];
    case CsvState::kFieldBegin:
      if (dialect.quote == byte) {
        return CsvState::kQuoted;
      }
      break;
    case CsvState::kQuoted:
      if (dialect.escape == byte && dialect.escape != dialect.quote) {
        return CsvState::kEscaped;
      }
      return dialect.quote == byte ? CsvState::kQuoteInQuoted : CsvState::kQuoted;
    case CsvState::kEscaped:
      return CsvState::kQuoted;
    case CsvState::kQuoteInQuoted:
      if (dialect.quote == byte && dialect.escape == dialect.quote) {
        return CsvState::kQuoted;
      }
      break;
    case CsvState::kComment:
      *ends_record = byte == '\n';
      return *ends_record ? CsvState::kRecordBegin : CsvState::kComment;
    case CsvState::kUnquoted:
      break;
  }
  if (byte == '\n') {
    *ends_record = true;
    return CsvState::kRecordBegin;
  }
  return byte == dialect.delimiter ? CsvState::kFieldBegin : CsvState::kUnquoted;
}

arrow::Result<std::optional<TextRecord>> FindCsvRecord(const CsvDialect& dialect,
                                                       std::string_view text, size_t position,
                                                       bool is_last) {
  const std::optional<size_t> begin = SkipToRecord(dialect, text, position);
  if (!begin.has_value()) {
    return std::nullopt;
  }
  TextRecord record;
  record.begin = *begin;
  CsvState state = CsvState::kRecordBegin;
  record.end = FindCsvEnd(dialect, text, *begin, &state);
  if (record.end == text.size()) {
    if (!is_last) {
      return std::nullopt;
    }
    if (state == CsvState::kQuoted || state == CsvState::kEscaped) {
      return DataError("a quoted field is not closed in the record that begins here");
    }
  }
  record.next = std::min(record.end + 1, text.size());
  if (record.end > record.begin && text[record.end - 1] == '\r') {
    --record.end;
  }
  return record;
}

arrow::Result<std::optional<size_t>> FindCsvBegin(const CsvDialect& dialect, std::string_view text,
                                                  bool is_last) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.size() < kByteOrderMark.size() && !is_last) {
    return std::nullopt;
  }
  size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  for (int64_t i = 0; i < dialect.skipped_lines; ++i) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) {
      return is_last ? std::optional<size_t>(text.size()) : std::nullopt;
    }
    ++begin;
  }
  if (!dialect.has_header) {
    return begin;
  }
  CsvDialect header = dialect;
  header.has_one_column = false;  // blank lines before the header are nothing
  ARROW_ASSIGN_OR_RAISE(const auto record, FindCsvRecord(header, text, begin, is_last));
  if (!record.has_value()) {
    return is_last ? std::optional<size_t>(text.size()) : std::nullopt;
  }
  return record->next;
}

arrow::Status SplitCsvRecord(const CsvDialect& dialect, std::string_view record,
                             std::vector<CsvField>* fields, std::string* scratch,
                             size_t* error_offset) {
  fields->clear();
  scratch->clear();
  scratch->reserve(record.size());  // views into it stay
  size_t i = 0;
  while (true) {
    CsvField field;
    field.begin = i;
    if (dialect.quote.has_value() && i < record.size() && record[i] == *dialect.quote) {
      field.is_quoted = true;
      const char quote = *dialect.quote;
      const size_t begin = scratch->size();
      ++i;
      while (i < record.size()) {
        const bool has_next = i + 1 < record.size();
        if (dialect.escape.has_value() && record[i] == *dialect.escape && has_next &&
            (record[i + 1] == quote || record[i + 1] == *dialect.escape)) {
          *scratch += record[i + 1];
          i += 2;
        } else if (record[i] == quote) {
          break;
        } else {
          *scratch += record[i++];
        }
      }
      ++i;  // the closing quote
      field.text = std::string_view(*scratch).substr(begin);
      if (i < record.size() && record[i] != dialect.delimiter) {
        *error_offset = i;
        return DataError("text stands behind a closing quote");
      }
    } else {
      const size_t end = std::min(record.find(dialect.delimiter, i), record.size());
      field.text = record.substr(i, end - i);
      i = end;
    }
    fields->push_back(field);
    if (i >= record.size()) {
      return arrow::Status::OK();
    }
    ++i;
  }
}

std::unique_ptr<RecordEnds> MakeCsvRecordEnds(const CsvDialect* dialect) {
  return std::make_unique<CsvRecordEnds>(dialect);
}

}  // namespace keepone
