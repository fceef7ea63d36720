// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "exec/join_build.h"
#include "exec/join_pairs.h"
#include "exec/row_widths.h"

namespace keepone {

// Joins left batches with a JoinBuild, one after the other: Start() one, then Next() until it gives
// nullptr. Gives the left rows in order, each with its matches in right order, and by kind those
// without a match; right rows without a match are only marked in the build (JoinBuild::IsMatched).
// Batches given are bounded by rows and bytes. Used by one thread; many may share one build.
class JoinProbe {
 public:
  static arrow::Result<std::unique_ptr<JoinProbe>> Make(QueryContext* context,
                                                        const JoinShape* shape, JoinBuild* build);

  arrow::Status Start(std::shared_ptr<arrow::RecordBatch> left);
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();

  // After the last Next(): whether each left row has a match.
  const std::vector<uint8_t>& left_matched() const { return left_matched_; }
  // Numbers the pairs for the residual from there on.
  void set_position(int64_t position) { position_ = position; }

 private:
  JoinProbe(QueryContext* context, const JoinShape* shape, JoinBuild* build);

  // Semi and anti join.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> KeepLeftRows();
  arrow::Status FindMatched();
  arrow::Status TryCandidates();

  // Pairs of equal keys, for the residual.
  void AddCandidate(int64_t left_row, uint32_t right_row);
  bool CandidatesAreFull() const;
  arrow::Status EvaluateCandidates();

  // The other kinds.
  void AddPairs();
  arrow::Status AddResidualPairs();
  void FinishRows(int64_t end);
  arrow::Status GivePairs();
  size_t CountPairs();

  QueryContext* context_;
  const JoinShape* shape_;
  JoinBuild* build_;
  std::unique_ptr<JoinTable::Probe> probe_;
  bool keeps_left_;   // left rows without a match too
  bool marks_right_;  // right rows that have one

  std::shared_ptr<arrow::RecordBatch> left_;
  std::vector<RowRun> runs_;  // of each left row
  std::vector<uint8_t> left_matched_;
  bool repeats_ = false;     // some left row may come several times
  bool one_to_one_ = false;  // each left row comes once
  std::optional<RowWidths> left_widths_;
  std::optional<RowWidths> residual_widths_;
  int64_t position_ = 0;

  // Where the pairs come from next: candidate `cursor_` of left row `row_`.
  int64_t row_ = 0;
  uint32_t cursor_ = 0;
  int64_t finished_ = 0;  // left rows whose pairs were all found, with a residual
  JoinPairs candidates_;
  double candidate_bytes_ = 0;
  std::vector<uint8_t> wanted_;
  JoinPairs pairs_;                  // found
  size_t given_ = 0;                 // of those
  arrow::RecordBatchVector pieces_;  // gathered and not given yet, the next one last
};

// Gives the right rows without a match, beside NULLs, of one batch of a build; in right order, in
// batches bounded by rows and bytes.
class UnmatchedRight {
 public:
  UnmatchedRight(QueryContext* context, const JoinShape* shape, const JoinBuild* build,
                 size_t batch);
  // The next batch, or nullptr at the end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next();

 private:
  QueryContext* context_;
  const JoinShape* shape_;
  const JoinBuild* build_;
  int64_t row_;
  int64_t end_;
  arrow::RecordBatchVector pieces_;
};

}  // namespace keepone
