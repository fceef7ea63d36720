// SPDX-License-Identifier: Apache-2.0
#include "io/arrow/arrow_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/record_batch.h>

#include "base/error.h"

namespace keepone {

namespace {

constexpr std::string_view kFileMagic = "ARROW1";
constexpr int64_t kFooterTailBytes = 10;  // the length of the footer and the magic bytes
// Read at once where a message begins: most metadata are no longer.
constexpr int64_t kMetadataReadBytes = 1024;

arrow::Status CutOffAt(int64_t offset) {
  return arrow::Status::IOError("the file is cut off in the message at byte ", offset);
}

// Reads all of `bytes` at `offset`; false when the file ends before.
arrow::Result<bool> ReadFully(int descriptor, int64_t offset, int64_t bytes, uint8_t* out) {
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor, out, static_cast<size_t>(bytes), offset);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return arrow::Status::IOError(std::strerror(errno));
    }
    if (got == 0) {
      return false;
    }
    out += got;
    offset += got;
    bytes -= got;
  }
  return true;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ReadBuffer(int descriptor, int64_t offset,
                                                         int64_t bytes, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(bytes, pool));
  ARROW_ASSIGN_OR_RAISE(const bool complete,
                        ReadFully(descriptor, offset, bytes, buffer->mutable_data()));
  return complete ? arrow::Result<std::shared_ptr<arrow::Buffer>>(std::move(buffer))
                  : CutOffAt(offset);
}

// The body of one message, as a file of its own that ends where the body does.
class BodyFile final : public arrow::io::RandomAccessFile {
 public:
  BodyFile(int descriptor, int64_t offset, int64_t bytes, arrow::MemoryPool* pool,
           SourceCounters* counters)
      : descriptor_(descriptor), offset_(offset), bytes_(bytes), pool_(pool), counters_(counters) {}

  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override {
    position_ = position;
    return arrow::Status::OK();
  }
  arrow::Result<int64_t> GetSize() override { return bytes_; }

  arrow::Result<int64_t> Read(int64_t bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, bytes, out));
    position_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto buffer, ReadAt(position_, bytes));
    position_ += buffer->size();
    return buffer;
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    ARROW_RETURN_NOT_OK(CheckRange(position, bytes));
    ARROW_ASSIGN_OR_RAISE(const bool complete, ReadFully(descriptor_, offset_ + position, bytes,
                                                         static_cast<uint8_t*>(out)));
    counters_->bytes_read.fetch_add(bytes, std::memory_order_relaxed);
    return complete ? arrow::Result<int64_t>(bytes) : CutOffAt(offset_);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    ARROW_RETURN_NOT_OK(CheckRange(position, bytes));
    counters_->bytes_read.fetch_add(bytes, std::memory_order_relaxed);
    return ReadBuffer(descriptor_, offset_ + position, bytes, pool_);
  }

 private:
  arrow::Status CheckRange(int64_t position, int64_t bytes) const {
    return position >= 0 && bytes >= 0 && position <= bytes_ && bytes <= bytes_ - position
               ? arrow::Status::OK()
               : arrow::Status::Invalid("a buffer reaches outside of its message");
  }

  int descriptor_;
  int64_t offset_;
  int64_t bytes_;
  int64_t position_ = 0;
  arrow::MemoryPool* pool_;
  SourceCounters* counters_;
};

struct FoundMessage {
  IpcMessageInfo info;
  IpcBlock block;
  std::shared_ptr<arrow::Buffer> metadata;  // without the prefix
};

// Finds what a file holds.
class LayoutReader {
 public:
  LayoutReader(int descriptor, arrow::MemoryPool* pool, ArrowFileLayout* layout)
      : descriptor_(descriptor), pool_(pool), layout_(layout) {}

  arrow::Status Read() {
    const int64_t size = layout_->identity.bytes;
    if (size == 0) {
      return arrow::Status::Invalid("file is empty");
    }
    uint8_t first[kArrowMagicBytes];
    const int64_t got = std::min(size, kArrowMagicBytes);
    ARROW_ASSIGN_OR_RAISE(const bool complete, ReadFully(descriptor_, 0, got, first));
    switch (complete ? DetectArrowFormat(
                           {reinterpret_cast<const char*>(first), static_cast<size_t>(got)})
                     : ArrowFormat::kNone) {
      case ArrowFormat::kFile:
        ARROW_RETURN_NOT_OK(ReadFileFormat());
        break;
      case ArrowFormat::kStream:
        ARROW_RETURN_NOT_OK(ReadStreamFormat());
        break;
      case ArrowFormat::kFeatherV1:
        return arrow::Status::NotImplemented(
            "Feather files of version 1 cannot be read; those of version 2 can");
      case ArrowFormat::kNone:
        return arrow::Status::Invalid("not an Arrow IPC file or stream");
    }
    return AddAddresses();
  }

