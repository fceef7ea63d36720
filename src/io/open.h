// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "io/source.h"

namespace keepone {

// Opens files as one source. A path may be a pattern with *, ?, [..] and ** or a directory (all its
// *.parquet files below); found files are read in the byte order of their names, given ones in the
// order given. Schemas are united by name: a column that a file lacks is NULL there; types that
// differ beyond a lossless widening are a data error that names both files and both types. Footers
// are read here, and nothing else. Errors name the file and are of kind data.
arrow::Result<std::shared_ptr<const Source>> OpenParquet(const std::vector<std::string>& paths,
                                                         arrow::MemoryPool* pool);

// Opens by what the extensions say; a file of an unknown extension is opened by its first bytes.
arrow::Result<std::shared_ptr<const Source>> OpenFiles(const std::vector<std::string>& paths,
                                                       arrow::MemoryPool* pool);

// A table in memory. Batches keep their buffers; nothing is copied.
std::shared_ptr<const Source> MakeMemorySource(
    std::string name, std::shared_ptr<arrow::Schema> schema,
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches);

}  // namespace keepone
