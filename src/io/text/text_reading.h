// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "io/file_identity.h"
#include "io/source.h"
#include "io/text/text_buffer.h"
#include "io/text/text_format.h"
#include "io/text/text_input.h"
#include "io/text/text_source.h"

namespace keepone {

// A row's address is (file number << kFileShift | offset of its record).
inline constexpr int kFileShift = 40;
inline constexpr int64_t kOffsetMax = (int64_t{1} << kFileShift) - 1;
// A record that is larger is an error, so that a quote that nobody closes does not take the memory.
inline constexpr int64_t kRecordBytesMax = int64_t{256} << 20;
// What is read at least where a record goes on behind the text that is there.
inline constexpr int64_t kReadMoreBytes = 16 << 10;

// A file of a source as it was when the source was made.
struct SourceFile {
  std::string path;
  std::shared_ptr<const TextFormat> format;
  FileIdentity identity;
  bool is_regular = true;
  bool is_compressed = false;
  arrow::Status status;  // of opening it
};

// What a source reads. Immutable.
struct SourceData {
  std::vector<SourceFile> files;
  TextSourceOptions options;
  int64_t block_bytes = 0;
  bool can_fetch = true;
};

// What a stream reads, for its morsels. Safe for concurrent use.
struct TextReading {
  std::shared_ptr<const SourceData> source;
  QueryContext* context = nullptr;
  std::shared_ptr<SourceCounters> counters;
  std::vector<int> fields;  // what records are parsed for
  arrow::DataTypeVector types;
  std::vector<int> places;  // for each wanted column its place in `fields`
  bool with_addresses = false;
  bool is_fetch = false;
  std::shared_ptr<arrow::Schema> schema;
};

// What the morsels of a plain file share.
struct OpenFile {
  std::shared_ptr<const TextInput> input;
  int64_t first = 0;  // where the first record may begin
};

// Whole records of a file, with padding behind them.
struct TextPart {
  std::string_view text;
  int64_t offset = 0;           // of the text in the file
  std::optional<int64_t> line;  // the number of its first line, where it is known
};

int64_t CountLineEnds(std::string_view text);

// Whether a record or its file may be to blame, rather than the one who asked or the memory.
bool IsDataError(const arrow::Status& status);

// Tells a data error with its file, line and column. The record begins at `begin` in the file, and
// in line `line` when that is known; `before` is its text up to the bad byte.
arrow::Status WithLine(const arrow::Status& status, const SourceFile& file, int64_t begin,
                       std::string_view before, std::optional<int64_t> line);

// Appends up to `bytes` bytes of a plain file to the buffer, from `offset` on; `*is_last` says that
// the file ends behind them.
arrow::Status ReadMore(const TextReading& reading, const OpenFile& file, int64_t offset,
                       int64_t bytes, TextBuffer* buffer, bool* is_last);

}  // namespace keepone
