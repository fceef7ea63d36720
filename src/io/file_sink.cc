// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <arrow/io/file.h>

#include "base/error.h"
#include "io/partitioned_sink.h"
#include "io/sink.h"
#include "io/write_error.h"

namespace keepone {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kPermissionBits = 07777;

// Writes to `temporary_path` and moves it to `path` when complete.
class FileSink final : public Sink {
 public:
  FileSink(std::unique_ptr<Sink> sink, std::shared_ptr<arrow::io::FileOutputStream> output,
           std::string path, std::string temporary_path)
      : sink_(std::move(sink)),
        output_(std::move(output)),
        path_(std::move(path)),
        temporary_path_(std::move(temporary_path)) {}

  ~FileSink() override {
    sink_.reset();
    if (!complete_) {
      // Nobody can be told of a failure here, and the file has a temporary name.
      static_cast<void>(output_->Close());
      if (!temporary_path_.empty()) {
        ::unlink(temporary_path_.c_str());
      }
    }
  }

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return TellWriteError(sink_->Write(batch), path_);
  }

  arrow::Status Flush() override { return TellWriteError(sink_->Flush(), path_); }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(TellWriteError(sink_->Finish(), path_));
    ARROW_RETURN_NOT_OK(TellWriteError(output_->Close(), path_));
    if (!temporary_path_.empty() && std::rename(temporary_path_.c_str(), path_.c_str()) != 0) {
      return WriteError(path_, errno);
    }
    complete_ = true;
    return arrow::Status::OK();
  }

 private:
  std::unique_ptr<Sink> sink_;
  std::shared_ptr<arrow::io::FileOutputStream> output_;
  std::string path_;
  std::string temporary_path_;  // empty: `path` is written in place
  bool complete_ = false;
};

// Pipes, terminals and devices have nothing to rename over.
bool IsWrittenInPlace(const struct stat& info) {
  return !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// Opens a new file beside `path`, with the permissions of the file that it will replace.
arrow::Result<int> OpenTemporary(const std::string& path, const struct stat* replaced,
                                 std::string* temporary_path) {
  const fs::path parent = fs::path(path).parent_path();
  *temporary_path = (parent / ("." + fs::path(path).filename().string() + ".XXXXXX")).string();
  const int descriptor = ::mkstemp(temporary_path->data());
  if (descriptor < 0) {
    return WriteError(path, errno);
  }
  // mkstemp gives 0600; a new file has what the user's mask leaves.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = replaced != nullptr ? (replaced->st_mode & kPermissionBits) : (0666 & ~mask);
  if (::fchmod(descriptor, mode) != 0) {
    const int error_number = errno;
    ::close(descriptor);
    ::unlink(temporary_path->c_str());
    return WriteError(path, error_number);
  }
  return descriptor;
}

}  // namespace

arrow::Result<std::unique_ptr<Sink>> MakeFileSink(QueryContext* context, FileFormat format,
                                                  const std::shared_ptr<arrow::Schema>& schema,
                                                  const SinkOptions& options,
                                                  const std::string& path) {
  if (options.contains("partition_by")) {
    return MakePartitionedSink(context, format, schema, options, path);
  }
  std::string target = path;
  struct stat info = {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    return WithHint(DataError("cannot write \"", path, "\": it is a directory"),
                    "option PARTITION_BY writes a directory of files");
  }
  std::shared_ptr<arrow::io::FileOutputStream> output;
  std::string temporary_path;
  if (exists && IsWrittenInPlace(info)) {
    arrow::Result<std::shared_ptr<arrow::io::FileOutputStream>> opened =
        arrow::io::FileOutputStream::Open(path);
    if (!opened.ok()) {
      return WithPath(opened.status(), path);
    }
    output = *std::move(opened);
  } else {
    if (exists) {
      // Through symbolic links: the file they lead to is replaced, not the link.
      std::error_code error;
      const fs::path resolved = fs::canonical(path, error);
      if (!error) {
        target = resolved.string();
      }
      if (::access(target.c_str(), W_OK) != 0) {
        return WriteError(path, errno);
      }
    }
    ARROW_ASSIGN_OR_RAISE(const int descriptor,
                          OpenTemporary(target, exists ? &info : nullptr, &temporary_path));
    ARROW_ASSIGN_OR_RAISE(output, arrow::io::FileOutputStream::Open(descriptor));
  }
  SinkOptions all_options = options;
  const std::string compression = IsTextFormat(format) ? CompressionFromPath(path) : "";
  if (!compression.empty() && !options.contains("codec")) {
    all_options.emplace("compression", SinkOption{compression});  // unless it is given
  }
  arrow::Result<std::unique_ptr<Sink>> sink =
      MakeSink(context, format, schema, all_options, output);
  if (!sink.ok()) {
    static_cast<void>(output->Close());
    if (!temporary_path.empty()) {
      ::unlink(temporary_path.c_str());
    }
    return sink.status();
  }
  return std::make_unique<FileSink>(*std::move(sink), std::move(output), std::move(target),
                                    std::move(temporary_path));
}

}  // namespace keepone
