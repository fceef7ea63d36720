// SPDX-License-Identifier: Apache-2.0
#include "exec/join_build.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/row_bytes.h"
#include "exec/held_rows.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// Batches are joined up to this: many small ones cost more to gather from than to copy.
constexpr int64_t kChunkRows = 64 << 10;
constexpr int64_t kChunkBytes = 8 << 20;

bool IsChunk(int64_t rows, int64_t bytes) {
  return rows >= kChunkRows / 2 || bytes >= kChunkBytes / 2;
}

// On the query's workers, or with one thread on the calling one.
arrow::Status RunTasks(QueryContext* context, int threads, size_t count,
                       const std::function<arrow::Status(size_t)>& task) {
  if (threads > 1) {
    return ForEachTask(context, static_cast<int64_t>(count),
                       [&](int64_t index) { return task(static_cast<size_t>(index)); });
  }
  for (size_t i = 0; i < count; ++i) {
    ARROW_RETURN_NOT_OK(task(i));
  }
  return arrow::Status::OK();
}

// Runs of batches that make one chunk together.
std::vector<arrow::RecordBatchVector> GroupBatches(arrow::RecordBatchVector batches) {
  std::vector<arrow::RecordBatchVector> groups;
  int64_t rows = 0;
  int64_t bytes = 0;
  for (std::shared_ptr<arrow::RecordBatch>& batch : batches) {
    const int64_t batch_bytes = BatchBytes(*batch);
    if (groups.empty() || IsChunk(rows, bytes) || IsChunk(batch->num_rows(), batch_bytes)) {
      groups.emplace_back();
      rows = bytes = 0;
    }
    rows += batch->num_rows();
    bytes += batch_bytes;
    groups.back().push_back(std::move(batch));
  }
  return groups;
}

arrow::Result<arrow::RecordBatchVector> JoinSmallBatches(
    QueryContext* context, int threads, const std::shared_ptr<arrow::Schema>& schema,
    arrow::RecordBatchVector batches) {
  std::vector<arrow::RecordBatchVector> groups = GroupBatches(std::move(batches));
  const auto join = [&](size_t index) -> arrow::Status {
    arrow::RecordBatchVector& group = groups[index];
    if (group.size() > 1) {
      ARROW_ASSIGN_OR_RAISE(group, ConcatenateBatches(schema, group, context->pool()));
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(RunTasks(context, threads, groups.size(), join));
  arrow::RecordBatchVector joined;
  for (arrow::RecordBatchVector& group : groups) {
    std::move(group.begin(), group.end(), std::back_inserter(joined));
  }
  return joined;
}

}  // namespace

std::shared_ptr<arrow::RecordBatch> SelectBatchColumns(const arrow::RecordBatch& batch,
                                                       const std::vector<int>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const int column : columns) {
    fields.push_back(batch.schema()->field(column));
    arrays.push_back(batch.column(column));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.num_rows(),
                                  std::move(arrays));
}

arrow::Result<std::unique_ptr<JoinBuild>> JoinBuild::Make(QueryContext* context,
                                                          const JoinShape* shape,
                                                          arrow::RecordBatchVector batches,
                                                          int threads) {
  auto build = std::unique_ptr<JoinBuild>(new JoinBuild(context, shape));
  build->batches_ = std::move(batches);
  if (build->batches_.size() > 1) {
    ARROW_ASSIGN_OR_RAISE(build->batches_, JoinSmallBatches(context, threads, shape->right_schema,
                                                            std::move(build->batches_)));
  }
  for (const auto& batch : build->batches_) {
    build->first_rows_.push_back(build->first_rows_.back() + batch->num_rows());
  }
  ARROW_RETURN_NOT_OK(build->BuildTable(threads));
  if (shape->needs_keys_only()) {
    build->batches_.clear();
    return build;
  }
  ARROW_RETURN_NOT_OK(build->KeepRows(threads));
  return build;
}

arrow::Status JoinBuild::BuildTable(int threads) {
  std::vector<arrow::ArrayVector> keys;
  std::vector<int64_t> rows;
  for (const auto& batch : batches_) {
    arrow::ArrayVector columns;
    for (const int key : shape_->right_keys) {
      columns.push_back(batch->column(key));
    }
    keys.push_back(std::move(columns));
    rows.push_back(batch->num_rows());
  }
  ARROW_ASSIGN_OR_RAISE(
      table_, JoinTable::Build(context_, shape_->key_fields, shape_->null_equals_null, keys, rows,
                               shape_->needs_keys_only(), threads));
  return arrow::Status::OK();
}

arrow::Status JoinBuild::KeepRows(int threads) {
  size_t batch = 0;
  for (int64_t row = 0; row < row_count(); row += int64_t{1} << kBlockBits) {
    while (row >= first_rows_[batch + 1]) {
      ++batch;
    }
    batch_of_block_.push_back(static_cast<uint32_t>(batch));
  }
  columns_.resize(static_cast<size_t>(shape_->right_schema->num_fields()));
  for (size_t i = 0; i < columns_.size(); ++i) {
    for (const auto& rows : batches_) {
      columns_[i].push_back(rows->column_data(static_cast<int>(i)).get());
    }
  }
  if (ExtendsLeft(shape_->kind) && row_count() > 0) {
    ARROW_RETURN_NOT_OK(matched_.Allocate(context_->pool(), row_count()));
    std::memset(matched_.data(), 0, static_cast<size_t>(row_count()));
  }
  std::vector<std::optional<RowWidths>> widths(batches_.size());
  std::vector<std::optional<RowWidths>> residual_widths(batches_.size());
  const auto measure = [&](size_t at) {
    if (GivesRightColumns(shape_->kind)) {
      widths[at].emplace(*batches_[at]);
    }
    if (shape_->residual != nullptr) {
      residual_widths[at].emplace(*SelectBatchColumns(*batches_[at], shape_->residual_right));
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(RunTasks(context_, threads, batches_.size(), measure));
  for (size_t i = 0; i < batches_.size(); ++i) {
    if (widths[i].has_value()) {
      widths_.push_back(std::move(*widths[i]));
    }
    if (residual_widths[i].has_value()) {
      residual_widths_.push_back(std::move(*residual_widths[i]));
    }
  }
  if (std::all_of(widths_.begin(), widths_.end(),
                  [](const RowWidths& width) { return width.is_constant(); })) {
    row_bytes_constant_ = 0;
    for (const RowWidths& width : widths_) {
      row_bytes_constant_ = std::max(*row_bytes_constant_, width.Of(0));
    }
  }
  return arrow::Status::OK();
}

int64_t JoinBuild::bytes_used() const {
  return TotalBytes(batches_) + table_->bytes_used() + matched_.bytes();
}

}  // namespace keepone
