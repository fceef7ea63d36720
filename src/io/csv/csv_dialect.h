// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arrow {
class TimestampParser;
}

namespace keepone {

// How the text of a CSV file is cut into fields, and how these are read.
struct CsvDialect {
  char delimiter = ',';
  std::optional<char> quote = '"';   // nothing: fields are never quoted
  std::optional<char> escape = '"';  // before a quote in a quoted field; mostly the quote itself
  std::optional<char> comment;       // lines that begin with it are no records
  // Lines before the header or the first record that are passed over, whatever they hold.
  int64_t skipped_lines = 0;
  std::vector<std::string> null_texts = {""};  // unquoted, they are NULL
  bool has_header = false;
  // Whether a blank line is a record, whose one field is empty.
  bool has_one_column = false;
  // Whether fields that a record lacks at its end are NULL.
  bool pads_with_null = false;
  // Whether the statement gives the types. Types that were found by a sample take only numbers that
  // keep all that their text says.
  bool has_given_types = false;
  char decimal_separator = '.';
  // Of DATE and of TIMESTAMP; nullptr: as ISO 8601 has them.
  std::shared_ptr<const arrow::TimestampParser> date_parser;
  std::shared_ptr<const arrow::TimestampParser> timestamp_parser;

  // Whether a quote within a quoted field is written twice, so that fields end where the number of
  // quotes is even; also where there are no quotes.
  bool doubles_quotes() const { return quote == escape; }
};

}  // namespace keepone
