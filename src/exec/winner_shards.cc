// SPDX-License-Identifier: Apache-2.0
#include "exec/winner_shards.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/checked_cast.h>

#include "column/gather.h"
#include "column/group_table.h"
#include "exec/group_order_keys.h"
#include "exec/key_partitioner.h"
#include "exec/metrics.h"
#include "exec/winner_arena.h"

namespace keepone {

namespace {

// Each shard's arena may hold some batches of dead rows, so that there are no more than needed.
constexpr uint32_t kShardsMax = 16;
// Keys that take at most this part of the rows that are put aside stay in memory.
constexpr int64_t kKeptKeysPart = 4;

// A winner by its position in the input.
struct PlacedWinner {
  int64_t position;
  RowPlace place;
};

// The winners of the groups of one partition by hash. Used by one thread at a time.
class Shard {
 public:
  Shard(QueryContext* context, const BoundKeepSpec& spec, const AsideSpec* aside)
      : context_(context),
        spec_(spec),
        schema_(aside->schema),
        reserved_(context->budget()),
        aside_(context, aside) {}

  // Takes in `rows` of the batch. `keys` has their group columns, then their order columns.
  arrow::Status Add(const std::shared_ptr<arrow::RecordBatch>& batch,
                    const arrow::RecordBatch& keys, std::span<const uint32_t> rows) {
    ARROW_RETURN_NOT_OK(Begin());
    const arrow::ArrayVector columns = keys.columns();
    const auto order = columns.begin() + static_cast<std::ptrdiff_t>(spec_.groups.size());
    group_ids_.resize(rows.size());
    ARROW_RETURN_NOT_OK(groups_->Insert(arrow::ArrayVector(columns.begin(), order),
                                        static_cast<int64_t>(rows.size()), group_ids_));
    ARROW_RETURN_NOT_OK(order_keys_->Bind(arrow::ArrayVector(order, columns.end())));
    ARROW_RETURN_NOT_OK(Grow());
    FindWinners(*batch, rows);
    ARROW_RETURN_NOT_OK(arena_->Put(batch, chosen_, row_groups_, groups_->group_count()));
    return aside_.IsWanted(bytes()) ? PutAside() : arrow::Status::OK();
  }

  int64_t bytes() const { return key_bytes() + (arena_ == nullptr ? 0 : arena_->bytes_used()); }
  bool has_put_aside() const { return aside_.is_used(); }

  arrow::Status FinishAside(std::vector<SpillRuns>* partitions) {
    ARROW_RETURN_NOT_OK(PutAside());
    ARROW_RETURN_NOT_OK(Clear());
    return aside_.Finish(partitions);
  }

  // Moves the winners behind those that are there.
  arrow::Status Finish(arrow::RecordBatchVector* batches, std::vector<PlacedWinner>* winners) {
    if (groups_ == nullptr) {
      return arrow::Status::OK();
    }
    const auto first = static_cast<uint32_t>(batches->size());
    ARROW_ASSIGN_OR_RAISE(const auto places, TakeChunks(batches));
    for (size_t group = 0; group < positions_.size(); ++group) {
      const RowPlace place = places->refs()[group];
      winners->push_back({positions_[group], {first + place.batch, place.row}});
    }
    return Clear();
  }

 private:
  int64_t key_bytes() const {
    return groups_ == nullptr ? 0 : groups_->bytes_used() + reserved_.bytes();
  }

  arrow::Status Begin() {
    if (arena_ == nullptr) {
      arena_ = std::make_unique<WinnerArena>(context_, schema_);
    }
    if (groups_ != nullptr) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(groups_, GroupTable::Make(spec_.winners.group_keys, context_->budget()));
    ARROW_ASSIGN_OR_RAISE(auto order_keys,
                          GroupOrderKeys::Make(spec_.winners.order_keys, context_->pool()));
    order_keys_.emplace(std::move(order_keys));
    return arrow::Status::OK();
  }

  arrow::Status Clear() {
    groups_.reset();
    order_keys_.reset();
    arena_.reset();
    positions_ = std::vector<int64_t>();
    return reserved_.Resize(0);
  }

  // Makes room for all groups.
  arrow::Status Grow() {
    const size_t count = groups_->group_count();
    if (count > positions_.capacity()) {
      positions_.reserve(std::max(count, positions_.capacity() + positions_.capacity() / 2));
    }
    positions_.resize(count);
    order_keys_->Resize(count);
    return reserved_.Resize(order_keys_->bytes_used() +
                            static_cast<int64_t>(positions_.capacity() * sizeof(int64_t)));
  }

