// SPDX-License-Identifier: Apache-2.0
#include "exec/rows_aside.h"

#include <algorithm>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace keepone {

namespace {

constexpr uint32_t kPartitions = 16;
// 16 ^ 4 partitions: what is still too large then is one group, or hashes alike.
constexpr int kLevelsMax = 4;

}  // namespace

AsideSpec MakeAsideSpec(const QueryContext& context, const BoundKeepSpec& spec,
                        std::shared_ptr<arrow::Schema> schema, int level) {
  AsideSpec aside;
  aside.schema = std::move(schema);
  aside.groups = spec.groups;
  aside.group_keys = spec.winners.group_keys;
  aside.level = level;
  aside.is_possible = !spec.groups.empty() && spec.winners.group_count_max < 0 &&
                      level < (context.force_spill() ? 1 : kLevelsMax);
  return aside;
}

arrow::Status RowsAside::Add(const arrow::RecordBatchVector& batches,
                             std::span<const RowPlace> places) {
  if (places.empty()) {
    return arrow::Status::OK();
  }
  if (spill_ == nullptr) {
    ARROW_ASSIGN_OR_RAISE(spill_, JoinSpill::Make(context_, spec_->schema, spec_->groups,
                                                  spec_->group_keys, kPartitions, spec_->level));
  }
  int64_t rows = 0;
  for (const auto& batch : batches) {
    rows += batch->num_rows();
  }
  const double row_bytes =
      static_cast<double>(TotalBytes(batches)) / static_cast<double>(std::max<int64_t>(rows, 1));
  // What is gathered for writing must not take much by itself.
  const auto at_once = static_cast<size_t>(std::clamp<double>(
      static_cast<double>(context_->batch_bytes_max()) / 4 / std::max(row_bytes, 1.0), 1.0,
      static_cast<double>(context_->batch_rows_max())));
  for (size_t first = 0; first < places.size(); first += at_once) {
    ARROW_RETURN_NOT_OK(context_->CheckStop());
    const auto part = places.subspan(first, std::min(at_once, places.size() - first));
    ARROW_ASSIGN_OR_RAISE(auto pieces,
                          GatherPieces(spec_->schema, batches, part, context_->pool()));
    for (const auto& piece : pieces) {
      ARROW_RETURN_NOT_OK(spill_->Append(*piece));
    }
  }
  return arrow::Status::OK();
}

arrow::Status RowsAside::Finish(std::vector<SpillRuns>* partitions) {
  if (spill_ == nullptr) {
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(SpillRuns files, spill_->Finish());
  spill_.reset();
  partitions->resize(std::max(partitions->size(), files.size()));
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i] != nullptr) {
      (*partitions)[i].push_back(std::move(files[i]));
    }
  }
  return arrow::Status::OK();
}

}  // namespace keepone
