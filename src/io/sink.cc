// SPDX-License-Identifier: Apache-2.0
#include "io/sink.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include <arrow/io/interfaces.h>

#include "base/error.h"
#include "base/letter_case.h"
#include "io/compressed_sink.h"
#include "io/distinct_names.h"
#include "io/format_sinks.h"
#include "io/sink_options.h"

namespace keepone {

namespace {

struct FormatName {
  FileFormat format;
  std::string_view name;        // also the extension
  std::string_view other = {};  // a second extension
};

constexpr std::array<FormatName, 8> kFormats = {{
    {FileFormat::kParquet, "parquet", "pq"},
    {FileFormat::kCsv, "csv"},
    {FileFormat::kTsv, "tsv", "tab"},
    {FileFormat::kJson, "json"},
    {FileFormat::kNdjson, "ndjson", "jsonl"},
    {FileFormat::kArrowFile, "arrow", "feather"},
    {FileFormat::kArrowStream, "arrows", "ipc"},
    {FileFormat::kMarkdown, "markdown", "md"},
}};

const FormatName* FindFormat(const std::string& name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(), [&](const FormatName& f) {
    return f.name == name || (!f.other.empty() && f.other == name);
  });
  return found == kFormats.end() ? nullptr : &*found;
}

std::string FormatNames() {
  std::string names;
  for (const FormatName& format : kFormats) {
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  return names;
}

struct CompressionName {
  std::string_view name;
  std::string_view extension;
};

constexpr std::array<CompressionName, 5> kCompressions = {{
    {"gzip", "gz"},
    {"zstd", "zst"},
    {"zstd", "zstd"},
    {"lz4", "lz4"},
    {"brotli", "br"},
}};

// The file's name without directories, in lower case.
std::string FileName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return LowerCase(slash == std::string::npos ? path : path.substr(slash + 1));
}

const CompressionName* FindCompression(const std::string& file) {
  const auto found = std::find_if(
      kCompressions.begin(), kCompressions.end(),
      [&](const CompressionName& c) { return file.ends_with("." + std::string(c.extension)); });
  return found == kCompressions.end() ? nullptr : &*found;
}

bool MayRepeatNames(FileFormat format) {
  return format == FileFormat::kCsv || format == FileFormat::kTsv ||
         format == FileFormat::kMarkdown;
}

}  // namespace

arrow::Result<FileFormat> FileFormatFromName(const std::string& name) {
  if (const FormatName* format = FindFormat(LowerCase(name))) {
    return format->format;
  }
  return WithHint(BindError({}, "unknown format \"", name, "\""),
                  "the formats are " + FormatNames());
}

arrow::Result<FileFormat> FileFormatFromPath(const std::string& path) {
  std::string file = FileName(path);
  const CompressionName* compression = FindCompression(file);
  if (compression != nullptr) {
    file.resize(file.size() - compression->extension.size() - 1);
  }
  const size_t dot = file.rfind('.');
  if (dot != std::string::npos) {
    const FormatName* format = FindFormat(file.substr(dot + 1));
    // Files of the other formats are compressed inside.
    if (format != nullptr && (compression == nullptr || IsTextFormat(format->format))) {
      return format->format;
    }
  }
  return WithHint(BindError({}, "cannot tell the format of \"", path, "\" from its name"),
                  "name the format, or use an extension: " + FormatNames());
}

std::string CompressionFromPath(const std::string& path) {
  const CompressionName* compression = FindCompression(FileName(path));
  return compression == nullptr ? "" : std::string(compression->name);
}

bool IsTextFormat(FileFormat format) {
  switch (format) {
    case FileFormat::kCsv:
    case FileFormat::kTsv:
    case FileFormat::kJson:
    case FileFormat::kNdjson:
    case FileFormat::kMarkdown:
      return true;
    case FileFormat::kParquet:
    case FileFormat::kArrowFile:
    case FileFormat::kArrowStream:
      break;
  }
  return false;
}

std::string FileFormatName(FileFormat format) {
  const auto* const name = std::find_if(kFormats.begin(), kFormats.end(),
                                        [&](const FormatName& f) { return f.format == format; });
  return std::string(name->name);
}

arrow::Result<std::unique_ptr<Sink>> MakeSink(QueryContext* context, FileFormat format,
                                              const std::shared_ptr<arrow::Schema>& schema,
                                              const SinkOptions& options,
                                              std::shared_ptr<arrow::io::OutputStream> output,
                                              SinkThreads threads) {
  const int thread_count = threads == SinkThreads::kOne ? 1 : context->threads();
  ARROW_ASSIGN_OR_RAISE(SinkOptionReader reader, SinkOptionReader::Make(options));
  std::shared_ptr<arrow::io::OutputStream> compressed;
  if (IsTextFormat(format)) {
    ARROW_ASSIGN_OR_RAISE(compressed, CompressText(context, &reader, output));
    output = compressed != nullptr ? compressed : output;
  }
  const std::shared_ptr<arrow::Schema> written =
      MayRepeatNames(format) ? schema : WithDistinctNames(schema);
  std::unique_ptr<Sink> sink;
  switch (format) {
    case FileFormat::kParquet: {
      ARROW_ASSIGN_OR_RAISE(
          sink, MakeParquetSink(context, thread_count, written, &reader, std::move(output)));
      break;
    }
    case FileFormat::kCsv:
    case FileFormat::kTsv: {
      const char delimiter = format == FileFormat::kCsv ? ',' : '\t';
      ARROW_ASSIGN_OR_RAISE(sink, MakeCsvSink(written, delimiter, &reader, std::move(output)));
      break;
    }
    case FileFormat::kJson:
    case FileFormat::kNdjson: {
      ARROW_ASSIGN_OR_RAISE(
          sink, MakeJsonSink(written, format == FileFormat::kNdjson, std::move(output)));
      break;
    }
    case FileFormat::kMarkdown: {
      ARROW_ASSIGN_OR_RAISE(sink, MakeMarkdownSink(written, std::move(output)));
      break;
    }
    case FileFormat::kArrowFile:
    case FileFormat::kArrowStream: {
      ARROW_ASSIGN_OR_RAISE(
          sink, MakeArrowSink(context, thread_count, written, format == FileFormat::kArrowFile,
                              &reader, std::move(output)));
      break;
    }
  }
  if (compressed != nullptr) {
    sink = MakeCompressedSink(std::move(sink), std::move(compressed));
  }
  ARROW_RETURN_NOT_OK(reader.Finish(FileFormatName(format)));
  return written == schema ? std::move(sink) : MakeRenamingSink(std::move(sink), written);
}

}  // namespace keepone
