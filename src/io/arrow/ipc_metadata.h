// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace keepone {

// What Arrow's reader does not tell of the metadata of IPC messages and files, read with every
// bound checked: no bytes lead outside of the span that they came in.

enum class IpcMessageKind { kSchema, kDictionary, kRecordBatch, kOther };

struct IpcMessageInfo {
  IpcMessageKind kind = IpcMessageKind::kOther;
  int64_t body_bytes = 0;
  int64_t rows = 0;           // of a record batch or a dictionary
  int64_t dictionary_id = 0;  // of a dictionary
  bool is_delta = false;      // of a dictionary: it continues the one before
};

// `metadata` is the table of the message, without its prefix. Invalid where it makes no sense.
arrow::Result<IpcMessageInfo> ReadMessageInfo(std::span<const uint8_t> metadata);

// The metadata of the record batch that a dictionary message has its values in, as a message of its
// own. REQUIRES: ReadMessageInfo said kDictionary.
arrow::Result<std::shared_ptr<arrow::Buffer>> DictionaryAsRecordBatch(const arrow::Buffer& metadata,
                                                                      arrow::MemoryPool* pool);

// Where a message lies in a file.
struct IpcBlock {
  int64_t offset = 0;
  int64_t metadata_bytes = 0;  // with the prefix of 4 or 8 bytes
  int64_t body_bytes = 0;
};

struct IpcFooter {
  std::vector<IpcBlock> dictionaries;
  std::vector<IpcBlock> batches;
};

// `footer` is the table at the end of a file, without length and magic bytes.
arrow::Result<IpcFooter> ReadFooter(std::span<const uint8_t> footer);

// What precedes the metadata of a message.
struct IpcPrefix {
  static constexpr int64_t kBytes = 8;  // as read; the older form has 4

  int64_t prefix_bytes = 0;
  int64_t metadata_bytes = 0;  // without the prefix; 0 at the end of a stream
};

// From the first 8 bytes of a message, or from 4 at the end of a stream of the older form. Invalid
// where they are none of a message.
arrow::Result<IpcPrefix> ReadPrefix(std::span<const uint8_t> bytes);

}  // namespace keepone
