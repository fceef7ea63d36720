// SPDX-License-Identifier: Apache-2.0
#include "io/text/text_input.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "io/file_list.h"
#include "io/text/text_source.h"

namespace keepone {

namespace {

constexpr int kPipePollMillis = 100;
constexpr size_t kInputBytes = 256 << 10;

// Pipes of which a sample was read, until a source takes them.
struct KeptPipes {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<TextInput>> inputs;
};

KeptPipes& Kept() {
  static KeptPipes pipes;
  return pipes;
}

bool NamesStandardInput(const std::string& path) {
  return path == "/dev/stdin" || path == "/dev/fd/0" || path == "/proc/self/fd/0";
}

}  // namespace

TextInput::~TextInput() {
  ::close(descriptor_);
}

arrow::Result<std::shared_ptr<TextInput>> TextInput::Open(const std::string& path) {
  const std::string real = RealPath(path);
  int descriptor = -1;
  if (NamesStandardInput(real)) {
    // Opening /dev/stdin anew fails for sockets, and forgets the place in a file.
    descriptor = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) {
      return DataError(path, ": cannot be opened: ", std::strerror(errno));
    }
  } else {
    ARROW_ASSIGN_OR_RAISE(descriptor, OpenForReading(real));
  }
  std::shared_ptr<TextInput> input(new TextInput(path, descriptor));
  ARROW_ASSIGN_OR_RAISE(input->identity_, ReadFileIdentity(descriptor, path, &input->is_regular_));
  // A file that is standard input is read like a pipe: its place is shared with other programs.
  input->is_regular_ = input->is_regular_ && !NamesStandardInput(real);
  ARROW_RETURN_NOT_OK(input->DetectCompression());
  return input;
}

arrow::Status TextInput::DetectCompression() {
  // A pipe may give its bytes one by one.
  while (input_.size() < 4 && !input_ended_) {
    std::vector<uint8_t> before = std::move(input_);
    input_.clear();
    input_begin_ = 0;
    ARROW_RETURN_NOT_OK(FillInput(nullptr));
    input_.insert(input_.begin(), before.begin(), before.end());
  }
  const std::string_view first(reinterpret_cast<const char*>(input_.data()), input_.size());
  std::optional<arrow::Compression::type> type;
  if (first.starts_with("\x1F\x8B")) {
    type = arrow::Compression::GZIP;
  } else if (first.starts_with("\x28\xB5\x2F\xFD")) {
    type = arrow::Compression::ZSTD;
  }
  if (!type.has_value()) {
    return arrow::Status::OK();
  }
  auto codec = arrow::util::Codec::Create(*type);
  if (!codec.ok()) {
    return WithPath(codec.status(), path_);
  }
  auto decompressor = (*codec)->MakeDecompressor();
  if (!decompressor.ok()) {
    return WithPath(decompressor.status(), path_);
  }
  decompressor_ = *std::move(decompressor);
  return arrow::Status::OK();
}

arrow::Status TextInput::FillInput(const QueryContext* context) {
  if (input_begin_ < input_.size() || input_ended_) {
    return arrow::Status::OK();
  }
  input_.resize(kInputBytes);
  input_begin_ = 0;
  while (true) {
    if (context != nullptr) {
      ARROW_RETURN_NOT_OK(context->CheckStop());
    }
    if (!is_regular_ && context != nullptr) {
      pollfd waiting = {descriptor_, POLLIN, 0};
      if (::poll(&waiting, 1, kPipePollMillis) == 0) {
        continue;
      }
    }
    const ssize_t got = ::read(descriptor_, input_.data(), input_.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return DataError(path_, ": cannot be read: ", std::strerror(errno));
    }
    input_.resize(static_cast<size_t>(got));
    input_ended_ = got == 0;
    bytes_read_ += got;
    return arrow::Status::OK();
  }
}

arrow::Result<int64_t> TextInput::Read(int64_t bytes, uint8_t* out, const QueryContext* context) {
  int64_t done = 0;
  if (put_back_begin_ < put_back_.size()) {
    const size_t count = std::min(static_cast<size_t>(bytes), put_back_.size() - put_back_begin_);
    std::memcpy(out, put_back_.data() + put_back_begin_, count);
    put_back_begin_ += count;
    done = static_cast<int64_t>(count);
    if (put_back_begin_ == put_back_.size()) {
      put_back_ = std::string();
      put_back_begin_ = 0;
    }
  }
  while (done < bytes) {
    ARROW_RETURN_NOT_OK(FillInput(context));
    const auto available = static_cast<int64_t>(input_.size() - input_begin_);
    const uint8_t* const in = input_.data() + input_begin_;
    if (decompressor_ == nullptr) {
      if (available == 0) {
        break;
      }
      const int64_t count = std::min(available, bytes - done);
      std::memcpy(out + done, in, static_cast<size_t>(count));
      input_begin_ += static_cast<size_t>(count);
      done += count;
      continue;
    }
    if (available > 0 && decompressor_->IsFinished()) {
      ARROW_RETURN_NOT_OK(WithPath(decompressor_->Reset(), path_));
      member_begun_ = false;
    }
    if (available == 0 && (decompressor_->IsFinished() || !member_begun_)) {
      break;
    }
    // At the end of the file there may still be text inside the decompressor.
    auto result = decompressor_->Decompress(available, in, bytes - done, out + done);
    if (!result.ok()) {
      return DataError(path_, ": cannot be decompressed: ", result.status().message());
    }
    member_begun_ = true;
    input_begin_ += static_cast<size_t>(result->bytes_read);
    done += result->bytes_written;
    if (result->bytes_read == 0 && result->bytes_written == 0 && !decompressor_->IsFinished()) {
      return available == 0 ? DataError(path_, ": ends in the middle of its compressed bytes")
                            : DataError(path_, ": cannot be decompressed");
    }
  }
  return done;
}

