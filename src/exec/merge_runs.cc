// SPDX-License-Identifier: Apache-2.0
#include "exec/merge_runs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/gather.h"
#include "column/key_encoder.h"
#include "column/row_bytes.h"
#include "exec/keep_spec.h"
#include "exec/single_morsel.h"
#include "exec/sort_rows.h"

namespace keepone {

namespace {

constexpr int64_t kRunsAtOnceMax = 256;
constexpr int64_t kRunsAtOnceMin = 4;

using Runs = std::vector<std::unique_ptr<SpillFile>>;

// A run being read: its batch of the moment, the keys of it and the row that is next.
class RunCursor {
 public:
  static arrow::Result<std::unique_ptr<RunCursor>> Make(QueryContext* context, const SpillFile& run,
                                                        const std::vector<OrderColumn>& order) {
    std::unique_ptr<RunCursor> cursor(new RunCursor(context, order));
    ARROW_ASSIGN_OR_RAISE(cursor->reader_, run.Read());
    ARROW_ASSIGN_OR_RAISE(cursor->encoder_, KeyEncoder::Make(KeyFieldsOf(order, *run.schema())));
    ARROW_RETURN_NOT_OK(cursor->NextBatch());
    return cursor;
  }

  bool at_end() const { return batch_ == nullptr; }
  std::string_view key() const { return key_; }
  int64_t row() const { return row_; }
  const std::shared_ptr<arrow::RecordBatch>& batch() const { return batch_; }

  // The number of the batch among those that the output refers to, or -1.
  int32_t chunk = -1;

  arrow::Status Advance() {
    if (++row_ == batch_->num_rows()) {
      return NextBatch();
    }
    key_ = keys_[row_];
    return arrow::Status::OK();
  }

 private:
  RunCursor(QueryContext* context, const std::vector<OrderColumn>& order)
      : columns_(ColumnsOf(order)), keys_(context->pool()) {}

  arrow::Status NextBatch() {
    chunk = -1;
    row_ = 0;
    do {
      ARROW_ASSIGN_OR_RAISE(batch_, reader_->Next());
    } while (batch_ != nullptr && batch_->num_rows() == 0);
    if (batch_ != nullptr) {
      ARROW_RETURN_NOT_OK(encoder_->Encode(SelectColumns(*batch_, columns_), &keys_));
      key_ = keys_[0];
    }
    return arrow::Status::OK();
  }

  std::vector<int> columns_;
  std::unique_ptr<SpillFile::Reader> reader_;
  std::unique_ptr<KeyEncoder> encoder_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  EncodedKeys keys_;
  std::string_view key_;
  int64_t row_ = 0;
};

// Gives the rows of some runs in order.
class Merge {
 public:
  static arrow::Result<std::unique_ptr<Merge>> Make(
      QueryContext* context, std::span<const std::unique_ptr<SpillFile>> runs,
      const std::vector<OrderColumn>& order, const std::vector<int>& output,
      std::shared_ptr<arrow::Schema> schema) {
    auto merge = std::make_unique<Merge>();
    merge->context_ = context;
    merge->output_ = output;
    merge->schema_ = std::move(schema);
    for (const auto& run : runs) {
      ARROW_ASSIGN_OR_RAISE(auto cursor, RunCursor::Make(context, *run, order));
      if (!cursor->at_end()) {
        merge->cursors_.push_back(std::move(cursor));
      }
    }
    for (size_t i = 0; i < merge->cursors_.size(); ++i) {
      merge->heap_.push_back(i);
    }
    std::make_heap(merge->heap_.begin(), merge->heap_.end(),
                   [&merge](size_t a, size_t b) { return merge->IsAfter(a, b); });
    return merge;
  }

  // The next batch, nullptr at the end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    if (pieces_.empty()) {
      ARROW_RETURN_NOT_OK(Gather());
    }
    if (pieces_.empty()) {
      return nullptr;
    }
    std::shared_ptr<arrow::RecordBatch> batch = std::move(pieces_.back());
    pieces_.pop_back();
    return batch;
  }

 private:
  // Whether run `a` comes behind run `b`: heaps have the greatest on top.
  bool IsAfter(size_t a, size_t b) const {
    const int order = cursors_[a]->key().compare(cursors_[b]->key());
    return order != 0 ? order > 0 : a > b;
  }

  arrow::Status Gather() {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    arrow::RecordBatchVector chunks;
    std::vector<double> row_bytes;  // of each chunk
    std::vector<RowRef> rows;
    double bytes = 0;
    for (const auto& cursor : cursors_) {
      cursor->chunk = -1;
    }
    while (!heap_.empty() && static_cast<int64_t>(rows.size()) < context_->batch_rows_max() &&
           bytes < static_cast<double>(context_->batch_bytes_max())) {
      RunCursor& cursor = *cursors_[heap_.front()];
      if (cursor.chunk < 0) {
        cursor.chunk = static_cast<int32_t>(chunks.size());
        chunks.push_back(arrow::RecordBatch::Make(schema_, cursor.batch()->num_rows(),
                                                  SelectColumns(*cursor.batch(), output_)));
        row_bytes.push_back(static_cast<double>(BatchBytes(*chunks.back())) /
                            static_cast<double>(chunks.back()->num_rows()));
      }
      bytes += row_bytes[static_cast<size_t>(cursor.chunk)];
      rows.push_back({cursor.chunk, cursor.row()});
      ARROW_RETURN_NOT_OK(Step());
    }
    if (!rows.empty()) {
      ARROW_ASSIGN_OR_RAISE(pieces_, GatherBatchRows(schema_, chunks, rows, context_->pool()));
      std::reverse(pieces_.begin(), pieces_.end());
    }
    return arrow::Status::OK();
  }

