// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "column/winner_blocks.h"
#include "column/winner_spec.h"
#include "column/winner_table.h"

namespace keepone {

// The state of winner tables as record batches, to be put aside, sent and merged. Written as an
// Arrow IPC stream. One row for each row that a table holds, in any order:
//
//   group     the encoded group key; no such column without group keys
//   order     the encoded order key; no such column without order keys
//   address   int64, at least 0, never NULL: the row's address, unique over all that is merged
//
// `group` and `order` have one of these types, by the types of the keys alone:
//   uint64                   one key of at most 8 bytes, as EncodeUInt64 maps it, or NULL
//   fixed_size_binary(w)     keys whose encoding (KeyEncoder) has one width of at most 32; no NULLs
//   large_binary             all others, encoded likewise; no NULLs
// Encoded keys are in order by their bytes, so integers in them are big endian; the integers of the
// columns themselves have the byte order that the IPC schema says.
//
// The schema's metadata tell the layout's version and what the rows were picked for:
//   keepone.winner_state.version   "1"
//   keepone.winner_state.spec      DescribeWinnerSpec
// States are merged only with tables of an equal version and spec: types, directions and places of
// NULLs of all keys, the rule, n, how ties are broken and the number of groups.
//
// Columns behind these are not read here. So the payload of rows, where it is to travel with them,
// goes into further columns, row by row, under a greater version only if it changes the above.
inline constexpr char kWinnerStateVersionKey[] = "keepone.winner_state.version";
inline constexpr char kWinnerStateSpecKey[] = "keepone.winner_state.spec";
inline constexpr char kWinnerStateVersion[] = "1";

// "group [int64 asc nulls last], order [double desc nulls first], row_number, n 1, first of ties,
// all groups".
std::string DescribeWinnerSpec(const WinnerSpec& spec);

// The schema of a state; an error as WinnerTable::Make gives it.
arrow::Result<std::shared_ptr<arrow::Schema>> MakeWinnerStateSchema(const WinnerSpec& spec);

// Gives all rows of a table of this spec as batches of at most `rows_max` rows, or fewer when their
// keys take more than `bytes_max`. The table stays as it is.
arrow::Status VisitWinnerState(
    const WinnerSpec& spec, WinnerTable* table, int64_t rows_max, int64_t bytes_max,
    arrow::MemoryPool* pool,
    const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>&)>& visit);

// Writes the state of a table of this spec as an IPC stream.
arrow::Status WriteWinnerState(const WinnerSpec& spec, WinnerTable* table,
                               arrow::io::OutputStream* stream, arrow::MemoryPool* pool);

// Reads the rows of states into tables of one spec. Used by one thread at a time.
class WinnerStateReader {
 public:
  static arrow::Result<std::unique_ptr<WinnerStateReader>> Make(const WinnerSpec& spec,
                                                                arrow::MemoryPool* pool);

  // Whether batches of this schema are states of the spec; if not, a data error says why.
  arrow::Status Check(const arrow::Schema& schema) const;

  // Takes the rows of one partition, by hash of the group key, of a batch into a table.
  // REQUIRES: the batch's schema passes Check. A data error where its values cannot be a state.
  arrow::Status Consume(const arrow::RecordBatch& batch, uint32_t partition,
                        uint32_t partition_count, WinnerTable* table);
  // Takes all rows of an IPC stream that WriteWinnerState wrote into a table. A data error where
  // the stream is cut off, damaged or of another version or spec; the table may then hold a part.
  arrow::Status ConsumeStream(arrow::io::InputStream* stream, WinnerTable* table);

 private:
  WinnerStateReader(WinnerSpec spec, std::shared_ptr<arrow::Schema> schema,
                    std::unique_ptr<WinnerBlocks> block, arrow::MemoryPool* pool);

  arrow::Status CheckValues(const arrow::RecordBatch& batch) const;
  void LoadBlock(const arrow::RecordBatch& batch, int64_t offset, int64_t rows);

  WinnerSpec spec_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<WinnerBlocks> block_;
  arrow::MemoryPool* pool_;
};

}  // namespace keepone