arrow::Result<int64_t> TextInput::ReadAt(int64_t offset, int64_t bytes, uint8_t* out) const {
  int64_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        ::pread(descriptor_, out + done, static_cast<size_t>(bytes - done), offset + done);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return DataError(path_, ": cannot be read: ", std::strerror(errno));
    }
    if (got == 0) {
      break;
    }
    done += got;
  }
  return done;
}

arrow::Status TextInput::CheckUnchanged(const FileIdentity& identity) const {
  bool is_regular = false;
  ARROW_ASSIGN_OR_RAISE(const FileIdentity now, ReadFileIdentity(descriptor_, path_, &is_regular));
  return !is_regular_ || now == identity ? arrow::Status::OK()
                                         : DataError(path_, " changed while it was being read");
}

void TextInput::PutBack(std::string text) {
  put_back_ = std::move(text) + put_back_.substr(put_back_begin_);
  put_back_begin_ = 0;
}

arrow::Result<int64_t> LineAt(const std::string& path, int64_t offset) {
  ARROW_ASSIGN_OR_RAISE(const auto input, TextInput::Open(path));
  std::vector<uint8_t> bytes(256 << 10);
  int64_t line = 1;
  while (offset > 0) {
    const int64_t wanted = std::min<int64_t>(offset, static_cast<int64_t>(bytes.size()));
    ARROW_ASSIGN_OR_RAISE(const int64_t got, input->Read(wanted, bytes.data(), nullptr));
    line += std::count(bytes.begin(), bytes.begin() + got, uint8_t{'\n'});
    offset -= got;
    if (got < wanted) {
      break;
    }
  }
  return line;
}

std::shared_ptr<TextInput> TakeKeptPipe(const std::string& path) {
  KeptPipes& pipes = Kept();
  const std::lock_guard lock(pipes.mutex);
  const auto found = pipes.inputs.find(RealPath(path));
  if (found == pipes.inputs.end()) {
    return nullptr;
  }
  auto input = std::move(found->second);
  pipes.inputs.erase(found);
  return input;
}

std::shared_ptr<TextInput> PeekKeptPipe(const std::string& path) {
  KeptPipes& pipes = Kept();
  const std::lock_guard lock(pipes.mutex);
  const auto found = pipes.inputs.find(RealPath(path));
  return found == pipes.inputs.end() ? nullptr : found->second;
}

arrow::Result<TextSample> ReadTextSample(const std::string& path, size_t bytes_max) {
  std::shared_ptr<TextInput> input = TakeKeptPipe(path);
  if (input == nullptr) {
    ARROW_ASSIGN_OR_RAISE(input, TextInput::Open(path));
  }
  TextSample sample;
  // Grows as text comes: `bytes_max` may be all of a file.
  while (sample.bytes < bytes_max && !sample.is_whole) {
    const size_t step =
        std::min<size_t>(bytes_max - sample.bytes, std::max<size_t>(sample.bytes, 64 << 10));
    sample.text.resize(sample.bytes + step);
    ARROW_ASSIGN_OR_RAISE(
        const int64_t got,
        input->Read(static_cast<int64_t>(step),
                    reinterpret_cast<uint8_t*>(sample.text.data()) + sample.bytes, nullptr));
    sample.bytes += static_cast<size_t>(got);
    sample.is_whole = static_cast<size_t>(got) < step;
  }
  sample.text.resize(sample.bytes);
  if (!sample.is_whole) {
    uint8_t byte = 0;
    ARROW_ASSIGN_OR_RAISE(const int64_t got, input->Read(1, &byte, nullptr));
    sample.is_whole = got == 0;
    if (got > 0) {
      input->PutBack(std::string(1, static_cast<char>(byte)));
    }
  }
  if (!input->is_regular()) {
    input->PutBack(sample.text);
    KeptPipes& pipes = Kept();
    const std::lock_guard lock(pipes.mutex);
    pipes.inputs[RealPath(path)] = std::move(input);
  }
  sample.text.append(kTextPaddingBytes, '\0');
  return sample;
}

}  // namespace keepone
