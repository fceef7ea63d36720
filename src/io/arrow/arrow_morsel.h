// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "column/batch_stream.h"
#include "io/source.h"

namespace keepone {

// What the morsels of a stream give for each record batch.
struct ArrowColumns {
  std::shared_ptr<arrow::Schema> schema;  // of what is given out
  std::vector<int> fields;                // to be read, ascending
  // For each column of the schema its place in `fields`; -1: all NULL. Without the addresses.
  std::vector<int> places;
  bool with_addresses = false;
};

// The columns `wanted` of a source whose schema is `schema`; `fields_of` tells for each column of
// the source its field in the file, or -1.
ArrowColumns MakeArrowColumns(const arrow::Schema& schema, const std::vector<int>& wanted,
                              const std::vector<int>& fields_of, bool with_addresses);

// A record batch that is to be read, and what is wanted of it.
struct ArrowMorselRequest {
  // Reads the columns `columns->fields`; not called where these are none.
  std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>()> read;
  // Whether what was read is what was opened; asked after an error, and at the end.
  std::function<arrow::Status()> check;
  std::string path;
  int64_t batch_number = 0;  // in the file
  int64_t rows = 0;
  int64_t address_base = 0;  // of its first row
  std::shared_ptr<const ArrowColumns> columns;

  // Only these rows, wanted[wanted_begin .. wanted_end) as addresses; nullptr: all.
  std::shared_ptr<arrow::Int64Array> wanted;
  int64_t wanted_begin = 0;
  int64_t wanted_end = 0;
};

// Gives the rows in batches of bounded size, in the plain form of their types. All rows of a batch
// come as slices; single ones as copies, so that they do not keep all others.
std::unique_ptr<Morsel> MakeArrowMorsel(QueryContext* context, ArrowMorselRequest request,
                                        std::shared_ptr<SourceCounters> counters);

}  // namespace keepone
