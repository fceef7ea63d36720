// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/key_encoder.h"

namespace keepone {

// What a table takes for a row beside the row itself, about, where its key is short.
constexpr int64_t kJoinTableRowBytes = 40;

// The rows of a JoinTable that match one key, in their order: see JoinTable::Row.
struct RowRun {
  uint32_t first = 0;
  uint32_t count = 0;
};

// Finds the rows of a key. Rows are numbered from 0 through all batches that the table is built
// of.
//
//   key -> { first, count }     one row: `first` is its number
//                               several: rows [first, first + count) of one array, by row number
//
// Equality is that of GroupTable, but a NULL in a column that `null_equals_null` does not allow
// matches nothing. No key columns make all rows match.
// Memory: about 30 bytes a key of at most 8 bytes, otherwise 30 to 40 and the key, and 4 bytes for
// each row of a key that has several; all of it from the query's pool.
class JoinTable {
 public:
  // More rows than a table takes.
  static constexpr int64_t kRowsMax = UINT32_MAX;

  // Looks up keys; for one thread at a time, any number of them at once.
  class Probe {
   public:
    virtual ~Probe() = default;
    // Gives each of `rows` rows of the columns its matches. REQUIRES: columns of the key's types.
    virtual arrow::Status Find(const arrow::ArrayVector& columns, int64_t rows,
                               std::span<RowRun> matches) = 0;
  };

  // Builds the table of the key columns of all batches on up to `threads` workers. With
  // `existence_only` a run says whether there is a match, and nothing of its rows.
  // REQUIRES: fewer than kRowsMax rows. `context` must outlive the table, and the table its probes.
  static arrow::Result<std::unique_ptr<JoinTable>> Build(
      QueryContext* context, const std::vector<KeyField>& fields,
      const std::vector<bool>& null_equals_null, const std::vector<arrow::ArrayVector>& key_columns,
      const std::vector<int64_t>& batch_rows, bool existence_only, int threads);
  virtual ~JoinTable() = default;

  virtual arrow::Result<std::unique_ptr<Probe>> MakeProbe() const = 0;
  // The number of the run's row `index`, less than run.count.
  uint32_t Row(RowRun run, uint32_t index) const {
    return run.count == 1 || rows_ == nullptr ? run.first + index : rows_[run.first + index];
  }
  virtual int64_t bytes_used() const = 0;

 protected:
  const uint32_t* rows_ = nullptr;  // of keys that have several
};

}  // namespace keepone
