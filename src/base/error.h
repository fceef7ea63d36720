// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/status.h>

#include "keepone/error.h"

namespace keepone {

// Puts the parts of a message together; whatever can be written to a stream is a part.
template <typename... Parts>
std::string JoinMessage(Parts&&... parts) {
  std::ostringstream stream;
  (stream << ... << std::forward<Parts>(parts));
  return std::move(stream).str();
}

arrow::Status MakeError(ErrorKind kind, std::optional<SourceSpan> span, std::string message);

template <typename... Parts>
arrow::Status SyntaxError(SourceSpan span, Parts&&... parts) {
  return MakeError(ErrorKind::kSyntax, span, JoinMessage(std::forward<Parts>(parts)...));
}

template <typename... Parts>
arrow::Status BindError(SourceSpan span, Parts&&... parts) {
  return MakeError(ErrorKind::kBind, span, JoinMessage(std::forward<Parts>(parts)...));
}

// Names the construct and, where there is one, the nearest thing that works.
template <typename... Parts>
arrow::Status UnsupportedError(SourceSpan span, Parts&&... parts) {
  return MakeError(ErrorKind::kUnsupported, span, JoinMessage(std::forward<Parts>(parts)...));
}

template <typename... Parts>
arrow::Status DataError(Parts&&... parts) {
  return MakeError(ErrorKind::kData, std::nullopt, JoinMessage(std::forward<Parts>(parts)...));
}

template <typename... Parts>
arrow::Status ResourceError(Parts&&... parts) {
  return MakeError(ErrorKind::kResource, std::nullopt, JoinMessage(std::forward<Parts>(parts)...));
}

// A bug in keepone: no statement and no file may lead here.
template <typename... Parts>
arrow::Status InternalError(Parts&&... parts) {
  return MakeError(ErrorKind::kInternal, std::nullopt, JoinMessage(std::forward<Parts>(parts)...));
}

// The same error with a hint, replacing an earlier one.
arrow::Status WithHint(const arrow::Status& status, std::string hint);

// The same error with a place, unless it has one already. An Arrow error becomes one of `kind`.
arrow::Status WithSpan(const arrow::Status& status, ErrorKind kind, SourceSpan span);

// An Arrow or operating system error on reading or writing `path`, told as ours: "PATH: what".
// Errors that have a detail already, and cancellation, pass unchanged.
arrow::Status WithPath(const arrow::Status& status, const std::string& path);

// The candidate nearest to `name` by edit distance without regard to case, or an empty string when
// none is near enough to be meant.
std::string NearestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace keepone
