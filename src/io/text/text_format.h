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
#include <arrow/status.h>
#include <arrow/type_fwd.h>

namespace keepone {

// Readable bytes behind every text that is given to a format; their values are arbitrary.
inline constexpr size_t kTextPaddingBytes = 64;

// One record of a text: a line of JSON, a record of CSV.
struct TextRecord {
  size_t begin = 0;  // of the record in the text
  size_t end = 0;    // behind it, its line end not included
  size_t next = 0;   // where the search for the record behind it begins
};

// Follows a text from the beginning of a record on and tells where records end, much faster than a
// search for each of them. Used by one thread.
class RecordEnds {
 public:
  virtual ~RecordEnds() = default;
  // Goes on with `text`, which stands behind what was scanned before and is followed by
  // kTextPaddingBytes readable bytes. The offset in it behind the last record that ends in it.
  virtual std::optional<size_t> Scan(std::string_view text) = 0;
};

// Turns records into rows. Used by one thread.
class RecordParser {
 public:
  virtual ~RecordParser() = default;
  // Appends the row of one record, which is followed by kTextPaddingBytes readable bytes.
  // After an error nothing of the record has been appended, and the next one may follow. An error
  // that the record is to blame for is of kind data, its message begins with neither the file nor
  // the line, which the caller knows: `*error_offset` is where in the record it is.
  virtual arrow::Status Append(std::string_view record, size_t* error_offset) = 0;
  // Appends the rows of many records at once, faster than one by one: of records of `text` from
  // `*position` on, where one may begin, at most `rows_max`, at least 1. `*position` goes behind
  // them; `begins` gets where each begins in the text. `text` ends with a record, is followed by
  // kTextPaddingBytes readable bytes and stays as it is until another text is given. May append
  // none where there are some, and does so before one that cannot be read: FindRecord and Append
  // then go on.
  virtual arrow::Status AppendSome(std::string_view /*text*/, int64_t /*rows_max*/,
                                   size_t* /*position*/, std::vector<size_t>* /*begins*/) {
    return arrow::Status::OK();
  }
  virtual int64_t rows() const = 0;
  // Of the rows that were appended since the last Finish, as far as they are known.
  virtual int64_t bytes() const = 0;
  // The rows appended since the last Finish, of the fields that the parser was made for.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() = 0;
};

// How a kind of text is read, with its options and its schema fixed. Immutable and safe for
// concurrent use.
class TextFormat {
 public:
  virtual ~TextFormat() = default;

  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;

  // Whether every line end in the text ends a record, so that a file may be cut at any of them and
  // its parts read in parallel. Otherwise the ends of records are only known from the beginning on
  // (a quoted field may hold line ends).
  virtual bool lines_are_records() const = 0;

  // The first record at or behind `position`, which is the beginning of the text of a file or a
  // `next` from before. Blank lines and what else is no record are passed over. Nothing is found
  // where the text ends before the record does, or holds none; `is_last` says that no more text
  // follows, and then a record that has begun ends with the text, or is an error of kind data if it
  // cannot.
  virtual arrow::Result<std::optional<TextRecord>> FindRecord(std::string_view text,
                                                              size_t position,
                                                              bool is_last) const = 0;

  // For a text that is cut into parts with whole records each; nullptr: only FindRecord cuts it.
  // Not asked for where lines are records.
  virtual std::unique_ptr<RecordEnds> MakeRecordEnds() const { return nullptr; }

  // Where the first record of a file may begin: behind a byte order mark and a header line.
  // Nothing where the text, which is the beginning of the file, is too short to tell.
  virtual arrow::Result<std::optional<size_t>> FindFirst(std::string_view text,
                                                         bool is_last) const = 0;

  // `fields` are top-level fields of schema(), `types` what each comes in (ScanRequest::types; may
  // be empty). Buffers come from the pool.
  virtual arrow::Result<std::unique_ptr<RecordParser>> MakeParser(
      const std::vector<int>& fields, const arrow::DataTypeVector& types,
      arrow::MemoryPool* pool) const = 0;
};

}  // namespace keepone
