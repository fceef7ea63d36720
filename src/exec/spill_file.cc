// SPDX-License-Identifier: Apache-2.0
#include "exec/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/io/buffered.h>
#include <arrow/io/file.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/byte_size.h>
#include <arrow/util/compression.h>
#include <arrow/util/io_util.h>

#include "base/error.h"
#include "column/gather.h"
#include "column/row_bytes.h"
#include "exec/metrics.h"

namespace keepone {

namespace {

constexpr int64_t kWriteBufferBytes = int64_t{32} << 10;
constexpr int64_t kPendingBytesMax = int64_t{8} << 20;

}  // namespace

// Appends to a file that is open only while it is written to: there may be thousands of them, more
// than a process may have open. Every byte is counted before it is written.
class AppendedFile final : public arrow::io::OutputStream {
 public:
  AppendedFile(QueryContext* context, std::string path)
      : context_(context), path_(std::move(path)) {}

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return bytes_; }

  using OutputStream::Write;
  arrow::Status Write(const void* data, int64_t bytes) override {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    ARROW_RETURN_NOT_OK(context_->temp().Reserve(bytes));
    bytes_ += bytes;
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) {
      return Failure(errno);
    }
    const auto* at = static_cast<const uint8_t*>(data);
    int error = 0;
    while (bytes > 0 && error == 0) {
      const ssize_t written = ::write(file, at, static_cast<size_t>(bytes));
      if (written < 0) {
        error = errno == EINTR ? 0 : errno;
      } else {
        at += written;
        bytes -= written;
      }
    }
    if (::close(file) != 0 && error == 0) {
      error = errno;
    }
    return error == 0 ? arrow::Status::OK() : Failure(error);
  }

  int64_t bytes() const { return bytes_; }

 private:
  arrow::Status Failure(int error) const {
    return WithHint(
        ResourceError("temporary file ", path_, " cannot be written: ", std::strerror(error)),
        "choose another place with SET temp_directory, or raise the memory limit");
  }

  QueryContext* context_;
  std::string path_;
  int64_t bytes_ = 0;
  bool closed_ = false;
};

namespace {

// The same values under `type`, which has the same layout: readers give the storage of extension
// types that nobody has registered.
std::shared_ptr<arrow::ArrayData> WithType(const std::shared_ptr<arrow::ArrayData>& data,
                                           const std::shared_ptr<arrow::DataType>& type) {
  if (data->type->Equals(*type, /*check_metadata=*/true)) {
    return data;
  }
  auto copy = data->Copy();
  copy->type = type;
  const arrow::DataType* storage = type.get();
  while (storage->id() == arrow::Type::EXTENSION) {
    storage = static_cast<const arrow::ExtensionType*>(storage)->storage_type().get();
  }
  if (copy->dictionary != nullptr && storage->id() == arrow::Type::DICTIONARY) {
    copy->dictionary = WithType(copy->dictionary,
                                static_cast<const arrow::DictionaryType*>(storage)->value_type());
  }
  for (size_t i = 0; i < copy->child_data.size(); ++i) {
    copy->child_data[i] =
        WithType(copy->child_data[i], storage->field(static_cast<int>(i))->type());
  }
  return copy;
}

class StreamReader final : public SpillFile::Reader {
 public:
  StreamReader(QueryContext* context, std::string path, std::shared_ptr<arrow::Schema> schema,
               std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader)
      : context_(context),
        path_(std::move(path)),
        schema_(std::move(schema)),
        reader_(std::move(reader)) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = reader_->ReadNext(&batch);
    if (!status.ok()) {
      return WithPath(status, path_);
    }
    if (batch == nullptr) {
      return nullptr;
    }
    arrow::ArrayVector columns;
    for (int i = 0; i < batch->num_columns(); ++i) {
      columns.push_back(
          arrow::MakeArray(WithType(batch->column_data(i), schema_->field(i)->type())));
    }
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(columns));
  }

 private:
  QueryContext* context_;
  std::string path_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader_;
};

}  // namespace

