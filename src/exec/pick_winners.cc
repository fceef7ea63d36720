// SPDX-License-Identifier: Apache-2.0
#include "exec/pick_winners.h"

#include <span>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/checked_cast.h>

#include "exec/winner_collector.h"
#include "exec/worker.h"

namespace keepone {

namespace {

class PickWinnersStream final : public BatchStream {
 public:
  PickWinnersStream(QueryContext* context, std::unique_ptr<BatchStream> input, KeepSpec spec,
                    int address, std::shared_ptr<arrow::Schema> schema)
      : context_(context),
        input_(std::move(input)),
        spec_(std::move(spec)),
        address_(address),
        schema_(std::move(schema)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Status Prepare() override {
    const BoundKeepSpec bound = BindKeepSpec(spec_, *input_->schema());
    WinnerCollector collector(context_, bound.winners);
    const auto consume = [&](const MorselBatch& morsel) -> arrow::Status {
      const arrow::RecordBatch& batch = *morsel.batch;
      const auto& addresses =
          arrow::internal::checked_cast<const arrow::Int64Array&>(*batch.column(address_));
      return collector.Consume(
          morsel.worker, SelectColumns(batch, bound.groups), SelectColumns(batch, bound.order),
          std::span(addresses.raw_values(), static_cast<size_t>(addresses.length())));
    };
    ARROW_RETURN_NOT_OK(ForEachMorsel(context_, *input_, consume));
    input_.reset();
    ARROW_ASSIGN_OR_RAISE(winners_, collector.Finish(schema_));
    return winners_->Prepare();
  }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override { return winners_->NextMorsel(); }

 private:
  QueryContext* context_;
  std::unique_ptr<BatchStream> input_;
  KeepSpec spec_;
  int address_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<BatchStream> winners_;
};

}  // namespace

std::unique_ptr<BatchStream> MakePickWinners(QueryContext* context,
                                             std::unique_ptr<BatchStream> input, KeepSpec spec,
                                             int address, std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<PickWinnersStream>(context, std::move(input), std::move(spec), address,
                                             std::move(schema));
}

}  // namespace keepone
