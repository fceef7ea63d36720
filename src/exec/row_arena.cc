// SPDX-License-Identifier: Apache-2.0
#include "exec/row_arena.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <arrow/record_batch.h>

#include "column/gather.h"
#include "column/row_bytes.h"

namespace keepone {

namespace {

// Pieces that are joined at the latest, so that many tiny ones do not cost more than their rows.
constexpr size_t kPiecesMax = 256;

}  // namespace

arrow::Status RowArena::Append(std::shared_ptr<arrow::RecordBatch> rows) {
  piece_rows_ += rows->num_rows();
  piece_bytes_ += BatchBytes(*rows);
  pieces_.push_back(std::move(rows));
  if (piece_rows_ >= context_->batch_rows_max() || piece_bytes_ >= context_->batch_bytes_max() ||
      pieces_.size() >= kPiecesMax) {
    return Flush();
  }
  return arrow::Status::OK();
}

arrow::Status RowArena::Flush() {
  if (pieces_.size() == 1) {
    batches_.push_back(std::move(pieces_[0]));
  } else if (pieces_.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(auto joined,
                          ConcatenateBatches(pieces_[0]->schema(), pieces_, context_->pool()));
    std::move(joined.begin(), joined.end(), std::back_inserter(batches_));
  }
  pieces_.clear();
  piece_rows_ = piece_bytes_ = 0;
  return arrow::Status::OK();
}

}  // namespace keepone
