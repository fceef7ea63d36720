// SPDX-License-Identifier: Apache-2.0
#include "io/text/text_cutter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <arrow/array.h>

#include "base/error.h"

namespace keepone {

namespace {

class LineEnds final : public RecordEnds {
 public:
  std::optional<size_t> Scan(std::string_view text) override {
    const size_t found = text.rfind('\n');
    return found == std::string_view::npos ? std::nullopt : std::optional<size_t>(found + 1);
  }
};

std::unique_ptr<RecordEnds> EndsOf(const TextFormat& format) {
  return format.lines_are_records() ? std::make_unique<LineEnds>() : format.MakeRecordEnds();
}

}  // namespace

SequentialCutter::SequentialCutter(const TextReading* reading, const SourceFile* file,
                                   std::shared_ptr<TextInput> input)
    : reading_(reading),
      file_(file),
      input_(std::move(input)),
      ends_(EndsOf(*file->format)),
      window_(Pool()) {}

arrow::Result<std::unique_ptr<CutText>> SequentialCutter::NextText() {
  ARROW_ASSIGN_OR_RAISE(const bool begun, Begin());
  while (begun && cut_ <= position_) {
    if (scanned_ < static_cast<size_t>(window_.size())) {
      const auto end = ends_->Scan(window_.text().substr(scanned_));
      cut_ = end.has_value() ? scanned_ + *end : cut_;
      scanned_ = static_cast<size_t>(window_.size());
    } else if (is_last_) {
      break;
    } else if (window_.size() - static_cast<int64_t>(position_) > kRecordBytesMax) {
      const arrow::Status status =
          DataError("the record that begins here is larger than 256 MiB; is a quote not closed?");
      const std::optional<int64_t> line =
          file_->is_regular ? std::nullopt : std::optional<int64_t>(LineOf(position_));
      return WithLine(status, *file_, base_ + static_cast<int64_t>(position_), {}, line);
    } else {
      ARROW_RETURN_NOT_OK(Extend());
    }
  }
  if (is_last_ && scanned_ == static_cast<size_t>(window_.size())) {
    cut_ = scanned_;  // what is left ends with the file
  }
  if (!begun || cut_ <= position_) {
    ARROW_RETURN_NOT_OK(input_->CheckUnchanged(file_->identity));
    return nullptr;
  }
  auto cut = std::make_unique<CutText>(Pool());
  if (!file_->is_regular) {
    cut->line = LineOf(position_);
    LineOf(cut_);
  }
  TextBuffer next(Pool());
  const std::string_view rest = window_.text().substr(cut_);
  ARROW_ASSIGN_OR_RAISE(uint8_t* const out, next.Reserve(static_cast<int64_t>(rest.size())));
  std::memcpy(out, rest.data(), rest.size());
  next.Grow(static_cast<int64_t>(rest.size()));
  cut->begin = position_;
  cut->end = cut_;
  cut->offset = base_;
  base_ += static_cast<int64_t>(cut_);
  scanned_ -= cut_;
  position_ = 0;
  counted_ = 0;
  cut_ = 0;
  cut->text = std::move(window_);
  window_ = std::move(next);
  return cut;
}

arrow::Result<std::unique_ptr<CutRecords>> SequentialCutter::NextRecords() {
  auto block = std::make_unique<CutRecords>(Pool());
  while (block->text.size() < reading_->source->block_bytes) {
    ARROW_ASSIGN_OR_RAISE(const bool found, AppendNext(block.get()));
    if (!found) {
      break;
    }
  }
  if (block->records.empty()) {
    ARROW_RETURN_NOT_OK(input_->CheckUnchanged(file_->identity));
    return nullptr;
  }
  return block;
}

arrow::Result<std::unique_ptr<CutRecords>> SequentialCutter::RecordsAt(
    const arrow::Int64Array& addresses, int64_t* next, int64_t end) {
  auto block = std::make_unique<CutRecords>(Pool());
  while (*next < end && block->text.size() < reading_->source->block_bytes) {
    const int64_t offset = addresses.Value(*next) & kOffsetMax;
    ARROW_RETURN_NOT_OK(SkipTo(offset));
    ARROW_ASSIGN_OR_RAISE(const bool found, AppendNext(block.get()));
    if (!found || block->records.back().offset != offset) {
      return DataError(file_->path, " changed while it was being read");
    }
    ++*next;
  }
  ARROW_RETURN_NOT_OK(input_->CheckUnchanged(file_->identity));
  return block;
}

arrow::Status SequentialCutter::SkipTo(int64_t offset) {
  begun_ = true;
  while (base_ + window_.size() < offset) {
    position_ = static_cast<size_t>(window_.size());
    ARROW_RETURN_NOT_OK(Extend());
    if (is_last_) {
      break;
    }
  }
  position_ = static_cast<size_t>(std::min(offset - base_, window_.size()));
  return arrow::Status::OK();
}

arrow::Status SequentialCutter::Extend() {
  ARROW_RETURN_NOT_OK(reading_->context->CheckStop());
  const std::string_view done = window_.text().substr(0, position_);
  line_ += CountLineEnds(done.substr(counted_));
  TextBuffer next(Pool());
  const std::string_view rest = window_.text().substr(position_);
  const int64_t bytes =
      std::max<int64_t>(reading_->source->block_bytes, static_cast<int64_t>(rest.size()));
  ARROW_ASSIGN_OR_RAISE(uint8_t* const out,
                        next.Reserve(static_cast<int64_t>(rest.size()) + bytes));
  std::memcpy(out, rest.data(), rest.size());
  const int64_t read_before = input_->bytes_read();
  ARROW_ASSIGN_OR_RAISE(const int64_t got,
                        input_->Read(bytes, out + rest.size(), reading_->context));
  next.Grow(static_cast<int64_t>(rest.size()) + got);
  base_ += static_cast<int64_t>(position_);
  scanned_ -= std::min(scanned_, position_);
  cut_ -= std::min(cut_, position_);
  position_ = 0;
  counted_ = 0;
  is_last_ = got < bytes;
  window_ = std::move(next);
  if (base_ + window_.size() > kOffsetMax) {
    return DataError(file_->path, ": files of text of more than 1 TiB cannot be read");
  }
  const int64_t read = input_->bytes_read() - read_before;
  reading_->counters->bytes_read.fetch_add(read, std::memory_order_relaxed);
  reading_->context->progress().bytes_read.fetch_add(read, std::memory_order_relaxed);
  if (input_->is_compressed()) {
    reading_->counters->bytes_decompressed.fetch_add(got, std::memory_order_relaxed);
  }
  return arrow::Status::OK();
}

int64_t SequentialCutter::LineOf(size_t position) {
  line_ += CountLineEnds(window_.text().substr(counted_, position - counted_));
  counted_ = position;
  return line_;
}

arrow::Result<bool> SequentialCutter::Begin() {
  while (!begun_) {
    ARROW_ASSIGN_OR_RAISE(const auto first, file_->format->FindFirst(window_.text(), is_last_));
    if (first.has_value()) {
      position_ = *first;
      begun_ = true;
      scanned_ = position_;
      cut_ = position_;
    } else if (is_last_) {
      return false;
    } else {
      ARROW_RETURN_NOT_OK(Extend());
    }
  }
  return true;
}

arrow::Result<bool> SequentialCutter::AppendNext(CutRecords* block) {
  ARROW_ASSIGN_OR_RAISE(const bool begun, Begin());
  if (!begun) {
    return false;
  }
  while (true) {
    auto found = file_->format->FindRecord(window_.text(), position_, is_last_);
    if (!found.ok()) {
      return WithLine(found.status(), *file_, 0, {}, LineOf(position_));
    }
    if (found->has_value()) {
      const TextRecord record = **found;
      const std::string_view text = window_.text().substr(record.begin, record.end - record.begin);
      ARROW_ASSIGN_OR_RAISE(uint8_t* const out,
                            block->text.Reserve(static_cast<int64_t>(text.size())));
      std::memcpy(out, text.data(), text.size());
      const auto begin = static_cast<size_t>(block->text.size());
      block->text.Grow(static_cast<int64_t>(text.size()));
      block->records.push_back({begin, begin + text.size(),
                                base_ + static_cast<int64_t>(record.begin), LineOf(record.begin)});
      position_ = record.next;
      return true;
    }
    if (is_last_) {
      return false;
    }
    ARROW_RETURN_NOT_OK(Extend());
  }
}

}  // namespace keepone
