// SPDX-License-Identifier: Apache-2.0
#include "exec/group_spill.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "exec/group_rows.h"
#include "exec/keep_spec.h"
#include "exec/merge_runs.h"
#include "exec/selected_rows.h"
#include "exec/worker.h"

namespace keepone {

namespace {

constexpr uint32_t kPartitionCount = 64;
// A cut of more parts is not cut again: no hash has more bits.
constexpr uint32_t kCutsMax = 1u << 24;
// Less is merged in memory whatever the limit: it would not be worth a file.
constexpr int64_t kSplitBytesMin = int64_t{1} << 20;

}  // namespace

GroupSpill::GroupSpill(QueryContext* context, const AggregateLayout& layout,
                       std::shared_ptr<arrow::Schema> schema)
    : context_(context), layout_(layout), schema_(std::move(schema)) {
  arrow::FieldVector fields = schema_->fields();
  fields.push_back(arrow::field("position", arrow::int64(), false));
  run_schema_ = arrow::schema(std::move(fields));
}

arrow::Result<std::unique_ptr<GroupSpill>> GroupSpill::Make(QueryContext* context,
                                                            const AggregateLayout& layout,
                                                            std::shared_ptr<arrow::Schema> schema) {
  std::unique_ptr<GroupSpill> spill(new GroupSpill(context, layout, std::move(schema)));
  ARROW_ASSIGN_OR_RAISE(spill->partitions_, spill->MakePartitions());
  return spill;
}

arrow::Result<std::unique_ptr<SpillPartitions>> GroupSpill::MakePartitions() const {
  return SpillPartitions::Make(context_, layout_.state_schema(), kPartitionCount);
}

arrow::Status GroupSpill::Put(GroupStates* groups) {
  return Write(groups, {0, 1}, &mutex_, partitions_.get());
}

arrow::Status GroupSpill::Write(GroupStates* groups, Cut cut, std::mutex* mutex,
                                SpillPartitions* partitions) {
  ARROW_RETURN_NOT_OK(
      groups->Cut(cut.count * kPartitionCount, cut.number * kPartitionCount, kPartitionCount));
  std::vector<uint32_t> row_partitions;
  return groups->Export([&](uint32_t partition, const std::shared_ptr<arrow::RecordBatch>& batch) {
    row_partitions.assign(static_cast<size_t>(batch->num_rows()), partition);
    const std::lock_guard lock(*mutex);
    return partitions->Append(*batch, row_partitions);
  });
}

arrow::Result<std::unique_ptr<BatchStream>> GroupSpill::Finish() {
  ARROW_ASSIGN_OR_RAISE(std::vector<std::unique_ptr<SpillFile>> files, partitions_->Finish());
  partitions_.reset();
  const auto merge = [&](int64_t index) -> arrow::Status {
    std::unique_ptr<SpillFile>& file = files[static_cast<size_t>(index)];
    return file == nullptr
               ? arrow::Status::OK()
               : MergeFile(std::move(file), {static_cast<uint32_t>(index), kPartitionCount});
  };
  ARROW_RETURN_NOT_OK(ForEachTask(context_, static_cast<int64_t>(files.size()), merge));
  return MakeMergedRuns(context_, std::move(runs_), {OrderColumn{schema_->num_fields()}},
                        AllColumns(*schema_), schema_);
}

arrow::Status GroupSpill::MergeFile(std::unique_ptr<SpillFile> file, Cut cut) {
  ARROW_ASSIGN_OR_RAISE(auto groups, GroupStates::Make(context_, layout_));
  std::unique_ptr<SpillPartitions> split;
  std::mutex mutex;  // nobody else writes to `split`
  {
    ARROW_ASSIGN_OR_RAISE(const auto reader, file->Read());
    while (true) {
      ARROW_RETURN_NOT_OK(context_->CheckStop());
      ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next());
      if (batch == nullptr) {
        break;
      }
      ARROW_RETURN_NOT_OK(groups->Merge(*batch));
      const int64_t bytes = groups->bytes_used();
      if (bytes >= kSplitBytesMin && groups->group_count() > 1 && cut.count < kCutsMax &&
          context_->ShouldSpill(bytes)) {
        if (split == nullptr) {
          ARROW_ASSIGN_OR_RAISE(split, MakePartitions());
        }
        ARROW_RETURN_NOT_OK(Write(groups.get(), cut, &mutex, split.get()));
        ARROW_ASSIGN_OR_RAISE(groups, GroupStates::Make(context_, layout_));
      }
    }
  }
  file.reset();
  if (split == nullptr) {
    return WriteRun(groups.get());
  }
  ARROW_RETURN_NOT_OK(Write(groups.get(), cut, &mutex, split.get()));
  groups.reset();
  ARROW_ASSIGN_OR_RAISE(std::vector<std::unique_ptr<SpillFile>> files, split->Finish());
  split.reset();
  for (uint32_t part = 0; part < files.size(); ++part) {
    if (files[part] != nullptr) {
      ARROW_RETURN_NOT_OK(MergeFile(std::move(files[part]), {cut.number * kPartitionCount + part,
                                                             cut.count * kPartitionCount}));
    }
  }
  return arrow::Status::OK();
}

arrow::Status GroupSpill::WriteRun(GroupStates* groups) {
  std::vector<FinishedGroups> parts(1);
  ARROW_ASSIGN_OR_RAISE(parts[0], groups->Finish());
  ARROW_ASSIGN_OR_RAISE(const auto rows, GroupRows::Make(context_, schema_, std::move(parts)));
  ARROW_ASSIGN_OR_RAISE(auto run, SpillFile::Make(context_, run_schema_));
  std::vector<int64_t> positions;
  for (int64_t first = 0; first < rows->row_count();) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    ARROW_ASSIGN_OR_RAISE(const auto batch, rows->Read(first, rows->row_count()));
    positions.clear();
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      positions.push_back(rows->PositionOf(first++));
    }
    arrow::ArrayVector columns = batch->columns();
    ARROW_ASSIGN_OR_RAISE(auto position_column, PositionArray(positions, context_->pool()));
    columns.push_back(std::move(position_column));
    ARROW_RETURN_NOT_OK(
        run->Append(*arrow::RecordBatch::Make(run_schema_, batch->num_rows(), std::move(columns))));
  }
  ARROW_RETURN_NOT_OK(run->Close());
  const std::lock_guard lock(mutex_);
  runs_.push_back(std::move(run));
  return arrow::Status::OK();
}

}  // namespace keepone
