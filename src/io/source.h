// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"

namespace keepone {

// A condition `column OP value` that every wanted row meets. Rows that fail it may still come: a
// source uses bounds only to leave out row groups and pages that cannot hold a wanted row.
// A NULL never meets a bound, except kIsNull. Floats: NaN is above every number.
struct ColumnBound {
  enum class Op { kEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIsNull, kIsNotNull };
  int column = 0;  // top-level field of the source's schema
  Op op = Op::kEqual;
  std::shared_ptr<arrow::Scalar> value;  // of the column's type, not NULL; unset for the last two
};

struct ScanRequest {
  std::vector<int> columns;  // top-level fields of schema(), in the order wanted; may be empty
  // Empty, or for each of `columns` the type that it is to come in: that of schema(), or the same
  // with fewer fields in its structs, at any depth, in their order. Only those are read.
  arrow::DataTypeVector types;
  // Appends a non-NULL INT64 column "row_address" behind the others.
  bool with_addresses = false;
  std::vector<ColumnBound> bounds;
};

struct FetchRequest {
  std::vector<int> columns;     // as above
  arrow::DataTypeVector types;  // as above
  // Ascending, without duplicates; of rows that exist. REQUIRES: no NULLs.
  std::shared_ptr<arrow::Int64Array> addresses;
  // The last address of the request that this one goes on with, or -1: so that row groups are
  // counted once.
  int64_t goes_on_behind = -1;
};

// What reading did; a source adds to the counters of the scan or fetch that they were given to.
struct SourceCounters {
  std::atomic<int64_t> bytes_read{0};  // from the file
  std::atomic<int64_t> bytes_decompressed{0};
  std::atomic<int64_t> row_groups_read{0};
  std::atomic<int64_t> row_groups_skipped{0};
  std::atomic<int64_t> pages_read{0};
  std::atomic<int64_t> pages_skipped{0};
  std::atomic<int64_t> rows_read{0};         // given out
  std::atomic<int64_t> records_left_out{0};  // that could not be read, and may be missing
};

struct SourceStatistics {
  std::optional<int64_t> row_count;
  // Bytes of each top-level field over all rows, uncompressed, as far as the metadata tells;
  // empty when it does not.
  std::vector<int64_t> column_bytes;
};

// Something that rows are read from: files of one format, or a table in memory.
// A row's address names it in the whole source, from 0 and below 2^62; addresses sort in input
// order, files in their order and rows in file order. In Parquet, Arrow and memory it is the number
// of the row, in text the file and the offset of the record. Immutable and safe for concurrent use.
// Outlives its streams.
class Source {
 public:
  virtual ~Source() = default;

  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  // "events.parquet", "3 files: logs/*.parquet", "memory table t": for plans and messages.
  virtual std::string description() const = 0;
  virtual SourceStatistics statistics() const = 0;
  // Whether Fetch works: the rows can be read again, by address.
  virtual bool can_fetch() const = 0;
  // The files that are read, as given or found by a pattern; empty for a table in memory.
  virtual std::vector<std::string> paths() const { return {}; }

  // Gives the rows in address order. Morsels are row groups, or parts of large ones.
  virtual arrow::Result<std::unique_ptr<BatchStream>> Scan(
      QueryContext* context, ScanRequest request,
      std::shared_ptr<SourceCounters> counters) const = 0;

  // Gives exactly the rows of `request.addresses`, in their order; morsels in that order too.
  // A file that is not the one that was opened (size, modification time, inode) is a data error.
  virtual arrow::Result<std::unique_ptr<BatchStream>> Fetch(
      QueryContext* context, FetchRequest request,
      std::shared_ptr<SourceCounters> counters) const = 0;
};

// The name of the column that ScanRequest::with_addresses appends.
inline constexpr char kRowAddressName[] = "row_address";

}  // namespace keepone
