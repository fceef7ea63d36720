// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"

namespace keepone {

enum class FileFormat { kParquet, kCsv, kTsv, kJson, kNdjson, kArrowFile, kArrowStream, kMarkdown };

// Takes the batches of a result in order and writes them in one format. Used by one thread.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) = 0;
  // Writes what is left. Nothing may follow. A file appears under its name only here.
  virtual arrow::Status Finish() = 0;
};

// Option names are lower case, as in COPY .. (NAME value): "compression", "compression_level",
// "row_group_bytes", "row_group_size" (rows), "page_bytes", "header", "delimiter", "null", ...
using SinkOptions = std::map<std::string, std::string>;

// Writes to `output`, which it does not close. An unknown option or a bad value is a bind error.
// Batches have `schema`. Where it has a name twice, Parquet, JSON, NDJSON and Arrow get "id_1" for
// the second "id" and so on, since their readers find columns by name; CSV, TSV and Markdown write
// the names as they are.
arrow::Result<std::unique_ptr<Sink>> MakeSink(QueryContext* context, FileFormat format,
                                              const std::shared_ptr<arrow::Schema>& schema,
                                              const SinkOptions& options,
                                              std::shared_ptr<arrow::io::OutputStream> output);

// Writes to a temporary file beside `path` that Finish() renames to `path` and that vanishes when
// the sink is destroyed before. An existing file stays as it was until then.
arrow::Result<std::unique_ptr<Sink>> MakeFileSink(QueryContext* context, FileFormat format,
                                                  const std::shared_ptr<arrow::Schema>& schema,
                                                  const SinkOptions& options,
                                                  const std::string& path);

// By name ("parquet", "csv", ...), without regard to case; a bind error lists the names.
arrow::Result<FileFormat> FileFormatFromName(const std::string& name);
// By the extension of a path; a bind error when it has none that is known.
arrow::Result<FileFormat> FileFormatFromPath(const std::string& path);

}  // namespace keepone
