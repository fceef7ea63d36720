// SPDX-License-Identifier: Apache-2.0
#include "exec/carried_rows.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>

#include "column/row_bytes.h"
#include "exec/metrics.h"
#include "exec/winner_merge.h"
#include "exec/worker.h"

namespace keepone {

namespace {

using Batch = CarriedRows::Batch;

// New rows that are held before thinning begins to pay.
constexpr int64_t kNewRowsMin = int64_t{1} << 16;
constexpr int64_t kNewBatchesMin = 4;

arrow::Status Consume(const BoundKeepSpec& spec, const Batch& batch, WinnerTable* table) {
  const arrow::ArrayVector groups = SelectColumns(*batch.rows, spec.groups);
  const arrow::ArrayVector order = SelectColumns(*batch.rows, spec.order);
  if (batch.positions == nullptr) {
    return table->ConsumeRange(groups, order, batch.first_position, batch.rows->num_rows());
  }
  return table->Consume(
      groups, order,
      std::span(batch.positions->raw_values(), static_cast<size_t>(batch.positions->length())));
}

// Calls visit(index of the winner, row) for each row of the batch that is among the winners'
// ascending addresses.
template <typename Visit>
void ForEachWinner(const Batch& batch, std::span<const int64_t> winners, Visit&& visit) {
  const int64_t rows = batch.rows->num_rows();
  if (batch.positions == nullptr) {
    const auto first = std::lower_bound(winners.begin(), winners.end(), batch.first_position);
    for (auto it = first; it != winners.end() && *it < batch.first_position + rows; ++it) {
      visit(it - winners.begin(), *it - batch.first_position);
    }
    return;
  }
  const int64_t* positions = batch.positions->raw_values();
  auto from = winners.begin();
  for (int64_t row = 0; row < rows && from != winners.end(); ++row) {
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
      visit(from - winners.begin(), row);
    }
  }
}

std::span<const int64_t> AddressesOf(const Winners& winners) {
  return {winners.addresses->raw_values(), static_cast<size_t>(winners.addresses->length())};
}

// Gathers rows that stay into batches of a useful size.
class Survivors {
 public:
  // `positions` are those of all rows to be added.
  Survivors(QueryContext* context, std::shared_ptr<arrow::Int64Array> positions)
      : context_(context), positions_(std::move(positions)) {}

