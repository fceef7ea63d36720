// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "io/text/text_reading.h"

namespace keepone {

// Collects the rows of records of one file and cuts them into batches. Used by one thread.
class RowCollector {
 public:
  // `reading` must outlive it; `file` is the number of a file of its source.
  RowCollector(const TextReading* reading, size_t file) : reading_(reading), file_(file) {}

  arrow::Status Open();

  // `offset` is where the record begins in the file, `line` the number of its first line when it is
  // known. A record that cannot be read is an error with its place, or left out and counted.
  arrow::Status Append(std::string_view record, int64_t offset, const std::optional<int64_t>& line);

  int64_t rows() const { return parser_->rows(); }
  // Whether the rows make a whole batch.
  bool is_full() const;

  // The rows since the last Finish, in the columns that are wanted.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish();

 private:
  const SourceFile& file() const { return reading_->source->files[file_]; }

  const TextReading* reading_;
  const size_t file_;
  std::unique_ptr<RecordParser> parser_;
  std::vector<int64_t> addresses_;
};

}  // namespace keepone
