// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <arrow/status.h>
#include <arrow/type_fwd.h>

namespace keepone {

// Lays rows out as a table for a person: the first rows, cells cut where the terminal is too
// narrow, columns in the middle left out where even that is not enough; what is missing is said
// below.
//
//   ┌────┬──────────┐
//   │ id │ name     │
//   ├────┼──────────┤
//   │  1 │ a        │
//   │  2 │ NULL     │
//   └────┴──────────┘
//   2 rows
class TablePrinter {
 public:
  struct Options {
    int64_t rows_max = 40;
    int64_t width = 80;  // columns of the terminal
    bool ascii = false;  // lines of + - | instead of box drawing
  };

  TablePrinter(std::shared_ptr<arrow::Schema> schema, Options options);
  arrow::Status Add(const arrow::RecordBatch& batch);
  // The whole table; called once, after the last batch.
  std::string Finish() const;

 private:
  struct Cell {
    std::string text;
    int64_t width = 0;
  };

  // For each column, of which the ones that are shown count.
  std::vector<int64_t> ColumnWidths(std::vector<size_t>* shown) const;

  std::shared_ptr<arrow::Schema> schema_;
  Options options_;
  std::vector<Cell> header_;
  std::vector<std::vector<Cell>> rows_;
  int64_t row_count_ = 0;
};

// Columns that UTF-8 text takes on a terminal.
int64_t DisplayWidth(const std::string& text);

}  // namespace keepone
