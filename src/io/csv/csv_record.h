// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>

#include "io/csv/csv_dialect.h"
#include "io/text/text_format.h"

namespace keepone {

// Where in a record a byte stands: what the byte behind it means.
enum class CsvState : uint8_t {
  kRecordBegin,
  kFieldBegin,
  kUnquoted,
  kQuoted,
  kEscaped,        // behind an escape that is no quote
  kQuoteInQuoted,  // which closes the field, unless another one follows
  kComment,
};

// The state behind a byte; `*ends_record` says whether the byte is a line end between records. This
// alone defines what a record is, whatever reads faster must agree with it.
CsvState NextCsvState(const CsvDialect& dialect, CsvState state, char byte, bool* ends_record);

struct CsvField {
  std::string_view text;
  bool is_quoted = false;
  size_t begin = 0;  // in the record
};

// As TextFormat::FindRecord. Lines end in LF or CRLF.
arrow::Result<std::optional<TextRecord>> FindCsvRecord(const CsvDialect& dialect,
                                                       std::string_view text, size_t position,
                                                       bool is_last);

// As TextFormat::FindFirst: behind a byte order mark, the lines to pass over and a header.
arrow::Result<std::optional<size_t>> FindCsvBegin(const CsvDialect& dialect, std::string_view text,
                                                  bool is_last);

// Fields of a record; texts that are not part of it as they are lie in `scratch`.
// A data error where text stands behind a closing quote.
arrow::Status SplitCsvRecord(const CsvDialect& dialect, std::string_view record,
                             std::vector<CsvField>* fields, std::string* scratch,
                             size_t* error_offset);

// `dialect` must outlive it.
std::unique_ptr<RecordEnds> MakeCsvRecordEnds(const CsvDialect* dialect);

}  // namespace keepone
