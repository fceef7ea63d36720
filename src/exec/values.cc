// SPDX-License-Identifier: Apache-2.0
#include "exec/values.h"

#include <utility>

#include <arrow/record_batch.h>

#include "exec/single_morsel.h"

namespace keepone {

namespace {

class ValuesStream final : public SingleMorselStream {
 public:
  ValuesStream(std::shared_ptr<arrow::Schema> schema,
               std::vector<std::shared_ptr<arrow::RecordBatch>> batches)
      : schema_(std::move(schema)), batches_(std::move(batches)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

 protected:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch() override {
    while (next_ < batches_.size()) {
      std::shared_ptr<arrow::RecordBatch> batch = std::move(batches_[next_++]);
      if (batch->num_rows() > 0) {
        return batch;
      }
    }
    return nullptr;
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<BatchStream> MakeValues(std::shared_ptr<arrow::Schema> schema,
                                        std::vector<std::shared_ptr<arrow::RecordBatch>> batches) {
  return std::make_unique<ValuesStream>(std::move(schema), std::move(batches));
}

}  // namespace keepone
