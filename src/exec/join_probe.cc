// SPDX-License-Identifier: Apache-2.0
#include "exec/join_probe.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/gather.h"

namespace keepone {

namespace {

std::shared_ptr<arrow::RecordBatch> PopBack(arrow::RecordBatchVector* batches) {
  std::shared_ptr<arrow::RecordBatch> batch = std::move(batches->back());
  batches->pop_back();
  return batch;
}

}  // namespace

JoinProbe::JoinProbe(QueryContext* context, const JoinShape* shape, JoinBuild* build)
    : context_(context),
      shape_(shape),
      build_(build),
      keeps_left_(ExtendsRight(shape->kind)),
      marks_right_(ExtendsLeft(shape->kind)) {}

arrow::Result<std::unique_ptr<JoinProbe>> JoinProbe::Make(QueryContext* context,
                                                          const JoinShape* shape,
                                                          JoinBuild* build) {
  auto probe = std::unique_ptr<JoinProbe>(new JoinProbe(context, shape, build));
  ARROW_ASSIGN_OR_RAISE(probe->probe_, build->table().MakeProbe());
  return probe;
}

arrow::Status JoinProbe::Start(std::shared_ptr<arrow::RecordBatch> left) {
  left_ = std::move(left);
  const auto rows = static_cast<size_t>(left_->num_rows());
  runs_.resize(rows);
  left_matched_.assign(rows, 0);
  left_widths_.reset();
  residual_widths_.reset();
  row_ = finished_ = 0;
  cursor_ = 0;
  pairs_.Clear();
  given_ = 0;
  arrow::ArrayVector keys;
  for (const int key : shape_->left_keys) {
    keys.push_back(left_->column(key));
  }
  ARROW_RETURN_NOT_OK(probe_->Find(keys, left_->num_rows(), runs_));
  uint32_t most = 0;
  uint32_t least = 1;
  for (const RowRun run : runs_) {
    most = std::max(most, run.count);
    least = std::min(least, run.count);
  }
  repeats_ = most > 1;
  one_to_one_ = most <= 1 && (least == 1 || keeps_left_) && shape_->residual == nullptr;
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> JoinProbe::Next() {
  if (left_ == nullptr) {
    return nullptr;
  }
  if (!GivesRightColumns(shape_->kind)) {
    return KeepLeftRows();
  }
  while (pieces_.empty()) {
    if (given_ < pairs_.size()) {
      ARROW_RETURN_NOT_OK(GivePairs());
      continue;
    }
    if (row_ == left_->num_rows()) {
      left_.reset();
      return nullptr;
    }
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    pairs_.Clear();
    given_ = 0;
    if (shape_->residual == nullptr) {
      AddPairs();
    } else {
      ARROW_RETURN_NOT_OK(AddResidualPairs());
    }
  }
  return PopBack(&pieces_);
}

// ---- semi and anti join

arrow::Result<std::shared_ptr<arrow::RecordBatch>> JoinProbe::KeepLeftRows() {
  const std::shared_ptr<arrow::RecordBatch> left = std::move(left_);
  left_.reset();
  if (shape_->residual == nullptr) {
    for (size_t i = 0; i < runs_.size(); ++i) {
      left_matched_[i] = runs_[i].count > 0 ? 1 : 0;
    }
  } else {
    left_ = left;
    const arrow::Status status = FindMatched();
    left_.reset();
    ARROW_RETURN_NOT_OK(status);
  }
  const uint8_t wanted = shape_->kind == JoinKind::kSemi ? 1 : 0;
  std::vector<int64_t> kept;
  for (size_t i = 0; i < left_matched_.size(); ++i) {
    if (left_matched_[i] == wanted) {
      kept.push_back(static_cast<int64_t>(i));
    }
  }
  if (kept.empty()) {
    return nullptr;
  }
  std::shared_ptr<arrow::RecordBatch> rows = left;
  if (static_cast<int64_t>(kept.size()) < left->num_rows()) {
    ARROW_ASSIGN_OR_RAISE(rows, TakeRows(*left, std::span<const int64_t>(kept), context_->pool()));
  }
  return arrow::RecordBatch::Make(shape_->schema, rows->num_rows(), rows->columns());
}

// A row's candidates are tried a few at a time, more in every round, until one passes: a row with
// very many is then done after the first, and all rows together still fill batches.
arrow::Status JoinProbe::FindMatched() {
  const auto rows_max = static_cast<uint64_t>(context_->batch_rows_max());
  std::vector<int64_t> undecided;
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].count > 0) {
      undecided.push_back(static_cast<int64_t>(i));
    }
  }
  uint64_t begin = 0;
  uint64_t count = 1;
  while (!undecided.empty()) {
    for (const int64_t row : undecided) {
      const RowRun run = runs_[static_cast<size_t>(row)];
      const uint64_t end = std::min<uint64_t>(run.count, begin + count);
      for (uint64_t i = begin; i < end && left_matched_[static_cast<size_t>(row)] == 0; ++i) {
        AddCandidate(row, build_->table().Row(run, static_cast<uint32_t>(i)));
        if (CandidatesAreFull()) {
          ARROW_RETURN_NOT_OK(TryCandidates());
        }
      }
    }
    ARROW_RETURN_NOT_OK(TryCandidates());
    begin += count;
    count = std::min(2 * count, rows_max);
    std::erase_if(undecided, [&](int64_t row) {
      return left_matched_[static_cast<size_t>(row)] != 0 ||
             runs_[static_cast<size_t>(row)].count <= begin;
    });
  }
  return arrow::Status::OK();
}

