// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "io/reader_options.h"
#include "io/source.h"

namespace keepone {

// Opens files as one source. A path may be a pattern with *, ?, [..] and ** or a directory (all its
// *.parquet files below); found files are read in the byte order of their names, given ones in the
// order given. Schemas are united by name: a column that a file lacks is NULL there; types that
// differ beyond a lossless widening are a data error that names both files and both types. Footers
// are read here, and nothing else. Errors name the file and are of kind data.
arrow::Result<std::shared_ptr<const Source>> OpenParquet(const std::vector<std::string>& paths,
                                                         arrow::MemoryPool* pool);

// Opens files of Arrow's IPC file or stream format (Feather V2 is the file format), told apart by
// their first bytes. Paths and schemas are as for Parquet, a directory stands for its *.arrow,
// *.arrows, *.feather and *.ipc files below it. Types are plain: dictionaries, views and run-end
// encodings come as the values that they stand for. The metadata of messages are read here.
// "-" is standard input. A pipe cannot be fetched from and is read once, alone.
arrow::Result<std::shared_ptr<const Source>> OpenArrow(const std::vector<std::string>& paths,
                                                       arrow::MemoryPool* pool);

// Opens files of CSV, plain or compressed by gzip or zstd. The delimiter, whether there is a header
// and the types are found from the beginning of each file, unless options fix them: delim (sep,
// delimiter), quote, escape, header, nullstr, columns, all_varchar, sample_rows (sample_size; -1:
// all rows). Columns of several files are united by name. "-" is standard input.
arrow::Result<std::shared_ptr<const Source>> OpenCsv(const std::vector<std::string>& paths,
                                                     ReaderOptions options);

// Opens by what the first bytes of the files say, Parquet or Arrow, or CSV by the extension (.csv,
// .tsv, also with .gz or .zst behind it); all are of one format. A directory stands for its Parquet
// files or, where it has none, for its Arrow files, and then for its CSV files.
arrow::Result<std::shared_ptr<const Source>> OpenFiles(const std::vector<std::string>& paths,
                                                       arrow::MemoryPool* pool);

// What files of the Arrow formats are called, with the point.
inline const std::vector<std::string> kArrowExtensions = {".arrow", ".arrows", ".feather", ".ipc"};
// And files of CSV.
inline const std::vector<std::string> kCsvExtensions = {".csv",    ".tsv",     ".csv.gz",
                                                        ".tsv.gz", ".csv.zst", ".tsv.zst"};

// A table in memory. Batches keep their buffers; nothing is copied.
std::shared_ptr<const Source> MakeMemorySource(
    std::string name, std::shared_ptr<arrow::Schema> schema,
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches);

}  // namespace keepone
