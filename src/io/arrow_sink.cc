// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include <arrow/api.h>
#include <arrow/io/interfaces.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/compression.h>

#include "base/error.h"
#include "io/format_sinks.h"

namespace keepone {

namespace {

class ArrowSink final : public Sink {
 public:
  explicit ArrowSink(std::shared_ptr<arrow::ipc::RecordBatchWriter> writer)
      : writer_(std::move(writer)) {}

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) override {
    return writer_->WriteRecordBatch(*batch);
  }
  arrow::Status Finish() override { return writer_->Close(); }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer_;
};

}  // namespace

arrow::Result<std::unique_ptr<Sink>> MakeArrowSink(
    QueryContext* context, int threads, const std::shared_ptr<arrow::Schema>& schema, bool file,
    SinkOptionReader* reader, std::shared_ptr<arrow::io::OutputStream> output) {
  ARROW_ASSIGN_OR_RAISE(const auto codec,
                        reader->Codec("compression", arrow::Compression::UNCOMPRESSED));
  // Of the LZ4 forms the format has the framed one.
  const auto framed = codec == arrow::Compression::LZ4 ? arrow::Compression::LZ4_FRAME : codec;
  ARROW_ASSIGN_OR_RAISE(const int level, reader->CodecLevel("compression_level", framed));
  arrow::ipc::IpcWriteOptions options = arrow::ipc::IpcWriteOptions::Defaults();
  options.memory_pool = context->pool();
  options.use_threads = threads > 1;
  if (codec != arrow::Compression::UNCOMPRESSED) {
    if (framed != arrow::Compression::LZ4_FRAME && framed != arrow::Compression::ZSTD) {
      return reader->Error("compression", "Arrow files are compressed with lz4 or zstd only");
    }
    ARROW_ASSIGN_OR_RAISE(options.codec, arrow::util::Codec::Create(framed, level));
  }
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer;
  if (file) {
    options.unify_dictionaries = true;
    ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeFileWriter(std::move(output), schema, options));
  } else {
    ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeStreamWriter(std::move(output), schema, options));
  }
  return std::make_unique<ArrowSink>(std::move(writer));
}

}  // namespace keepone
