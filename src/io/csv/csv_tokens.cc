// SPDX-License-Identifier: Apache-2.0
#include "io/csv/csv_tokens.h"

#include <algorithm>
#include <bit>

#include "io/csv/csv_block.h"

namespace keepone {

namespace {

// Places in what is cut at once fit 32 bits.
constexpr size_t kCutBytesMax = size_t{1} << 30;

// Whether no text stands behind a closing quote of the block at `at`.
bool AreClosed(const CsvDialect& dialect, std::string_view text, size_t at, const CsvMarks& marks) {
  const uint64_t may_follow = marks.line_ends | marks.delimiters | marks.quotes;
  for (uint64_t rest = marks.closings & ~(may_follow >> 1); rest != 0; rest &= rest - 1) {
    const size_t behind = at + static_cast<size_t>(std::countr_zero(rest)) + 1;
    if (behind == text.size()) {
      continue;
    }
    const char next = text[behind];
    const bool is_line_end =
        next == '\n' || (next == '\r' && (behind + 1 == text.size() || text[behind + 1] == '\n'));
    if (!is_line_end && next != dialect.delimiter && next != dialect.quote) {
      return false;
    }
  }
  return true;
}

}  // namespace

void CsvTokens::AddRecord(size_t end_count, size_t next) {
  Record record;
  record.begin = record_begin_;
  record.next = next;
  record.end = begin_ + ends_[end_count - 1];
  if (record.end > record.begin && text_[record.end - 1] == '\r') {
    --record.end;
  }
  record.first_field = record_field_;
  record.field_count = end_count - record_field_;
  if (record.end > record.begin || record.field_count > 1 || dialect_->has_one_column) {
    records_.push_back(record);
  }
  record_begin_ = next;
  record_field_ = end_count;
}

void CsvTokens::Cut(std::string_view text, size_t position, size_t bytes_wanted) {
  text_ = text;
  begin_ = position;
  record_begin_ = position;
  record_field_ = 0;
  records_.clear();
  uint64_t high = 0;
  size_t end_count = 0;
  CsvBlocks blocks(dialect_, CsvState::kRecordBegin);
  const size_t end = std::min(text.size(), position + kCutBytesMax);
  size_t at = position;
  for (; at < end && (at - position < bytes_wanted || records_.empty()); at += ByteBlock::kBytes) {
    const std::optional<CsvMarks> marks = blocks.Next(text, at);
    if (!marks.has_value() || !AreClosed(*dialect_, text, at, *marks)) {
      break;
    }
    high |= marks->high;
    if (ends_.size() < end_count + ByteBlock::kBytes + 1) {
      ends_.resize(2 * end_count + 8 * ByteBlock::kBytes);
    }
    const auto offset = static_cast<uint32_t>(at - position);
    const uint64_t ends = marks->line_ends | marks->delimiters;
    uint32_t* out = ends_.data() + end_count;
    for (uint64_t rest = ends; rest != 0; rest &= rest - 1) {
      *out++ = offset + static_cast<uint32_t>(std::countr_zero(rest));
    }
    for (uint64_t rest = marks->line_ends; rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<size_t>(std::countr_zero(rest));
      AddRecord(end_count + static_cast<size_t>(std::popcount(ends & LowBits(bit + 1))),
                at + bit + 1);
    }
    end_count += static_cast<size_t>(std::popcount(ends));
  }
  is_ascii_ = high == 0;
  const bool is_at_end = at >= text.size() && blocks.state() != CsvState::kQuoted;
  if (is_at_end && record_begin_ < text.size()) {
    // The last record of a file may lack its line end.
    ends_[end_count] = static_cast<uint32_t>(text.size() - position);
    AddRecord(end_count + 1, text.size());
  }
}

}  // namespace keepone
