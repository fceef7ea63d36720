// SPDX-License-Identifier: Apache-2.0
#include "exec/union_all.h"

#include <mutex>
#include <utility>

#include <arrow/record_batch.h>

namespace keepone {

namespace {

// Gives the batches under the names of the first input.
class RenamedMorsel final : public Morsel {
 public:
  RenamedMorsel(std::unique_ptr<Morsel> input, std::shared_ptr<arrow::Schema> schema)
      : input_(std::move(input)), schema_(std::move(schema)) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, input_->Next());
    if (batch == nullptr) {
      return nullptr;
    }
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), batch->columns());
  }

 private:
  std::unique_ptr<Morsel> input_;
  std::shared_ptr<arrow::Schema> schema_;
};

class UnionAllStream final : public BatchStream {
 public:
  explicit UnionAllStream(std::vector<std::unique_ptr<BatchStream>> inputs)
      : inputs_(std::move(inputs)), schema_(inputs_[0]->schema()) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Status Prepare() override {
    for (const auto& input : inputs_) {
      ARROW_RETURN_NOT_OK(input->Prepare());
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const std::lock_guard lock(mutex_);
    for (; current_ < inputs_.size(); ++current_) {
      ARROW_ASSIGN_OR_RAISE(std::unique_ptr<Morsel> morsel, inputs_[current_]->NextMorsel());
      if (morsel != nullptr) {
        return std::make_unique<RenamedMorsel>(std::move(morsel), schema_);
      }
    }
    return nullptr;
  }

 private:
  std::vector<std::unique_ptr<BatchStream>> inputs_;
  std::shared_ptr<arrow::Schema> schema_;
  std::mutex mutex_;
  size_t current_ = 0;
};

}  // namespace

std::unique_ptr<BatchStream> MakeUnionAll(std::vector<std::unique_ptr<BatchStream>> inputs) {
  return std::make_unique<UnionAllStream>(std::move(inputs));
}

}  // namespace keepone
