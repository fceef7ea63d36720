// SPDX-License-Identifier: Apache-2.0
#include "io/write_error.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/error.h"

namespace keepone {

arrow::Status WriteError(const std::string& path, int error_number) {
  const bool full = error_number == ENOSPC || error_number == EDQUOT;
  return MakeError(full ? ErrorKind::kResource : ErrorKind::kData, std::nullopt,
                   JoinMessage("cannot write \"", path, "\": ",
                               std::error_code(error_number, std::generic_category()).message()));
}

arrow::Status TellWriteError(const arrow::Status& status, const std::string& path) {
  // A write error of Arrow tells the errno only in its text and detail.
  if (status.IsIOError() && status.ToString().find(std::strerror(ENOSPC)) != std::string::npos) {
    return WriteError(path, ENOSPC);
  }
  return WithPath(status, path);
}

}  // namespace keepone
