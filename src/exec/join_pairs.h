// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "exec/join_build.h"

namespace keepone {

// Pairs of a row of one left batch and a right row, by number; kNoRow stands for a row of NULLs.
struct JoinPairs {
  static constexpr int64_t kNoRow = -1;

  std::vector<int64_t> left;
  std::vector<int64_t> right;

  size_t size() const { return left.size(); }
  void Add(int64_t left_row, int64_t right_row) {
    left.push_back(left_row);
    right.push_back(right_row);
  }
  void Clear() {
    left.clear();
    right.clear();
  }
};

// A part of JoinPairs.
struct JoinPairsView {
  std::span<const int64_t> left;
  std::span<const int64_t> right;

  static JoinPairsView Of(const JoinPairs& pairs, size_t begin, size_t count) {
    return {std::span(pairs.left).subspan(begin, count),
            std::span(pairs.right).subspan(begin, count)};
  }
  size_t size() const { return left.size(); }
};

// Puts the columns of pairs together: left columns, then right ones, under the names and types of
// the shape's schema. `left` may be nullptr where no pair has a left row. Left columns are shared
// where `share_left` says that their rows are given once and in order. Gives several batches where
// offsets would overflow.
arrow::Result<arrow::RecordBatchVector> GatherPairs(QueryContext* context, const JoinShape& shape,
                                                    const JoinBuild& build,
                                                    const arrow::RecordBatch* left, bool share_left,
                                                    JoinPairsView pairs);

// The residual's value of each pair, true or not, into `wanted`. `position` numbers the pairs for
// the residual. REQUIRES: the shape has a residual, and no pair lacks a row.
arrow::Status EvaluateResidual(QueryContext* context, const JoinShape& shape,
                               const JoinBuild& build, const arrow::RecordBatch& left,
                               const JoinPairs& pairs, int64_t position,
                               std::vector<uint8_t>* wanted);

}  // namespace keepone
