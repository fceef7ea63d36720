// SPDX-License-Identifier: Apache-2.0
#include "exec/group_partitions.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include "column/row_bytes.h"
#include "exec/held_rows.h"
#include "exec/metrics.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// Few enough that a round of a worker finds many rows for each, and so many that workers seldom
// meet and one of them is small.
constexpr uint32_t kGroupPartitionsMin = 64;
constexpr uint32_t kGroupPartitionsMax = 256;
// What a worker gathers before it goes round.
constexpr int64_t kPendingRows = int64_t{1} << 16;
constexpr int64_t kPendingBatches = 4;

}  // namespace

arrow::Result<std::unique_ptr<GroupPartitions>> GroupPartitions::Make(
    QueryContext* context, const AggregateLayout& layout) {
  const uint32_t count = std::clamp(std::bit_ceil(static_cast<uint32_t>(context->threads()) * 4),
                                    kGroupPartitionsMin, kGroupPartitionsMax);
  std::unique_ptr<GroupPartitions> partitions(new GroupPartitions(context, layout, count));
  for (Partition& partition : partitions->partitions_) {
    ARROW_ASSIGN_OR_RAISE(partition.groups, GroupStates::Make(context, layout));
  }
  return partitions;
}

arrow::Status GroupPartitions::Spill(GroupSpill* spill) {
  const std::lock_guard spill_lock(spill_mutex_);
  return context_->ShouldSpill(bytes_used()) ? SpillAll(spill) : arrow::Status::OK();
}