  // Sets chosen_ to the rows that win and are not beaten by another one of the batch, and
  // row_groups_ to their groups.
  void FindWinners(const arrow::RecordBatch& batch, std::span<const uint32_t> rows) {
    const int64_t* positions = arrow::internal::checked_cast<const arrow::Int64Array&>(
                                   *batch.column(batch.num_columns() - 1))
                                   .raw_values();
    row_groups_.resize(static_cast<size_t>(batch.num_rows()));
    chosen_.clear();
    for (uint32_t i = 0; i < rows.size(); ++i) {
      const uint32_t row = rows[i];
      const uint32_t group = group_ids_[i];
      if (order_keys_->Has(group)) {
        const int order = order_keys_->Compare(i, group);
        const bool comes_later = positions[row] > positions_[group];
        if (order > 0 || (order == 0 && comes_later != spec_.winners.last_wins)) {
          continue;
        }
      }
      order_keys_->Set(i, group);
      positions_[group] = positions[row];
      row_groups_[row] = group;
      chosen_.push_back(row);
    }
    std::erase_if(chosen_,
                  [&](uint32_t row) { return positions_[row_groups_[row]] != positions[row]; });
  }

  // Appends the arena's chunks and gives the groups' places in them.
  arrow::Result<std::shared_ptr<RowOrder>> TakeChunks(arrow::RecordBatchVector* batches) {
    ARROW_ASSIGN_OR_RAISE(WinnerArena::Finished finished, arena_->Finish(groups_->group_count()));
    // The position is a column, so that there is one.
    const size_t chunk_count = finished.columns[0].size();
    for (size_t chunk = 0; chunk < chunk_count; ++chunk) {
      arrow::ArrayVector columns;
      for (arrow::ArrayVector& column : finished.columns) {
        columns.push_back(std::move(column[chunk]));
      }
      const int64_t rows = columns[0]->length();
      batches->push_back(arrow::RecordBatch::Make(schema_, rows, std::move(columns)));
    }
    return std::move(finished.places);
  }

  // Puts the rows aside. Where the keys are narrow beside them these stay, so that of what comes
  // later only rows that beat those put aside are held, and put aside in turn: as many as there are
  // wins, not as there are rows.
  arrow::Status PutAside() {
    if (arena_ == nullptr) {
      return arrow::Status::OK();
    }
    NoteBytesHeld(bytes());
    const bool keeps_keys = context_->force_spill()
                                ? ++times_put_aside_ % 2 == 0
                                : key_bytes() <= arena_->bytes_used() / kKeptKeysPart;
    arrow::RecordBatchVector batches;
    ARROW_ASSIGN_OR_RAISE(const auto places, TakeChunks(&batches));
    arena_.reset();
    if (!keeps_keys) {
      ARROW_RETURN_NOT_OK(Clear());
    }
    // Groups whose row was put aside before have a row of NULLs here, also for the position.
    std::erase_if(places->refs(), [&batches](RowPlace place) {
      return batches[place.batch]->columns().back()->IsNull(place.row);
    });
    std::sort(places->refs().begin(), places->refs().end(), [](RowPlace a, RowPlace b) {
      return a.batch != b.batch ? a.batch < b.batch : a.row < b.row;
    });
    return aside_.Add(batches, places->refs());
  }

  QueryContext* context_;
  const BoundKeepSpec& spec_;
  const std::shared_ptr<arrow::Schema>& schema_;

  std::unique_ptr<GroupTable> groups_;  // nullptr while there is no row
  std::optional<GroupOrderKeys> order_keys_;
  std::vector<int64_t> positions_;  // of each group's winner
  std::unique_ptr<WinnerArena> arena_;
  MemoryReservation reserved_;  // for order keys and positions
  RowsAside aside_;
  int64_t times_put_aside_ = 0;

  // Of one batch.
  std::vector<uint32_t> group_ids_;
  std::vector<uint32_t> row_groups_;
  std::vector<uint32_t> chosen_;
};

class WinnerShards final : public CarriedRows {
 public:
  WinnerShards(QueryContext* context, const BoundKeepSpec& spec, const AsideSpec& aside,
               int workers)
      : context_(context), spec_(spec), aside_(aside), workers_(static_cast<size_t>(workers)) {
    const uint32_t count =
        spec.groups.empty() ? 1
                            : std::min(std::bit_ceil(static_cast<uint32_t>(workers)), kShardsMax);
    for (uint32_t i = 0; i < count; ++i) {
      shards_.push_back(std::make_unique<LockedShard>(context, spec_, &aside_));
    }
    key_columns_ = spec.groups;
    key_columns_.insert(key_columns_.end(), spec.order.begin(), spec.order.end());
    arrow::FieldVector fields;
    for (const int column : key_columns_) {
      fields.push_back(aside_.schema->field(column));
    }
    key_schema_ = arrow::schema(std::move(fields));
  }

  arrow::Status Add(int index, const std::shared_ptr<arrow::RecordBatch>& batch) override {
    Worker& worker = workers_[static_cast<size_t>(index)];
    ARROW_RETURN_NOT_OK(Split(*batch, &worker));
    std::vector<size_t> busy;
    for (size_t i = 0; i < shards_.size(); ++i) {
      // Workers begin at different shards.
      const size_t at = (i + static_cast<size_t>(index)) % shards_.size();
      const std::unique_lock lock(shards_[at]->mutex, std::try_to_lock);
      if (lock.owns_lock()) {
        ARROW_RETURN_NOT_OK(AddTo(at, batch, worker));
      } else {
        busy.push_back(at);
      }
    }
    for (const size_t at : busy) {
      const std::lock_guard lock(shards_[at]->mutex);
      ARROW_RETURN_NOT_OK(AddTo(at, batch, worker));
    }
    return arrow::Status::OK();
  }

