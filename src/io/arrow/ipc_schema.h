// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/ipc/dictionary.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "io/arrow/ipc_metadata.h"

namespace keepone {

// The schema of an IPC stream or file and where dictionaries occur in it. Immutable.
class IpcSchema {
 public:
  // From the metadata of the schema's message.
  static arrow::Result<std::shared_ptr<const IpcSchema>> Make(
      std::shared_ptr<arrow::Buffer> metadata);

  // As stored: with views, dictionaries and run ends.
  const std::shared_ptr<arrow::Schema>& stored() const { return stored_; }
  // As given out: see DecodedType.
  const std::shared_ptr<arrow::Schema>& plain() const { return plain_; }

  // The dictionaries that the values of these top-level fields need, at any depth.
  std::set<int64_t> DictionariesOf(const std::vector<int>& fields) const;

 private:
  friend class IpcDictionaries;

  // A field of a dictionary type.
  struct Place {
    int64_t id = 0;
    std::vector<int> path;  // from the schema down, through the values of dictionaries too
  };

  IpcSchema() = default;
  arrow::Status AddPlaces(const arrow::DataType& type, std::vector<int>* path,
                          const arrow::ipc::DictionaryMemo& memo);

  std::shared_ptr<arrow::Buffer> metadata_;
  std::shared_ptr<arrow::Schema> stored_;
  std::shared_ptr<arrow::Schema> plain_;
  std::vector<Place> places_;
};

// The dictionaries as they are at one point of a stream, for decoding the batches that follow it.
// A copy is cheap and changes by itself. Safe for concurrent use while nobody calls Apply.
class IpcDictionaries {
 public:
  // Only dictionaries of `wanted` are kept.
  IpcDictionaries(std::shared_ptr<const IpcSchema> schema, std::set<int64_t> wanted)
      : schema_(std::move(schema)), wanted_(std::move(wanted)) {}

  bool IsWanted(int64_t id) const { return wanted_.contains(id); }

  // Takes over a dictionary message; offsets of buffers count from the beginning of `body`.
  arrow::Status Apply(const arrow::Buffer& metadata, const IpcMessageInfo& info,
                      arrow::io::RandomAccessFile* body, arrow::MemoryPool* pool);

  // Fills `memo`, as Arrow's reader wants it for one batch; for another one it wants another, since
  // it writes to dictionaries whose values have dictionaries of their own.
  arrow::Status FillMemo(arrow::ipc::DictionaryMemo* memo) const;

 private:
  std::shared_ptr<const IpcSchema> schema_;
  std::set<int64_t> wanted_;
  std::map<int64_t, std::shared_ptr<arrow::ArrayData>> values_;
};

// The batch of a message with the columns `fields` (ascending) of `schema`, checked: whatever the
// bytes are, they can be worked with. Offsets of buffers count from the beginning of `body`.
// REQUIRES: `fields` is not empty.
arrow::Result<std::shared_ptr<arrow::RecordBatch>> DecodeIpcBatch(
    const IpcSchema& schema, const arrow::Buffer& metadata, arrow::io::RandomAccessFile* body,
    const std::vector<int>& fields, const IpcDictionaries& dictionaries, arrow::MemoryPool* pool);

}  // namespace keepone
