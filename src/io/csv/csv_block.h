// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "io/csv/csv_record.h"
#include "io/text/byte_block.h"

namespace keepone {

// Of 64 bytes of CSV: bit i says what byte i is.
struct CsvMarks {
  uint64_t line_ends = 0;   // between records
  uint64_t delimiters = 0;  // between fields
  uint64_t quotes = 0;
  uint64_t closings = 0;  // quotes that close a field, or are taken back by the next byte
  uint64_t high = 0;      // no ASCII
};

// Goes through CSV text 64 bytes at a time. Where quotes within quoted fields are written twice and
// quotes stand where they belong, a byte is within a quoted field just when the number of quotes
// before it is odd, which is known for all bytes of a block at once; all else is left to
// NextCsvState.
class CsvBlocks {
 public:
  // `dialect` must outlive it. `state` is that at the beginning of the text.
  CsvBlocks(const CsvDialect* dialect, CsvState state) : dialect_(dialect), state_(state) {}

  CsvState state() const { return state_; }

  // Goes over the block that begins at `at`, or ends with the text. Nothing, and no step is taken,
  // where quotes, escapes or comments do not allow it. 64 bytes behind the text must be readable.
  std::optional<CsvMarks> Next(std::string_view text, size_t at) {
    if (!dialect_->doubles_quotes() || state_ == CsvState::kComment) [[unlikely]] {
      return std::nullopt;
    }
    const size_t bytes = std::min(ByteBlock::kBytes, text.size() - at);
    const uint64_t used = LowBits(bytes);
    const ByteBlock block(text.data() + at);
    CsvMarks marks;
    marks.line_ends = block.Equal('\n') & used;
    marks.delimiters = block.Equal(dialect_->delimiter) & used;
    marks.high = block.High() & used;
    if (dialect_->comment.has_value() && (block.Equal(*dialect_->comment) & used) != 0) {
      return std::nullopt;
    }
    if (!dialect_->quote.has_value()) {
      state_ = StateBehind(text[at + bytes - 1], false);
      return marks;
    }
    marks.quotes = block.Equal(*dialect_->quote) & used;
    const bool is_inside = state_ == CsvState::kQuoted;
    if (marks.quotes == 0 && !is_inside) {
      state_ = StateBehind(text[at + bytes - 1], false);
      return marks;
    }
    const uint64_t inside = PrefixXor(marks.quotes) ^ (is_inside ? ~uint64_t{0} : 0);
    // An opening quote stands at the beginning of a field, or behind a quote that it takes back.
    const uint64_t may_open = (marks.line_ends | marks.delimiters | marks.quotes) << 1 |
                              static_cast<uint64_t>(state_ != CsvState::kUnquoted);
    if ((marks.quotes & inside & ~may_open) != 0) [[unlikely]] {
      return std::nullopt;
    }
    marks.closings = marks.quotes & ~inside;
    marks.line_ends &= ~inside;
    marks.delimiters &= ~inside;
    state_ = StateBehind(text[at + bytes - 1], (inside >> (bytes - 1) & 1) != 0);
    return marks;
  }

  // The same byte by byte, in any text; the line ends between records.
  uint64_t NextByBytes(std::string_view text, size_t at) {
    const size_t bytes = std::min(ByteBlock::kBytes, text.size() - at);
    uint64_t line_ends = 0;
    for (size_t i = 0; i < bytes; ++i) {
      bool ends = false;
      state_ = NextCsvState(*dialect_, state_, text[at + i], &ends);
      line_ends |= static_cast<uint64_t>(ends) << i;
    }
    return line_ends;
  }

 private:
  CsvState StateBehind(char byte, bool is_inside) const {
    return is_inside                     ? CsvState::kQuoted
           : byte == '\n'                ? CsvState::kRecordBegin
           : byte == dialect_->delimiter ? CsvState::kFieldBegin
           : byte == dialect_->quote     ? CsvState::kQuoteInQuoted
                                         : CsvState::kUnquoted;
  }

  const CsvDialect* dialect_;
  CsvState state_;
};

}  // namespace keepone
