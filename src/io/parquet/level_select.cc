// SPDX-License-Identifier: Apache-2.0
#include "io/parquet/level_select.h"

#include <algorithm>

namespace keepone {

namespace {

// Joins runs as they come.
class RunBuilder {
 public:
  explicit RunBuilder(std::vector<ValueRun>* runs) : runs_(runs) { runs_->clear(); }

  void Add(int64_t skip, int64_t take) {
    skip_ += skip;
    if (take == 0) {
      return;
    }
    if (skip_ == 0 && !runs_->empty()) {
      runs_->back().take += take;
    } else {
      runs_->push_back({skip_, take});
    }
    skip_ = 0;
  }

 private:
  std::vector<ValueRun>* runs_;
  int64_t skip_ = 0;
};

int64_t CountLevel(const int16_t* levels, int64_t count, int16_t level) {
  int32_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    found += levels[i] == level ? 1 : 0;
  }
  return found;
}

// From `position`, inside of a row, to where the `rows`th row after it begins.
int64_t AdvanceRows(std::span<const int16_t> repetition, int64_t position, int64_t rows) {
  constexpr int64_t kBlock = 32;
  const auto count = static_cast<int64_t>(repetition.size());
  if (rows == 0) {
    return position;
  }
  ++position;
  while (position + kBlock <= count) {
    const int64_t begun = CountLevel(repetition.data() + position, kBlock, 0);
    if (begun >= rows) {
      break;
    }
    rows -= begun;
    position += kBlock;
  }
  for (; position < count; ++position) {
    if (repetition[static_cast<size_t>(position)] == 0 && --rows == 0) {
      return position;
    }
  }
  return count;
}

void AppendLevels(const std::vector<int16_t>& levels, int64_t begin, int64_t end,
                  std::vector<int16_t>* out) {
  out->insert(out->end(), levels.begin() + begin, levels.begin() + end);
}

}  // namespace

RowRanges RangesInPage(const RowRanges& wanted, size_t first_range, RowRange page) {
  RowRanges ranges;
  for (size_t i = first_range; i < wanted.size() && wanted[i].begin < page.end; ++i) {
    AppendRange(std::max(wanted[i].begin, page.begin) - page.begin,
                std::min(wanted[i].end, page.end) - page.begin, &ranges);
  }
  return ranges;
}

LevelSelection SelectFlatRows(const RowRanges& ranges, int16_t definition_level_max,
                              PageScratch* scratch) {
  RunBuilder runs(&scratch->runs);
  scratch->kept_definition_levels.clear();
  LevelSelection selection;
  const int16_t* const levels = scratch->definition_levels.data();
  int64_t position = 0;
  for (const RowRange& range : ranges) {
    int64_t skip = range.begin - position;
    int64_t take = range.size();
    if (definition_level_max > 0) {
      skip = CountLevel(levels + position, skip, definition_level_max);
      take = CountLevel(levels + range.begin, take, definition_level_max);
      AppendLevels(scratch->definition_levels, range.begin, range.end,
                   &scratch->kept_definition_levels);
    }
    runs.Add(skip, take);
    selection.rows += range.size();
    selection.taken += take;
    position = range.end;
  }
  selection.levels_touched = position;
  return selection;
}

LevelSelection SelectRepeatedRows(const RowRanges& ranges, int16_t definition_level_max,
                                  PageScratch* scratch) {
  RunBuilder runs(&scratch->runs);
  scratch->kept_definition_levels.clear();
  scratch->kept_repetition_levels.clear();
  LevelSelection selection;
  const int16_t* const levels = scratch->definition_levels.data();
  int64_t position = 0;
  int64_t row = 0;
  for (const RowRange& range : ranges) {
    const int64_t begin = AdvanceRows(scratch->repetition_levels, position, range.begin - row);
    const int64_t end = AdvanceRows(scratch->repetition_levels, begin, range.size());
    const int64_t take = CountLevel(levels + begin, end - begin, definition_level_max);
    runs.Add(CountLevel(levels + position, begin - position, definition_level_max), take);
    AppendLevels(scratch->definition_levels, begin, end, &scratch->kept_definition_levels);
    AppendLevels(scratch->repetition_levels, begin, end, &scratch->kept_repetition_levels);
    selection.rows += range.size();
    selection.taken += take;
    position = end;
    row = range.end;
  }
  selection.levels_touched = position;
  return selection;
}

}  // namespace keepone
