// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <arrow/type_fwd.h>

#include "column/batch_stream.h"
#include "io/parquet/page_index.h"
#include "io/parquet/page_scratch.h"
#include "io/parquet/parquet_file.h"
#include "io/parquet/row_range.h"
#include "io/source.h"

namespace keepone {

// What the morsels of one stream share. Safe for concurrent use.
class MorselSharing {
 public:
  MorselSharing(QueryContext* context, std::shared_ptr<SourceCounters> counters)
      : context_(context), counters_(std::move(counters)) {}

  QueryContext* context() const { return context_; }
  const std::shared_ptr<SourceCounters>& counters() const { return counters_; }

  // Bytes read since the last call, by whichever morsel.
  int64_t TakeBytesRead();

  // Scratch memory goes from one morsel to the next: there is one piece per worker.
  std::unique_ptr<PageScratch> TakeScratch();
  void GiveScratch(std::unique_ptr<PageScratch> scratch);

  // Bytes of a row of output, learned from the batches so far; 0 while nothing is known.
  int64_t row_bytes() const { return row_bytes_.load(std::memory_order_relaxed); }
  void LearnRowBytes(int64_t bytes);

 private:
  QueryContext* context_;
  std::shared_ptr<SourceCounters> counters_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PageScratch>> scratch_;
  std::atomic<int64_t> row_bytes_{0};
  std::atomic<int64_t> bytes_read_taken_{0};
};

// The rows of one morsel: a row group or a part of it.
struct MorselRequest {
  std::shared_ptr<const ParquetFile> file;
  int row_group = 0;
  std::shared_ptr<const RowGroupIndex> index;
  RowRange accounted;        // the rows of the row group that this morsel stands for
  int64_t address_base = 0;  // of the row group's first row

  // Either the rows themselves, or wanted[wanted_begin .. wanted_end) as addresses.
  RowRanges rows;
  std::shared_ptr<arrow::Int64Array> wanted;
  int64_t wanted_begin = 0;
  int64_t wanted_end = 0;

  std::shared_ptr<arrow::Schema> schema;  // of the batches
  std::vector<int> fields;      // of the file, for each column of the schema; -1: all NULL
  bool with_addresses = false;  // as the last column of the schema, without a field
};

std::unique_ptr<Morsel> MakeParquetMorsel(std::shared_ptr<MorselSharing> sharing,
                                          MorselRequest request);

}  // namespace keepone
