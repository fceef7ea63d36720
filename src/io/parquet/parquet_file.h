// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/io/file.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>
#include <parquet/arrow/schema.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include "io/file_identity.h"

namespace keepone {

// A Parquet file that is open, with its footer. Immutable but for the descriptor's lifetime; reads
// are by position and safe for concurrent use. Errors are of kind data and begin with the path.
class ParquetFile {
 public:
  // What an earlier Open found; an Open by it fails when the file is not that one any more.
  struct Known {
    FileIdentity identity;
    std::shared_ptr<parquet::FileMetaData> metadata;  // nullptr: the footer is read again
  };

  static arrow::Result<std::shared_ptr<const ParquetFile>> Open(const std::string& path,
                                                                arrow::MemoryPool* pool,
                                                                const Known* known = nullptr);

  const std::string& path() const { return path_; }
  const std::shared_ptr<arrow::io::ReadableFile>& file() const { return file_; }
  const FileIdentity& identity() const { return identity_; }
  const std::shared_ptr<parquet::FileMetaData>& metadata() const { return metadata_; }
  int64_t footer_bytes() const { return footer_bytes_; }

  // Types are plain where Arrow has several forms of one: views and dictionaries are read as the
  // values they stand for.
  std::shared_ptr<arrow::Schema> schema() const;
  // The Parquet columns below a top-level field, in order; none for a struct without fields.
  const std::vector<int>& leaves(int field) const { return leaves_[static_cast<size_t>(field)]; }

  // An error when the file was written to since it was opened.
  arrow::Status CheckUnchanged() const;

 private:
  ParquetFile() = default;
  arrow::Status ReadIdentity();
  arrow::Status ReadFooter(arrow::MemoryPool* pool);
  arrow::Status ReadSchema();

  std::string path_;
  std::shared_ptr<arrow::io::ReadableFile> file_;
  FileIdentity identity_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  int64_t footer_bytes_ = 0;
  parquet::arrow::SchemaManifest manifest_;
  std::vector<std::vector<int>> leaves_;
};

// How Arrow's Parquet reader is to be run: by one thread, nothing read ahead.
parquet::ArrowReaderProperties MakeArrowReaderProperties();

// Tells an error of reading `column` of a row group: "PATH: column "NAME", row group 3: what".
// Errors that have a detail already, and cancellation, pass unchanged.
arrow::Status WithColumn(const arrow::Status& status, const std::string& path,
                         const std::string& column, int row_group);

}  // namespace keepone
