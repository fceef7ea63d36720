// SPDX-License-Identifier: Apache-2.0
#include "io/arrow/arrow_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/error.h"
#include "io/arrow/arrow_file.h"
#include "io/arrow/arrow_morsel.h"
#include "io/arrow/ipc_metadata.h"
#include "io/arrow/ipc_schema.h"
#include "io/file_identity.h"
#include "io/file_list.h"

namespace keepone {

namespace {

constexpr int kPollMillis = 100;
constexpr int64_t kMetadataBytesMax = 256 << 20;
// Memory of a body is taken as it comes: lengths in corrupt bytes may be of any size.
constexpr int64_t kFirstBodyBytes = 64 << 20;

bool IsStandardInput(const std::string& path) {
  return path == "/dev/stdin" || path == "/dev/fd/0" || path == "/proc/self/fd/0";
}

// One message of the stream.
struct PipeMessage {
  IpcMessageInfo info;
  std::shared_ptr<arrow::Buffer> metadata;  // nullptr at the end
  std::shared_ptr<arrow::Buffer> body;
};

// The bytes of a pipe. Used by one thread at a time.
class PipeReader {
 public:
  PipeReader(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  ~PipeReader() { ::close(descriptor_); }
  PipeReader(const PipeReader&) = delete;
  PipeReader& operator=(const PipeReader&) = delete;

  const std::string& path() const { return path_; }
  const std::shared_ptr<const IpcSchema>& schema() const { return schema_; }

  // False for all but the first to ask. Safe for concurrent use.
  bool Claim() { return !is_claimed_.exchange(true); }

  // Reads up to the first message after the schema.
  arrow::Status ReadSchema() {
    uint8_t first[kArrowMagicBytes];
    ARROW_ASSIGN_OR_RAISE(const int64_t got, Read(first, kArrowMagicBytes));
    const std::string_view bytes(reinterpret_cast<const char*>(first), static_cast<size_t>(got));
    if (bytes.empty()) {
      return arrow::Status::Invalid("there is nothing in it");
    }
    switch (DetectArrowFormat(bytes)) {
      case ArrowFormat::kFile:
        has_footer_ = true;
        break;
      case ArrowFormat::kStream:
        pending_ = bytes;
        break;
      case ArrowFormat::kFeatherV1:
      case ArrowFormat::kNone:
        return arrow::Status::Invalid(
            bytes.starts_with("PAR1")
                ? "Parquet cannot be read from a pipe"
                : "not an Arrow IPC stream, which is all that is read from a pipe");
    }
    ARROW_ASSIGN_OR_RAISE(PipeMessage message, ReadMessage(arrow::default_memory_pool()));
    if (message.metadata == nullptr || message.info.kind != IpcMessageKind::kSchema) {
      return arrow::Status::Invalid("it does not begin with a schema");
    }
    ARROW_ASSIGN_OR_RAISE(schema_, IpcSchema::Make(std::move(message.metadata)));
    return arrow::Status::OK();
  }

  // Reads that wait ask `context` whether to stop; nullptr: nobody.
  void SetContext(QueryContext* context) { context_ = context; }

  arrow::Result<PipeMessage> ReadMessage(arrow::MemoryPool* pool) {
    PipeMessage message;
    uint8_t bytes[IpcPrefix::kBytes] = {};
    constexpr int64_t kWord = 4;
    ARROW_ASSIGN_OR_RAISE(int64_t got, Read(bytes, kWord));
    if (got == 0) {
      return message;
    }
    if (got == kWord && std::all_of(bytes, bytes + kWord, [](uint8_t b) { return b == 0xFF; })) {
      ARROW_ASSIGN_OR_RAISE(const int64_t more, Read(bytes + kWord, kWord));
      got += more;
    }
    ARROW_ASSIGN_OR_RAISE(const IpcPrefix prefix, ReadPrefix({bytes, static_cast<size_t>(got)}));
    if (prefix.metadata_bytes == 0) {
      return has_footer_ ? SkipRest() : arrow::Result<PipeMessage>(std::move(message));
    }
    if (prefix.metadata_bytes > kMetadataBytesMax) {
      return arrow::Status::Invalid("corrupt metadata of a message");
    }
    ARROW_ASSIGN_OR_RAISE(message.metadata, ReadBuffer(prefix.metadata_bytes, pool));
    ARROW_ASSIGN_OR_RAISE(
        message.info,
        ReadMessageInfo({message.metadata->data(), static_cast<size_t>(message.metadata->size())}));
    ARROW_ASSIGN_OR_RAISE(message.body, ReadBuffer(message.info.body_bytes, pool));
    return message;
  }

 private:
  // Up to `bytes`; fewer only at the end.
  arrow::Result<int64_t> Read(uint8_t* out, int64_t bytes) {
    int64_t done = 0;
    if (!pending_.empty()) {
      done = std::min(bytes, static_cast<int64_t>(pending_.size()));
      std::memcpy(out, pending_.data(), static_cast<size_t>(done));
      pending_.erase(0, static_cast<size_t>(done));
    }
    while (done < bytes) {
      if (context_ != nullptr) {
        ARROW_RETURN_NOT_OK(context_->CheckStop());
        pollfd wait = {descriptor_, POLLIN, 0};
        if (::poll(&wait, 1, kPollMillis) == 0) {
          continue;
        }
      }
      const ssize_t got = ::read(descriptor_, out + done, static_cast<size_t>(bytes - done));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return arrow::Status::IOError(std::strerror(errno));
      }
      if (got == 0) {
        break;
      }
      done += got;
    }
    return done;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadBuffer(int64_t bytes, arrow::MemoryPool* pool) {
    int64_t done = 0;
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> buffer,
                          arrow::AllocateResizableBuffer(std::min(bytes, kFirstBodyBytes), pool));
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const int64_t got,
                            Read(buffer->mutable_data() + done, buffer->size() - done));
      done += got;
      if (done < buffer->size()) {
        return arrow::Status::IOError("the stream is cut off within a message");
      }
      if (done == bytes) {
        return buffer;
      }
      ARROW_RETURN_NOT_OK(buffer->Resize(done + std::min(bytes - done, done)));
    }
  }