 private:
  // The message at `offset`; no metadata at the end of the stream.
  arrow::Result<FoundMessage> ReadMessage(int64_t offset) {
    const int64_t left = layout_->identity.bytes - offset;
    FoundMessage found;
    found.block.offset = offset;
    if (left == 0) {
      return found;
    }
    ARROW_ASSIGN_OR_RAISE(
        auto bytes, ReadBuffer(descriptor_, offset, std::min(left, kMetadataReadBytes), pool_));
    ARROW_ASSIGN_OR_RAISE(const IpcPrefix prefix,
                          ReadPrefix({bytes->data(), static_cast<size_t>(std::min(
                                                         bytes->size(), IpcPrefix::kBytes))}));
    if (prefix.metadata_bytes == 0) {
      return found;
    }
    found.block.metadata_bytes = prefix.prefix_bytes + prefix.metadata_bytes;
    if (found.block.metadata_bytes > left) {
      return CutOffAt(offset);
    }
    if (found.block.metadata_bytes > bytes->size()) {
      ARROW_ASSIGN_OR_RAISE(bytes,
                            ReadBuffer(descriptor_, offset, found.block.metadata_bytes, pool_));
    }
    found.metadata = arrow::SliceBuffer(bytes, prefix.prefix_bytes, prefix.metadata_bytes);
    ARROW_ASSIGN_OR_RAISE(
        found.info,
        ReadMessageInfo({found.metadata->data(), static_cast<size_t>(found.metadata->size())}));
    found.block.body_bytes = found.info.body_bytes;
    if (found.block.body_bytes > left - found.block.metadata_bytes) {
      return CutOffAt(offset);
    }
    return found;
  }

