// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/util/type_fwd.h>

#include "io/sink.h"
#include "io/sink_options.h"

namespace keepone {

// A stream that compresses what goes to `output`, by options "compression" (gzip, zstd, lz4 with
// frames, brotli) and "compression_level"; nullptr without a compression. `output` stays open when
// the stream is closed.
arrow::Result<std::shared_ptr<arrow::io::OutputStream>> CompressText(
    QueryContext* context, SinkOptionReader* reader,
    std::shared_ptr<arrow::io::OutputStream> output);

// ".gz" for gzip; empty for none.
std::string CompressionExtension(arrow::Compression::type codec);

// Hands batches on to `sink`, which writes to `stream`, a result of CompressText, and ends that
// behind the last one.
std::unique_ptr<Sink> MakeCompressedSink(std::unique_ptr<Sink> sink,
                                         std::shared_ptr<arrow::io::OutputStream> stream);

}  // namespace keepone