  // Takes the first row away.
  arrow::Status Step() {
    const size_t index = heap_.front();
    ARROW_RETURN_NOT_OK(cursors_[index]->Advance());
    if (heap_.size() > 1 && !cursors_[index]->at_end()) {
      // Often the next row of the same run is the next of all.
      const size_t second = heap_.size() > 2 && IsAfter(heap_[1], heap_[2]) ? 2 : 1;
      if (!IsAfter(index, heap_[second])) {
        return arrow::Status::OK();
      }
    } else if (!cursors_[index]->at_end()) {
      return arrow::Status::OK();
    }
    // The top may have grown, so that it is sifted down by hand: pop_heap would compare with it.
    SiftDown(index);
    return arrow::Status::OK();
  }

  void SiftDown(size_t index) {
    if (cursors_[index]->at_end()) {
      index = heap_.back();
      heap_.pop_back();
      if (heap_.empty()) {
        return;
      }
    }
    size_t at = 0;
    for (;;) {
      size_t child = 2 * at + 1;
      if (child >= heap_.size()) {
        break;
      }
      if (child + 1 < heap_.size() && IsAfter(heap_[child], heap_[child + 1])) {
        ++child;
      }
      if (!IsAfter(index, heap_[child])) {
        break;
      }
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = index;
  }

  QueryContext* context_ = nullptr;
  std::vector<int> output_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<RunCursor>> cursors_;
  std::vector<size_t> heap_;         // of cursors that are not at their end
  arrow::RecordBatchVector pieces_;  // gathered and not given yet, the next one last
};

class MergedRunsStream final : public SingleMorselStream {
 public:
  MergedRunsStream(QueryContext* context, Runs runs, std::vector<OrderColumn> order,
                   std::vector<int> output, std::shared_ptr<arrow::Schema> schema)
      : context_(context),
        runs_(std::move(runs)),
        order_(std::move(order)),
        output_(std::move(output)),
        schema_(std::move(schema)) {
    std::erase(runs_, nullptr);
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Status Prepare() override {
    while (static_cast<int64_t>(runs_.size()) > RunsAtOnce()) {
      ARROW_RETURN_NOT_OK(MergeOnDisk(static_cast<size_t>(RunsAtOnce())));
    }
    return arrow::Status::OK();
  }

 protected:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch() override {
    if (is_done_) {
      return nullptr;
    }
    if (merge_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(merge_, Merge::Make(context_, runs_, order_, output_, schema_));
    }
    ARROW_ASSIGN_OR_RAISE(auto batch, merge_->Next());
    if (batch == nullptr) {
      is_done_ = true;
      merge_.reset();
      runs_.clear();
    }
    return batch;
  }

 private:
  // A run takes up to two batches, with their keys and what reading them needs.
  int64_t RunsAtOnce() const {
    const int64_t limit = context_->memory_bytes_max();
    if (limit < 0) {
      return kRunsAtOnceMax;
    }
    const int64_t left = std::max<int64_t>(limit - context_->pool()->bytes_allocated(), 0);
    return std::clamp(left / 2 / (3 * context_->batch_bytes_max()), kRunsAtOnceMin, kRunsAtOnceMax);
  }

  // Neighbouring runs become one: so equal rows stay in the order of the runs.
  arrow::Status MergeOnDisk(size_t at_once) {
    Runs longer;
    for (size_t first = 0; first < runs_.size(); first += at_once) {
      const size_t count = std::min(at_once, runs_.size() - first);
      if (count == 1) {
        longer.push_back(std::move(runs_[first]));
        continue;
      }
      const std::shared_ptr<arrow::Schema>& schema = runs_[first]->schema();
      ARROW_ASSIGN_OR_RAISE(auto merge,
                            Merge::Make(context_, std::span(runs_).subspan(first, count), order_,
                                        AllColumns(*schema), schema));
      ARROW_ASSIGN_OR_RAISE(auto run, SpillFile::Make(context_, schema));
      for (;;) {
        ARROW_ASSIGN_OR_RAISE(auto batch, merge->Next());
        if (batch == nullptr) {
          break;
        }
        ARROW_RETURN_NOT_OK(run->Append(*batch));
      }
      ARROW_RETURN_NOT_OK(run->Close());
      merge.reset();
      for (size_t i = first; i < first + count; ++i) {
        runs_[i].reset();
      }
      longer.push_back(std::move(run));
    }
    runs_ = std::move(longer);
    return arrow::Status::OK();
  }

  QueryContext* context_;
  Runs runs_;
  std::vector<OrderColumn> order_;
  std::vector<int> output_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<Merge> merge_;
  bool is_done_ = false;
};

}  // namespace

std::unique_ptr<BatchStream> MakeMergedRuns(QueryContext* context, Runs runs,
                                            std::vector<OrderColumn> order, std::vector<int> output,
                                            std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<MergedRunsStream>(context, std::move(runs), std::move(order),
                                            std::move(output), std::move(schema));
}

}  // namespace keepone
