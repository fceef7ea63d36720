// SPDX-License-Identifier: Apache-2.0
#include "exec/thinned_rows.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/checked_cast.h>

#include "column/row_bytes.h"
#include "exec/metrics.h"
#include "exec/sort_rows.h"
#include "exec/winner_merge.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// New rows that are held before thinning begins to pay.
constexpr int64_t kNewRowsMin = int64_t{1} << 16;
constexpr int64_t kNewBatchesMin = 4;

std::span<const int64_t> Values(const arrow::Array& array) {
  const auto& values = arrow::internal::checked_cast<const arrow::Int64Array&>(array);
  return {values.raw_values(), static_cast<size_t>(values.length())};
}

std::span<const int64_t> PositionsOf(const arrow::RecordBatch& batch) {
  return Values(*batch.column(batch.num_columns() - 1));
}

arrow::Status Consume(const BoundKeepSpec& spec, const arrow::RecordBatch& batch,
                      WinnerTable* table) {
  return table->Consume(SelectColumns(batch, spec.groups), SelectColumns(batch, spec.order),
                        PositionsOf(batch));
}

// Calls visit(index of the winner, row) for each row of the batch that is among the winners'
// ascending addresses.
template <typename Visit>
void ForEachWinner(const arrow::RecordBatch& batch, std::span<const int64_t> winners,
                   Visit&& visit) {
  const std::span<const int64_t> positions = PositionsOf(batch);
  auto from = winners.begin();
  for (size_t row = 0; row < positions.size(); ++row) {
    if (row > 0 && positions[row] < positions[row - 1]) {
      from = winners.begin();
    }
    // Doubling steps: the winners between two rows of the batch may be many or none.
    std::ptrdiff_t step = 1;
    auto low = from;
    while (winners.end() - low > step && low[step] <= positions[row]) {
      low += step;
      step *= 2;
    }
    const auto high = low + std::min<std::ptrdiff_t>(step + 1, winners.end() - low);
    from = std::lower_bound(low, high, positions[row]);
    if (from != winners.end() && *from == positions[row]) {
      visit(from - winners.begin(), static_cast<uint32_t>(row));
    }
  }
}

// Gathers rows that stay into batches of a useful size.
class Survivors {
 public:
  explicit Survivors(QueryContext* context) : context_(context) {}

  arrow::Status Add(std::shared_ptr<arrow::RecordBatch> batch, const std::vector<uint32_t>& rows) {
    const int64_t bytes = BatchBytes(*batch);
    const int64_t row_count = batch->num_rows();
    const bool is_large =
        row_count * 4 >= context_->batch_rows_max() || bytes * 4 >= context_->batch_bytes_max();
    if (static_cast<int64_t>(rows.size()) == row_count && is_large) {
      // Nothing is saved by copying it.
      batches_.push_back(std::move(batch));
      return arrow::Status::OK();
    }
    bool is_source = false;
    for (const uint32_t row : rows) {
      if (!is_source) {
        sources_.push_back(batch);
        is_source = true;
      }
      places_.push_back({static_cast<uint32_t>(sources_.size() - 1), row});
      bytes_ += bytes / row_count;
      if (static_cast<int64_t>(places_.size()) >= context_->batch_rows_max() ||
          bytes_ >= context_->batch_bytes_max()) {
        ARROW_RETURN_NOT_OK(Flush());
        is_source = false;
      }
    }
    return arrow::Status::OK();
  }

  arrow::Result<arrow::RecordBatchVector> Finish() {
    ARROW_RETURN_NOT_OK(Flush());
    return std::move(batches_);
  }

 private:
  arrow::Status Flush() {
    if (places_.empty()) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto pieces,
                          GatherPieces(sources_[0]->schema(), sources_, places_, context_->pool()));
    std::move(pieces.begin(), pieces.end(), std::back_inserter(batches_));
    sources_.clear();
    places_.clear();
    bytes_ = 0;
    return arrow::Status::OK();
  }

  QueryContext* context_;
  arrow::RecordBatchVector batches_;
  arrow::RecordBatchVector sources_;
  std::vector<RowPlace> places_;  // to be gathered from them
  int64_t bytes_ = 0;
};

class ThinnedRows final : public CarriedRows {
 public:
  ThinnedRows(QueryContext* context, const BoundKeepSpec& spec, const AsideSpec& aside, int workers)
      : context_(context), spec_(spec), aside_(aside) {
    for (int i = 0; i < workers; ++i) {
      workers_.push_back(std::make_unique<Worker>(context, &aside_));
    }
  }

  arrow::Status Add(int index, const std::shared_ptr<arrow::RecordBatch>& rows) override;
  bool has_put_aside() const override;
  arrow::Result<Kept> Finish() override;
  arrow::Result<std::vector<SpillRuns>> FinishAside() override;

 private:
  struct Worker {
    Worker(QueryContext* context, const AsideSpec* spec) : aside(context, spec) {}
    int64_t bytes() const { return bytes_living + bytes_new; }

    arrow::RecordBatchVector batches;
    int64_t rows_living = 0;  // that stayed when last thinned
    int64_t bytes_living = 0;
    int64_t rows_new = 0;
    int64_t bytes_new = 0;
    RowsAside aside;
  };

  bool IsFull(const Worker& worker) const;
  arrow::Status Thin(Worker* worker) const;
  arrow::Status Relieve(Worker* worker);
  arrow::Status PutAside(Worker* worker);

