// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "io/csv/csv_dialect.h"

namespace keepone {

// Some records of a text, cut into fields many at a time. Used by one thread.
class CsvTokens {
 public:
  struct Record {
    size_t begin = 0;        // in the text
    size_t end = 0;          // without its line end
    size_t next = 0;         // behind its line end
    size_t first_field = 0;  // of all fields
    size_t field_count = 0;
  };

  // `dialect` must outlive it.
  explicit CsvTokens(const CsvDialect* dialect) : dialect_(dialect) {}

  // Cuts records from `position` on, where one begins: about `bytes_wanted` bytes of them, and at
  // least one. `text` ends with a record and must stay as long as the fields are used; 64 bytes
  // behind it must be readable. Blank lines are left out where they are no records. Stops before
  // what only NextCsvState can tell, and so may find nothing.
  void Cut(std::string_view text, size_t position, size_t bytes_wanted);

  const std::vector<Record>& records() const { return records_; }
  // As it stands in the text, with its quotes.
  std::string_view Field(const Record& record, size_t number) const {
    const size_t begin =
        number == 0 ? record.begin : begin_ + ends_[record.first_field + number - 1] + 1;
    const size_t end =
        number + 1 == record.field_count ? record.end : begin_ + ends_[record.first_field + number];
    return text_.substr(begin, end - begin);
  }
  bool is_ascii() const { return is_ascii_; }

 private:
  void AddRecord(size_t end_count, size_t next);

  const CsvDialect* dialect_;
  std::string_view text_;
  size_t begin_ = 0;            // of what was cut in the text
  std::vector<uint32_t> ends_;  // of fields, from begin_ on
  std::vector<Record> records_;
  size_t record_begin_ = 0;
  size_t record_field_ = 0;
  bool is_ascii_ = true;
};

}  // namespace keepone
