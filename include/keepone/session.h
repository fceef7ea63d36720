// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "keepone/error.h"
#include "keepone/options.h"
#include "keepone/result.h"

namespace keepone {

// How far the statement that runs has come.
struct ProgressReport {
  int64_t rows_scanned = 0;
  int64_t rows_total = 0;  // of all scans that have begun; an estimate
  int64_t rows_fetched = 0;
  int64_t bytes_read = 0;
  int64_t memory_bytes = 0;
};

// Runs SQL statements over files and over tables in memory, which live as long as the session.
//
//   auto session = *keepone::Session::Make();
//   auto result = session->Execute("SELECT DISTINCT ON (id) * FROM 'events.parquet' ORDER BY id, ts
//   DESC"); while (auto batch = *(*result)->Next()) { ... }
//
// Used by one thread at a time, except for Interrupt and progress. The library never prints and
// never ends the process; every failure is a status (see error.h).
class Session {
 public:
  static arrow::Result<std::unique_ptr<Session>> Make(const SessionOptions& options = {});
  virtual ~Session() = default;

  // Runs one statement, with or without a semicolon behind it. The spans of errors count from the
  // beginning of `sql`. Rows are computed while the result is read; everything else is done
  // when this returns.
  virtual arrow::Result<std::unique_ptr<QueryResult>> Execute(std::string_view sql) = 0;

  // Makes a table of the name, which queries then read; replaces one that is there.
  virtual arrow::Status AddTable(const std::string& name,
                                 const std::shared_ptr<arrow::Table>& table) = 0;

  // Stops what runs: it ends with a cancelled status. Safe in a signal handler and in any thread.
  virtual void Interrupt() = 0;

  virtual ProgressReport progress() const = 0;

  // The value of a setting as text.
  virtual arrow::Result<std::string> Setting(const std::string& name) const = 0;
};

// Cuts a script into its statements, each without semicolon, with its place in the script.
struct StatementText {
  std::string text;
  int64_t offset = 0;
};
arrow::Result<std::vector<StatementText>> SplitStatements(std::string_view script);

}  // namespace keepone