class SpillFile::Writer {
 public:
  static arrow::Result<std::unique_ptr<Writer>> Make(QueryContext* context, const std::string& path,
                                                     const std::shared_ptr<arrow::Schema>& schema) {
    auto writer = std::make_unique<Writer>();
    writer->file_ = std::make_shared<AppendedFile>(context, path);
    ARROW_ASSIGN_OR_RAISE(
        writer->buffered_,
        arrow::io::BufferedOutputStream::Create(kWriteBufferBytes, context->pool(), writer->file_));
    arrow::ipc::IpcWriteOptions options;
    options.memory_pool = context->pool();
    options.use_threads = false;
    ARROW_ASSIGN_OR_RAISE(options.codec, arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
    ARROW_ASSIGN_OR_RAISE(writer->batches_,
                          arrow::ipc::MakeStreamWriter(writer->buffered_, schema, options));
    return writer;
  }

  arrow::Status Append(const arrow::RecordBatch& batch) {
    return batches_->WriteRecordBatch(batch);
  }

  arrow::Status Close() {
    ARROW_RETURN_NOT_OK(batches_->Close());
    return buffered_->Close();
  }

  int64_t bytes() const { return file_->bytes(); }
  // After an error what is still buffered is not wanted any more.
  void Abandon() { static_cast<void>(buffered_->Abort()); }

 private:
  std::shared_ptr<AppendedFile> file_;
  std::shared_ptr<arrow::io::BufferedOutputStream> buffered_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> batches_;
};

SpillFile::SpillFile(QueryContext* context, std::shared_ptr<arrow::Schema> schema)
    : context_(context), schema_(std::move(schema)) {}

SpillFile::~SpillFile() {
  if (writer_ != nullptr) {
    writer_->Abandon();
    bytes_on_disk_ = writer_->bytes();
  }
  if (!path_.empty()) {
    ::unlink(path_.c_str());
    context_->temp().Release(bytes_on_disk_);
  }
}

arrow::Result<std::unique_ptr<SpillFile>> SpillFile::Make(QueryContext* context,
                                                          std::shared_ptr<arrow::Schema> schema) {
  std::unique_ptr<SpillFile> file(new SpillFile(context, std::move(schema)));
  ARROW_ASSIGN_OR_RAISE(file->path_, context->temp().NewPath());
  ARROW_ASSIGN_OR_RAISE(file->writer_, Writer::Make(context, file->path_, file->schema_));
  return file;
}

arrow::Status SpillFile::Append(const arrow::RecordBatch& batch) {
  const auto whole = arrow::RecordBatch::Make(schema_, batch.num_rows(), batch.columns());
  for (const auto& part :
       SplitByBytes(whole, context_->batch_rows_max(), context_->batch_bytes_max())) {
    const int64_t bytes = BatchBytes(*part);
    // Writing a slice of string views or of lists may write all that its buffers hold.
    ARROW_ASSIGN_OR_RAISE(const int64_t referenced, arrow::util::ReferencedBufferSize(*part));
    if (referenced <= bytes + bytes / 2 + kWriteBufferBytes) {
      ARROW_RETURN_NOT_OK(writer_->Append(*part));
    } else {
      ARROW_ASSIGN_OR_RAISE(auto pieces, ConcatenateBatches(schema_, {part}, context_->pool()));
      for (const auto& piece : pieces) {
        ARROW_RETURN_NOT_OK(writer_->Append(*piece));
      }
    }
    rows_ += part->num_rows();
    bytes_ += bytes;
  }
  return arrow::Status::OK();
}

arrow::Status SpillFile::Close() {
  if (writer_ == nullptr) {
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(writer_->Close());
  bytes_on_disk_ = writer_->bytes();
  writer_.reset();
  NoteBytesSpilled(bytes_on_disk_);
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<SpillFile::Reader>> SpillFile::Read() const {
  const auto open = [this]() -> arrow::Result<std::unique_ptr<Reader>> {
    ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path_, context_->pool()));
    arrow::ipc::IpcReadOptions options = arrow::ipc::IpcReadOptions::Defaults();
    options.memory_pool = context_->pool();
    options.use_threads = false;
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(
                                           std::shared_ptr<arrow::io::InputStream>(file), options));
    return std::make_unique<StreamReader>(context_, path_, schema_, std::move(reader));
  };
  auto reader = open();
  if (!reader.ok()) {
    return WithPath(reader.status(), path_);
  }
  return reader;
}

