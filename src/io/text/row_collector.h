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

  // Appends or leaves out at least one of the records of `part` from `*position` on, which goes
  // behind them; false where there are none.
  arrow::Result<bool> AppendSome(const TextPart& part, size_t* position);

  int64_t rows() const { return parser_->rows(); }
  // Whether the rows make a whole batch.
  bool is_full() const;

  // The rows since the last Finish, in the columns that are wanted.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish();

 private:
  const SourceFile& file() const { return reading_->source->files[file_]; }

  void AddAddress(int64_t offset);
  arrow::Status AppendOne(std::string_view record, int64_t offset,
                          const std::optional<int64_t>& line);
  // Leaves a record out, or tells its error. `error_offset` is where it is in the text of `record`.
  arrow::Status Refuse(const arrow::Status& status, std::string_view record, size_t error_offset,
                       int64_t offset, const std::optional<int64_t>& line);
  std::optional<int64_t> LineIn(const TextPart& part, size_t position);

  const TextReading* reading_;
  const size_t file_;
  std::unique_ptr<RecordParser> parser_;
  std::vector<int64_t> addresses_;
  std::vector<size_t> begins_;
  // How many line ends stand before a place in a part, so that they are counted once.
  int64_t counted_part_ = -1;
  size_t counted_ = 0;
  int64_t line_ends_ = 0;
};

}  // namespace keepone