  // The message of the schema, with which both formats begin; gives where the next one does.
  arrow::Result<int64_t> ReadSchema(int64_t offset) {
    ARROW_ASSIGN_OR_RAISE(const FoundMessage found, ReadMessage(offset));
    if (found.metadata == nullptr || found.info.kind != IpcMessageKind::kSchema) {
      return arrow::Status::Invalid("it does not begin with a schema");
    }
    // A copy: the buffer read may be larger.
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> metadata,
                          found.metadata->CopySlice(0, found.metadata->size(), pool_));
    ARROW_ASSIGN_OR_RAISE(layout_->schema, IpcSchema::Make(std::move(metadata)));
    return offset + found.block.metadata_bytes + found.block.body_bytes;
  }

  arrow::Status ReadStreamFormat() {
    ARROW_ASSIGN_OR_RAISE(int64_t offset, ReadSchema(0));
    while (true) {
      ARROW_ASSIGN_OR_RAISE(const FoundMessage found, ReadMessage(offset));
      if (found.metadata == nullptr) {
        return arrow::Status::OK();
      }
      if (found.info.kind == IpcMessageKind::kDictionary) {
        layout_->dictionaries.push_back(found.block);
      } else if (found.info.kind == IpcMessageKind::kRecordBatch) {
        layout_->batches.push_back({found.block, found.info.rows, layout_->dictionaries.size()});
      } else {
        return arrow::Status::Invalid("the message at byte ", offset, " is no record batch");
      }
      offset += found.block.metadata_bytes + found.block.body_bytes;
    }
  }

  arrow::Status ReadFileFormat() {
    const int64_t size = layout_->identity.bytes;
    uint8_t tail[kFooterTailBytes] = {};
    const bool has_tail = size >= kArrowMagicBytes + kFooterTailBytes;
    if (has_tail) {
      ARROW_RETURN_NOT_OK(
          ReadFully(descriptor_, size - kFooterTailBytes, kFooterTailBytes, tail).status());
    }
    if (!has_tail || std::memcmp(tail + 4, kFileMagic.data(), kFileMagic.size()) != 0) {
      return arrow::Status::Invalid("the file is cut off: its footer is missing");
    }
    int32_t length = 0;
    std::memcpy(&length, tail, sizeof(length));
    if (length <= 0 || length > size - kFooterTailBytes - kArrowMagicBytes) {
      return arrow::Status::Invalid("corrupt footer: its length is ", length,
                                    " bytes in a file of ", size);
    }
    ARROW_ASSIGN_OR_RAISE(const auto bytes,
                          ReadBuffer(descriptor_, size - kFooterTailBytes - length, length, pool_));
    ARROW_ASSIGN_OR_RAISE(IpcFooter footer,
                          ReadFooter({bytes->data(), static_cast<size_t>(bytes->size())}));
    ARROW_RETURN_NOT_OK(ReadSchema(kArrowMagicBytes).status());
    for (const IpcBlock& block : footer.dictionaries) {
      ARROW_ASSIGN_OR_RAISE(const FoundMessage found, ReadBlock(block));
      if (found.info.kind != IpcMessageKind::kDictionary) {
        return arrow::Status::Invalid("the message at byte ", block.offset, " is no dictionary");
      }
      layout_->dictionaries.push_back(found.block);
    }
    for (const IpcBlock& block : footer.batches) {
      ARROW_ASSIGN_OR_RAISE(const FoundMessage found, ReadBlock(block));
      if (found.info.kind != IpcMessageKind::kRecordBatch) {
        return arrow::Status::Invalid("the message at byte ", block.offset, " is no record batch");
      }
      layout_->batches.push_back({found.block, found.info.rows, layout_->dictionaries.size()});
    }
    return arrow::Status::OK();
  }

  // The message itself tells how long it is; the footer only where.
  arrow::Result<FoundMessage> ReadBlock(const IpcBlock& block) {
    if (block.offset < kArrowMagicBytes || block.offset >= layout_->identity.bytes) {
      return arrow::Status::Invalid("corrupt footer: a message is at byte ", block.offset,
                                    " of a file of ", layout_->identity.bytes);
    }
    ARROW_ASSIGN_OR_RAISE(FoundMessage found, ReadMessage(block.offset));
    if (found.metadata == nullptr) {
      return arrow::Status::Invalid("corrupt footer: there is no message at byte ", block.offset);
    }
    return found;
  }

  arrow::Status AddAddresses() {
    layout_->addresses = {0};
    for (const IpcBatch& batch : layout_->batches) {
      if (batch.rows > INT64_MAX / 4 - layout_->addresses.back()) {
        return arrow::Status::Invalid("a batch has ", batch.rows, " rows");
      }
      layout_->addresses.push_back(layout_->addresses.back() + batch.rows);
    }
    return arrow::Status::OK();
  }

  int descriptor_;
  arrow::MemoryPool* pool_;
  ArrowFileLayout* layout_;
};

}  // namespace

ArrowFormat DetectArrowFormat(std::string_view first_bytes) {
  if (first_bytes.starts_with(kFileMagic)) {
    return ArrowFormat::kFile;
  }
  if (first_bytes.starts_with("FEA1")) {
    return ArrowFormat::kFeatherV1;
  }
  if (first_bytes.size() < IpcPrefix::kBytes) {
    return ArrowFormat::kNone;
  }
  // A stream begins with the length of a schema: a multiple of 8 that no text begins with.
  constexpr int64_t kSchemaBytesMax = 64 << 20;
  const auto prefix = ReadPrefix({reinterpret_cast<const uint8_t*>(first_bytes.data()),
                                  static_cast<size_t>(IpcPrefix::kBytes)});
  const bool plausible = prefix.ok() && prefix->metadata_bytes > 0 &&
                         prefix->metadata_bytes <= kSchemaBytesMax &&
                         (prefix->prefix_bytes == IpcPrefix::kBytes ||
                          (prefix->metadata_bytes + prefix->prefix_bytes) % 8 == 0);
  return plausible ? ArrowFormat::kStream : ArrowFormat::kNone;
}

arrow::Status WithBatch(const arrow::Status& status, const std::string& path, int64_t batch) {
  if (status.ok() || status.IsCancelled() || GetErrorDetail(status) != nullptr) {
    return status;
  }
  const std::string& message = status.message();
  // A dictionary that is not there is a fault of the data.
  const bool is_key_error = status.IsKeyError();
  return WithPath(arrow::Status(is_key_error ? arrow::StatusCode::Invalid : status.code(),
                                JoinMessage("record batch ", batch, ": ",
                                            message.substr(0, message.find('\n')))),
                  path);
}

