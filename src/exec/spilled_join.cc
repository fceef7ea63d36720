// SPDX-License-Identifier: Apache-2.0
#include "exec/spilled_join.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/bit_util.h>

#include "column/gather.h"
#include "column/pool_storage.h"
#include "column/row_bytes.h"
#include "exec/join_probe.h"
#include "exec/keep_spec.h"
#include "exec/merge_runs.h"
#include "exec/order_column.h"
#include "exec/worker.h"

namespace keepone {

namespace {

// Splits of a partition; then its rows have mostly one key.
constexpr int kJoinLevelsMax = 4;
// Of what the limit leaves to one task, the part for the right rows of a block; the rest is for
// their table, for reading and for what is put together.
constexpr int64_t kBlockShare = 3;

JoinShape WithPositions(const JoinShape& shape) {
  JoinShape wide = shape;
  wide.left_schema = WithPosition(shape.left_schema);
  wide.right_schema = WithPosition(shape.right_schema);
  arrow::FieldVector fields = wide.left_schema->fields();
  if (GivesRightColumns(shape.kind)) {
    const arrow::FieldVector& right = wide.right_schema->fields();
    fields.insert(fields.end(), right.begin(), right.end());
  }
  wide.schema = arrow::schema(std::move(fields));
  return wide;
}

// Reads runs as one, by position.
class RunReader {
 public:
  static arrow::Result<std::unique_ptr<RunReader>> Make(
      QueryContext* context, SpillRuns runs, const std::shared_ptr<arrow::Schema>& schema) {
    auto reader = std::make_unique<RunReader>();
    if (runs.size() == 1) {
      reader->file_ = std::move(runs[0]);
      ARROW_ASSIGN_OR_RAISE(reader->file_reader_, reader->file_->Read());
    } else if (runs.size() > 1) {
      std::vector<int> columns = AllColumns(*schema);
      const OrderColumn position{columns.back()};
      reader->merged_ =
          MakeMergedRuns(context, std::move(runs), {position}, std::move(columns), schema);
      ARROW_RETURN_NOT_OK(reader->merged_->Prepare());
    }
    return reader;
  }
  // The same of a file that is read again later.
  static arrow::Result<std::unique_ptr<RunReader>> Make(const SpillFile& file) {
    auto reader = std::make_unique<RunReader>();
    ARROW_ASSIGN_OR_RAISE(reader->file_reader_, file.Read());
    return reader;
  }

  // nullptr at the end.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    if (file_reader_ != nullptr) {
      return file_reader_->Next();
    }
    while (merged_ != nullptr) {
      if (morsel_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(morsel_, merged_->NextMorsel());
        if (morsel_ == nullptr) {
          return nullptr;
        }
      }
      ARROW_ASSIGN_OR_RAISE(auto batch, morsel_->Next());
      if (batch != nullptr) {
        return batch;
      }
      morsel_.reset();
    }
    return nullptr;
  }

 private:
  std::unique_ptr<SpillFile> file_;
  std::unique_ptr<SpillFile::Reader> file_reader_;
  std::unique_ptr<BatchStream> merged_;
  std::unique_ptr<Morsel> morsel_;
};

// The runs as one file, which can be read again.
arrow::Result<std::unique_ptr<SpillFile>> MergeToFile(
    QueryContext* context, SpillRuns runs, const std::shared_ptr<arrow::Schema>& schema) {
  if (runs.size() == 1) {
    return std::move(runs[0]);
  }
  ARROW_ASSIGN_OR_RAISE(auto file, SpillFile::Make(context, schema));
  ARROW_ASSIGN_OR_RAISE(auto reader, RunReader::Make(context, std::move(runs), schema));
  while (true) {
    ARROW_RETURN_NOT_OK(context->CheckStop());
    ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next());
    if (batch == nullptr) {
      ARROW_RETURN_NOT_OK(file->Close());
      return file;
    }
    ARROW_RETURN_NOT_OK(file->Append(*batch));
  }
}

// Joins pairs of partitions. Safe for concurrent use, as long as it is not moved.
class PartitionJoin {
 public:
  PartitionJoin(QueryContext* context, const JoinShape& wide, int64_t block_bytes_max)
      : context_(context), shape_(wide), pairs_shape_(wide), block_bytes_max_(block_bytes_max) {
    // With several blocks, left rows without a match are known after the last one.
    if (shape_.kind == JoinKind::kLeft) {
      pairs_shape_.kind = JoinKind::kInner;
    } else if (shape_.kind == JoinKind::kFull) {
      pairs_shape_.kind = JoinKind::kRight;
    }
  }

