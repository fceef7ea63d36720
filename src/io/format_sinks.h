// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>

#include "io/sink.h"
#include "io/sink_options.h"

namespace keepone {

// The makers behind MakeSink, one per format. Each takes the options that it knows from `reader`;
// the caller complains about those that are left.

// Row groups end at about "row_group_bytes" of uncompressed values, so that memory does not grow
// with the result. Columns are encoded on up to `threads` threads. Column chunks have page indexes;
// nothing is written that a reader must guess.
arrow::Result<std::unique_ptr<Sink>> MakeParquetSink(
    QueryContext* context, int threads, const std::shared_ptr<arrow::Schema>& schema,
    SinkOptionReader* reader, std::shared_ptr<arrow::io::OutputStream> output);

// RFC 4180 with \n between lines: NULL is nothing, an empty text "", nested values are JSON.
arrow::Result<std::unique_ptr<Sink>> MakeCsvSink(const std::shared_ptr<arrow::Schema>& schema,
                                                 char delimiter, SinkOptionReader* reader,
                                                 std::shared_ptr<arrow::io::OutputStream> output);

// One object a line, or an array of them.
arrow::Result<std::unique_ptr<Sink>> MakeJsonSink(const std::shared_ptr<arrow::Schema>& schema,
                                                  bool lines,
                                                  std::shared_ptr<arrow::io::OutputStream> output);

// A table as GitHub shows it: NULL is nothing, | is escaped, line breaks are <br>.
arrow::Result<std::unique_ptr<Sink>> MakeMarkdownSink(
    const std::shared_ptr<arrow::Schema>& schema, std::shared_ptr<arrow::io::OutputStream> output);

// Arrow IPC, as a stream or as a file (Feather V2), with LZ4 or ZSTD buffers when asked for.
arrow::Result<std::unique_ptr<Sink>> MakeArrowSink(QueryContext* context, int threads,
                                                   const std::shared_ptr<arrow::Schema>& schema,
                                                   bool file, SinkOptionReader* reader,
                                                   std::shared_ptr<arrow::io::OutputStream> output);

}  // namespace keepone
