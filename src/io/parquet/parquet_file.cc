// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/parquet_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>

#include <arrow/buffer.h>
#include <arrow/type.h>
#include <parquet/exception.h>

#include "base/error.h"
#include "io/parquet/stored_schema.h"

namespace keepone {

namespace {

constexpr int64_t kTailBytes = 8;  // the footer's length and the magic
constexpr int64_t kFileBytesMin = 12;

void CollectLeaves(const parquet::arrow::SchemaField& field, std::vector<int>* leaves) {
  if (field.is_leaf()) {
    leaves->push_back(field.column_index);
  }
  for (const parquet::arrow::SchemaField& child : field.children) {
    CollectLeaves(child, leaves);
  }
}

arrow::Status CheckMagic(const std::string& path, const uint8_t* magic) {
  if (std::memcmp(magic, "PARE", 4) == 0) {
    return MakeError(ErrorKind::kUnsupported, std::nullopt,
                     path + ": encrypted Parquet files are not supported");
  }
  if (std::memcmp(magic, "PAR1", 4) != 0) {
    return DataError(path, ": not a Parquet file, or one that was cut off");
  }
  return arrow::Status::OK();
}

// One line, without the words that Arrow puts before it.
std::string FirstLine(const std::string& message) {
  return message.substr(0, message.find('\n'));
}

}  // namespace

arrow::Status WithColumn(const arrow::Status& status, const std::string& path,
                         const std::string& column, int row_group) {
  if (status.ok() || status.IsCancelled() || GetErrorDetail(status) != nullptr) {
    return status;
  }
  const arrow::Status told(status.code(),
                           JoinMessage("column \"", column, "\", row group ", row_group, ": ",
                                       FirstLine(status.message())));
  return WithPath(told, path);
}

parquet::ArrowReaderProperties MakeArrowReaderProperties() {
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_pre_buffer(false);
  return properties;
}

arrow::Result<std::shared_ptr<const ParquetFile>> ParquetFile::Open(const std::string& path,
                                                                    arrow::MemoryPool* pool,
                                                                    const Known* known) {
  std::shared_ptr<ParquetFile> opened(new ParquetFile());
  opened->path_ = path;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT && known == nullptr) {
      return DataError(path, ": file does not exist");
    }
    return DataError(path, ": cannot be opened: ", std::strerror(errno));
  }
  auto file = arrow::io::ReadableFile::Open(descriptor, pool);
  if (!file.ok()) {
    ::close(descriptor);
    return WithPath(file.status(), path);
  }
  opened->file_ = *std::move(file);
  ARROW_RETURN_NOT_OK(opened->ReadIdentity());
  if (known != nullptr && known->identity != opened->identity_) {
    return DataError(path, " changed while it was being read");
  }
  if (known != nullptr && known->metadata != nullptr) {
    opened->metadata_ = known->metadata;
  } else {
    ARROW_RETURN_NOT_OK(WithPath(opened->ReadFooter(pool), path));
  }
  ARROW_RETURN_NOT_OK(WithPath(opened->ReadSchema(), path));
  return opened;
}

arrow::Status ParquetFile::ReadIdentity() {
  bool is_regular = false;
  ARROW_ASSIGN_OR_RAISE(identity_, ReadFileIdentity(file_->file_descriptor(), path_, &is_regular));
  if (!is_regular) {
    return DataError(path_, ": not a regular file; Parquet cannot be read from a pipe");
  }
  return arrow::Status::OK();
}

arrow::Status ParquetFile::ReadFooter(arrow::MemoryPool* pool) {
  const int64_t bytes = identity_.bytes;
  if (bytes == 0) {
    return DataError(path_, ": file is empty");
  }
  if (bytes < kFileBytesMin) {
    return DataError(path_, ": not a Parquet file, or one that was cut off");
  }
  uint8_t tail[kTailBytes];
  ARROW_ASSIGN_OR_RAISE(const int64_t got, file_->ReadAt(bytes - kTailBytes, kTailBytes, tail));
  if (got != kTailBytes) {
    return DataError(path_, " changed while it was being read");
  }
  ARROW_RETURN_NOT_OK(CheckMagic(path_, tail + 4));
  uint32_t length = 0;
  std::memcpy(&length, tail, sizeof(length));
  if (static_cast<int64_t>(length) > bytes - kFileBytesMin + 4) {
    return DataError(path_, ": corrupt footer: its length is ", length, " bytes in a file of ",
                     bytes);
  }
  ARROW_ASSIGN_OR_RAISE(auto footer, file_->ReadAt(bytes - kTailBytes - length, length));
  if (footer->size() != static_cast<int64_t>(length)) {
    return DataError(path_, " changed while it was being read");
  }
  const std::string plain = NormalizeStoredSchema(
      std::string_view(reinterpret_cast<const char*>(footer->data()), length));
  footer_bytes_ = static_cast<int64_t>(plain.size());
  try {
    auto size = static_cast<int64_t>(plain.size());
    metadata_ = parquet::FileMetaData::Make(plain.data(), size, parquet::ReaderProperties(pool));
  } catch (const std::exception& error) {
    return DataError(path_, ": corrupt footer: ", FirstLine(error.what()));
  }
  return arrow::Status::OK();
}

arrow::Status ParquetFile::ReadSchema() {
  try {
    ARROW_RETURN_NOT_OK(
        parquet::arrow::SchemaManifest::Make(metadata_->schema(), metadata_->key_value_metadata(),
                                             MakeArrowReaderProperties(), &manifest_));
  } catch (const std::exception& error) {
    return DataError(path_, ": ", FirstLine(error.what()));
  }
  leaves_.resize(manifest_.schema_fields.size());
  for (size_t i = 0; i < leaves_.size(); ++i) {
    CollectLeaves(manifest_.schema_fields[i], &leaves_[i]);
  }
  return arrow::Status::OK();
}

std::shared_ptr<arrow::Schema> ParquetFile::schema() const {
  arrow::FieldVector fields;
  for (const parquet::arrow::SchemaField& field : manifest_.schema_fields) {
    fields.push_back(field.field);
  }
  return arrow::schema(std::move(fields));
}

arrow::Status ParquetFile::CheckUnchanged() const {
  ParquetFile now;
  now.path_ = path_;
  now.file_ = file_;
  ARROW_RETURN_NOT_OK(now.ReadIdentity());
  return now.identity_ == identity_ ? arrow::Status::OK()
                                    : DataError(path_, " changed while it was being read");
}

}  // namespace keepone
