// SPDX-License-Identifier: Apache-2.0
#include "exec/winner_arena.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/error.h"
#include "column/gather.h"
#include "column/row_bytes.h"

namespace keepone {

namespace {

// Pieces that are joined at the latest, so that many tiny ones do not cost more than their rows.
constexpr size_t kArenaPiecesMax = 256;
// What may be dead before it pays to copy what lives.
constexpr int64_t kDeadRowsMin = int64_t{1} << 14;
constexpr int64_t kDeadBatchesMin = 2;

}  // namespace

WinnerArena::WinnerArena(QueryContext* context, std::shared_ptr<arrow::Schema> schema)
    : context_(context), schema_(std::move(schema)), reserved_(context->budget()) {}

arrow::Status WinnerArena::Resize(int64_t group_count) {
  const auto count = static_cast<size_t>(group_count);
  if (count > places_.capacity()) {
    places_.reserve(std::max(count, places_.capacity() + places_.capacity() / 2));
    // Eight bytes a place, four for the group of a row.
    ARROW_RETURN_NOT_OK(reserved_.Resize(static_cast<int64_t>(places_.capacity()) * 12));
  }
  places_.resize(count, RowPlace{kNoChunk, 0});
  return arrow::Status::OK();
}

bool WinnerArena::IsLarge(int64_t rows, double bytes) const {
  return rows * 4 >= context_->batch_rows_max() ||
         bytes * 4 >= static_cast<double>(context_->batch_bytes_max());
}

arrow::Status WinnerArena::Put(const std::shared_ptr<arrow::RecordBatch>& rows,
                               std::span<const uint32_t> chosen,
                               std::span<const uint32_t> group_ids, int64_t group_count) {
  ARROW_RETURN_NOT_OK(Resize(group_count));
  if (chosen.empty()) {
    return arrow::Status::OK();
  }
  std::vector<uint32_t> groups;
  groups.reserve(chosen.size());
  for (const uint32_t row : chosen) {
    groups.push_back(group_ids[row]);
  }
  if (static_cast<int64_t>(chosen.size()) == rows->num_rows() &&
      IsLarge(rows->num_rows(), static_cast<double>(BatchBytes(*rows)))) {
    // Nothing is saved by copying it.
    PutChunk(rows, std::move(groups));
  } else {
    std::vector<RowPlace> places;
    places.reserve(chosen.size());
    for (const uint32_t row : chosen) {
      places.push_back({0, row});
    }
    ARROW_ASSIGN_OR_RAISE(auto pieces, GatherPieces(schema_, {rows}, places, context_->pool()));
    auto group = groups.begin();
    for (auto& piece : pieces) {
      const auto end = group + piece->num_rows();
      PutChunk(std::move(piece), std::vector<uint32_t>(group, end));
      group = end;
    }
  }
  if (pieces_.size() >= kArenaPiecesMax || IsLarge(in_pieces_.rows / 2, in_pieces_.bytes / 2)) {
    ARROW_RETURN_NOT_OK(Settle());
  }
  const auto dead_bytes_min = static_cast<double>(kDeadBatchesMin * context_->batch_bytes_max());
  const bool many_dead = dead_.rows > std::max(living_.rows / 2, kDeadRowsMin) ||
                         dead_.bytes > std::max(living_.bytes / 2, dead_bytes_min);
  return many_dead ? Thin() : arrow::Status::OK();
}

uint32_t WinnerArena::AddChunk(std::shared_ptr<arrow::RecordBatch> rows,
                               std::vector<uint32_t> groups) {
  uint32_t number = 0;
  if (free_.empty()) {
    number = static_cast<uint32_t>(chunks_.size());
    chunks_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  const auto bytes = static_cast<double>(BatchBytes(*rows));
  const int64_t count = rows->num_rows();
  Chunk& chunk = chunks_[number];
  chunk.row_bytes = bytes / static_cast<double>(count);
  chunk.living = count;
  chunk.rows = std::move(rows);
  chunk.groups = std::move(groups);
  living_.Add(count, chunk.row_bytes);
  if (!IsLarge(count, bytes)) {
    pieces_.push_back(number);
    in_pieces_.Add(count, chunk.row_bytes);
  }
  return number;
}

void WinnerArena::PutChunk(std::shared_ptr<arrow::RecordBatch> rows, std::vector<uint32_t> groups) {
  const uint32_t number = AddChunk(std::move(rows), std::move(groups));
  const Chunk& chunk = chunks_[number];
  for (uint32_t row = 0; row < chunk.groups.size(); ++row) {
    const RowPlace old = std::exchange(places_[chunk.groups[row]], RowPlace{number, row});
    if (old.batch != kNoChunk) {
      Kill(old);
    }
  }
}

void WinnerArena::Kill(RowPlace place) {
  Chunk& chunk = chunks_[place.batch];
  --chunk.living;
  living_.Add(-1, chunk.row_bytes);
  dead_.Add(1, chunk.row_bytes);
  // A piece is freed when the pieces are joined.
  if (chunk.living == 0 &&
      std::find(pieces_.begin(), pieces_.end(), place.batch) == pieces_.end()) {
    Free(place.batch);
  }
}

void WinnerArena::Free(uint32_t number) {
  Chunk& chunk = chunks_[number];
  const int64_t rows = chunk.rows->num_rows();
  living_.Add(-chunk.living, chunk.row_bytes);
  dead_.Add(chunk.living - rows, chunk.row_bytes);
  chunk = Chunk();
  free_.push_back(number);
}

arrow::Status WinnerArena::Settle() {
  const std::vector<uint32_t> pieces = std::move(pieces_);
  pieces_.clear();
  in_pieces_ = Amount();
  if (pieces.empty()) {
    return arrow::Status::OK();
  }
  return Rewrite(pieces);
}

arrow::Status WinnerArena::Thin() {
  pieces_.clear();
  in_pieces_ = Amount();
  std::vector<uint32_t> chunks;
  for (uint32_t number = 0; number < chunks_.size(); ++number) {
    const Chunk& chunk = chunks_[number];
    if (chunk.rows == nullptr) {
      continue;
    }
    const int64_t rows = chunk.rows->num_rows();
    if (chunk.living * 4 < rows * 3 ||
        !IsLarge(rows, static_cast<double>(rows) * chunk.row_bytes)) {
      chunks.push_back(number);
    }
  }
  return Rewrite(chunks);
}

arrow::Status WinnerArena::Rewrite(const std::vector<uint32_t>& chunks) {
  arrow::RecordBatchVector sources;
  std::vector<RowPlace> places;
  std::vector<uint32_t> groups;
  std::vector<uint32_t> emptied;
  double bytes = 0;
  const auto flush = [&]() -> arrow::Status {
    if (!places.empty()) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(auto pieces, GatherPieces(schema_, sources, places, context_->pool()));
      auto group = groups.begin();
      for (auto& piece : pieces) {
        const auto end = group + piece->num_rows();
        const uint32_t number = AddChunk(std::move(piece), std::vector<uint32_t>(group, end));
        for (uint32_t row = 0; group != end; ++group, ++row) {
          places_[*group] = {number, row};
        }
      }
    }
    for (const uint32_t number : emptied) {
      Free(number);
    }
    sources.clear();
    places.clear();
    groups.clear();
    emptied.clear();
    bytes = 0;
    return arrow::Status::OK();
  };
  for (const uint32_t number : chunks) {
    const Chunk& chunk = chunks_[number];
    const auto source = static_cast<uint32_t>(sources.size());
    for (uint32_t row = 0; row < chunk.groups.size(); ++row) {
      const uint32_t group = chunk.groups[row];
      if (places_[group].batch == number && places_[group].row == row) {
        places.push_back({source, row});
        groups.push_back(group);
        bytes += chunk.row_bytes;
      }
    }
    sources.push_back(chunk.rows);
    emptied.push_back(number);
    if (static_cast<int64_t>(places.size()) >= context_->batch_rows_max() ||
        bytes >= static_cast<double>(context_->batch_bytes_max())) {
      ARROW_RETURN_NOT_OK(flush());
    }
  }
  return flush();
}

arrow::Result<arrow::ArrayVector> WinnerArena::Gather(std::span<const uint32_t> groups) const {
  arrow::RecordBatchVector batches;
  for (const Chunk& chunk : chunks_) {
    batches.push_back(chunk.rows);
  }
  std::vector<RowPlace> places;
  places.reserve(groups.size());
  for (const uint32_t group : groups) {
    const RowPlace place = group < places_.size() ? places_[group] : RowPlace{kNoChunk, 0};
    places.push_back(place.batch == kNoChunk ? RowPlace{static_cast<uint32_t>(chunks_.size()), 0}
                                             : place);
  }
  ARROW_ASSIGN_OR_RAISE(auto nulls, NullRow());
  // A number that is free may not stay empty.
  std::replace(batches.begin(), batches.end(), std::shared_ptr<arrow::RecordBatch>(), nulls);
  batches.push_back(std::move(nulls));
  ARROW_ASSIGN_OR_RAISE(const auto rows, GatherPlaces(schema_, batches, places, context_->pool()));
  return rows->columns();
}

uint32_t WinnerArena::Adopt(const WinnerArena& other) {
  const auto first = static_cast<uint32_t>(chunks_.size());
  for (const Chunk& chunk : other.chunks_) {
    chunks_.emplace_back();
    chunks_.back().rows = chunk.rows;
    chunks_.back().living = chunk.living;
    chunks_.back().row_bytes = chunk.row_bytes;
  }
  return first;
}

arrow::Result<WinnerArena::Finished> WinnerArena::Finish(int64_t group_count) {
  ARROW_RETURN_NOT_OK(Resize(group_count));
  ARROW_ASSIGN_OR_RAISE(auto nulls, NullRow());
  Finished finished;
  finished.columns.resize(static_cast<size_t>(schema_->num_fields()));
  double bytes = 0;
  int64_t rows = 0;
  for (Chunk& chunk : chunks_) {
    if (chunk.rows == nullptr) {
      chunk.rows = nulls;
    }
    bytes += chunk.row_bytes * static_cast<double>(chunk.living);
    rows += chunk.living;
    chunk.groups = std::vector<uint32_t>();
  }
  finished.row_bytes = bytes / static_cast<double>(std::max<int64_t>(rows, 1));
  chunks_.emplace_back();
  chunks_.back().rows = std::move(nulls);
  for (size_t column = 0; column < finished.columns.size(); ++column) {
    for (const Chunk& chunk : chunks_) {
      finished.columns[column].push_back(chunk.rows->column(static_cast<int>(column)));
    }
  }
  finished.places = std::make_shared<RowOrder>(context_->budget());
  ARROW_RETURN_NOT_OK(finished.places->Resize(group_count));
  const RowPlace none{static_cast<uint32_t>(chunks_.size()) - 1, 0};
  for (size_t group = 0; group < places_.size(); ++group) {
    finished.places->refs()[group] = places_[group].batch == kNoChunk ? none : places_[group];
  }
  chunks_.clear();
  places_ = std::vector<RowPlace>();
  ARROW_RETURN_NOT_OK(reserved_.Resize(0));
  return finished;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> WinnerArena::NullRow() const {
  arrow::ArrayVector columns;
  for (const auto& field : schema_->fields()) {
    ARROW_ASSIGN_OR_RAISE(auto null, arrow::MakeArrayOfNull(field->type(), 1, context_->pool()));
    columns.push_back(std::move(null));
  }
  return arrow::RecordBatch::Make(schema_, 1, std::move(columns));
}

}  // namespace keepone
