// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "io/csv/csv_dialect.h"
#include "io/text/text_format.h"

namespace keepone {

// Records of a file whose field `places[i]` is column i of `schema`, NULL in all rows for -1.
// Records have `column_count` fields.
std::shared_ptr<const TextFormat> MakeCsvFormat(CsvDialect dialect,
                                                std::shared_ptr<arrow::Schema> schema,
                                                std::vector<int> places, size_t column_count);

}  // namespace keepone
