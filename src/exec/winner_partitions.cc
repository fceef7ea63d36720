// SPDX-License-Identifier: Apache-2.0
#include "exec/winner_partitions.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include "column/winner_state.h"
#include "exec/held_rows.h"
#include "exec/merge_runs.h"
#include "exec/metrics.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// Few enough that a round of a worker finds some rows for each, and so many that workers seldom
// meet.
constexpr uint32_t kWinnerPartitionsMin = 32;
constexpr uint32_t kWinnerPartitionsMax = 256;
// Blocks that a worker gathers before it goes round.
constexpr size_t kGatheredBlocks = 8;

uint32_t PartitionCount(int threads) {
  return std::clamp(std::bit_ceil(static_cast<uint32_t>(threads) * 4), kWinnerPartitionsMin,
                    kWinnerPartitionsMax);
}

// What a batch of a state may take.
constexpr int64_t kStateBytesMax = 1 << 20;
// What a row that is read back takes in a table, beside its keys.
constexpr int64_t kTableBytesOfRow = 40;
constexpr int64_t kPartsMax = 256;

arrow::Result<std::shared_ptr<arrow::RecordBatch>> WinnerBatch(
    QueryContext* context, const Winners& winners, const std::shared_ptr<arrow::Schema>& schema) {
  const int64_t rows = winners.addresses->length();
  arrow::ArrayVector columns = {winners.addresses};
  if (schema->num_fields() > 1) {
    std::shared_ptr<arrow::Array> numbers = winners.numbers;
    if (numbers == nullptr) {
      ARROW_ASSIGN_OR_RAISE(
          numbers, arrow::MakeArrayFromScalar(arrow::Int64Scalar(1), rows, context->pool()));
    }
    columns.push_back(std::move(numbers));
  }
  return arrow::RecordBatch::Make(schema, rows, std::move(columns));
}

}  // namespace

arrow::Result<std::unique_ptr<WinnerPartitions>> WinnerPartitions::Make(QueryContext* context,
                                                                        const WinnerSpec& spec) {
  std::unique_ptr<WinnerPartitions> partitions(
      new WinnerPartitions(context, spec, PartitionCount(context->threads())));
  ARROW_RETURN_NOT_OK(partitions->reservation_.Resize(
      static_cast<int64_t>(partitions->partitions_.size() * sizeof(WinnerBlocks))));
  for (Partition& partition : partitions->partitions_) {
    ARROW_ASSIGN_OR_RAISE(partition.table, WinnerTable::Make(spec, context->budget()));
  }
  return partitions;
}

void WinnerPartitions::CountBytes(Partition* partition) {
  const int64_t bytes = partition->table->bytes_used();
  bytes_.fetch_add(bytes - partition->bytes, std::memory_order_relaxed);
  partition->bytes = bytes;
}

arrow::Status WinnerPartitions::SpillIfWanted() {
  const std::unique_lock spilling(spill_mutex_, std::try_to_lock);
  if (!spilling.owns_lock()) {
    return arrow::Status::OK();
  }
  for (size_t i = 0; i < partitions_.size() && context_->ShouldSpill(bytes_used()); ++i) {
    Partition& partition = partitions_[next_to_spill_];
    next_to_spill_ = (next_to_spill_ + 1) % partitions_.size();
    const std::lock_guard lock(partition.mutex);
    ARROW_RETURN_NOT_OK(Spill(&partition));
  }
  return arrow::Status::OK();
}

arrow::Status WinnerPartitions::Spill(Partition* partition) {
  ARROW_RETURN_NOT_OK(context_->CheckStop());
  if (partition->table->group_count() == 0) {
    return arrow::Status::OK();
  }
  if (partition->file == nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto schema, MakeWinnerStateSchema(spec_));
    ARROW_ASSIGN_OR_RAISE(partition->file, SpillFile::Make(context_, std::move(schema)));
  }
  NoteBytesHeld(bytes_used());
  ARROW_RETURN_NOT_OK(VisitWinnerState(
      spec_, partition->table.get(), context_->batch_rows_max(), kStateBytesMax, context_->pool(),
      [partition](const auto& batch) { return partition->file->Append(*batch); }));
  partition->table->Clear();
  CountBytes(partition);
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<BatchStream>> WinnerPartitions::Finish(
    std::shared_ptr<arrow::Schema> schema) {
  NoteBytesHeld(bytes_used());
  const bool is_spilled = std::any_of(partitions_.begin(), partitions_.end(),
                                      [](const Partition& p) { return p.file != nullptr; });
  if (is_spilled) {
    return FinishSpilled(std::move(schema));
  }
  std::vector<std::unique_ptr<WinnerTable>> tables;
  for (Partition& partition : partitions_) {
    tables.push_back(std::move(partition.table));
  }
  ARROW_ASSIGN_OR_RAISE(const Winners winners, WinnerTable::Finish(tables, context_->budget()));
  return MakeWinnerStream(context_, winners, std::move(schema));
}

