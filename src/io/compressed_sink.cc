// SPDX-License-Identifier: Apache-2.0
#include "io/compressed_sink.h"

#include <utility>

#include <arrow/io/compressed.h>
#include <arrow/io/interfaces.h>
#include <arrow/util/compression.h>

#include "base/error.h"

namespace keepone {

namespace {

// Closing a compressed stream closes what it writes to, which is the caller's.
class UnclosedStream final : public arrow::io::OutputStream {
 public:
  explicit UnclosedStream(std::shared_ptr<arrow::io::OutputStream> output)
      : output_(std::move(output)) {}

  arrow::Status Write(const void* data, int64_t bytes) override {
    return output_->Write(data, bytes);
  }
  arrow::Status Flush() override { return output_->Flush(); }
  arrow::Result<int64_t> Tell() const override { return output_->Tell(); }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

 private:
  std::shared_ptr<arrow::io::OutputStream> output_;
  bool closed_ = false;
};

class CompressedSink final : public Sink {
 public:
  CompressedSink(std::unique_ptr<Sink> sink, std::shared_ptr<arrow::io::OutputStream> stream)
      : sink_(std::move(sink)), stream_(std::move(stream)) {}

  ~CompressedSink() override {
    sink_.reset();
    // Without this the stream would write its end, and complain where it cannot.
    static_cast<void>(stream_->Abort());
  }

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return sink_->Write(batch);
  }

  arrow::Status Flush() override { return sink_->Flush(); }

  arrow::Status Finish() override {
    ARROW_RETURN_NOT_OK(sink_->Finish());
    return stream_->Close();
  }

 private:
  std::unique_ptr<Sink> sink_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::io::OutputStream>> CompressText(
    QueryContext* context, SinkOptionReader* reader,
    std::shared_ptr<arrow::io::OutputStream> output) {
  using arrow::Compression;
  ARROW_ASSIGN_OR_RAISE(Compression::type type,
                        reader->Codec("compression", Compression::UNCOMPRESSED));
  // Of the LZ4 forms only that with frames is a file's.
  type = type == Compression::LZ4 ? Compression::LZ4_FRAME : type;
  ARROW_ASSIGN_OR_RAISE(const int level, reader->CodecLevel("compression_level", type));
  if (type == Compression::UNCOMPRESSED) {
    return nullptr;
  }
  if (type == Compression::SNAPPY) {
    return reader->Error("compression", "text is compressed with gzip, zstd, lz4 or brotli only");
  }
  ARROW_ASSIGN_OR_RAISE(const auto codec, arrow::util::Codec::Create(type, level));
  return arrow::io::CompressedOutputStream::Make(
      codec.get(), std::make_shared<UnclosedStream>(std::move(output)), context->pool());
}

std::string CompressionExtension(arrow::Compression::type codec) {
  switch (codec) {
    case arrow::Compression::GZIP:
      return ".gz";
    case arrow::Compression::ZSTD:
      return ".zst";
    case arrow::Compression::LZ4:
    case arrow::Compression::LZ4_FRAME:
      return ".lz4";
    case arrow::Compression::BROTLI:
      return ".br";
    default:
      return "";
  }
}

std::unique_ptr<Sink> MakeCompressedSink(std::unique_ptr<Sink> sink,
                                         std::shared_ptr<arrow::io::OutputStream> stream) {
  return std::make_unique<CompressedSink>(std::move(sink), std::move(stream));
}

}  // namespace keepone