  arrow::Status Join(SpillRuns left, SpillRuns right, int level) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    const JoinKind kind = shape_.kind;
    const bool needs_left = !ExtendsLeft(kind);
    const bool needs_right = !ExtendsRight(kind) && kind != JoinKind::kAnti;
    if ((needs_left && left.empty()) || (needs_right && right.empty()) ||
        (left.empty() && right.empty())) {
      return arrow::Status::OK();
    }
    if (BlockBytes(TotalRows(right), TotalBytes(right)) > block_bytes_max_ &&
        level < kJoinLevelsMax && !shape_.right_keys.empty()) {
      return Split(std::move(left), std::move(right), level + 1);
    }
    return JoinBlocks(std::move(left), std::move(right));
  }

  // By left, then by right position, each; NULLs last.
  SpillRuns TakeResults() { return std::move(results_); }

 private:
  static int64_t BlockBytes(int64_t rows, int64_t bytes) {
    return bytes + rows * kJoinTableRowBytes;
  }

  arrow::Status Split(SpillRuns left, SpillRuns right, int level) {
    const int64_t parts = BlockBytes(TotalRows(right), TotalBytes(right)) / block_bytes_max_;
    const auto count =
        static_cast<uint32_t>(std::clamp<int64_t>(2 * parts, 2, JoinPartitionCount(*context_)));
    const int64_t rows = TotalRows(right);
    ARROW_ASSIGN_OR_RAISE(SpillRuns rights, SplitRuns(std::move(right), shape_.right_schema,
                                                      shape_.right_keys, count, level));
    for (std::unique_ptr<SpillFile>& part : rights) {
      if (part != nullptr && part->rows() == rows && !ExtendsRight(shape_.kind) &&
          shape_.kind != JoinKind::kAnti) {
        // One key, most likely: splitting the left rows would only copy them.
        SpillRuns all;
        all.push_back(std::move(part));
        return JoinBlocks(std::move(left), std::move(all));
      }
    }
    ARROW_ASSIGN_OR_RAISE(SpillRuns lefts, SplitRuns(std::move(left), shape_.left_schema,
                                                     shape_.left_keys, count, level));
    for (size_t i = 0; i < count; ++i) {
      const bool was_split = rights[i] == nullptr || rights[i]->rows() < rows;
      SpillRuns left_part;
      SpillRuns right_part;
      if (lefts[i] != nullptr) {
        left_part.push_back(std::move(lefts[i]));
      }
      if (rights[i] != nullptr) {
        right_part.push_back(std::move(rights[i]));
      }
      ARROW_RETURN_NOT_OK(
          Join(std::move(left_part), std::move(right_part), was_split ? level : kJoinLevelsMax));
    }
    return arrow::Status::OK();
  }

  arrow::Result<SpillRuns> SplitRuns(SpillRuns runs, const std::shared_ptr<arrow::Schema>& schema,
                                     const std::vector<int>& keys, uint32_t count, int level) {
    ARROW_ASSIGN_OR_RAISE(auto reader, RunReader::Make(context_, std::move(runs), schema));
    ARROW_ASSIGN_OR_RAISE(auto spill,
                          JoinSpill::Make(context_, schema, keys, shape_.key_fields, count, level));
    while (true) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next());
      if (batch == nullptr) {
        return spill->Finish();
      }
      ARROW_RETURN_NOT_OK(spill->Append(*batch));
    }
  }

  arrow::Status JoinBlocks(SpillRuns left, SpillRuns right) {
    ARROW_ASSIGN_OR_RAISE(auto right_reader,
                          RunReader::Make(context_, std::move(right), shape_.right_schema));
    std::shared_ptr<arrow::RecordBatch> next;
    ARROW_ASSIGN_OR_RAISE(arrow::RecordBatchVector block, ReadBlock(right_reader.get(), &next));
    if (next == nullptr) {
      right_reader.reset();
      ARROW_ASSIGN_OR_RAISE(auto left_reader,
                            RunReader::Make(context_, std::move(left), shape_.left_schema));
      return JoinBlock(shape_, std::move(block), left_reader.get(), nullptr);
    }
    ARROW_ASSIGN_OR_RAISE(const auto left_file,
                          MergeToFile(context_, std::move(left), shape_.left_schema));
    PoolBlock left_matched;  // a bit for each row
    const int64_t bytes = arrow::bit_util::BytesForBits(left_file->rows());
    ARROW_RETURN_NOT_OK(left_matched.Allocate(context_->pool(), std::max<int64_t>(bytes, 1)));
    std::fill_n(left_matched.data(), bytes, uint8_t{0});
    while (!block.empty()) {
      ARROW_ASSIGN_OR_RAISE(auto left_reader, RunReader::Make(*left_file));
      ARROW_RETURN_NOT_OK(
          JoinBlock(pairs_shape_, std::move(block), left_reader.get(), left_matched.data()));
      ARROW_ASSIGN_OR_RAISE(block, ReadBlock(right_reader.get(), &next));
    }
    return GiveLeftRows(*left_file, left_matched.data());
  }

  // Reads right rows up to the bound; *next is the first batch behind them.
  arrow::Result<arrow::RecordBatchVector> ReadBlock(RunReader* reader,
                                                    std::shared_ptr<arrow::RecordBatch>* next) {
    arrow::RecordBatchVector block;
    int64_t rows = 0;
    int64_t bytes = 0;
    if (*next == nullptr) {
      ARROW_ASSIGN_OR_RAISE(*next, reader->Next());
    }
    while (*next != nullptr) {
      rows += (*next)->num_rows();
      bytes += BatchBytes(**next);
      if (!block.empty() &&
          (BlockBytes(rows, bytes) > block_bytes_max_ || rows >= JoinTable::kRowsMax)) {
        break;
      }
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      block.push_back(std::move(*next));
      ARROW_ASSIGN_OR_RAISE(*next, reader->Next());
    }
    return block;
  }

  // Joins left rows with a block. With `left_matched` the block is one of several: whether left
  // rows have a match is only noted there.
  arrow::Status JoinBlock(const JoinShape& shape, arrow::RecordBatchVector block, RunReader* left,
                          uint8_t* left_matched) {
    ARROW_ASSIGN_OR_RAISE(const auto build, JoinBuild::Make(context_, &shape, std::move(block), 1));
    ARROW_ASSIGN_OR_RAISE(const auto probe, JoinProbe::Make(context_, &shape, build.get()));
    ARROW_ASSIGN_OR_RAISE(auto result, SpillFile::Make(context_, shape.schema));
    const bool gives_rows = left_matched == nullptr || GivesRightColumns(shape.kind);
    int64_t left_row = 0;
    while (true) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> rows, left->Next());
      if (rows == nullptr) {
        break;
      }
      const int64_t row_count = rows->num_rows();
      ARROW_RETURN_NOT_OK(probe->Start(std::move(rows)));
      while (true) {
        ARROW_ASSIGN_OR_RAISE(const auto batch, probe->Next());
        if (batch == nullptr) {
          break;
        }
        if (gives_rows) {
          ARROW_RETURN_NOT_OK(result->Append(*batch));
        }
      }
      for (int64_t i = 0; left_matched != nullptr && i < row_count; ++i) {
        if (probe->left_matched()[static_cast<size_t>(i)] != 0) {
          arrow::bit_util::SetBit(left_matched, left_row + i);
        }
      }
      left_row += row_count;
    }
    for (size_t i = 0; ExtendsLeft(shape.kind) && i < build->batch_count(); ++i) {
      UnmatchedRight unmatched(context_, &shape, build.get(), i);
      while (true) {
        ARROW_ASSIGN_OR_RAISE(const auto batch, unmatched.Next());
        if (batch == nullptr) {
          break;
        }
        ARROW_RETURN_NOT_OK(result->Append(*batch));
      }
    }
    return AddResult(std::move(result));
  }

  // After the last block: the left rows that the kind gives once.
  arrow::Status GiveLeftRows(const SpillFile& left, const uint8_t* left_matched) {
    if (!ExtendsRight(shape_.kind) && GivesRightColumns(shape_.kind)) {
      return arrow::Status::OK();
    }
    const bool wanted = shape_.kind == JoinKind::kSemi;
    // A join with no right rows gives the left ones with the columns that are missing.
    JoinShape shape = shape_;
    shape.residual = nullptr;
    shape.kind = GivesRightColumns(shape.kind) ? JoinKind::kLeft : JoinKind::kAnti;
    ARROW_ASSIGN_OR_RAISE(const auto build, JoinBuild::Make(context_, &shape, {}, 1));
    ARROW_ASSIGN_OR_RAISE(const auto probe, JoinProbe::Make(context_, &shape, build.get()));
    ARROW_ASSIGN_OR_RAISE(auto result, SpillFile::Make(context_, shape.schema));
    ARROW_ASSIGN_OR_RAISE(const auto reader, left.Read());
    std::vector<int64_t> rows;
    int64_t first_row = 0;
    while (true) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next());
      if (batch == nullptr) {
        return AddResult(std::move(result));
      }
      rows.clear();
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        if (arrow::bit_util::GetBit(left_matched, static_cast<uint64_t>(first_row + i)) == wanted) {
          rows.push_back(i);
        }
      }
      first_row += batch->num_rows();
      if (rows.empty()) {
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(auto kept,
                            TakeRows(*batch, std::span<const int64_t>(rows), context_->pool()));
      ARROW_RETURN_NOT_OK(probe->Start(std::move(kept)));
      while (true) {
        ARROW_ASSIGN_OR_RAISE(const auto given, probe->Next());
        if (given == nullptr) {
          break;
        }
        ARROW_RETURN_NOT_OK(result->Append(*given));
      }
    }
  }

  arrow::Status AddResult(std::unique_ptr<SpillFile> result) {
    ARROW_RETURN_NOT_OK(result->Close());
    if (result->rows() > 0) {
      const std::lock_guard lock(mutex_);
      results_.push_back(std::move(result));
    }
    return arrow::Status::OK();
  }

  QueryContext* context_;
  const JoinShape& shape_;
  JoinShape pairs_shape_;
  int64_t block_bytes_max_;
  std::mutex mutex_;
  SpillRuns results_;
};