arrow::Result<std::unique_ptr<BatchStream>> WinnerPartitions::FinishSpilled(
    std::shared_ptr<arrow::Schema> schema) {
  struct Part {
    const SpillFile* file;
    uint32_t part;
    uint32_t part_count;
  };
  std::vector<Part> parts;
  // All go to disk first, so that one partition after the other has the memory for itself.
  for (size_t i = 0; i < partitions_.size(); ++i) {
    Partition& partition = partitions_[i];
    ARROW_RETURN_NOT_OK(Spill(&partition));
    partition.table.reset();
    if (partition.file == nullptr) {
      continue;
    }
    ARROW_RETURN_NOT_OK(partition.file->Close());
    // The parts of a partition are those of its hashes under a finer division.
    const uint32_t count = PartCount(*partition.file);
    for (uint32_t part = 0; part < count; ++part) {
      parts.push_back({partition.file.get(), static_cast<uint32_t>(i) * count + part,
                       static_cast<uint32_t>(partitions_.size()) * count});
    }
  }
  ARROW_RETURN_NOT_OK(reservation_.Resize(0));
  std::vector<std::unique_ptr<SpillFile>> runs(parts.size());
  ARROW_RETURN_NOT_OK(
      ForEachTask(context_, static_cast<int64_t>(parts.size()), [&](int64_t i) -> arrow::Status {
        const Part& part = parts[static_cast<size_t>(i)];
        ARROW_ASSIGN_OR_RAISE(runs[static_cast<size_t>(i)],
                              FinishPart(*part.file, part.part, part.part_count, schema));
        return arrow::Status::OK();
      }));
  partitions_.clear();
  std::erase(runs, nullptr);
  std::vector<int> output = {0};
  if (schema->num_fields() > 1) {
    output.push_back(1);
  }
  return MakeMergedRuns(context_, std::move(runs), {OrderColumn{0}}, std::move(output),
                        std::move(schema));
}

uint32_t WinnerPartitions::PartCount(const SpillFile& file) const {
  if (context_->force_spill()) {
    return 2;
  }
  const int64_t limit = context_->memory_bytes_max();
  if (limit < 0) {
    return 1;
  }
  // At most: rows of one group may have been put aside more than once.
  const int64_t bytes_needed = file.bytes() * 2 + file.rows() * kTableBytesOfRow;
  const int64_t bytes_free = std::max<int64_t>(limit / 4 / context_->threads(), 1);
  return static_cast<uint32_t>(
      std::clamp<int64_t>((bytes_needed + bytes_free - 1) / bytes_free, 1, kPartsMax));
}

arrow::Result<std::unique_ptr<SpillFile>> WinnerPartitions::FinishPart(
    const SpillFile& file, uint32_t part, uint32_t part_count,
    const std::shared_ptr<arrow::Schema>& schema) const {
  std::array<std::unique_ptr<WinnerTable>, 1> table;
  ARROW_ASSIGN_OR_RAISE(table[0], WinnerTable::Make(spec_, context_->budget()));
  ARROW_ASSIGN_OR_RAISE(auto states, WinnerStateReader::Make(spec_, context_->pool()));
  ARROW_ASSIGN_OR_RAISE(auto reader, file.Read());
  while (true) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->Next());
    if (batch == nullptr) {
      break;
    }
    ARROW_RETURN_NOT_OK(states->Consume(*batch, part, part_count, table[0].get()));
  }
  reader.reset();
  NoteBytesHeld(table[0]->bytes_used());
  ARROW_ASSIGN_OR_RAISE(const Winners winners, WinnerTable::Finish(table, context_->budget()));
  if (winners.addresses->length() == 0) {
    return nullptr;
  }
  ARROW_ASSIGN_OR_RAISE(auto rows, WinnerBatch(context_, winners, schema));
  ARROW_ASSIGN_OR_RAISE(auto run, SpillFile::Make(context_, schema));
  ARROW_RETURN_NOT_OK(run->Append(*rows));
  ARROW_RETURN_NOT_OK(run->Close());
  return run;
}

arrow::Result<std::unique_ptr<BatchStream>> MakeWinnerStream(
    QueryContext* context, const Winners& winners, std::shared_ptr<arrow::Schema> schema) {
  HeldRows held;
  ARROW_ASSIGN_OR_RAISE(auto batch, WinnerBatch(context, winners, schema));
  if (batch->num_rows() > 0) {
    held.batches.push_back(std::move(batch));
  }
  return MakeHeldRows(context, std::move(schema), std::move(held));
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
    // Asked each time, as all tables tend to grow in the same round.
    if (partitions_->context_->ShouldSpill(partitions_->bytes_used())) {
      ARROW_RETURN_NOT_OK(partitions_->SpillIfWanted());
    }
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
  Partition& to = partitions_->partitions_[partition];
  WinnerTable& table = *to.table;
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
  partitions_->CountBytes(&to);
  return arrow::Status::OK();
}

}  // namespace keepone