  bool has_put_aside() const override {
    return std::any_of(shards_.begin(), shards_.end(),
                       [](const auto& one) { return one->shard.has_put_aside(); });
  }

  arrow::Result<Kept> Finish() override {
    int64_t bytes = 0;
    Kept kept;
    std::vector<PlacedWinner> winners;
    for (const auto& one : shards_) {
      bytes += one->shard.bytes();
      ARROW_RETURN_NOT_OK(one->shard.Finish(&kept.batches, &winners));
    }
    NoteBytesHeld(bytes);
    MemoryReservation reserved(context_->budget());
    ARROW_RETURN_NOT_OK(
        reserved.Resize(static_cast<int64_t>(winners.capacity() * sizeof(PlacedWinner))));
    std::sort(winners.begin(), winners.end(),
              [](const PlacedWinner& a, const PlacedWinner& b) { return a.position < b.position; });
    kept.order = std::make_unique<RowOrder>(context_->budget());
    ARROW_RETURN_NOT_OK(kept.order->Resize(static_cast<int64_t>(winners.size())));
    for (size_t i = 0; i < winners.size(); ++i) {
      kept.order->refs()[i] = winners[i].place;
    }
    return kept;
  }

  arrow::Result<std::vector<SpillRuns>> FinishAside() override {
    std::vector<SpillRuns> partitions;
    for (const auto& one : shards_) {
      ARROW_RETURN_NOT_OK(one->shard.FinishAside(&partitions));
    }
    return partitions;
  }

 private:
  struct LockedShard {
    LockedShard(QueryContext* context, const BoundKeepSpec& spec, const AsideSpec* aside)
        : shard(context, spec, aside) {}
    std::mutex mutex;
    Shard shard;
  };
  struct Worker {
    std::unique_ptr<KeyPartitioner> partitioner;
    // Of one batch: which rows go to each shard, and their keys.
    std::vector<uint32_t> partitions;
    std::vector<std::vector<uint32_t>> rows;
    arrow::RecordBatchVector keys;
  };

  arrow::Status Split(const arrow::RecordBatch& batch, Worker* worker) const {
    const auto count = static_cast<uint32_t>(shards_.size());
    const auto rows = static_cast<size_t>(batch.num_rows());
    const auto keys =
        arrow::RecordBatch::Make(key_schema_, batch.num_rows(), SelectColumns(batch, key_columns_));
    worker->rows.resize(count);
    worker->keys.assign(count, nullptr);
    if (count == 1) {
      worker->rows[0].resize(rows);
      std::iota(worker->rows[0].begin(), worker->rows[0].end(), 0u);
      worker->keys[0] = keys;
      return arrow::Status::OK();
    }
    if (worker->partitioner == nullptr) {
      ARROW_ASSIGN_OR_RAISE(worker->partitioner,
                            KeyPartitioner::Make(spec_.winners.group_keys, context_->pool()));
    }
    worker->partitions.resize(rows);
    ARROW_RETURN_NOT_OK(worker->partitioner->Partition(SelectColumns(batch, spec_.groups), count,
                                                       worker->partitions));
    for (std::vector<uint32_t>& part : worker->rows) {
      part.clear();
    }
    for (size_t row = 0; row < rows; ++row) {
      worker->rows[worker->partitions[row]].push_back(static_cast<uint32_t>(row));
    }
    std::vector<int64_t> indices;
    for (uint32_t i = 0; i < count; ++i) {
      indices.assign(worker->rows[i].begin(), worker->rows[i].end());
      ARROW_ASSIGN_OR_RAISE(worker->keys[i], TakeRows(*keys, indices, context_->pool()));
    }
    return arrow::Status::OK();
  }

  arrow::Status AddTo(size_t at, const std::shared_ptr<arrow::RecordBatch>& batch,
                      const Worker& worker) {
    if (worker.rows[at].empty()) {
      return arrow::Status::OK();
    }
    return shards_[at]->shard.Add(batch, *worker.keys[at], worker.rows[at]);
  }

  QueryContext* context_;
  BoundKeepSpec spec_;
  AsideSpec aside_;
  std::vector<int> key_columns_;  // of groups, then of the order
  std::shared_ptr<arrow::Schema> key_schema_;
  std::vector<std::unique_ptr<LockedShard>> shards_;
  std::vector<Worker> workers_;
};

}  // namespace

std::unique_ptr<CarriedRows> MakeWinnerShards(QueryContext* context, const BoundKeepSpec& spec,
                                              const AsideSpec& aside, int workers) {
  return std::make_unique<WinnerShards>(context, spec, aside, workers);
}

}  // namespace keepone