// A stream of no rows.
class EmptyStream final : public BatchStream {
 public:
  explicit EmptyStream(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}
  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override { return nullptr; }

 private:
  std::shared_ptr<arrow::Schema> schema_;
};

// Puts the whole left input aside.
arrow::Result<std::vector<SpillRuns>> SpillJoinLeft(QueryContext* context, const JoinShape& shape,
                                                    BatchStream& left) {
  std::vector<std::unique_ptr<JoinSpill>> spills(static_cast<size_t>(context->threads()));
  const auto append = [&](const MorselBatch& morsel) -> arrow::Status {
    std::unique_ptr<JoinSpill>& spill = spills[static_cast<size_t>(morsel.worker)];
    if (spill == nullptr) {
      ARROW_ASSIGN_OR_RAISE(
          spill, JoinSpill::Make(context, WithPosition(shape.left_schema), shape.left_keys,
                                 shape.key_fields, JoinPartitionCount(*context), 0));
    }
    ARROW_ASSIGN_OR_RAISE(const auto batch,
                          AddPositions(context, *morsel.batch, morsel.position()));
    return spill->Append(*batch);
  };
  ARROW_RETURN_NOT_OK(ForEachMorsel(context, left, append));
  std::vector<SpillRuns> written;
  for (std::unique_ptr<JoinSpill>& spill : spills) {
    if (spill != nullptr) {
      ARROW_ASSIGN_OR_RAISE(SpillRuns runs, spill->Finish());
      written.push_back(std::move(runs));
      spill.reset();
    }
  }
  return RunsByPartition(std::move(written));
}

}  // namespace

