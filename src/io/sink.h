// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/io/type_fwd.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "keepone/error.h"

namespace keepone {

enum class FileFormat { kParquet, kCsv, kTsv, kJson, kNdjson, kArrowFile, kArrowStream, kMarkdown };

// Takes the batches of a result in order and writes them in one format. Used by one thread.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch) = 0;
  // Writes the rows that are held back, so that a sink that waits takes little memory: a Parquet
  // file ends its row group.
  virtual arrow::Status Flush() { return arrow::Status::OK(); }
  // Writes what is left. Nothing may follow. A file appears under its name only here.
  virtual arrow::Status Finish() = 0;
};

// What stands behind an option's name: NAME, NAME value or NAME (a, b).
struct SinkOption {
  std::string value = {};
  std::vector<std::string> list = {};  // not empty: in place of `value`
  SourceSpan span = {};                // where errors about the option point; empty: nowhere
};

// Option names are lower case, as in COPY .. (NAME value): "compression", "compression_level",
// "row_group_bytes", "row_group_size" (rows), "page_bytes", "header", "delimiter", "null", ...
using SinkOptions = std::map<std::string, SinkOption>;

// On how many threads a sink may encode: what the query has, or only the one that writes to it, for
// who has several sinks at work.
enum class SinkThreads { kOfQuery, kOne };

// Writes to `output`, which it does not close. An unknown option or a bad value is a bind error
// that points at the option. Formats of text are compressed as a whole by option "compression".
// Batches have `schema`. Where it has a name twice, Parquet, JSON, NDJSON and Arrow get "id_1" for
// the second "id" and so on, since their readers find columns by name; CSV, TSV and Markdown write
// the names as they are.
arrow::Result<std::unique_ptr<Sink>> MakeSink(QueryContext* context, FileFormat format,
                                              const std::shared_ptr<arrow::Schema>& schema,
                                              const SinkOptions& options,
                                              std::shared_ptr<arrow::io::OutputStream> output,
                                              SinkThreads threads = SinkThreads::kOfQuery);

// Writes to a temporary file beside `path` that Finish() renames to `path` and that vanishes when
// the sink is destroyed before. An existing file stays as it was until then. Text is compressed as
// the path's extension says (.csv.gz), unless option "compression" says how. With option
// "partition_by" it writes a directory instead, see partitioned_sink.h.
arrow::Result<std::unique_ptr<Sink>> MakeFileSink(QueryContext* context, FileFormat format,
                                                  const std::shared_ptr<arrow::Schema>& schema,
                                                  const SinkOptions& options,
                                                  const std::string& path);

// By name ("parquet", "csv", ...), without regard to case; a bind error lists the names.
arrow::Result<FileFormat> FileFormatFromName(const std::string& name);
// By the extension of a path; a bind error when it has none that is known. Formats of text may have
// that of a compression behind theirs.
arrow::Result<FileFormat> FileFormatFromPath(const std::string& path);
// What text in a file of that name is compressed with, as option "compression" names it: "gzip",
// "zstd", "lz4", "brotli", or empty for none.
std::string CompressionFromPath(const std::string& path);
bool IsTextFormat(FileFormat format);
// "parquet", "csv", ...: also the extension that files of the format have.
std::string FileFormatName(FileFormat format);

}  // namespace keepone
