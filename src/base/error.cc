// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace keepone {

namespace {

constexpr char kErrorDetailTypeId[] = "keepone::ErrorDetail";

arrow::StatusCode CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kSyntax:
    case ErrorKind::kBind:
    case ErrorKind::kData:
      return arrow::StatusCode::Invalid;
    case ErrorKind::kUnsupported:
      return arrow::StatusCode::NotImplemented;
    case ErrorKind::kResource:
      return arrow::StatusCode::CapacityError;
    case ErrorKind::kInternal:
      break;
  }
  return arrow::StatusCode::UnknownError;
}

// Columns that `text` takes on a terminal: code points, a tab counting as one.
int64_t WidthOf(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

// Appends the line of `statement` that holds `span` and the carets below it.
void AppendPlace(std::string_view statement, SourceSpan span, std::string* out) {
  const auto size = static_cast<int64_t>(statement.size());
  const int64_t begin = std::clamp<int64_t>(span.offset, 0, size);
  const int64_t end = std::clamp<int64_t>(span.offset + span.length, begin, size);
  const size_t before =
      begin == 0 ? std::string_view::npos : statement.rfind('\n', static_cast<size_t>(begin - 1));
  const int64_t line_begin =
      before == std::string_view::npos ? 0 : static_cast<int64_t>(before) + 1;
  const size_t after = statement.find('\n', static_cast<size_t>(begin));
  const int64_t line_end = after == std::string_view::npos ? size : static_cast<int64_t>(after);
  const auto part = [&](int64_t from, int64_t to) {
    return statement.substr(static_cast<size_t>(from), static_cast<size_t>(to - from));
  };
  std::string line(part(line_begin, line_end));
  std::replace(line.begin(), line.end(), '\t', ' ');
  const int64_t carets = std::max<int64_t>(1, WidthOf(part(begin, std::min(end, line_end))));
  const int64_t indent = WidthOf(part(line_begin, begin));
  *out += "\n  " + line + "\n  " + std::string(static_cast<size_t>(indent), ' ') +
          std::string(static_cast<size_t>(carets), '^');
}

int64_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i) + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i])) ==
                        std::tolower(static_cast<unsigned char>(b[j]));
      const int64_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string_view ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kSyntax:
      return "syntax";
    case ErrorKind::kBind:
      return "bind";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kData:
      return "data";
    case ErrorKind::kResource:
      return "resource";
    case ErrorKind::kInternal:
      break;
  }
  return "internal";
}

const char* ErrorDetail::type_id() const {
  return kErrorDetailTypeId;
}

std::string ErrorDetail::ToString() const {
  std::string text(ErrorKindName(kind_));
  if (!hint_.empty()) {
    text += "; hint: " + hint_;
  }
  return text;
}

const ErrorDetail* GetErrorDetail(const arrow::Status& status) {
  // By the text of type_id, not by dynamic_cast: type information does not unify across every
  // shared library boundary.
  if (status.detail() != nullptr &&
      std::strcmp(status.detail()->type_id(), kErrorDetailTypeId) == 0) {
    return static_cast<const ErrorDetail*>(status.detail().get());
  }
  return nullptr;
}

ErrorKind GetErrorKind(const arrow::Status& status) {
  if (const ErrorDetail* detail = GetErrorDetail(status)) {
    return detail->kind();
  }
  switch (status.code()) {
    case arrow::StatusCode::NotImplemented:
      return ErrorKind::kUnsupported;
    case arrow::StatusCode::OutOfMemory:
    case arrow::StatusCode::CapacityError:
      return ErrorKind::kResource;
    case arrow::StatusCode::UnknownError:
      return ErrorKind::kInternal;
    default:
      return ErrorKind::kData;
  }
}

std::string FormatError(const arrow::Status& status, std::string_view statement) {
  std::string text;
  if (status.IsCancelled()) {
    return status.message();
  }
  text = std::string(ErrorKindName(GetErrorKind(status))) + " error: " + status.message();
  const ErrorDetail* detail = GetErrorDetail(status);
  if (detail == nullptr) {
    return text;
  }
  if (detail->span().has_value() && !statement.empty()) {
    AppendPlace(statement, *detail->span(), &text);
  }
  if (!detail->hint().empty()) {
    text += "\nhint: " + detail->hint();
  }
  return text;
}

arrow::Status MakeError(ErrorKind kind, std::optional<SourceSpan> span, std::string message) {
  std::string hint;
  if (span.has_value() && span->offset == 0 && span->length == 0) {
    span.reset();  // no place: whoever knows it adds it
  }
  if (kind == ErrorKind::kInternal) {
    hint = "this is a bug in keepone; please report it with the statement that led here";
  }
  return {CodeOf(kind), std::move(message),
          std::make_shared<ErrorDetail>(kind, span, std::move(hint))};
}

arrow::Status WithHint(const arrow::Status& status, std::string hint) {
  const ErrorDetail* detail = GetErrorDetail(status);
  return status.WithDetail(std::make_shared<ErrorDetail>(
      GetErrorKind(status), detail != nullptr ? detail->span() : std::nullopt, std::move(hint)));
}

arrow::Status WithSpan(const arrow::Status& status, ErrorKind kind, SourceSpan span) {
  const ErrorDetail* detail = GetErrorDetail(status);
  if (status.ok() || status.IsCancelled() || (detail != nullptr && detail->span().has_value())) {
    return status;
  }
  return status.WithDetail(std::make_shared<ErrorDetail>(
      detail != nullptr ? detail->kind() : kind, span, detail != nullptr ? detail->hint() : ""));
}

arrow::Status WithPath(const arrow::Status& status, const std::string& path) {
  if (status.ok() || status.IsCancelled() || GetErrorDetail(status) != nullptr) {
    return status;
  }
  const ErrorKind kind = GetErrorKind(status);
  return MakeError(kind == ErrorKind::kInternal ? ErrorKind::kData : kind, std::nullopt,
                   path + ": " + status.message());
}

std::string NearestName(std::string_view name, const std::vector<std::string>& candidates) {
  std::string nearest;
  int64_t nearest_distance = static_cast<int64_t>(name.size()) / 3 + 1;
  for (const std::string& candidate : candidates) {
    const int64_t distance = EditDistance(name, candidate);
    if (distance < nearest_distance || (distance == nearest_distance && nearest.empty())) {
      nearest = candidate;
      nearest_distance = distance;
    }
  }
  return nearest;
}

}  // namespace keepone
