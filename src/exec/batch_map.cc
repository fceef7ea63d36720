// SPDX-License-Identifier: Apache-2.0
#include "exec/batch_map.h"

#include <mutex>
#include <utility>

#include <arrow/record_batch.h>

namespace keepone {

namespace {

struct Mapping {
  QueryContext* context;
  BatchMap map;
};

class MapMorsel final : public Morsel {
 public:
  MapMorsel(std::shared_ptr<const Mapping> mapping, std::unique_ptr<Morsel> input, int64_t position)
      : mapping_(std::move(mapping)), input_(std::move(input)), position_(position) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (true) {
      ARROW_RETURN_NOT_OK(mapping_->context->CheckStop());
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, input_->Next());
      if (batch == nullptr) {
        return nullptr;
      }
      ARROW_ASSIGN_OR_RAISE(auto mapped, mapping_->map(batch, position_));
      position_ += batch->num_rows();
      if (mapped != nullptr && mapped->num_rows() > 0) {
        return mapped;
      }
    }
  }

 private:
  std::shared_ptr<const Mapping> mapping_;
  std::unique_ptr<Morsel> input_;
  int64_t position_;
};

class MapStream final : public BatchStream {
 public:
  MapStream(std::shared_ptr<const Mapping> mapping, std::unique_ptr<BatchStream> input,
            std::shared_ptr<arrow::Schema> schema)
      : mapping_(std::move(mapping)), input_(std::move(input)), schema_(std::move(schema)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  arrow::Status Prepare() override { return input_->Prepare(); }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const std::lock_guard lock(mutex_);
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<Morsel> morsel, input_->NextMorsel());
    if (morsel == nullptr) {
      return nullptr;
    }
    return std::make_unique<MapMorsel>(mapping_, std::move(morsel), sequence_++ << 40);
  }

 private:
  std::shared_ptr<const Mapping> mapping_;
  std::unique_ptr<BatchStream> input_;
  std::shared_ptr<arrow::Schema> schema_;
  std::mutex mutex_;  // numbers the morsels in the input's order
  int64_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<BatchStream> MakeBatchMap(QueryContext* context, std::unique_ptr<BatchStream> input,
                                          std::shared_ptr<arrow::Schema> schema, BatchMap map) {
  auto mapping = std::make_shared<const Mapping>(Mapping{context, std::move(map)});
  return std::make_unique<MapStream>(std::move(mapping), std::move(input), std::move(schema));
}

std::unique_ptr<BatchStream> MakeSelectColumns(QueryContext* context,
                                               std::unique_ptr<BatchStream> input,
                                               std::vector<int> columns,
                                               std::shared_ptr<arrow::Schema> schema) {
  BatchMap map = [columns = std::move(columns), schema](
                     const std::shared_ptr<arrow::RecordBatch>& batch,
                     int64_t) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    arrow::ArrayVector selected;
    for (const int column : columns) {
      selected.push_back(batch->column(column));
    }
    return arrow::RecordBatch::Make(schema, batch->num_rows(), std::move(selected));
  };
  return MakeBatchMap(context, std::move(input), std::move(schema), std::move(map));
}

}  // namespace keepone