arrow::Result<std::shared_ptr<const ArrowFileLayout>> ArrowFile::ReadLayout(
    const std::string& path, arrow::MemoryPool* pool) {
  auto layout = std::make_shared<ArrowFileLayout>();
  layout->path = path;
  ARROW_ASSIGN_OR_RAISE(const int descriptor, OpenForReading(path));
  const ArrowFile file(layout, descriptor);  // closes the descriptor
  bool is_regular = false;
  ARROW_ASSIGN_OR_RAISE(layout->identity, ReadFileIdentity(descriptor, path, &is_regular));
  if (!is_regular) {
    return DataError(path, ": not a regular file");
  }
  ARROW_RETURN_NOT_OK(WithPath(LayoutReader(descriptor, pool, layout.get()).Read(), path));
  return layout;
}

arrow::Result<std::shared_ptr<const ArrowFile>> ArrowFile::Open(
    std::shared_ptr<const ArrowFileLayout> layout) {
  ARROW_ASSIGN_OR_RAISE(const int descriptor, OpenForReading(layout->path));
  std::shared_ptr<ArrowFile> file(new ArrowFile(std::move(layout), descriptor));
  ARROW_RETURN_NOT_OK(file->CheckUnchanged());
  return file;
}

ArrowFile::~ArrowFile() {
  ::close(descriptor_);
}

arrow::Status ArrowFile::CheckUnchanged() const {
  bool is_regular = false;
  ARROW_ASSIGN_OR_RAISE(const FileIdentity now,
                        ReadFileIdentity(descriptor_, layout_->path, &is_regular));
  return now == layout_->identity ? arrow::Status::OK()
                                  : DataError(layout_->path, " changed while it was being read");
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ArrowFile::ReadMetadata(
    const IpcBlock& block, arrow::MemoryPool* pool, SourceCounters* counters) const {
  ARROW_ASSIGN_OR_RAISE(const auto bytes,
                        ReadBuffer(descriptor_, block.offset, block.metadata_bytes, pool));
  counters->bytes_read.fetch_add(block.metadata_bytes, std::memory_order_relaxed);
  ARROW_ASSIGN_OR_RAISE(
      const IpcPrefix prefix,
      ReadPrefix({bytes->data(), static_cast<size_t>(std::min(bytes->size(), IpcPrefix::kBytes))}));
  if (prefix.prefix_bytes + prefix.metadata_bytes != block.metadata_bytes) {
    return DataError(layout_->path, " changed while it was being read");
  }
  return arrow::SliceBuffer(bytes, prefix.prefix_bytes);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ArrowFile::ReadBatch(
    size_t batch, const std::vector<int>& fields, const IpcDictionaries& dictionaries,
    arrow::MemoryPool* pool, SourceCounters* counters) const {
  const IpcBatch& place = layout_->batches[batch];
  ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadMetadata(place.block, pool, counters));
  BodyFile body(descriptor_, place.block.offset + place.block.metadata_bytes,
                place.block.body_bytes, pool, counters);
  ARROW_ASSIGN_OR_RAISE(
      auto read, DecodeIpcBatch(*layout_->schema, *metadata, &body, fields, dictionaries, pool));
  if (read->num_rows() != place.rows) {
    return DataError(layout_->path, " changed while it was being read");
  }
  return read;
}

arrow::Status ArrowFile::ReadDictionaries(size_t begin, size_t end, arrow::MemoryPool* pool,
                                          SourceCounters* counters,
                                          IpcDictionaries* dictionaries) const {
  for (size_t i = begin; i < end; ++i) {
    const IpcBlock& block = layout_->dictionaries[i];
    ARROW_ASSIGN_OR_RAISE(const auto metadata, ReadMetadata(block, pool, counters));
    ARROW_ASSIGN_OR_RAISE(
        const IpcMessageInfo info,
        ReadMessageInfo({metadata->data(), static_cast<size_t>(metadata->size())}));
    if (!dictionaries->IsWanted(info.dictionary_id)) {
      continue;
    }
    BodyFile body(descriptor_, block.offset + block.metadata_bytes, block.body_bytes, pool,
                  counters);
    ARROW_RETURN_NOT_OK(dictionaries->Apply(*metadata, info, &body, pool));
  }
  return arrow::Status::OK();
}

}  // namespace keepone