  QueryContext* context_;
  BoundKeepSpec spec_;
  AsideSpec aside_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

arrow::Status ThinnedRows::Add(int index, const std::shared_ptr<arrow::RecordBatch>& rows) {
  Worker& worker = *workers_[static_cast<size_t>(index)];
  worker.rows_new += rows->num_rows();
  worker.bytes_new += BatchBytes(*rows);
  worker.batches.push_back(rows);
  NoteBytesHeld(worker.bytes());
  if (IsFull(worker)) {
    ARROW_RETURN_NOT_OK(Thin(&worker));
  }
  return worker.aside.IsWanted(worker.bytes()) ? Relieve(&worker) : arrow::Status::OK();
}

bool ThinnedRows::has_put_aside() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const auto& worker) { return worker->aside.is_used(); });
}

arrow::Result<std::vector<SpillRuns>> ThinnedRows::FinishAside() {
  std::vector<SpillRuns> partitions;
  for (const auto& worker : workers_) {
    ARROW_RETURN_NOT_OK(PutAside(worker.get()));
    ARROW_RETURN_NOT_OK(worker->aside.Finish(&partitions));
  }
  return partitions;
}

bool ThinnedRows::IsFull(const Worker& worker) const {
  return worker.rows_new > std::max(worker.rows_living, kNewRowsMin) ||
         worker.bytes_new >
             std::max(worker.bytes_living, kNewBatchesMin * context_->batch_bytes_max());
}

// When memory is short: thins out where that may give much back, else puts aside.
arrow::Status ThinnedRows::Relieve(Worker* worker) {
  const int64_t bytes = worker->bytes();
  if (worker->bytes_new * 2 > bytes) {
    ARROW_RETURN_NOT_OK(Thin(worker));
    if (worker->bytes() * 2 < bytes && !context_->force_spill()) {
      return arrow::Status::OK();
    }
  }
  return PutAside(worker);
}

arrow::Status ThinnedRows::PutAside(Worker* worker) {
  RowOrder order(context_->budget());
  ARROW_RETURN_NOT_OK(ReferToAllRows(worker->batches, &order));
  ARROW_RETURN_NOT_OK(worker->aside.Add(worker->batches, order.refs()));
  worker->batches.clear();
  worker->rows_living = worker->bytes_living = worker->rows_new = worker->bytes_new = 0;
  return arrow::Status::OK();
}

arrow::Status ThinnedRows::Thin(Worker* worker) const {
  std::array<std::unique_ptr<WinnerTable>, 1> table;
  ARROW_ASSIGN_OR_RAISE(table[0], WinnerTable::Make(spec_.winners, context_->budget()));
  for (const auto& batch : worker->batches) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    ARROW_RETURN_NOT_OK(Consume(spec_, *batch, table[0].get()));
  }
  ARROW_ASSIGN_OR_RAISE(const Winners winners, WinnerTable::Finish(table, context_->budget()));
  table[0].reset();

  Survivors survivors(context_);
  for (auto& batch : worker->batches) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    std::vector<uint32_t> rows;
    ForEachWinner(*batch, Values(*winners.addresses),
                  [&](int64_t, uint32_t row) { rows.push_back(row); });
    ARROW_RETURN_NOT_OK(survivors.Add(std::move(batch), rows));
  }
  ARROW_ASSIGN_OR_RAISE(worker->batches, survivors.Finish());
  worker->rows_living = winners.addresses->length();
  worker->bytes_living = TotalBytes(worker->batches);
  worker->rows_new = worker->bytes_new = 0;
  return arrow::Status::OK();
}

arrow::Result<CarriedRows::Kept> ThinnedRows::Finish() {
  std::vector<std::unique_ptr<WinnerTable>> tables(workers_.size());
  const auto consume = [&](int64_t part) -> arrow::Status {
    const auto at = static_cast<size_t>(part);
    if (workers_[at]->batches.empty()) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(tables[at], WinnerTable::Make(spec_.winners, context_->budget()));
    for (const auto& batch : workers_[at]->batches) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_RETURN_NOT_OK(Consume(spec_, *batch, tables[at].get()));
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ForEachTask(context_, static_cast<int64_t>(workers_.size()), consume));
  ARROW_ASSIGN_OR_RAISE(const Winners winners,
                        MergeWinners(context_, spec_.winners, std::move(tables)));
  Kept kept;
  kept.numbers = winners.numbers;
  kept.order = std::make_unique<RowOrder>(context_->budget());
  ARROW_RETURN_NOT_OK(kept.order->Resize(winners.addresses->length()));
  for (const auto& worker : workers_) {
    for (auto& batch : worker->batches) {
      const auto index = static_cast<uint32_t>(kept.batches.size());
      bool any = false;
      ForEachWinner(*batch, Values(*winners.addresses), [&](int64_t winner, uint32_t row) {
        kept.order->refs()[static_cast<size_t>(winner)] = {index, row};
        any = true;
      });
      if (any) {
        kept.batches.push_back(std::move(batch));
      }
      batch.reset();
    }
    worker->batches.clear();
  }
  return kept;
}

}  // namespace

std::unique_ptr<CarriedRows> MakeThinnedRows(QueryContext* context, const BoundKeepSpec& spec,
                                             const AsideSpec& aside, int workers) {
  return std::make_unique<ThinnedRows>(context, spec, aside, workers);
}

}  // namespace keepone
