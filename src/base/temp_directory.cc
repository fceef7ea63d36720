// SPDX-License-Identifier: Apache-2.0
#include "base/temp_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/byte_size.h"
#include "base/error.h"

namespace keepone {

namespace {

constexpr std::string_view kPrefix = "keepone-";
constexpr std::string_view kHiddenPrefix = ".keepone-";
constexpr const char* kLockName = "lock";

std::string ParentOrDefault(std::string parent) {
  if (!parent.empty()) {
    return parent;
  }
  const char* from_environment = std::getenv("TMPDIR");
  return from_environment != nullptr && *from_environment != '\0' ? from_environment : "/tmp";
}

// Removes the directories beside ours whose processes are gone: whose lock can be had. What cannot
// be looked at or removed belongs to somebody else and stays.
void RemoveStaleDirectories(const std::string& parent) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(parent, error), end; !error && it != end;
       it.increment(error)) {
    const std::filesystem::path& path = it->path();
    std::error_code ignored;
    const std::string name = path.filename().string();
    // A hidden one has no name yet: its process may be about to lock it.
    const bool is_hidden = name.rfind(kHiddenPrefix, 0) == 0;
    if ((name.rfind(kPrefix, 0) != 0 && !is_hidden) ||
        it->symlink_status(ignored).type() != std::filesystem::file_type::directory ||
        (is_hidden && std::filesystem::last_write_time(path, ignored) + std::chrono::hours(1) >
                          std::filesystem::file_time_type::clock::now())) {
      continue;
    }
    const int lock = ::open((path / kLockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (lock < 0) {
      continue;  // being made just now, or not ours
    }
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) {
      std::filesystem::remove_all(path, ignored);
    }
    ::close(lock);
  }
}

}  // namespace

TempDirectory::TempDirectory(std::string parent, int64_t bytes_max)
    : parent_(ParentOrDefault(std::move(parent))), bytes_max_(bytes_max) {}

TempDirectory::~TempDirectory() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  if (lock_file_ >= 0) {
    ::close(lock_file_);
  }
}

arrow::Status TempDirectory::Make() {
  const auto fail = [this](int error) {
    return WithHint(ResourceError("no directory for temporary files can be made in ", parent_, ": ",
                                  std::strerror(error)),
                    "choose another one with SET temp_directory");
  };
  RemoveStaleDirectories(parent_);
  std::random_device random;
  std::string path;
  // The lock is taken before the name that others look for is given, so that none takes a
  // directory that is being made for a stale one.
  for (int attempt = 0;; ++attempt) {
    path = JoinMessage(parent_, "/", kHiddenPrefix, ::getpid(), "-", std::hex, random());
    std::error_code error;
    if (std::filesystem::create_directory(path, error)) {
      break;
    }
    if (error || attempt == 100) {
      return fail(error ? error.value() : EEXIST);
    }
  }
  std::error_code ignored;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all, ignored);
  lock_file_ =
      ::open((path + "/" + kLockName).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock_file_ < 0 || ::flock(lock_file_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    std::filesystem::remove_all(path, ignored);
    return fail(error);
  }
  const std::string visible = parent_ + path.substr(parent_.size()).replace(0, 2, "/");
  std::error_code error;
  std::filesystem::rename(path, visible, error);
  if (error) {
    std::filesystem::remove_all(path, ignored);
    return fail(error.value());
  }
  path_ = visible;
  return arrow::Status::OK();
}

arrow::Result<std::string> TempDirectory::NewPath() {
  const std::lock_guard lock(mutex_);
  if (path_.empty()) {
    ARROW_RETURN_NOT_OK(Make());
  }
  return JoinMessage(path_, "/", next_++);
}

arrow::Status TempDirectory::Reserve(int64_t bytes) {
  const int64_t held = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (bytes_max_ >= 0 && held > bytes_max_) {
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return WithHint(ResourceError("temporary files would take ", FormatByteSize(held),
                                  ", more than the limit of ", FormatByteSize(bytes_max_)),
                    "raise it with SET temp_directory_limit, or the memory limit");
  }
  int64_t peak = bytes_peak_.load(std::memory_order_relaxed);
  while (held > peak && !bytes_peak_.compare_exchange_weak(peak, held, std::memory_order_relaxed)) {
  }
  return arrow::Status::OK();
}

void TempDirectory::Release(int64_t bytes) {
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace keepone
