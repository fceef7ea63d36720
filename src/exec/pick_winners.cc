// SPDX-License-Identifier: Apache-2.0
#include "exec/pick_winners.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/util/checked_cast.h>

#include "exec/single_morsel.h"
#include "exec/winner_collector.h"
#include "exec/worker.h"

namespace keepone {

namespace {

class PickWinnersStream final : public SingleMorselStream {
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
    ARROW_ASSIGN_OR_RAISE(const Winners winners, collector.Finish());
    return Hold(winners);
  }

 protected:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch() override {
    if (winners_ == nullptr || given_ >= winners_->num_rows()) {
      winners_.reset();
      return nullptr;
    }
    std::shared_ptr<arrow::RecordBatch> batch = winners_->Slice(given_, context_->batch_rows_max());
    given_ += batch->num_rows();
    return batch;
  }

 private:
  arrow::Status Hold(const Winners& winners) {
    arrow::ArrayVector columns = {winners.addresses};
    if (spec_.gives_number) {
      std::shared_ptr<arrow::Array> numbers = winners.numbers;
      if (numbers == nullptr) {
        ARROW_ASSIGN_OR_RAISE(
            numbers, arrow::MakeArrayFromScalar(arrow::Int64Scalar(1), winners.addresses->length(),
                                                context_->pool()));
      }
      columns.push_back(std::move(numbers));
    }
    winners_ = arrow::RecordBatch::Make(schema_, winners.addresses->length(), std::move(columns));
    return arrow::Status::OK();
  }

  QueryContext* context_;
  std::unique_ptr<BatchStream> input_;
  KeepSpec spec_;
  int address_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatch> winners_;
  int64_t given_ = 0;
};

}  // namespace

std::unique_ptr<BatchStream> MakePickWinners(QueryContext* context,
                                             std::unique_ptr<BatchStream> input, KeepSpec spec,
                                             int address, std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<PickWinnersStream>(context, std::move(input), std::move(spec), address,
                                             std::move(schema));
}

}  // namespace keepone
