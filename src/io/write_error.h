// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <arrow/status.h>

namespace keepone {

// Why `path` cannot be written, by errno: a resource error when the disk is full, else a data
// error.
arrow::Status WriteError(const std::string& path, int error_number);

// An error of Arrow on writing `path`, told as ours; errors of ours pass unchanged.
arrow::Status TellWriteError(const arrow::Status& status, const std::string& path);

}  // namespace keepone
