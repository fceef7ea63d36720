// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/type_fwd.h>

#include "base/error.h"
#include "io/sink.h"

namespace keepone {

// Takes options out of a list one by one, with their types checked; at the end, what nobody took is
// an error that names what would have been understood. Errors point at the option.
class SinkOptionReader {
 public:
  // Some options have a second name that other engines know them by, like "delim" for "delimiter".
  // Giving one twice, or by both names, is an error.
  static arrow::Result<SinkOptionReader> Make(SinkOptions options);

  // Whether the option is given, and not taken yet.
  bool Has(const std::string& name) const { return options_.contains(name); }
  bool IsList(const std::string& name) const {
    const auto found = options_.find(name);
    return found != options_.end() && !found->second.list.empty();
  }
  // Whether it was given, taken or not.
  bool WasGiven(const std::string& name) const { return spans_.contains(name); }

  arrow::Result<std::string> Text(const std::string& name, std::string otherwise);
  // Exactly one byte other than a line break; "\t" and "tab" stand for a tab.
  arrow::Result<char> Character(const std::string& name, char otherwise);
  arrow::Result<bool> Flag(const std::string& name, bool otherwise);
  arrow::Result<int64_t> Integer(const std::string& name, int64_t otherwise, int64_t min,
                                 int64_t max);
  // A number between 0 and 1, these left out.
  arrow::Result<double> Fraction(const std::string& name, double otherwise);
  // A number of bytes: 1000, 64KB, 1.5 GiB.
  arrow::Result<int64_t> Bytes(const std::string& name, int64_t otherwise);
  // A codec by name: none, snappy, gzip, zstd, lz4, brotli.
  arrow::Result<arrow::Compression::type> Codec(const std::string& name,
                                                arrow::Compression::type otherwise);
  // A compression level within the codec's range; Arrow's "default" where none is given.
  arrow::Result<int> CodecLevel(const std::string& name, arrow::Compression::type codec);
  // Columns of `schema` by name, without regard to case where none has it exactly, in the order
  // given: (a, b) or one name.
  // True, or nothing behind the name, or * is all columns; false is none.
  arrow::Result<std::vector<int>> Columns(const std::string& name, const arrow::Schema& schema,
                                          std::vector<int> otherwise);

  // What nobody took.
  const SinkOptions& Rest() const { return options_; }

  // An error about the option, whether it was taken or not.
  template <typename... Parts>
  arrow::Status Error(const std::string& name, Parts&&... parts) const {
    return BindError(SpanOf(name), std::forward<Parts>(parts)...);
  }
  arrow::Status Finish(const std::string& format) const;

 private:
  SourceSpan SpanOf(const std::string& name) const;
  arrow::Status BadValue(const std::string& name, const std::string& value,
                         std::string_view wanted) const;

  SinkOptions options_;
  std::map<std::string, SourceSpan> spans_;  // of all that were given
  std::vector<std::string> known_;
};

}  // namespace keepone
