// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <arrow/result.h>

namespace keepone {

// Whether `path` has a character that makes it a pattern: * ? [
bool IsPattern(const std::string& path);

// The files that `paths` name, each a file, a pattern (*, ?, [..], and ** for folders at any depth)
// or a directory (all files below it that end in one of `extensions`, hidden ones not). Found files
// come in the byte order of their names, at the place of the path that found them. A file that is
// called like a pattern is taken as it is. A pattern or a directory that gives no file is a data
// error; whether a plain path exists is left to opening it.
arrow::Result<std::vector<std::string>> ListFiles(const std::vector<std::string>& paths,
                                                  const std::vector<std::string>& extensions);

// "events.parquet" or "3 files: logs/*.parquet": what a source of files is called in plans.
std::string DescribeFiles(const std::vector<std::string>& paths, size_t file_count);

// What is read for a path: "-" is standard input.
std::string RealPath(const std::string& path);

}  // namespace keepone
