// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "io/text/text_reading.h"

namespace keepone {

// Records of a file, copied out of its text.
struct CutRecords {
  explicit CutRecords(arrow::MemoryPool* pool) : text(pool) {}

  struct Record {
    size_t begin = 0;
    size_t end = 0;
    int64_t offset = 0;  // in the file
    int64_t line = 0;
  };
  TextBuffer text;
  std::vector<Record> records;
};

// A stretch of a file with whole records.
struct CutText {
  explicit CutText(arrow::MemoryPool* pool) : text(pool) {}

  // Of what is not passed over.
  TextPart part() const {
    return {text.text().substr(begin, end - begin), offset + static_cast<int64_t>(begin), line};
  }

  TextBuffer text;
  size_t begin = 0;
  size_t end = 0;
  int64_t offset = 0;  // of the text in the file
  std::optional<int64_t> line;
};

// Cuts a file from the beginning on: into stretches with whole records where its format can tell
// where records end, else into records. Used by one thread at a time.
class SequentialCutter {
 public:
  SequentialCutter(const TextReading* reading, const SourceFile* file,
                   std::shared_ptr<TextInput> input);

  bool cuts_text() const { return ends_ != nullptr; }

  // The next stretch, about a block; nullptr at the end. REQUIRES: cuts_text()
  arrow::Result<std::unique_ptr<CutText>> NextText();

  // The next records, a block's worth; nullptr at the end.
  arrow::Result<std::unique_ptr<CutRecords>> NextRecords();

  // Of the records at `addresses` from `*next` to `end`, ascending and behind those from before, as
  // many as a block holds; `*next` goes behind them.
  arrow::Result<std::unique_ptr<CutRecords>> RecordsAt(const arrow::Int64Array& addresses,
                                                       int64_t* next, int64_t end);

 private:
  arrow::MemoryPool* Pool() const { return reading_->context->pool(); }
  arrow::Status SkipTo(int64_t offset);
  // Reads more, and lets go what lies before the position.
  arrow::Status Extend();
  int64_t LineOf(size_t position);
  // Goes to the first record of the file; false where there is none.
  arrow::Result<bool> Begin();
  arrow::Result<bool> AppendNext(CutRecords* block);

  const TextReading* reading_;
  const SourceFile* file_;
  const std::shared_ptr<TextInput> input_;
  const std::unique_ptr<RecordEnds> ends_;
  size_t scanned_ = 0;  // of the window, by ends_
  size_t cut_ = 0;      // behind the last record that ends in what was scanned
  TextBuffer window_;
  int64_t base_ = 0;  // of the window in the file
  size_t position_ = 0;
  size_t counted_ = 0;  // line ends before it are in line_
  int64_t line_ = 1;
  bool is_last_ = false;
  bool begun_ = false;
};

}  // namespace keepone
