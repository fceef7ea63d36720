// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <arrow/result.h>

namespace keepone {

// One record of a test file:
//
//   statement ok                     a statement that succeeds
//   statement error KIND: TEXT       one that fails with this kind and TEXT in its message
//   query TIR [rowsort] [+plan:TEXT] [-plan:TEXT]
//   SELECT ...
//   ----                             rows, one a line, values with a blank (or tab) between them
//   NULL 2 0.5
//
// Column letters: I integer, R other number, T all else. An empty text is written (empty).
// `+plan:TEXT` wants TEXT in a line of EXPLAIN, `-plan:TEXT` in none; ~ stands for a blank.
// `require realfiles` leaves the rest of the file out when those are not there, and
// {realfiles} and {tmp} in statements become paths.
struct SltRecord {
  enum class Kind { kStatementOk, kStatementError, kQuery, kRequire };
  Kind kind = Kind::kStatementOk;
  std::string sql;
  std::string error_kind;
  std::string error_text;
  std::string column_letters;
  bool rowsort = false;
  std::vector<std::string> plan_wanted;
  std::vector<std::string> plan_unwanted;
  std::vector<std::string> rows;
  std::string requirement;
  int64_t line = 0;        // of the record's first line, from 1
  int64_t rows_begin = 0;  // line behind ----
  int64_t rows_end = 0;    // line behind the last row
};

arrow::Result<std::vector<SltRecord>> ParseSltFile(const std::vector<std::string>& lines);

}  // namespace keepone
