// SPDX-License-Identifier: Apache-2.0
#include "exec/breaker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>

namespace keepone {

namespace {

class BreakerStream final : public BatchStream {
 public:
  BreakerStream(std::unique_ptr<BatchStream> input, std::shared_ptr<arrow::Schema> schema,
                BreakerRun run)
      : input_(std::move(input)), schema_(std::move(schema)), run_(std::move(run)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Status Prepare() override {
    ARROW_ASSIGN_OR_RAISE(output_, run_(*input_));
    input_.reset();
    return output_->Prepare();
  }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override { return output_->NextMorsel(); }

 private:
  std::unique_ptr<BatchStream> input_;
  std::shared_ptr<arrow::Schema> schema_;
  BreakerRun run_;
  std::unique_ptr<BatchStream> output_;
};

}  // namespace

std::unique_ptr<BatchStream> MakeBreaker(std::unique_ptr<BatchStream> input,
                                         std::shared_ptr<arrow::Schema> schema, BreakerRun run) {
  return std::make_unique<BreakerStream>(std::move(input), std::move(schema), std::move(run));
}

arrow::Result<arrow::RecordBatchVector> CollectInOrder(QueryContext* context, BatchStream& input,
                                                       const MorselMap& map) {
  struct Collected {
    int64_t sequence;
    std::shared_ptr<arrow::RecordBatch> batch;
  };
  std::vector<std::vector<Collected>> collected(static_cast<size_t>(context->threads()));
  const auto collect = [&](const MorselBatch& morsel) -> arrow::Status {
    std::shared_ptr<arrow::RecordBatch> batch = morsel.batch;
    if (map != nullptr) {
      ARROW_ASSIGN_OR_RAISE(batch, map(morsel));
    }
    if (batch != nullptr) {
      collected[static_cast<size_t>(morsel.worker)].push_back({morsel.sequence, std::move(batch)});
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ForEachMorsel(context, input, collect));
  // One worker has all batches of a morsel, in order.
  std::vector<Collected> all;
  for (std::vector<Collected>& part : collected) {
    std::move(part.begin(), part.end(), std::back_inserter(all));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Collected& a, const Collected& b) { return a.sequence < b.sequence; });
  arrow::RecordBatchVector batches;
  batches.reserve(all.size());
  for (Collected& one : all) {
    batches.push_back(std::move(one.batch));
  }
  return batches;
}

}  // namespace keepone
