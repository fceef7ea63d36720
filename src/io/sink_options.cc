// SPDX-License-Identifier: Apache-2.0
#include "io/sink_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string_view>
#include <utility>

#include <arrow/type.h>
#include <arrow/util/compression.h>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/letter_case.h"

namespace keepone {

namespace {

struct OtherName {
  std::string_view other;
  std::string_view name;
};

constexpr std::array<OtherName, 10> kOtherNames = {{
    {"codec", "compression"},
    {"data_page_size", "page_bytes"},
    {"delim", "delimiter"},
    {"forcequote", "force_quote"},
    {"nullstr", "null"},
    {"row_group_size_bytes", "row_group_bytes"},
    {"row_group_rows", "row_group_size"},
    {"sep", "delimiter"},
    {"use_dictionary", "dictionary"},
    {"write_bloom_filter", "bloom_filter"},
}};

}  // namespace

arrow::Result<SinkOptionReader> SinkOptionReader::Make(SinkOptions options) {
  SinkOptionReader reader;
  for (auto& [given, option] : options) {
    const auto other = std::find_if(kOtherNames.begin(), kOtherNames.end(),
                                    [&](const OtherName& o) { return o.other == given; });
    const std::string name = other == kOtherNames.end() ? given : std::string(other->name);
    reader.spans_[name] = option.span;
    if (!reader.options_.emplace(name, std::move(option)).second) {
      return reader.Error(name, "option \"", name, "\" is given twice");
    }
  }
  return reader;
}

SourceSpan SinkOptionReader::SpanOf(const std::string& name) const {
  const auto found = spans_.find(name);
  return found == spans_.end() ? SourceSpan{} : found->second;
}

arrow::Status SinkOptionReader::BadValue(const std::string& name, const std::string& value,
                                         std::string_view wanted) const {
  return Error(name, "option \"", name, "\" is \"", value, "\", but must be ", wanted);
}

arrow::Result<std::string> SinkOptionReader::Text(const std::string& name, std::string otherwise) {
  known_.push_back(name);
  const auto found = options_.find(name);
  if (found == options_.end()) {
    return otherwise;
  }
  if (!found->second.list.empty()) {
    return Error(name, "option \"", name, "\" takes one value, not a list");
  }
  std::string value = std::move(found->second.value);
  options_.erase(found);
  return value;
}

arrow::Result<char> SinkOptionReader::Character(const std::string& name, char otherwise) {
  ARROW_ASSIGN_OR_RAISE(std::string value, Text(name, std::string(1, otherwise)));
  if (value == "\\t" || LowerCase(value) == "tab") {
    return '\t';
  }
  if (value.size() != 1 || value[0] == '\n' || value[0] == '\r') {
    return BadValue(name, value, "one character other than a line break");
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

arrow::Result<double> SinkOptionReader::Fraction(const std::string& name, double otherwise) {
  if (!Has(name)) {
    known_.push_back(name);
    return otherwise;
  }
  ARROW_ASSIGN_OR_RAISE(const std::string value, Text(name, ""));
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !(number > 0 && number < 1)) {
    return BadValue(name, value, "a number between 0 and 1");
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

arrow::Result<int> SinkOptionReader::CodecLevel(const std::string& name,
                                                arrow::Compression::type codec) {
  if (!Has(name)) {
    known_.push_back(name);
    return arrow::util::kUseDefaultCompressionLevel;
  }
  if (!arrow::util::Codec::SupportsCompressionLevel(codec)) {
    return Error(name, "option \"", name, "\" is given, but compression ",
                 arrow::util::Codec::GetCodecAsString(codec), " has no levels");
  }
  ARROW_ASSIGN_OR_RAISE(const int min, arrow::util::Codec::MinimumCompressionLevel(codec));
  ARROW_ASSIGN_OR_RAISE(const int max, arrow::util::Codec::MaximumCompressionLevel(codec));
  ARROW_ASSIGN_OR_RAISE(const int64_t level, Integer(name, min, min, max));
  return static_cast<int>(level);
}

arrow::Result<std::vector<int>> SinkOptionReader::Columns(const std::string& name,
                                                          const arrow::Schema& schema,
                                                          std::vector<int> otherwise) {
  known_.push_back(name);
  const auto found = options_.find(name);
  if (found == options_.end()) {
    return otherwise;
  }
  std::vector<std::string> names = std::move(found->second.list);
  if (names.empty()) {
    const std::string value = LowerCase(found->second.value);
    std::vector<int> columns;
    if (value.empty() || value == "*" || value == "true" || value == "on" || value == "1") {
      columns.resize(static_cast<size_t>(schema.num_fields()));
      std::iota(columns.begin(), columns.end(), 0);
    } else if (value != "false" && value != "off" && value != "0") {
      names.push_back(std::move(found->second.value));
    }
    if (names.empty()) {
      options_.erase(found);
      return columns;
    }
  }
  options_.erase(found);
  std::vector<int> columns;
  for (const std::string& column : names) {
    const size_t before = columns.size();
    const bool is_exact = !schema.GetAllFieldIndices(column).empty();
    for (int i = 0; i < schema.num_fields(); ++i) {
      const std::string& field = schema.field(i)->name();
      if (is_exact ? field == column : LowerCase(field) == LowerCase(column)) {
        columns.push_back(i);
      }
    }
    if (columns.size() == before) {
      const arrow::Status error =
          Error(name, "option \"", name, "\" names \"", column, "\", but no column is called so");
      const std::string nearest = NearestName(column, schema.field_names());
      return nearest.empty() ? error : WithHint(error, "did you mean \"" + nearest + "\"?");
    }
  }
  return columns;
}

arrow::Status SinkOptionReader::Finish(const std::string& format) const {
  if (options_.empty()) {
    return arrow::Status::OK();
  }
  const std::string& name = options_.begin()->first;
  const arrow::Status error = Error(name, "format ", format, " has no option \"", name, "\"");
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
