// SPDX-License-Identifier: Apache-2.0
#include "io/sink_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include <arrow/util/compression.h>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/letter_case.h"

namespace keepone {

namespace {

arrow::Status BadValue(const std::string& name, const std::string& value, std::string_view wanted) {
  return BindError({}, "option \"", name, "\" is \"", value, "\", but must be ", wanted);
}

}  // namespace

arrow::Result<std::string> SinkOptionReader::Text(const std::string& name, std::string otherwise) {
  known_.push_back(name);
  const auto found = options_.find(name);
  if (found == options_.end()) {
    return otherwise;
  }
  std::string value = found->second;
  options_.erase(found);
  return value;
}

arrow::Result<char> SinkOptionReader::Character(const std::string& name, char otherwise) {
  ARROW_ASSIGN_OR_RAISE(std::string value, Text(name, std::string(1, otherwise)));
  if (value == "\\t" || LowerCase(value) == "tab") {
    return '\t';
  }
  if (value.size() != 1 || value[0] == '"' || value[0] == '\n' || value[0] == '\r') {
    return BadValue(name, value, "one character other than a quote or a line break");
  }
  return value[0];
}

arrow::Result<bool> SinkOptionReader::Flag(const std::string& name, bool otherwise) {
  ARROW_ASSIGN_OR_RAISE(std::string value, Text(name, otherwise ? "true" : "false"));
  const std::string lower = LowerCase(value);
  if (lower == "true" || lower == "on" || lower == "1" || lower.empty()) {
    return true;
  }
  if (lower == "false" || lower == "off" || lower == "0") {
    return false;
  }
  return BadValue(name, value, "true or false");
}

arrow::Result<int64_t> SinkOptionReader::Integer(const std::string& name, int64_t otherwise,
                                                 int64_t min, int64_t max) {
  ARROW_ASSIGN_OR_RAISE(std::string value, Text(name, std::to_string(otherwise)));
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < min || number > max) {
    return BadValue(name, value, JoinMessage("an integer from ", min, " to ", max));
  }
  return number;
}

arrow::Result<int64_t> SinkOptionReader::Bytes(const std::string& name, int64_t otherwise) {
  ARROW_ASSIGN_OR_RAISE(std::string value, Text(name, std::to_string(otherwise)));
  const arrow::Result<int64_t> bytes = ParseByteSize(value);
  if (!bytes.ok() || *bytes < 1) {
    return BadValue(name, value, "a size of at least one byte, like 64MiB");
  }
  return bytes;
}

arrow::Result<arrow::Compression::type> SinkOptionReader::Codec(
    const std::string& name, arrow::Compression::type otherwise) {
  using arrow::Compression;
  struct CodecName {
    std::string_view name;
    Compression::type type;
  };
  constexpr std::array<CodecName, 9> kCodecs = {{
      {"none", Compression::UNCOMPRESSED},
      {"uncompressed", Compression::UNCOMPRESSED},
      {"snappy", Compression::SNAPPY},
      {"gzip", Compression::GZIP},
      {"zstd", Compression::ZSTD},
      {"lz4", Compression::LZ4},
      {"lz4_raw", Compression::LZ4},
      {"lz4_frame", Compression::LZ4_FRAME},
      {"brotli", Compression::BROTLI},
  }};
  ARROW_ASSIGN_OR_RAISE(std::string value, Text(name, ""));
  if (value.empty()) {
    return otherwise;
  }
  const std::string lower = LowerCase(value);
  const auto found = std::find_if(kCodecs.begin(), kCodecs.end(),
                                  [&](const CodecName& codec) { return codec.name == lower; });
  if (found == kCodecs.end()) {
    return BadValue(name, value, "none, snappy, gzip, zstd, lz4 or brotli");
  }
  return found->type;
}

arrow::Result<int64_t> SinkOptionReader::CodecLevel(const std::string& name,
                                                    arrow::Compression::type codec) {
  const bool is_given = options_.count(name) > 0;
  if (!is_given || !arrow::util::Codec::SupportsCompressionLevel(codec)) {
    if (is_given) {
      return BindError({}, "option \"", name, "\" is given, but compression ",
                       arrow::util::Codec::GetCodecAsString(codec), " has no levels");
    }
    known_.push_back(name);
    return arrow::util::kUseDefaultCompressionLevel;
  }
  ARROW_ASSIGN_OR_RAISE(const int min, arrow::util::Codec::MinimumCompressionLevel(codec));
  ARROW_ASSIGN_OR_RAISE(const int max, arrow::util::Codec::MaximumCompressionLevel(codec));
  return Integer(name, min, min, max);
}

arrow::Status SinkOptionReader::Finish(const std::string& format) const {
  if (options_.empty()) {
    return arrow::Status::OK();
  }
  const std::string& name = options_.begin()->first;
  const arrow::Status error = BindError({}, "format ", format, " has no option \"", name, "\"");
  const std::string nearest = NearestName(name, known_);
  if (!nearest.empty()) {
    return WithHint(error, "did you mean \"" + nearest + "\"?");
  }
  std::string names;
  for (const std::string& known : known_) {
    names += (names.empty() ? "" : ", ") + known;
  }
  return WithHint(error, names.empty() ? "it has none" : "its options are " + names);
}

}  // namespace keepone
