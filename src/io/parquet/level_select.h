// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/parquet/page_scratch.h"
#include "io/parquet/row_range.h"

namespace keepone {

// What the levels of a page say about the rows wanted of it.
struct LevelSelection {
  int64_t rows = 0;            // of the rows wanted, those that begin in this page
  int64_t taken = 0;           // values taken, without NULLs
  int64_t levels_touched = 0;  // up to the end of the last row wanted
};

// The page's rows among the wanted ones, relative to its first row.
RowRanges RangesInPage(const RowRanges& wanted, size_t first_range, RowRange page);

// Columns without repetition: a level is a row. Fills scratch->runs and, where there are levels,
// scratch->kept_definition_levels from scratch->definition_levels (which reach at least to the
// last wanted row).
LevelSelection SelectFlatRows(const RowRanges& ranges, int16_t definition_level_max,
                              PageScratch* scratch);

// Columns with repetition. `ranges` count rows from the first level on, be it the beginning of a
// row or the rest of one. Fills scratch->runs and both kept levels.
LevelSelection SelectRepeatedRows(const RowRanges& ranges, int16_t definition_level_max,
                                  PageScratch* scratch);

}  // namespace keepone
