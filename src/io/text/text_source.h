// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "io/source.h"
#include "io/text/text_format.h"

namespace keepone {

// The beginning of a text file, decompressed.
struct TextSample {
  std::string text;       // followed by kTextPaddingBytes more in the string's storage
  size_t bytes = 0;       // of the text without the padding
  bool is_whole = false;  // nothing follows
};

// Reads at most `bytes_max` bytes from the beginning. Files compressed by gzip or zstd, also of
// several members, are told by their first bytes. "-" is standard input: what is read of a pipe for
// a sample is kept for the scan. Errors are of kind data and begin with the path.
arrow::Result<TextSample> ReadTextSample(const std::string& path, size_t bytes_max);

struct TextSourceFile {
  std::string path;  // as it is shown; "-" is standard input
  // Knows how this file is read; all files of a source have formats of one schema.
  std::shared_ptr<const TextFormat> format;
};

struct TextSourceOptions {
  // Records that cannot be read are left out and counted, else the first one is the error.
  bool ignore_errors = false;
  // Where records that were left out are written, each with file, line and reason; may be empty.
  std::string rejects_path;
  // Of the blocks that files are cut into, at least 1.
  int64_t block_bytes = 2 << 20;
};

// Files of text as one source; at least one file. A row's address is (file number << 40 | offset of
// its record in the decompressed text); a file of more than 1 TiB is a data error. Plain files
// whose lines are records are cut into blocks that are read in parallel, others are cut into blocks
// from the beginning on, by one worker at a time, and parsed in parallel. Fetch reads the winners'
// records only, those near each other at once; a compressed file is decompressed again up to the
// last of them. Pipes are read once and cannot be fetched from. Errors of a record name file, line
// and column. `description` as in Source.
std::shared_ptr<const Source> MakeTextSource(std::vector<TextSourceFile> files,
                                             std::string description, TextSourceOptions options);

}  // namespace keepone
