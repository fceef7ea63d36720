// SPDX-License-Identifier: Apache-2.0
#include "io/new_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "io/write_error.h"

namespace keepone {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kDirectoryPermissionBits = 07777;

arrow::Status NotEmptyError(const std::string& path) {
  return WithHint(DataError("cannot write \"", path, "\": the directory is not empty"),
                  "option OVERWRITE replaces it with all that it holds");
}

// Puts `directory` in the place of `path`, which may be there. What was there is then at
// `directory`.
int Exchange(const std::string& directory, const std::string& path) {
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, directory.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return errno;
  }
#endif
  // Not every file system can exchange two names.
  const std::string aside = directory + ".old";
  if (std::rename(path.c_str(), aside.c_str()) != 0) {
    return errno;
  }
  if (std::rename(directory.c_str(), path.c_str()) != 0) {
    const int error_number = errno;
    static_cast<void>(std::rename(aside.c_str(), path.c_str()));
    return error_number;
  }
  return std::rename(aside.c_str(), directory.c_str()) == 0 ? 0 : errno;
}

}  // namespace

NewDirectory::NewDirectory(std::string path, std::string temporary_path, Replace replace)
    : path_(std::move(path)), temporary_path_(std::move(temporary_path)), replace_(replace) {}

NewDirectory::~NewDirectory() {
  // Nobody can be told of a failure here.
  std::error_code error;
  fs::remove_all(temporary_path_, error);
}

arrow::Result<std::unique_ptr<NewDirectory>> NewDirectory::Make(const std::string& path,
                                                                Replace replace) {
  std::string target = path;
  while (target.size() > 1 && target.back() == '/') {
    target.pop_back();
  }
  struct stat info = {};
  const bool exists = ::stat(target.c_str(), &info) == 0;
  std::error_code error;
  if (exists) {
    if (!S_ISDIR(info.st_mode)) {
      return DataError("cannot write \"", path, "\": it is not a directory");
    }
    // Through symbolic links: the directory they lead to is replaced, not the link.
    target = fs::canonical(target, error).string();
    const bool is_empty = !error && fs::is_empty(target, error);
    if (error) {
      return WriteError(path, error.value());
    }
    if (!is_empty && replace == Replace::kNothing) {
      return NotEmptyError(path);
    }
  }
  const fs::path parent = fs::path(target).parent_path();
  std::string temporary =
      (parent / ("." + fs::path(target).filename().string() + ".XXXXXX")).string();
  if (::mkdtemp(temporary.data()) == nullptr) {
    return WriteError(path, errno);
  }
  // mkdtemp gives 0700; a new directory has what the user's mask leaves.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? (info.st_mode & kDirectoryPermissionBits) : (0777 & ~mask);
  std::unique_ptr<NewDirectory> directory(
      new NewDirectory(std::move(target), std::move(temporary), replace));
  if (::chmod(directory->path().c_str(), mode) != 0) {
    return WriteError(path, errno);
  }
  return directory;
}

arrow::Status NewDirectory::Publish() {
  // An empty directory may be renamed over, one that holds something may not.
  if (std::rename(temporary_path_.c_str(), path_.c_str()) == 0) {
    temporary_path_.clear();
    return arrow::Status::OK();
  }
  if (errno != ENOTEMPTY && errno != EEXIST) {
    return WriteError(path_, errno);
  }
  if (replace_ == Replace::kNothing) {
    return NotEmptyError(path_);
  }
  const int error_number = Exchange(temporary_path_, path_);
  return error_number == 0 ? arrow::Status::OK() : WriteError(path_, error_number);
}

}  // namespace keepone
