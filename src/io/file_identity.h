// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <arrow/result.h>

namespace keepone {

// Tells a file from the one that takes its place or from itself after a change.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t bytes = 0;
  int64_t modified_ns = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Of an open file; a data error that begins with `path` where it is a directory. `is_regular` is
// false for pipes, terminals and the like.
arrow::Result<FileIdentity> ReadFileIdentity(int descriptor, const std::string& path,
                                             bool* is_regular);

// Opens `path` for reading, to be closed by the caller. A data error that begins with `path` where
// it cannot be opened.
arrow::Result<int> OpenForReading(const std::string& path);

}  // namespace keepone
