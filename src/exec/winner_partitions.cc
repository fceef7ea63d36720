// SPDX-License-Identifier: Apache-2.0
#include "exec/winner_partitions.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <arrow/array.h>

#include "exec/metrics.h"

namespace keepone {

namespace {

// Few enough that a round of a worker finds some rows for each, and so many that workers seldom
// meet.
constexpr uint32_t kPartitionsMin = 32;
constexpr uint32_t kPartitionsMax = 256;
// Blocks that a worker gathers before it goes round.
constexpr size_t kGatheredBlocks = 8;

uint32_t PartitionCount(int threads) {
  return std::clamp(std::bit_ceil(static_cast<uint32_t>(threads) * 4), kPartitionsMin,
                    kPartitionsMax);
}

}  // namespace

arrow::Result<std::unique_ptr<WinnerPartitions>> WinnerPartitions::Make(QueryContext* context,
                                                                        const WinnerSpec& spec) {
  std::unique_ptr<WinnerPartitions> partitions(
      new WinnerPartitions(context, spec, PartitionCount(context->threads())));
  for (Partition& partition : partitions->partitions_) {
    ARROW_ASSIGN_OR_RAISE(partition.table, WinnerTable::Make(spec, context->budget()));
  }
  return partitions;
}

int64_t WinnerPartitions::bytes_used() const {
  int64_t bytes = 0;
  for (const Partition& partition : partitions_) {
    bytes += partition.table->bytes_used();
  }
  return bytes;
}

arrow::Result<Winners> WinnerPartitions::Finish() {
  NoteBytesHeld(bytes_used());
  std::vector<std::unique_ptr<WinnerTable>> tables;
  for (Partition& partition : partitions_) {
    tables.push_back(std::move(partition.table));
  }
  return WinnerTable::Finish(tables, context_->budget());
}

WinnerPartitions::Feed::Feed(WinnerPartitions* partitions)
    : partitions_(partitions),
      reservation_(partitions->context_->budget()),
      blocks_(kGatheredBlocks),
      row_partitions_(kBlockRows) {}

arrow::Result<std::unique_ptr<WinnerPartitions::Feed>> WinnerPartitions::Feed::Make(
    WinnerPartitions* partitions) {
  std::unique_ptr<Feed> feed(new Feed(partitions));
  ARROW_RETURN_NOT_OK(feed->reservation_.Resize(
      static_cast<int64_t>(kGatheredBlocks * (sizeof(WinnerBlocks) + sizeof(Block)))));
  for (size_t i = 0; i < kGatheredBlocks; ++i) {
    ARROW_ASSIGN_OR_RAISE(auto reader,
                          WinnerBlocks::Make(partitions->spec_, partitions->context_->budget()));
    feed->readers_.push_back(std::move(reader));
    feed->blocks_[i].begins.resize(partitions->partitions_.size() + 1);
  }
  return feed;
}

arrow::Status WinnerPartitions::Feed::Consume(const arrow::ArrayVector& group_columns,
                                              const arrow::ArrayVector& order_columns,
                                              std::span<const int64_t> addresses) {
  for (int64_t row = 0; row < static_cast<int64_t>(addresses.size());) {
    WinnerBlocks& reader = *readers_[block_count_];
    ARROW_RETURN_NOT_OK(reader.Bind(group_columns, order_columns, addresses));
    reader.StartAt(row);
    ARROW_ASSIGN_OR_RAISE(const int64_t rows, reader.Next());
    Add(reader, rows);
    row += rows;
    if (block_count_ == kGatheredBlocks) {
      ARROW_RETURN_NOT_OK(Flush());
    }
  }
  return arrow::Status::OK();
}

arrow::Status WinnerPartitions::Feed::ConsumeTable(WinnerTable* table) {
  ARROW_RETURN_NOT_OK(Flush());
  ARROW_RETURN_NOT_OK(table->ReadBack([this](const WinnerBlocks& block, int64_t rows) {
    Add(block, rows);
    return Flush();
  }));
  table->Clear();
  return arrow::Status::OK();
}

arrow::Status WinnerPartitions::Feed::Finish() {
  return Flush();
}

void WinnerPartitions::Feed::Add(const WinnerBlocks& block, int64_t rows) {
  Block& sorted = blocks_[block_count_++];
  sorted.block = &block;
  const auto count = static_cast<size_t>(rows);
  const auto partition_count = static_cast<uint32_t>(partitions_->partitions_.size());
  std::fill(sorted.begins.begin(), sorted.begins.end(), uint16_t{0});
  for (size_t i = 0; i < count; ++i) {
    row_partitions_[i] = HashPartition(block.groups.hashes[i], partition_count);
    ++sorted.begins[row_partitions_[i]];
  }
  // First the end of each partition, which moves down to its begin as rows are placed.
  uint16_t end = 0;
  for (uint16_t& begin : sorted.begins) {
    end = static_cast<uint16_t>(end + begin);
    begin = end;
  }
  for (size_t i = count; i-- > 0;) {
    sorted.rows[--sorted.begins[row_partitions_[i]]] = static_cast<uint16_t>(i);
  }
}

arrow::Status WinnerPartitions::Feed::Flush() {
  if (block_count_ == 0) {
    return arrow::Status::OK();
  }
  const auto partition_count = static_cast<uint32_t>(partitions_->partitions_.size());
  busy_.clear();
  uint32_t partition = next_;
  for (uint32_t i = 0; i < partition_count; ++i) {
    const std::unique_lock lock(partitions_->partitions_[partition].mutex, std::try_to_lock);
    if (lock.owns_lock()) {
      ARROW_RETURN_NOT_OK(FlushTo(partition));
    } else {
      busy_.push_back(partition);
    }
    partition = partition + 1 == partition_count ? 0 : partition + 1;
  }
  for (const uint32_t late : busy_) {
    const std::lock_guard lock(partitions_->partitions_[late].mutex);
    ARROW_RETURN_NOT_OK(FlushTo(late));
  }
  // Who has been somewhere else first meets others less.
  next_ = busy_.empty() ? next_ : busy_.back();
  block_count_ = 0;
  return arrow::Status::OK();
}

arrow::Status WinnerPartitions::Feed::FlushTo(uint32_t partition) {
  WinnerTable& table = *partitions_->partitions_[partition].table;
  const auto rows_of = [partition](const Block& block) {
    const uint16_t begin = block.begins[partition];
    return std::span<const uint16_t>(block.rows.data() + begin,
                                     static_cast<size_t>(block.begins[partition + 1] - begin));
  };
  const std::span<const Block> blocks(blocks_.data(), block_count_);
  for (const Block& block : blocks) {
    table.PrefetchSlots(*block.block, rows_of(block));
  }
  for (const Block& block : blocks) {
    table.PrefetchGroups(*block.block, rows_of(block));
  }
  for (const Block& block : blocks) {
    ARROW_RETURN_NOT_OK(table.ConsumeBlock(*block.block, rows_of(block)));
  }
  return arrow::Status::OK();
}

}  // namespace keepone
