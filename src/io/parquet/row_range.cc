// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/row_range.h"

#include <algorithm>

namespace keepone {

int64_t CountRows(const RowRanges& ranges) {
  int64_t count = 0;
  for (const RowRange& range : ranges) {
    count += range.size();
  }
  return count;
}

RowRanges IntersectRanges(const RowRanges& a, const RowRanges& b) {
  RowRanges out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t begin = std::max(a[i].begin, b[j].begin);
    const int64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) {
      AppendRange(begin, end, &out);
    }
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

RowRanges DropRows(const RowRanges& ranges, int64_t count) {
  RowRanges out;
  for (const RowRange& range : ranges) {
    const int64_t dropped = std::min(count, range.size());
    count -= dropped;
    if (dropped < range.size()) {
      out.push_back({range.begin + dropped, range.end});
    }
  }
  return out;
}

void AppendRange(int64_t begin, int64_t end, RowRanges* ranges) {
  if (begin >= end) {
    return;
  }
  if (!ranges->empty() && ranges->back().end == begin) {
    ranges->back().end = end;
  } else {
    ranges->push_back({begin, end});
  }
}

}  // namespace keepone
