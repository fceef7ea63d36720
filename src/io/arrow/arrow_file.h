// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "io/arrow/ipc_metadata.h"
#include "io/arrow/ipc_schema.h"
#include "io/file_identity.h"
#include "io/source.h"

namespace keepone {

// A record batch of a file.
struct IpcBatch {
  IpcBlock block;
  int64_t rows = 0;
  size_t dictionary_count = 0;  // of the file's dictionary messages, those that apply to it
};

// What a file of the IPC file or stream format holds and where. Immutable.
struct ArrowFileLayout {
  std::string path;
  FileIdentity identity;
  std::shared_ptr<const IpcSchema> schema;
  std::vector<IpcBlock> dictionaries;  // in the order of the file
  std::vector<IpcBatch> batches;
  std::vector<int64_t> addresses;  // of the first row of each batch, from 0, and the end
};

// An open file of Arrow's IPC file or stream format, told apart by its first bytes. Immutable;
// reads are by position and safe for concurrent use. Nothing is mapped into memory, so that a file
// that shrinks is an error and no signal. Errors are of kind data and begin with the path.
class ArrowFile {
 public:
  // Reads the metadata of all messages, and nothing else.
  static arrow::Result<std::shared_ptr<const ArrowFileLayout>> ReadLayout(const std::string& path,
                                                                          arrow::MemoryPool* pool);

  // Fails when the file is not the one that has the layout any more.
  static arrow::Result<std::shared_ptr<const ArrowFile>> Open(
      std::shared_ptr<const ArrowFileLayout> layout);

  ~ArrowFile();
  ArrowFile(const ArrowFile&) = delete;
  ArrowFile& operator=(const ArrowFile&) = delete;

  const ArrowFileLayout& layout() const { return *layout_; }

  // The columns `fields` (ascending, not empty) of a batch. Only their buffers are read, into
  // memory of `pool`.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadBatch(size_t batch,
                                                               const std::vector<int>& fields,
                                                               const IpcDictionaries& dictionaries,
                                                               arrow::MemoryPool* pool,
                                                               SourceCounters* counters) const;

  // Applies dictionary messages [begin, end) to `dictionaries`.
  arrow::Status ReadDictionaries(size_t begin, size_t end, arrow::MemoryPool* pool,
                                 SourceCounters* counters, IpcDictionaries* dictionaries) const;

  // An error when the file was written to since it was opened.
  arrow::Status CheckUnchanged() const;

 private:
  ArrowFile(std::shared_ptr<const ArrowFileLayout> layout, int descriptor)
      : layout_(std::move(layout)), descriptor_(descriptor) {}
  // The metadata of a message, without its prefix.
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadMetadata(const IpcBlock& block,
                                                             arrow::MemoryPool* pool,
                                                             SourceCounters* counters) const;

  std::shared_ptr<const ArrowFileLayout> layout_;
  int descriptor_;
};

// What the first bytes of a file, up to 8, say it is.
enum class ArrowFormat { kNone, kFile, kStream, kFeatherV1 };
ArrowFormat DetectArrowFormat(std::string_view first_bytes);

// The bytes of the file format before the stream within begins.
inline constexpr int64_t kArrowMagicBytes = 8;

// Tells an error of reading a batch: "PATH: record batch 3: what". Errors that have a detail
// already, and cancellation, pass unchanged.
arrow::Status WithBatch(const arrow::Status& status, const std::string& path, int64_t batch);

}  // namespace keepone
