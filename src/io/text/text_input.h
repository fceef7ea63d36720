// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <arrow/util/compression.h>

#include "base/query_context.h"
#include "io/file_identity.h"

namespace keepone {

// The decompressed bytes of a file or a pipe, from the beginning on. Used by one thread at a time.
// Errors are of kind data and begin with the path.
class TextInput {
 public:
  static arrow::Result<std::shared_ptr<TextInput>> Open(const std::string& path);
  ~TextInput();
  TextInput(const TextInput&) = delete;
  TextInput& operator=(const TextInput&) = delete;

  const std::string& path() const { return path_; }
  const FileIdentity& identity() const { return identity_; }
  bool is_regular() const { return is_regular_; }
  bool is_compressed() const { return decompressor_ != nullptr; }
  // From the file, so far.
  int64_t bytes_read() const { return bytes_read_; }

  // Fills `out` as far as there is text; fewer than `bytes` only at the end. Waiting for a pipe
  // asks `context` whether to stop; nullptr: nobody.
  arrow::Result<int64_t> Read(int64_t bytes, uint8_t* out, const QueryContext* context);
  // Reads of a file at an offset, which do not move the place of Read; fewer bytes only at its end.
  // Safe for concurrent use. REQUIRES: is_regular and not is_compressed
  arrow::Result<int64_t> ReadAt(int64_t offset, int64_t bytes, uint8_t* out) const;
  // A data error when the file is not the one that has `identity`.
  arrow::Status CheckUnchanged(const FileIdentity& identity) const;

  // What Read gives again, before the rest.
  void PutBack(std::string text);

 private:
  TextInput(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  arrow::Status DetectCompression();
  // Fills input_ when it is used up; it stays empty at the end.
  arrow::Status FillInput(const QueryContext* context);

  const std::string path_;
  const int descriptor_;
  FileIdentity identity_;
  bool is_regular_ = false;
  std::shared_ptr<arrow::util::Decompressor> decompressor_;
  bool member_begun_ = false;  // and not ended
  std::vector<uint8_t> input_;
  size_t input_begin_ = 0;
  bool input_ended_ = false;
  int64_t bytes_read_ = 0;
  std::string put_back_;
  size_t put_back_begin_ = 0;
};

// The number of the line, from 1, that holds the byte at `offset` of the decompressed text.
arrow::Result<int64_t> LineAt(const std::string& path, int64_t offset);

// The pipe at `path` that ReadTextSample has begun to read, for the one who scans it; nullptr when
// there is none.
std::shared_ptr<TextInput> TakeKeptPipe(const std::string& path);
// The same pipe, which stays kept; only to ask what it is.
std::shared_ptr<TextInput> PeekKeptPipe(const std::string& path);

}  // namespace keepone
