// SPDX-License-Identifier: Apache-2.0
#include "exec/limit.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/record_batch.h>

#include "exec/ordered_reader.h"
#include "exec/single_morsel.h"

namespace keepone {

namespace {

class LimitStream final : public SingleMorselStream {
 public:
  LimitStream(QueryContext* context, std::unique_ptr<BatchStream> input, LimitSpec spec)
      : schema_(input->schema()),
        reader_(MakeOrderedReader(context, std::move(input))),
        skip_(spec.offset),
        left_(spec.rows_max.value_or(std::numeric_limits<int64_t>::max())) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

 protected:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch() override {
    while (left_ > 0) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(reader_->ReadNext(&batch));
      if (batch == nullptr) {
        break;
      }
      const int64_t rows = batch->num_rows();
      const int64_t skipped = std::min(skip_, rows);
      const int64_t kept = std::min(rows - skipped, left_);
      skip_ -= skipped;
      left_ -= kept;
      if (left_ == 0) {
        ARROW_RETURN_NOT_OK(reader_->Close());
      }
      if (kept > 0) {
        return kept == rows ? batch : batch->Slice(skipped, kept);
      }
    }
    left_ = 0;
    ARROW_RETURN_NOT_OK(reader_->Close());
    return nullptr;
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  int64_t skip_;
  int64_t left_;
};

}  // namespace

std::unique_ptr<BatchStream> MakeLimit(QueryContext* context, std::unique_ptr<BatchStream> input,
                                       LimitSpec spec) {
  return std::make_unique<LimitStream>(context, std::move(input), spec);
}

}  // namespace keepone