  // What stands behind the stream in a file: whoever writes is not to find the pipe closed.
  arrow::Result<PipeMessage> SkipRest() {
    std::vector<uint8_t> bytes(64 << 10);
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const int64_t got,
                            Read(bytes.data(), static_cast<int64_t>(bytes.size())));
      if (got == 0) {
        return PipeMessage();
      }
    }
  }

  const std::string path_;
  const int descriptor_;
  std::string pending_;  // read, but not used yet
  bool has_footer_ = false;
  std::atomic<bool> is_claimed_{false};
  std::shared_ptr<const IpcSchema> schema_;
  QueryContext* context_ = nullptr;
};

// The pipes that are open. What was read of one is gone for a second reader of its own, so all who
// open a pipe share the reader; that of standard input stays, as standard input does.
class OpenPipes {
 public:
  static OpenPipes& Instance() {
    static auto* const pipes = new OpenPipes();
    return *pipes;
  }

  arrow::Result<std::shared_ptr<PipeReader>> Open(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const std::string real = RealPath(path);
    int descriptor = -1;
    if (IsStandardInput(real)) {
      descriptor = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
      if (descriptor < 0) {
        return DataError(path, ": cannot be opened: ", std::strerror(errno));
      }
    } else {
      ARROW_ASSIGN_OR_RAISE(descriptor, OpenForReading(real));
    }
    auto reader = std::make_shared<PipeReader>(path, descriptor);
    bool is_regular = false;
    ARROW_ASSIGN_OR_RAISE(const FileIdentity identity,
                          ReadFileIdentity(descriptor, path, &is_regular));
    std::weak_ptr<PipeReader>& known = readers_[{identity.device, identity.inode}];
    if (auto first = known.lock()) {
      return first;
    }
    ARROW_RETURN_NOT_OK(WithPath(reader->ReadSchema(), path));
    known = reader;
    if (IsStandardInput(real)) {
      standard_input_ = reader;
    }
    return reader;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<uint64_t, uint64_t>, std::weak_ptr<PipeReader>> readers_;
  std::shared_ptr<PipeReader> standard_input_;
};

arrow::Status ReadTwice(const std::string& path) {
  return WithHint(DataError(path, ": a pipe can be read only once"),
                  "CREATE TABLE t AS SELECT * FROM it, and read t");
}

class PipeScan final : public BatchStream {
 public:
  PipeScan(std::shared_ptr<PipeReader> reader, QueryContext* context, ScanRequest request,
           std::shared_ptr<SourceCounters> counters)
      : reader_(std::move(reader)),
        context_(context),
        counters_(counters != nullptr ? std::move(counters) : std::make_shared<SourceCounters>()) {
    const arrow::Schema& schema = *reader_->schema()->plain();
    std::vector<int> fields(static_cast<size_t>(schema.num_fields()));
    std::iota(fields.begin(), fields.end(), 0);
    columns_ = std::make_shared<ArrowColumns>(
        MakeArrowColumns(schema, request.columns, fields, request.with_addresses));
    dictionaries_ = std::make_shared<IpcDictionaries>(
        reader_->schema(), reader_->schema()->DictionariesOf(columns_->fields));
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return columns_->schema; }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const std::lock_guard lock(mutex_);
    if (!is_mine_ && !reader_->Claim()) {
      return ReadTwice(reader_->path());
    }
    is_mine_ = true;
    while (!ended_) {
      auto message = ReadMessage();
      if (!message.ok()) {
        return WithBatch(message.status(), reader_->path(), batch_);
      }
      if (message->metadata == nullptr) {
        ended_ = true;
      } else if (message->info.rows > 0) {
        return MakeMorsel(*std::move(message));
      }
    }
    return nullptr;
  }