arrow::Status JoinProbe::TryCandidates() {
  ARROW_RETURN_NOT_OK(EvaluateCandidates());
  for (size_t i = 0; i < candidates_.size(); ++i) {
    left_matched_[static_cast<size_t>(candidates_.left[i])] |= wanted_[i];
  }
  candidates_.Clear();
  candidate_bytes_ = 0;
  return arrow::Status::OK();
}

// ---- candidates of the residual

void JoinProbe::AddCandidate(int64_t left_row, uint32_t right_row) {
  if (!residual_widths_.has_value()) {
    residual_widths_.emplace(*SelectBatchColumns(*left_, shape_->residual_left));
  }
  candidates_.Add(left_row, right_row);
  candidate_bytes_ +=
      residual_widths_->Of(left_row) + build_->ResidualRowBytes(build_->Place(right_row));
}

bool JoinProbe::CandidatesAreFull() const {
  return candidates_.size() >= static_cast<size_t>(context_->batch_rows_max()) ||
         candidate_bytes_ >= static_cast<double>(context_->batch_bytes_max());
}

arrow::Status JoinProbe::EvaluateCandidates() {
  if (candidates_.size() == 0) {
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(context_->CheckStop());
  ARROW_RETURN_NOT_OK(
      EvaluateResidual(context_, *shape_, *build_, *left_, candidates_, position_, &wanted_));
  position_ += static_cast<int64_t>(candidates_.size());
  return arrow::Status::OK();
}

// ---- the other kinds

void JoinProbe::AddPairs() {
  const auto rows_max = static_cast<size_t>(context_->batch_rows_max());
  const JoinTable& table = build_->table();
  while (row_ < left_->num_rows() && pairs_.size() < rows_max) {
    const RowRun run = runs_[static_cast<size_t>(row_)];
    if (run.count > 0) {
      const size_t room = rows_max - pairs_.size();
      const auto end = static_cast<uint32_t>(std::min<size_t>(run.count, cursor_ + room));
      for (; cursor_ < end; ++cursor_) {
        const uint32_t right_row = table.Row(run, cursor_);
        pairs_.Add(row_, right_row);
        if (marks_right_) {
          build_->MarkMatched(right_row);
        }
      }
      if (cursor_ < run.count) {
        return;
      }
      left_matched_[static_cast<size_t>(row_)] = 1;
    } else if (keeps_left_) {
      pairs_.Add(row_, JoinPairs::kNoRow);
    }
    ++row_;
    cursor_ = 0;
  }
}

arrow::Status JoinProbe::AddResidualPairs() {
  while (row_ < left_->num_rows() && !CandidatesAreFull()) {
    const RowRun run = runs_[static_cast<size_t>(row_)];
    while (cursor_ < run.count && !CandidatesAreFull()) {
      AddCandidate(row_, build_->table().Row(run, cursor_++));
    }
    if (cursor_ == run.count) {
      ++row_;
      cursor_ = 0;
    }
  }
  ARROW_RETURN_NOT_OK(EvaluateCandidates());
  for (size_t i = 0; i < candidates_.size(); ++i) {
    FinishRows(candidates_.left[i]);
    if (wanted_[i] != 0) {
      left_matched_[static_cast<size_t>(candidates_.left[i])] = 1;
      pairs_.Add(candidates_.left[i], candidates_.right[i]);
      if (marks_right_) {
        build_->MarkMatched(static_cast<uint32_t>(candidates_.right[i]));
      }
    }
  }
  FinishRows(row_);
  candidates_.Clear();
  candidate_bytes_ = 0;
  return arrow::Status::OK();
}

// The left rows before `end` have had all of their candidates.
void JoinProbe::FinishRows(int64_t end) {
  for (; finished_ < end; ++finished_) {
    if (keeps_left_ && left_matched_[static_cast<size_t>(finished_)] == 0) {
      pairs_.Add(finished_, JoinPairs::kNoRow);
    }
  }
}

arrow::Status JoinProbe::GivePairs() {
  const size_t count = CountPairs();
  const JoinPairsView pairs = JoinPairsView::Of(pairs_, given_, count);
  given_ += count;
  bool share_left = one_to_one_ || static_cast<int64_t>(2 * count) >= left_->num_rows();
  for (size_t i = 1; share_left && i < count; ++i) {
    share_left = pairs.left[i] == pairs.left[i - 1] + 1;
  }
  ARROW_ASSIGN_OR_RAISE(pieces_,
                        GatherPairs(context_, *shape_, *build_, left_.get(), share_left, pairs));
  std::reverse(pieces_.begin(), pieces_.end());
  return arrow::Status::OK();
}

// How many of the pairs make the next batch. Left rows that come at most once are within the bound
// of their batch already.
size_t JoinProbe::CountPairs() {
  const size_t most =
      std::min(pairs_.size() - given_, static_cast<size_t>(context_->batch_rows_max()));
  if (repeats_ && !left_widths_.has_value()) {
    left_widths_.emplace(*left_);
  }
  const auto bytes_max = static_cast<double>(context_->batch_bytes_max());
  const bool left_varies = repeats_ && !left_widths_->is_constant();
  if (!left_varies && build_->row_bytes_constant().has_value()) {
    const double pair_bytes =
        *build_->row_bytes_constant() + (repeats_ ? left_widths_->Of(0) : 0.0);
    const double fits = std::ceil(bytes_max / std::max(pair_bytes, 1.0));
    return fits < static_cast<double>(most) ? static_cast<size_t>(fits) : most;
  }
  double bytes = 0;
  size_t count = 0;
  while (count < most && bytes < bytes_max) {
    const int64_t left_row = pairs_.left[given_ + count];
    const int64_t right_row = pairs_.right[given_ + count];
    bytes += repeats_ ? left_widths_->Of(left_row) : 0.0;
    if (right_row != JoinPairs::kNoRow) {
      bytes += build_->RowBytes(build_->Place(static_cast<uint32_t>(right_row)));
    }
    ++count;
  }
  return count;
}

// ---- right rows without a match

UnmatchedRight::UnmatchedRight(QueryContext* context, const JoinShape* shape,
                               const JoinBuild* build, size_t batch)
    : context_(context),
      shape_(shape),
      build_(build),
      row_(build->first_row(batch)),
      end_(build->first_row(batch + 1)) {}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> UnmatchedRight::Next() {
  if (pieces_.empty()) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    const auto rows_max = static_cast<size_t>(context_->batch_rows_max());
    const auto bytes_max = static_cast<double>(context_->batch_bytes_max());
    JoinPairs pairs;
    double bytes = 0;
    for (; row_ < end_ && pairs.size() < rows_max && bytes < bytes_max; ++row_) {
      const auto row = static_cast<uint32_t>(row_);
      if (!build_->IsMatched(row)) {
        pairs.Add(JoinPairs::kNoRow, row_);
        bytes += build_->RowBytes(build_->Place(row));
      }
    }
    if (pairs.size() == 0) {
      return nullptr;
    }
    ARROW_ASSIGN_OR_RAISE(pieces_, GatherPairs(context_, *shape_, *build_, nullptr, false,
                                               JoinPairsView::Of(pairs, 0, pairs.size())));
    std::reverse(pieces_.begin(), pieces_.end());
  }
  return PopBack(&pieces_);
}

}  // namespace keepone
