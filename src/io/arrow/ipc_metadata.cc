// SPDX-License-Identifier: Apache-2.0
#include "io/arrow/ipc_metadata.h"

#include <algorithm>
#include <cstring>

namespace keepone {

namespace {

// The tables and fields of Message.fbs and File.fbs; a union has two fields: its type, its value.
constexpr int kMessageHeaderType = 1;
constexpr int kMessageHeader = 2;
constexpr int kMessageBodyLength = 3;
constexpr int kRecordBatchLength = 0;
constexpr int kDictionaryId = 0;
constexpr int kDictionaryData = 1;
constexpr int kDictionaryIsDelta = 2;
constexpr int kFooterDictionaries = 2;
constexpr int kFooterBatches = 3;

constexpr uint8_t kHeaderSchema = 1;
constexpr uint8_t kHeaderDictionary = 2;
constexpr uint8_t kHeaderRecordBatch = 3;

constexpr size_t kBlockBytes = 24;  // offset, length of the metadata, padding, length of the body

// Reads flatbuffers. Once something lies outside of the bytes, everything is 0 and failed() true.
class FlatBytes {
 public:
  explicit FlatBytes(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }

  template <typename T>
  T Get(size_t at) {
    T value = 0;
    if (bytes_.size() < sizeof(T) || at > bytes_.size() - sizeof(T)) {
      failed_ = true;
    } else {
      std::memcpy(&value, bytes_.data() + at, sizeof(T));
    }
    return value;
  }

  size_t Root() { return Follow(0); }

  // Where the reference at `at` leads.
  size_t Follow(size_t at) { return at + Get<uint32_t>(at); }

  // The place of a field of a table; 0 when it is not there.
  size_t Field(size_t table, int field) {
    const int64_t back = Get<int32_t>(table);
    const int64_t place = static_cast<int64_t>(table) - back;
    if (place < 0) {
      failed_ = true;
      return 0;
    }
    const auto vtable = static_cast<size_t>(place);
    const size_t entry = 4 + 2 * static_cast<size_t>(field);
    if (entry + 2 > Get<uint16_t>(vtable)) {
      return 0;
    }
    const uint16_t offset = Get<uint16_t>(vtable + entry);
    return offset == 0 ? 0 : table + offset;
  }

  template <typename T>
  T FieldValue(size_t table, int field) {
    const size_t at = Field(table, field);
    return at == 0 ? T{0} : Get<T>(at);
  }

  // The table that a field refers to; fails when it is not there.
  size_t FieldTable(size_t table, int field) {
    const size_t at = Field(table, field);
    failed_ = failed_ || at == 0;
    return at == 0 ? 0 : Follow(at);
  }

 private:
  std::span<const uint8_t> bytes_;
  bool failed_ = false;
};

arrow::Status BadMetadata() {
  return arrow::Status::Invalid("corrupt metadata of a message");
}

std::vector<IpcBlock> ReadBlocks(FlatBytes* bytes, size_t table, int field, size_t size) {
  std::vector<IpcBlock> blocks;
  if (bytes->Field(table, field) == 0) {
    return blocks;
  }
  const size_t vector = bytes->FieldTable(table, field);
  const size_t count = bytes->Get<uint32_t>(vector);
  if (count > size / kBlockBytes) {
    bytes->Get<uint8_t>(size);  // outside: fails
    return blocks;
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t at = vector + 4 + i * kBlockBytes;
    blocks.push_back(
        {bytes->Get<int64_t>(at), bytes->Get<int32_t>(at + 8), bytes->Get<int64_t>(at + 16)});
  }
  return blocks;
}

}  // namespace

arrow::Result<IpcMessageInfo> ReadMessageInfo(std::span<const uint8_t> metadata) {
  FlatBytes bytes(metadata);
  const size_t message = bytes.Root();
  IpcMessageInfo info;
  info.body_bytes = bytes.FieldValue<int64_t>(message, kMessageBodyLength);
  const auto type = bytes.FieldValue<uint8_t>(message, kMessageHeaderType);
  if (type == kHeaderSchema) {
    info.kind = IpcMessageKind::kSchema;
  } else if (type == kHeaderRecordBatch) {
    info.kind = IpcMessageKind::kRecordBatch;
    const size_t batch = bytes.FieldTable(message, kMessageHeader);
    info.rows = bytes.FieldValue<int64_t>(batch, kRecordBatchLength);
  } else if (type == kHeaderDictionary) {
    info.kind = IpcMessageKind::kDictionary;
    const size_t dictionary = bytes.FieldTable(message, kMessageHeader);
    info.dictionary_id = bytes.FieldValue<int64_t>(dictionary, kDictionaryId);
    info.is_delta = bytes.FieldValue<uint8_t>(dictionary, kDictionaryIsDelta) != 0;
    const size_t batch = bytes.FieldTable(dictionary, kDictionaryData);
    info.rows = bytes.FieldValue<int64_t>(batch, kRecordBatchLength);
  }
  if (bytes.failed() || info.body_bytes < 0 || info.rows < 0 || info.rows > INT64_MAX / 4) {
    return BadMetadata();
  }
  return info;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> DictionaryAsRecordBatch(const arrow::Buffer& metadata,
                                                                      arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> copy,
                        arrow::AllocateBuffer(metadata.size(), pool));
  std::memcpy(copy->mutable_data(), metadata.data(), static_cast<size_t>(metadata.size()));
  FlatBytes bytes({metadata.data(), static_cast<size_t>(metadata.size())});
  const size_t message = bytes.Root();
  const size_t type = bytes.Field(message, kMessageHeaderType);
  const size_t header = bytes.Field(message, kMessageHeader);
  const size_t dictionary = bytes.FieldTable(message, kMessageHeader);
  const size_t batch = bytes.FieldTable(dictionary, kDictionaryData);
  // References lead forward, so the batch can be referred to in place of the dictionary around it.
  if (bytes.failed() || type == 0 || batch <= header || batch - header > UINT32_MAX) {
    return BadMetadata();
  }
  copy->mutable_data()[type] = kHeaderRecordBatch;
  const auto reference = static_cast<uint32_t>(batch - header);
  std::memcpy(copy->mutable_data() + header, &reference, sizeof(reference));
  return copy;
}

arrow::Result<IpcFooter> ReadFooter(std::span<const uint8_t> footer) {
  FlatBytes bytes(footer);
  const size_t root = bytes.Root();
  IpcFooter read;
  read.dictionaries = ReadBlocks(&bytes, root, kFooterDictionaries, footer.size());
  read.batches = ReadBlocks(&bytes, root, kFooterBatches, footer.size());
  if (bytes.failed()) {
    return arrow::Status::Invalid("corrupt footer");
  }
  return read;
}

arrow::Result<IpcPrefix> ReadPrefix(std::span<const uint8_t> bytes) {
  int32_t words[2] = {0, 0};
  if (bytes.size() < sizeof(int32_t)) {
    return arrow::Status::Invalid("the end of the stream is missing");
  }
  std::memcpy(words, bytes.data(), std::min(bytes.size(), sizeof(words)));
  IpcPrefix prefix{4, words[0]};
  if (words[0] == -1) {
    if (bytes.size() < sizeof(words)) {
      return arrow::Status::Invalid("the end of the stream is missing");
    }
    prefix = {8, words[1]};
  }
  if (prefix.metadata_bytes < 0) {
    return BadMetadata();
  }
  return prefix;
}

}  // namespace keepone
