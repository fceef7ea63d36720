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
  const size_t slash = path.rfind('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  const size_t dot = file.rfind('.');
  if (dot != std::string::npos) {
    if (const FormatName* format = FindFormat(LowerCase(file.substr(dot + 1)))) {
      return format->format;
    }
  }
  return WithHint(BindError({}, "cannot tell the format of \"", path, "\" from its name"),
                  "name the format, or use an extension: " + FormatNames());
}

arrow::Result<std::unique_ptr<Sink>> MakeSink(QueryContext* context, FileFormat format,
                                              const std::shared_ptr<arrow::Schema>& schema,
                                              const SinkOptions& options,
                                              std::shared_ptr<arrow::io::OutputStream> output) {
  SinkOptionReader reader(options);
  const std::shared_ptr<arrow::Schema> written =
      MayRepeatNames(format) ? schema : WithDistinctNames(schema);
  std::unique_ptr<Sink> sink;
  switch (format) {
    case FileFormat::kParquet: {
      ARROW_ASSIGN_OR_RAISE(sink, MakeParquetSink(context, written, &reader, std::move(output)));
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
      ARROW_ASSIGN_OR_RAISE(sink, MakeArrowSink(context, written, format == FileFormat::kArrowFile,
                                                &reader, std::move(output)));
      break;
    }
  }
  const FormatName* name = std::find_if(kFormats.begin(), kFormats.end(),
                                        [&](const FormatName& f) { return f.format == format; });
  ARROW_RETURN_NOT_OK(reader.Finish(std::string(name->name)));
  return written == schema ? std::move(sink) : MakeRenamingSink(std::move(sink), written);
}

}  // namespace keepone
