// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "io/text/text_format.h"

namespace keepone {

// How the text of a CSV file is cut into fields.
struct CsvDialect {
  char delimiter = ',';
  std::optional<char> quote = '"';   // nothing: fields are never quoted
  std::optional<char> escape = '"';  // before a quote in a quoted field; mostly the quote itself
  std::string null_text;             // unquoted, it is NULL
  bool has_header = false;
  // Whether a blank line is a record, whose one field is empty.
  bool has_one_column = false;
  // Whether the statement gives the types. Types that were found by a sample take only numbers that
  // keep all that their text says.
  bool has_given_types = false;
};

struct CsvField {
  std::string_view text;
  bool is_quoted = false;
  size_t begin = 0;  // in the record
};

// As TextFormat::FindRecord. Lines end in LF or CRLF.
arrow::Result<std::optional<TextRecord>> FindCsvRecord(const CsvDialect& dialect,
                                                       std::string_view text, size_t position,
                                                       bool is_last);

// Fields of a record; texts that are not part of it as they are lie in `scratch`.
// A data error where text stands behind a closing quote.
arrow::Status SplitCsvRecord(const CsvDialect& dialect, std::string_view record,
                             std::vector<CsvField>* fields, std::string* scratch,
                             size_t* error_offset);

// Length of a byte order mark at the beginning of `text`.
size_t ByteOrderMarkBytes(std::string_view text);

// Whether a value reads as one of a type; `bits` gets the value of the types that fit in 8 bytes:
// BOOLEAN, BIGINT, DOUBLE, DATE and TIMESTAMP.
bool ParseCsvValue(const arrow::DataType& type, std::string_view text, int64_t* bits);

// Whether text is lost when it is read as a number of the type: zeros before it, as in a postal
// code, or digits of an integer that a DOUBLE does not hold.
bool LosesText(const arrow::DataType& type, std::string_view text);

// Records of a file whose field `places[i]` is column i of `schema`, NULL in all rows for -1.
// Records have `column_count` fields.
std::shared_ptr<const TextFormat> MakeCsvFormat(CsvDialect dialect,
                                                std::shared_ptr<arrow::Schema> schema,
                                                std::vector<int> places, size_t column_count);

}  // namespace keepone