arrow::Status GroupPartitions::SpillAll(GroupSpill* spill) {
  for (Partition& partition : partitions_) {
    const std::lock_guard lock(partition.mutex);
    if (partition.groups->group_count() > 0) {
      ARROW_RETURN_NOT_OK(spill->Put(partition.groups.get()));
      ARROW_ASSIGN_OR_RAISE(partition.groups, GroupStates::Make(context_, layout_));
      bytes_.fetch_sub(std::exchange(partition.bytes, 0));
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<FinishedGroups>> GroupPartitions::Finish() {
  NoteBytesHeld(bytes_used());
  std::vector<FinishedGroups> parts(partitions_.size());
  const auto finish = [&](int64_t index) -> arrow::Status {
    Partition& partition = partitions_[static_cast<size_t>(index)];
    ARROW_ASSIGN_OR_RAISE(parts[static_cast<size_t>(index)], partition.groups->Finish());
    partition.groups.reset();
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ForEachTask(context_, static_cast<int64_t>(parts.size()), finish));
  return parts;
}

arrow::Result<std::unique_ptr<GroupPartitions::Feed>> GroupPartitions::Feed::Make(
    GroupPartitions* partitions) {
  std::unique_ptr<Feed> feed(new Feed(partitions));
  ARROW_ASSIGN_OR_RAISE(feed->partitioner_, KeyPartitioner::Make(partitions->layout_.key_fields(),
                                                                 partitions->context_->pool()));
  return feed;
}

arrow::Status GroupPartitions::Feed::Add(std::shared_ptr<arrow::RecordBatch> rows,
                                         int64_t position) {
  pending_rows_ += rows->num_rows();
  pending_bytes_ += BatchBytes(*rows);
  pending_.push_back({std::move(rows), position});
  const int64_t bytes_max = kPendingBatches * partitions_->context_->batch_bytes_max();
  return pending_rows_ >= kPendingRows || pending_bytes_ >= bytes_max ? Flush()
                                                                      : arrow::Status::OK();
}

arrow::Status GroupPartitions::Feed::Flush() {
  if (pending_.empty()) {
    return arrow::Status::OK();
  }
  Pieces pieces(partitions_->count());
  ARROW_RETURN_NOT_OK(Sort(&pieces));
  return PassOn(pieces);
}

// Gathers the pending rows once, sorted by partition, and cuts the result into slices.
arrow::Status GroupPartitions::Feed::Sort(Pieces* pieces) {
  const AggregateLayout& layout = partitions_->layout_;
  const uint32_t count = partitions_->count();
  std::vector<uint32_t> row_partitions(static_cast<size_t>(pending_rows_));
  size_t first = 0;
  for (const Pending& pending : pending_) {
    const auto rows = static_cast<size_t>(pending.rows->num_rows());
    ARROW_RETURN_NOT_OK(partitioner_->Partition(layout.KeysOf(*pending.rows), count,
                                                std::span(row_partitions).subspan(first, rows)));
    first += rows;
  }
  std::vector<size_t> ends(count + 1, 0);
  for (const uint32_t partition : row_partitions) {
    ++ends[partition + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  const std::vector<size_t> begins = ends;
  std::vector<RowPlace> places(row_partitions.size());
  std::vector<int64_t> positions(row_partitions.size());
  arrow::RecordBatchVector batches;
  first = 0;
  for (const Pending& pending : pending_) {
    const auto batch = static_cast<uint32_t>(batches.size());
    for (uint32_t row = 0; row < pending.rows->num_rows(); ++row) {
      const size_t at = ends[row_partitions[first++]]++;
      places[at] = {batch, row};
      positions[at] = pending.position + row;
    }
    batches.push_back(pending.rows);
  }
  pending_.clear();
  pending_rows_ = pending_bytes_ = 0;
  ARROW_ASSIGN_OR_RAISE(const auto sorted, GatherPieces(batches[0]->schema(), batches, places,
                                                        partitions_->context_->pool()));
  size_t sorted_first = 0;
  for (const auto& batch : sorted) {
    const size_t sorted_end = sorted_first + static_cast<size_t>(batch->num_rows());
    for (uint32_t partition = 0; partition < count; ++partition) {
      const size_t begin = std::max(begins[partition], sorted_first);
      const size_t end = std::min(begins[partition + 1], sorted_end);
      if (begin < end) {
        (*pieces)[partition].push_back({batch->Slice(static_cast<int64_t>(begin - sorted_first),
                                                     static_cast<int64_t>(end - begin)),
                                        {positions.begin() + static_cast<std::ptrdiff_t>(begin),
                                         positions.begin() + static_cast<std::ptrdiff_t>(end)}});
      }
    }
    sorted_first = sorted_end;
  }
  return arrow::Status::OK();
}

arrow::Status GroupPartitions::Feed::AddGroups(GroupStates* groups) {
  ARROW_RETURN_NOT_OK(groups->Cut(partitions_->count(), 0, partitions_->count()));
  return groups->Export(
      [this](uint32_t partition, const std::shared_ptr<arrow::RecordBatch>& batch) {
        const std::lock_guard lock(partitions_->partitions_[partition].mutex);
        return PassOnTo(partition, {{batch, {}}});
      });
}

arrow::Status GroupPartitions::Feed::PassOn(const Pieces& pieces) {
  std::vector<uint32_t> busy;
  const uint32_t count = partitions_->count();
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t partition = (next_ + i) % count;
    const std::unique_lock lock(partitions_->partitions_[partition].mutex, std::try_to_lock);
    if (lock.owns_lock()) {
      ARROW_RETURN_NOT_OK(PassOnTo(partition, pieces[partition]));
    } else {
      busy.push_back(partition);
    }
  }
  for (const uint32_t partition : busy) {
    const std::lock_guard lock(partitions_->partitions_[partition].mutex);
    ARROW_RETURN_NOT_OK(PassOnTo(partition, pieces[partition]));
    // Whoever was there goes on to the next ones: another part of the round is free.
    next_ = (partition + count / 2) % count;
  }
  return arrow::Status::OK();
}

// REQUIRES: the partition is locked.
arrow::Status GroupPartitions::Feed::PassOnTo(uint32_t number, const std::vector<Piece>& pieces) {
  Partition& partition = partitions_->partitions_[number];
  for (const Piece& piece : pieces) {
    if (piece.positions.empty()) {
      ARROW_RETURN_NOT_OK(partition.groups->Merge(*piece.rows));
    } else {
      ARROW_RETURN_NOT_OK(partition.groups->Update(*piece.rows, piece.positions));
    }
  }
  const int64_t bytes = partition.groups->bytes_used();
  partitions_->bytes_.fetch_add(bytes - std::exchange(partition.bytes, bytes));
  return arrow::Status::OK();
}

}  // namespace keepone
