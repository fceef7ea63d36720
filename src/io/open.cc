// SPDX-License-Identifier: Apache-2.0
#include "io/open.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "io/arrow/arrow_file.h"
#include "io/arrow/arrow_pipe.h"
#include "io/file_list.h"

namespace keepone {

namespace {

// In lower case, with its point; empty when there is none.
std::string ExtensionOf(const std::string& path) {
  const size_t name = path.find_last_of('/') + 1;
  const size_t point = path.find_last_of('.');
  if (point == std::string::npos || point < name) {
    return "";
  }
  std::string extension = path.substr(point);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool IsOtherFormat(const std::string& extension) {
  static const std::vector<std::string> kOthers = {".json", ".ndjson", ".jsonl", ".orc", ".avro"};
  return std::find(kOthers.begin(), kOthers.end(), extension) != kOthers.end();
}

bool IsArrowExtension(const std::string& extension) {
  return std::find(kArrowExtensions.begin(), kArrowExtensions.end(), extension) !=
         kArrowExtensions.end();
}

// That of "x.csv.gz" is ".csv".
std::string ExtensionOfText(const std::string& path) {
  const std::string extension = ExtensionOf(path);
  return extension == ".gz" || extension == ".zst"
             ? ExtensionOf(path.substr(0, path.size() - extension.size()))
             : extension;
}

enum class FoundFormat { kParquet, kArrow, kCsv };

std::string NameOf(FoundFormat format) {
  return format == FoundFormat::kParquet ? "Parquet"
         : format == FoundFormat::kArrow ? "Arrow"
                                         : "CSV";
}

// What a file is by its first bytes and, where these say nothing, by its name. Whatever is of no
// format is taken for Parquet, which tells so when its footer is read.
arrow::Result<FoundFormat> DetectFormat(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const bool is_pipe, IsPipe(path));
  if (is_pipe) {
    return FoundFormat::kArrow;
  }
  std::ifstream file(RealPath(path), std::ios::binary);
  char bytes[kArrowMagicBytes] = {};
  file.read(bytes, sizeof(bytes));
  const std::string_view found(bytes, static_cast<size_t>(file.gcount()));
  if (found.starts_with("PAR1") || found.starts_with("PARE")) {
    return FoundFormat::kParquet;
  }
  const std::string extension = ExtensionOfText(path);
  if (extension == ".csv" || extension == ".tsv") {
    return FoundFormat::kCsv;
  }
  if (IsOtherFormat(extension)) {
    return MakeError(ErrorKind::kUnsupported, std::nullopt,
                     JoinMessage(path, ": ", extension.substr(1),
                                 " files cannot be read; Parquet, Arrow and CSV files can"));
  }
  return IsArrowExtension(extension) || DetectArrowFormat(found) != ArrowFormat::kNone
             ? FoundFormat::kArrow
             : FoundFormat::kParquet;
}

}  // namespace

arrow::Result<std::shared_ptr<const Source>> OpenFiles(const std::vector<std::string>& paths,
                                                       arrow::MemoryPool* pool) {
  const auto parquet_files = ListFiles(paths, {".parquet"});
  auto listed = parquet_files.ok() ? parquet_files : ListFiles(paths, kArrowExtensions);
  if (!listed.ok()) {
    listed = ListFiles(paths, kCsvExtensions);
  }
  if (!listed.ok()) {
    return parquet_files.status();
  }
  std::optional<FoundFormat> format;
  for (const std::string& file : *listed) {
    ARROW_ASSIGN_OR_RAISE(const FoundFormat found, DetectFormat(file));
    if (format.has_value() && *format != found) {
      return DataError(listed->front(), " and ", file, " are of different formats, ",
                       NameOf(*format), " and ", NameOf(found));
    }
    format = found;
  }
  if (format == FoundFormat::kCsv) {
    return OpenCsv(paths, ReaderOptions());
  }
  return format == FoundFormat::kArrow ? OpenArrow(paths, pool) : OpenParquet(paths, pool);
}

}  // namespace keepone
