// SPDX-License-Identifier: Apache-2.0
#include "io/open.h"

#include <algorithm>
#include <cctype>
#include <fstream>

#include "base/error.h"
#include "io/file_list.h"

namespace keepone {

namespace {

constexpr char kParquetExtension[] = ".parquet";

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
  static const std::vector<std::string> kOthers = {".csv",   ".tsv",   ".json",   ".ndjson",
                                                   ".jsonl", ".arrow", ".arrows", ".feather",
                                                   ".ipc",   ".orc",   ".avro"};
  return std::find(kOthers.begin(), kOthers.end(), extension) != kOthers.end();
}

bool HasParquetMagic(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof(magic));
  const std::string_view found(magic, static_cast<size_t>(file.gcount()));
  return found == "PAR1" || found == "PARE";
}

}  // namespace

arrow::Result<std::shared_ptr<const Source>> OpenFiles(const std::vector<std::string>& paths,
                                                       arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const auto files, ListFiles(paths, kParquetExtension));
  for (const std::string& file : files) {
    const std::string extension = ExtensionOf(file);
    if (IsOtherFormat(extension) && !HasParquetMagic(file)) {
      return MakeError(
          ErrorKind::kUnsupported, std::nullopt,
          JoinMessage(file, ": ", extension.substr(1), " files cannot be read; Parquet files can"));
    }
  }
  // Whatever is not Parquet is told so when its footer is read.
  return OpenParquet(paths, pool);
}

}  // namespace keepone
