// SPDX-License-Identifier: Apache-2.0
#include "engine/query_result.h"

#include <utility>

#include <arrow/api.h>

#include "base/error.h"

namespace keepone {

namespace {

class StreamingResult final : public QueryResult {
 public:
  explicit StreamingResult(RunningQuery query)
      : query_(std::move(query)), schema_(query_.reader->schema()) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    return query_.reader->ReadNext(batch);
  }
  arrow::Status Close() override { return query_.reader->Close(); }
  bool has_rows() const override { return true; }
  const std::string& summary() const override { return summary_; }
  int64_t memory_bytes_peak() const override { return query_.context->pool()->max_memory(); }
  QueryContext* context() override { return query_.context.get(); }

 private:
  RunningQuery query_;
  std::shared_ptr<arrow::Schema> schema_;
  std::string summary_ = "SELECT";
};

class BatchResult final : public QueryResult {
 public:
  BatchResult(std::shared_ptr<QueryContext> context, std::shared_ptr<arrow::RecordBatch> batch,
              bool has_rows, std::string summary)
      : context_(std::move(context)),
        schema_(batch->schema()),
        batch_(std::move(batch)),
        has_rows_(has_rows),
        summary_(std::move(summary)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = std::exchange(batch_, nullptr);
    if (*batch != nullptr && (*batch)->num_rows() == 0) {
      *batch = nullptr;
    }
    return arrow::Status::OK();
  }
  arrow::Status Close() override {
    batch_ = nullptr;
    return arrow::Status::OK();
  }
  bool has_rows() const override { return has_rows_; }
  const std::string& summary() const override { return summary_; }
  int64_t memory_bytes_peak() const override { return context_->pool()->max_memory(); }
  QueryContext* context() override { return context_.get(); }

 private:
  std::shared_ptr<QueryContext> context_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  bool has_rows_;
  std::string summary_;
};

}  // namespace

std::unique_ptr<QueryResult> MakeStreamingResult(RunningQuery query) {
  return std::make_unique<StreamingResult>(std::move(query));
}

std::unique_ptr<QueryResult> MakeBatchResult(std::shared_ptr<QueryContext> context,
                                             std::shared_ptr<arrow::RecordBatch> batch,
                                             std::string summary) {
  return std::make_unique<BatchResult>(std::move(context), std::move(batch), true,
                                       std::move(summary));
}

std::unique_ptr<QueryResult> MakeSummaryResult(std::shared_ptr<QueryContext> context,
                                               std::string summary) {
  auto nothing =
      arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector{}), 0, arrow::ArrayVector{});
  return std::make_unique<BatchResult>(std::move(context), std::move(nothing), false,
                                       std::move(summary));
}

}  // namespace keepone