arrow::Result<std::unique_ptr<BatchStream>> JoinSpilled(QueryContext* context,
                                                        const JoinShape& shape, BatchStream& left,
                                                        std::vector<SpillRuns> right) {
  ARROW_ASSIGN_OR_RAISE(std::vector<SpillRuns> lefts, SpillJoinLeft(context, shape, left));
  const size_t count = std::max(lefts.size(), right.size());
  lefts.resize(count);
  right.resize(count);
  const JoinShape wide = WithPositions(shape);
  // As many pairs at once as leave room for the batches that each has at hand.
  const int64_t limit = context->budget()->bytes_max();
  const int64_t task_bytes = 8 * context->batch_bytes_max();
  int64_t tasks = context->threads();
  int64_t block_bytes = task_bytes;
  if (limit >= 0) {
    const int64_t left_bytes = std::max<int64_t>(limit - context->budget()->bytes_allocated(), 0);
    tasks = std::clamp<int64_t>(left_bytes / task_bytes, 1, tasks);
    block_bytes = std::max<int64_t>(left_bytes / tasks / kBlockShare, 1 << 16);
  }
  PartitionJoin join(context, wide, block_bytes);
  std::atomic<size_t> next{0};
  ARROW_RETURN_NOT_OK(ForEachTask(context, tasks, [&](int64_t) -> arrow::Status {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      ARROW_RETURN_NOT_OK(join.Join(std::move(lefts[i]), std::move(right[i]), 0));
    }
    return arrow::Status::OK();
  }));
  SpillRuns results = join.TakeResults();
  if (results.empty()) {
    return std::make_unique<EmptyStream>(shape.schema);
  }
  const int left_columns = shape.left_schema->num_fields();
  std::vector<int> output = AllColumns(*shape.left_schema);
  std::vector<OrderColumn> order = {OrderColumn{left_columns}};
  if (GivesRightColumns(shape.kind)) {
    const int right_columns = shape.right_schema->num_fields();
    for (int i = 0; i < right_columns; ++i) {
      output.push_back(left_columns + 1 + i);
    }
    order.push_back(OrderColumn{left_columns + 1 + right_columns});
  }
  return MakeMergedRuns(context, std::move(results), std::move(order), std::move(output),
                        shape.schema);
}

}  // namespace keepone
