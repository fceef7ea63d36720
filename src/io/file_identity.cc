// SPDX-License-Identifier: Apache-2.0
#include "io/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace keepone {

arrow::Result<FileIdentity> ReadFileIdentity(int descriptor, const std::string& path,
                                             bool* is_regular) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0) {
    return DataError(path, ": ", std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    return DataError(path, ": is a directory");
  }
  *is_regular = S_ISREG(status.st_mode);
  FileIdentity identity;
  identity.device = static_cast<uint64_t>(status.st_dev);
  identity.inode = static_cast<uint64_t>(status.st_ino);
  identity.bytes = static_cast<int64_t>(status.st_size);
  identity.modified_ns =
      static_cast<int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
  return identity;
}

arrow::Result<int> OpenForReading(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) {
    return descriptor;
  }
  return errno == ENOENT ? DataError(path, ": file does not exist")
                         : DataError(path, ": cannot be opened: ", std::strerror(errno));
}

}  // namespace keepone
