// SPDX-License-Identifier: Apache-2.0
#include "io/text/text_reading.h"

#include <algorithm>

#include "base/error.h"

namespace keepone {

int64_t CountLineEnds(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

bool IsDataError(const arrow::Status& status) {
  return !status.IsCancelled() && !status.IsOutOfMemory();
}

arrow::Status WithLine(const arrow::Status& status, const SourceFile& file, int64_t begin,
                       std::string_view before, std::optional<int64_t> line) {
  if (!IsDataError(status)) {
    return status;
  }
  if (!line.has_value()) {
    ARROW_ASSIGN_OR_RAISE(line, LineAt(file.path, begin));
  }
  const size_t line_end = before.rfind('\n');
  const size_t column =
      line_end == std::string_view::npos ? before.size() + 1 : before.size() - line_end;
  const arrow::Status told = DataError(file.path, ", line ", *line + CountLineEnds(before),
                                       ", column ", column, ": ", status.message());
  const ErrorDetail* const detail = GetErrorDetail(status);
  return detail == nullptr || detail->hint().empty() ? told : WithHint(told, detail->hint());
}

arrow::Status ReadMore(const TextReading& reading, const OpenFile& file, int64_t offset,
                       int64_t bytes, TextBuffer* buffer, bool* is_last) {
  ARROW_ASSIGN_OR_RAISE(uint8_t* const out, buffer->Reserve(bytes));
  ARROW_ASSIGN_OR_RAISE(const int64_t got, file.input->ReadAt(offset, bytes, out));
  buffer->Grow(got);
  *is_last = got < bytes;
  reading.counters->bytes_read.fetch_add(got, std::memory_order_relaxed);
  reading.context->progress().bytes_read.fetch_add(got, std::memory_order_relaxed);
  return arrow::Status::OK();
}

}  // namespace keepone
