// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/status.h>

namespace keepone {

// Whose move it is after an error.
enum class ErrorKind {
  kSyntax,       // The statement is no SQL that we read.
  kBind,         // A name, a type or a setting in the statement is wrong.
  kUnsupported,  // The statement is fine, but we cannot run it.
  kData,         // A file or a value in it is at fault.
  kResource,     // Memory, disk or a permission ran out.
  kInternal,     // A bug in keepone.
};

// "syntax", "bind", "unsupported", "data", "resource" or "internal".
std::string_view ErrorKindName(ErrorKind kind);

// A stretch of the statement's text, in bytes from its beginning.
struct SourceSpan {
  int64_t offset = 0;
  int64_t length = 0;
};

// What every error that keepone raises carries beside its message.
// A status without it comes from Arrow or the operating system; a cancelled query is a plain
// arrow::Status::Cancelled.
class ErrorDetail final : public arrow::StatusDetail {
 public:
  ErrorDetail(ErrorKind kind, std::optional<SourceSpan> span, std::string hint)
      : kind_(kind), span_(span), hint_(std::move(hint)) {}

  const char* type_id() const override;
  std::string ToString() const override;

  ErrorKind kind() const { return kind_; }
  // Where in the statement; nothing when the error has no one place there.
  const std::optional<SourceSpan>& span() const { return span_; }
  // What to try; empty when nothing is known.
  const std::string& hint() const { return hint_; }

 private:
  ErrorKind kind_;
  std::optional<SourceSpan> span_;
  std::string hint_;
};

// The detail of `status`, or nullptr when it has none of ours.
const ErrorDetail* GetErrorDetail(const arrow::Status& status);

// The kind of any failed status: its detail's, else what its Arrow code comes closest to.
ErrorKind GetErrorKind(const arrow::Status& status);

// The error as a user reads it, without a last line break:
//
//   bind error: column "prise" does not exist
//     SELECT DISTINCT ON (sku) sku, prise FROM items ORDER BY sku, ts DESC
//                                   ^^^^^
//   hint: items has a column "price"
std::string FormatError(const arrow::Status& status, std::string_view statement);

}  // namespace keepone
