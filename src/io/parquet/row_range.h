// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace keepone {

// Rows [begin, end), numbered from the beginning of a row group.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// Ascending, disjoint, none empty.
using RowRanges = std::vector<RowRange>;

int64_t CountRows(const RowRanges& ranges);

// The rows that are in both.
RowRanges IntersectRanges(const RowRanges& a, const RowRanges& b);

// What is left of `ranges` without their first `count` rows.
RowRanges DropRows(const RowRanges& ranges, int64_t count);

// Adds [begin, end) behind the others, joined to the last one where they touch.
// REQUIRES: begin is at or behind the end of the last range.
void AppendRange(int64_t begin, int64_t end, RowRanges* ranges);

}  // namespace keepone
