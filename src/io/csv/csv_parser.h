// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "io/csv/csv_dialect.h"
#include "io/text/text_format.h"

namespace keepone {

// How the records of one file are laid out.
struct CsvLayout {
  CsvDialect dialect;
  std::shared_ptr<arrow::Schema> schema;
  std::vector<int> places;  // of each field of the schema in a record; -1: NULL in all rows
  size_t column_count = 0;  // fields of a record
};

// `layout` must outlive the parser. See TextFormat::MakeParser.
arrow::Result<std::unique_ptr<RecordParser>> MakeCsvParser(const CsvLayout* layout,
                                                           const std::vector<int>& fields,
                                                           arrow::MemoryPool* pool);

}  // namespace keepone
