// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <arrow/result.h>

#include "io/source.h"

namespace keepone {

// Whether `path` ("-" is standard input) is there and neither a regular file nor a directory.
arrow::Result<bool> IsPipe(const std::string& path);

// An Arrow IPC stream, or a file from its beginning, that is read while it comes: from a pipe,
// standard input or a socket. The schema is read here. The rows can be read once, by one scan, and
// not fetched; whoever opens the same pipe again before shares it. Errors begin with the path.
arrow::Result<std::shared_ptr<const Source>> OpenArrowPipe(const std::string& path);

}  // namespace keepone
