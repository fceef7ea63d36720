// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type_fwd.h>

namespace keepone {

class QueryContext;

// What a statement gives: a stream of record batches, in order. Rows are computed as they are
// read, so an error can come with any batch; after one, or after Close, there are no more.
// Batches are bounded by rows and bytes, and stay valid after the result and the session are gone.
// Used by one thread at a time; several results of a session may be open at once.
class QueryResult : public arrow::RecordBatchReader {
 public:
  // Whether the statement is one that gives rows: false for CREATE, COPY, SET and so on, whose
  // stream has no columns.
  virtual bool has_rows() const = 0;
  // What was done: "CREATE TABLE", "COPY 50000"; of statements with rows their first word,
  // "SELECT", "SHOW" (also for DESCRIBE) or "EXPLAIN".
  virtual const std::string& summary() const = 0;
  // Most memory that the statement's buffers took at once, so far.
  virtual int64_t memory_bytes_peak() const = 0;
  // What the statement's operators share; for parts of keepone.
  virtual QueryContext* context() = 0;
};

}  // namespace keepone
