// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <arrow/result.h>
#include <arrow/util/type_fwd.h>

#include "io/sink.h"

namespace keepone {

// Takes options out of a list one by one, with their types checked; at the end, what nobody took is
// an error that names what would have been understood.
class SinkOptionReader {
 public:
  explicit SinkOptionReader(SinkOptions options) : options_(std::move(options)) {}

  // Whether the option is given, and not taken yet.
  bool Has(const std::string& name) const { return options_.contains(name); }

  arrow::Result<std::string> Text(const std::string& name, std::string otherwise);
  // Exactly one byte; "\t" and "tab" stand for a tab.
  arrow::Result<char> Character(const std::string& name, char otherwise);
  arrow::Result<bool> Flag(const std::string& name, bool otherwise);
  arrow::Result<int64_t> Integer(const std::string& name, int64_t otherwise, int64_t min,
                                 int64_t max);
  // A number of bytes: 1000, 64KB, 1.5 GiB.
  arrow::Result<int64_t> Bytes(const std::string& name, int64_t otherwise);
  // A codec by name: none, snappy, gzip, zstd, lz4, brotli.
  arrow::Result<arrow::Compression::type> Codec(const std::string& name,
                                                arrow::Compression::type otherwise);
  // A compression level within the codec's range; Arrow's "default" where none is given.
  arrow::Result<int64_t> CodecLevel(const std::string& name, arrow::Compression::type codec);
  arrow::Status Finish(const std::string& format) const;

 private:
  SinkOptions options_;
  std::vector<std::string> known_;
};

}  // namespace keepone