 private:
  // The next record batch; nothing at the end.
  arrow::Result<PipeMessage> ReadMessage() {
    reader_->SetContext(context_);
    while (true) {
      ARROW_ASSIGN_OR_RAISE(PipeMessage message, reader_->ReadMessage(context_->pool()));
      if (message.metadata == nullptr) {
        return message;
      }
      const int64_t bytes = message.metadata->size() + message.body->size();
      counters_->bytes_read.fetch_add(bytes, std::memory_order_relaxed);
      context_->progress().bytes_read.fetch_add(bytes, std::memory_order_relaxed);
      if (message.info.kind == IpcMessageKind::kRecordBatch) {
        return message;
      }
      if (message.info.kind != IpcMessageKind::kDictionary) {
        return arrow::Status::Invalid("a message is neither a batch nor a dictionary");
      }
      if (dictionaries_->IsWanted(message.info.dictionary_id)) {
        auto next = std::make_shared<IpcDictionaries>(*dictionaries_);
        arrow::io::BufferReader body(message.body);
        ARROW_RETURN_NOT_OK(next->Apply(*message.metadata, message.info, &body, context_->pool()));
        dictionaries_ = std::move(next);
      }
    }
  }

  arrow::Result<std::unique_ptr<Morsel>> MakeMorsel(PipeMessage message) {
    if (message.info.rows > INT64_MAX / 4 - address_) {
      return DataError(reader_->path(), ": a batch has ", message.info.rows, " rows");
    }
    ArrowMorselRequest request;
    request.path = reader_->path();
    request.batch_number = batch_++;
    request.rows = message.info.rows;
    request.address_base = address_;
    address_ += message.info.rows;
    request.columns = columns_;
    request.check = [] { return arrow::Status::OK(); };
    request.read = [message = std::move(message), schema = reader_->schema(), columns = columns_,
                    dictionaries = dictionaries_, pool = context_->pool()]() mutable {
      arrow::io::BufferReader body(std::move(message.body));
      return DecodeIpcBatch(*schema, *message.metadata, &body, columns->fields, *dictionaries,
                            pool);
    };
    counters_->row_groups_read.fetch_add(1, std::memory_order_relaxed);
    return MakeArrowMorsel(context_, std::move(request), counters_);
  }

  const std::shared_ptr<PipeReader> reader_;
  QueryContext* const context_;
  const std::shared_ptr<SourceCounters> counters_;
  std::shared_ptr<const ArrowColumns> columns_;
  std::mutex mutex_;
  bool is_mine_ = false;
  bool ended_ = false;
  int64_t batch_ = 0;
  int64_t address_ = 0;
  std::shared_ptr<const IpcDictionaries> dictionaries_;
};

class PipeSource final : public Source {
 public:
  explicit PipeSource(std::shared_ptr<PipeReader> reader) : reader_(std::move(reader)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override {
    return reader_->schema()->plain();
  }
  std::string description() const override { return reader_->path(); }
  SourceStatistics statistics() const override { return {}; }
  bool can_fetch() const override { return false; }
  std::vector<std::string> paths() const override { return {reader_->path()}; }

  arrow::Result<std::unique_ptr<BatchStream>> Scan(
      QueryContext* context, ScanRequest request,
      std::shared_ptr<SourceCounters> counters) const override {
    return std::make_unique<PipeScan>(reader_, context, std::move(request), std::move(counters));
  }

  arrow::Result<std::unique_ptr<BatchStream>> Fetch(
      QueryContext* /*context*/, FetchRequest /*request*/,
      std::shared_ptr<SourceCounters> /*counters*/) const override {
    return ReadTwice(reader_->path());
  }

 private:
  std::shared_ptr<PipeReader> reader_;
};

}  // namespace

arrow::Result<bool> IsPipe(const std::string& path) {
  const std::string real = RealPath(path);
  struct stat status;
  const int error =
      IsStandardInput(real) ? ::fstat(STDIN_FILENO, &status) : ::stat(real.c_str(), &status);
  return error == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

arrow::Result<std::shared_ptr<const Source>> OpenArrowPipe(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto reader, OpenPipes::Instance().Open(path));
  return std::make_shared<PipeSource>(std::move(reader));
}

}  // namespace keepone