  arrow::Status Add(Batch batch, const std::vector<uint32_t>& rows) {
    const int64_t bytes = BatchBytes(*batch.rows);
    const int64_t row_count = batch.rows->num_rows();
    const bool is_large =
        row_count * 4 >= context_->batch_rows_max() || bytes * 4 >= context_->batch_bytes_max();
    if (static_cast<int64_t>(rows.size()) == row_count && is_large) {
      // Nothing is saved by copying it.
      ARROW_RETURN_NOT_OK(Flush());
      next_position_ += row_count;
      batches_.push_back(std::move(batch));
      return arrow::Status::OK();
    }
    bool is_source = false;
    for (const uint32_t row : rows) {
      if (!is_source) {
        sources_.push_back(batch.rows);
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

  arrow::Result<std::vector<Batch>> Finish() {
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
    for (std::shared_ptr<arrow::RecordBatch>& piece : pieces) {
      Batch batch;
      batch.positions = std::static_pointer_cast<arrow::Int64Array>(
          positions_->Slice(next_position_, piece->num_rows()));
      next_position_ += piece->num_rows();
      batch.rows = std::move(piece);
      batches_.push_back(std::move(batch));
    }
    sources_.clear();
    places_.clear();
    bytes_ = 0;
    return arrow::Status::OK();
  }

  QueryContext* context_;
  std::shared_ptr<arrow::Int64Array> positions_;
  int64_t next_position_ = 0;  // of the first row that is not in `batches_`
  std::vector<Batch> batches_;
  arrow::RecordBatchVector sources_;
  std::vector<RowPlace> places_;  // to be gathered from them
  int64_t bytes_ = 0;
};

}  // namespace

arrow::Status CarriedRows::Add(Batch batch) {
  rows_new_ += batch.rows->num_rows();
  bytes_new_ += BatchBytes(*batch.rows);
  batches_.push_back(std::move(batch));
  NoteBytesHeld(bytes_living_ + bytes_new_);
  return IsFull() ? Thin() : arrow::Status::OK();
}

bool CarriedRows::IsFull() const {
  return rows_new_ > std::max(rows_living_, kNewRowsMin) ||
         bytes_new_ > std::max(bytes_living_, kNewBatchesMin * context_->batch_bytes_max());
}

arrow::Status CarriedRows::Thin() {
  std::array<std::unique_ptr<WinnerTable>, 1> table;
  ARROW_ASSIGN_OR_RAISE(table[0], WinnerTable::Make(spec_.winners, context_->budget()));
  for (const Batch& batch : batches_) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    ARROW_RETURN_NOT_OK(Consume(spec_, batch, table[0].get()));
  }
  ARROW_ASSIGN_OR_RAISE(const Winners winners, WinnerTable::Finish(table, context_->budget()));
  table[0].reset();

  Survivors survivors(context_, winners.addresses);
  for (Batch& batch : batches_) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    std::vector<uint32_t> rows;
    ForEachWinner(batch, AddressesOf(winners),
                  [&](int64_t, int64_t row) { rows.push_back(static_cast<uint32_t>(row)); });
    ARROW_RETURN_NOT_OK(survivors.Add(std::move(batch), rows));
  }
  ARROW_ASSIGN_OR_RAISE(batches_, survivors.Finish());
  rows_living_ = winners.addresses->length();
  bytes_living_ = 0;
  for (const Batch& batch : batches_) {
    bytes_living_ += BatchBytes(*batch.rows);
  }
  rows_new_ = bytes_new_ = 0;
  return arrow::Status::OK();
}

arrow::Result<CarriedRows::Kept> CarriedRows::Finish(QueryContext* context,
                                                     const BoundKeepSpec& spec,
                                                     std::vector<std::vector<Batch>> parts) {
  std::vector<std::unique_ptr<WinnerTable>> tables(parts.size());
  const auto consume = [&](int64_t part) -> arrow::Status {
    const auto at = static_cast<size_t>(part);
    if (parts[at].empty()) {
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(tables[at], WinnerTable::Make(spec.winners, context->budget()));
    for (const Batch& batch : parts[at]) {
      ARROW_RETURN_NOT_OK(context->CheckStop());
      ARROW_RETURN_NOT_OK(Consume(spec, batch, tables[at].get()));
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ForEachTask(context, static_cast<int64_t>(parts.size()), consume));
  ARROW_ASSIGN_OR_RAISE(const Winners winners,
                        MergeWinners(context, spec.winners, std::move(tables)));
  Kept kept;
  kept.numbers = winners.numbers;
  kept.order = std::make_unique<RowOrder>(context->budget());
  ARROW_RETURN_NOT_OK(kept.order->Resize(winners.addresses->length()));
  for (std::vector<Batch>& part : parts) {
    for (Batch& batch : part) {
      const auto index = static_cast<uint32_t>(kept.batches.size());
      bool any = false;
      ForEachWinner(batch, AddressesOf(winners), [&](int64_t winner, int64_t row) {
        kept.order->refs()[static_cast<size_t>(winner)] = {index, static_cast<uint32_t>(row)};
        any = true;
      });
      if (any) {
        kept.batches.push_back(std::move(batch.rows));
      }
      batch.rows.reset();
    }
  }
  return kept;
}

arrow::Result<CarriedRows::Kept> CarryRows(QueryContext* context, BatchStream& input,
                                           const BoundKeepSpec& spec) {
  std::vector<std::unique_ptr<CarriedRows>> workers(static_cast<size_t>(context->threads()));
  const auto add = [&](const MorselBatch& morsel) -> arrow::Status {
    std::unique_ptr<CarriedRows>& rows = workers[static_cast<size_t>(morsel.worker)];
    if (rows == nullptr) {
      rows = std::make_unique<CarriedRows>(context, spec);
    }
    return rows->Add({morsel.batch, morsel.position(), nullptr});
  };
  ARROW_RETURN_NOT_OK(ForEachMorsel(context, input, add));
  std::vector<std::vector<Batch>> parts;
  for (const auto& rows : workers) {
    if (rows != nullptr) {
      parts.push_back(rows->TakeBatches());
    }
  }
  return CarriedRows::Finish(context, spec, std::move(parts));
}

}  // namespace keepone