// Rows wait in the batches in which they came until there are enough of them: then each partition's
// are gathered at once.
class SpillPartitions::Impl {
 public:
  Impl(QueryContext* context, std::shared_ptr<arrow::Schema> schema, uint32_t partition_count)
      : context_(context),
        schema_(std::move(schema)),
        files_(partition_count),
        pending_(partition_count),
        reserved_(context->budget()) {
    const int64_t limit = context->memory_bytes_max();
    pending_bytes_max_ =
        limit < 0 ? kPendingBytesMax : std::clamp(limit / 32, int64_t{1} << 18, kPendingBytesMax);
  }

  arrow::Status Append(const arrow::RecordBatch& batch, std::span<const uint32_t> partitions) {
    if (batch.num_rows() == 0) {
      return arrow::Status::OK();
    }
    const auto chunk = static_cast<int32_t>(batches_.size());
    batches_.push_back(arrow::RecordBatch::Make(schema_, batch.num_rows(), batch.columns()));
    for (size_t row = 0; row < partitions.size(); ++row) {
      pending_[partitions[row]].push_back({chunk, static_cast<int64_t>(row)});
    }
    pending_rows_ += batch.num_rows();
    pending_bytes_ += BatchBytes(batch) + batch.num_rows() * static_cast<int64_t>(sizeof(RowRef));
    return pending_bytes_ >= pending_bytes_max_ ? Flush() : arrow::Status::OK();
  }

  arrow::Result<std::vector<std::unique_ptr<SpillFile>>> Finish() {
    ARROW_RETURN_NOT_OK(Flush());
    for (const auto& file : files_) {
      if (file != nullptr) {
        ARROW_RETURN_NOT_OK(file->Close());
      }
    }
    return std::move(files_);
  }

 private:
  arrow::Status Flush() {
    ARROW_RETURN_NOT_OK(reserved_.Resize(pending_rows_ * static_cast<int64_t>(sizeof(RowRef))));
    for (size_t partition = 0; partition < pending_.size(); ++partition) {
      std::vector<RowRef>& rows = pending_[partition];
      if (rows.empty()) {
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(auto pieces,
                            GatherBatchRows(schema_, batches_, rows, context_->pool()));
      rows.clear();
      if (files_[partition] == nullptr) {
        ARROW_ASSIGN_OR_RAISE(files_[partition], SpillFile::Make(context_, schema_));
      }
      for (const auto& piece : pieces) {
        ARROW_RETURN_NOT_OK(files_[partition]->Append(*piece));
      }
    }
    batches_.clear();
    pending_rows_ = pending_bytes_ = 0;
    return arrow::Status::OK();
  }

  QueryContext* context_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<SpillFile>> files_;
  arrow::RecordBatchVector batches_;          // that `pending_` refers to
  std::vector<std::vector<RowRef>> pending_;  // of each partition
  int64_t pending_rows_ = 0;
  int64_t pending_bytes_ = 0;
  int64_t pending_bytes_max_;
  MemoryReservation reserved_;
};

SpillPartitions::SpillPartitions(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SpillPartitions::~SpillPartitions() = default;

arrow::Result<std::unique_ptr<SpillPartitions>> SpillPartitions::Make(
    QueryContext* context, std::shared_ptr<arrow::Schema> schema, uint32_t partition_count) {
  return std::unique_ptr<SpillPartitions>(
      new SpillPartitions(std::make_unique<Impl>(context, std::move(schema), partition_count)));
}

arrow::Status SpillPartitions::Append(const arrow::RecordBatch& batch,
                                      std::span<const uint32_t> partitions) {
  return impl_->Append(batch, partitions);
}

arrow::Result<std::vector<std::unique_ptr<SpillFile>>> SpillPartitions::Finish() {
  return impl_->Finish();
}

}  // namespace keepone
