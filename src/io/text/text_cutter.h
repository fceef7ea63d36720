// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "io/text/text_reading.h"

namespace keepone {

// Records that were cut already, in a text of their own.
struct CutBlock {
  explicit CutBlock(arrow::MemoryPool* pool) : text(pool) {}

  struct Record {
    size_t begin = 0;
    size_t end = 0;
    int64_t offset = 0;  // in the file
    int64_t line = 0;
  };
  TextBuffer text;
  std::vector<Record> records;
};

// Cuts a file into records from the beginning on. Used by one thread at a time.
class SequentialCutter {
 public:
  SequentialCutter(const TextReading* reading, const SourceFile* file,
                   std::shared_ptr<TextInput> input)
      : reading_(reading), file_(file), input_(std::move(input)), window_(Pool()) {}

  // The next records, a block's worth; nullptr at the end.
  arrow::Result<std::unique_ptr<CutBlock>> CutBlockOfAll();

  // Of the records at `addresses` from `*next` to `end`, ascending and behind those from before, as
  // many as a block holds; `*next` goes behind them.
  arrow::Result<std::unique_ptr<CutBlock>> CutBlockAt(const arrow::Int64Array& addresses,
                                                      int64_t* next, int64_t end);

 private:
  arrow::MemoryPool* Pool() const { return reading_->context->pool(); }
  arrow::Status SkipTo(int64_t offset);
  // Reads more, and lets go what lies before the position.
  arrow::Status Extend();
  int64_t LineOf(size_t position);
  arrow::Result<bool> AppendNext(CutBlock* block);

  const TextReading* reading_;
  const SourceFile* file_;
  const std::shared_ptr<TextInput> input_;
  TextBuffer window_;
  int64_t base_ = 0;  // of the window in the file
  size_t position_ = 0;
  size_t counted_ = 0;  // line ends before it are in line_
  int64_t line_ = 1;
  bool is_last_ = false;
  bool begun_ = false;
};

}  // namespace keepone
