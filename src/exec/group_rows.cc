// SPDX-License-Identifier: Apache-2.0
#include "exec/group_rows.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "column/row_bytes.h"
#include "exec/worker.h"

namespace keepone {

namespace {

constexpr int64_t kGroupMorselBatches = 8;
// Values that are wider on average are measured one by one.
constexpr double kWideValueBytes = 256;
// Groups that are sorted together when parts are merged.
constexpr int64_t kBucketGroups = int64_t{1} << 15;

class GroupMorsel final : public Morsel {
 public:
  GroupMorsel(std::shared_ptr<const GroupRows> rows, int64_t first, int64_t end)
      : rows_(std::move(rows)), first_(first), end_(end) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (first_ == end_) {
      return nullptr;
    }
    ARROW_RETURN_NOT_OK(rows_->context()->CheckStop());
    ARROW_ASSIGN_OR_RAISE(auto batch, rows_->Read(first_, end_));
    first_ += batch->num_rows();
    return batch;
  }

 private:
  std::shared_ptr<const GroupRows> rows_;
  int64_t first_;
  int64_t end_;
};

class GroupStream final : public BatchStream {
 public:
  explicit GroupStream(std::shared_ptr<const GroupRows> rows) : rows_(std::move(rows)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return rows_->schema(); }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    const int64_t morsel_rows = rows_->context()->batch_rows_max() * kGroupMorselBatches;
    const int64_t first = next_.fetch_add(1) * morsel_rows;
    if (first >= rows_->row_count()) {
      return nullptr;
    }
    return std::make_unique<GroupMorsel>(rows_, first,
                                         std::min(first + morsel_rows, rows_->row_count()));
  }

 private:
  std::shared_ptr<const GroupRows> rows_;
  std::atomic<int64_t> next_{0};
};

}  // namespace

GroupRows::GroupRows(QueryContext* context, std::shared_ptr<arrow::Schema> schema,
                     std::vector<FinishedGroups> parts)
    : context_(context),
      schema_(std::move(schema)),
      parts_(std::move(parts)),
      columns_(static_cast<size_t>(schema_->num_fields())),
      reserved_(context->budget()),
      order_(context->budget()) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    double bytes = 0;
    int64_t groups = 0;
    for (FinishedGroups& part : parts_) {
      GroupValues& values = part.columns[i];
      column.first_chunks.push_back(static_cast<uint32_t>(column.chunks.size()));
      std::move(values.chunks.begin(), values.chunks.end(), std::back_inserter(column.chunks));
      values.chunks.clear();
      bytes += values.row_bytes * static_cast<double>(part.group_count);
      groups += part.group_count;
    }
    column.row_bytes = bytes / static_cast<double>(std::max<int64_t>(groups, 1));
    row_bytes_ += column.row_bytes;
  }
}

arrow::Result<std::shared_ptr<GroupRows>> GroupRows::Make(QueryContext* context,
                                                          std::shared_ptr<arrow::Schema> schema,
                                                          std::vector<FinishedGroups> parts) {
  std::shared_ptr<GroupRows> rows(new GroupRows(context, std::move(schema), std::move(parts)));
  ARROW_RETURN_NOT_OK(rows->Sort());
  return rows;
}

arrow::Status GroupRows::DropPositions() {
  for (FinishedGroups& part : parts_) {
    part.positions = std::vector<int64_t>();
  }
  return reserved_.Resize(0);
}

// Each part is sorted alone; then the groups between two positions, of which each part has a range,
// are sorted together, so that all workers have work whatever the parts.
arrow::Status GroupRows::Sort() {
  int64_t total = 0;
  int64_t position_bytes = 0;
  for (const FinishedGroups& part : parts_) {
    total += part.group_count;
    position_bytes += static_cast<int64_t>(part.positions.capacity() * sizeof(int64_t));
  }
  ARROW_RETURN_NOT_OK(order_.Resize(total));
  // The sorted numbers come on top.
  ARROW_RETURN_NOT_OK(reserved_.Resize(position_bytes + total * 4));
  std::vector<std::vector<uint32_t>> sorted(parts_.size());
  ARROW_RETURN_NOT_OK(SortParts(&sorted));
  const auto position = [&](size_t part, size_t index) {
    return parts_[part].positions[sorted[part][index]];
  };

  const int64_t bucket_count = parts_.size() > 1 ? total / kBucketGroups + 1 : 1;
  std::vector<int64_t> samples;
  for (size_t part = 0; part < parts_.size(); ++part) {
    for (size_t at = 0; at < sorted[part].size(); at += kBucketGroups / 8) {
      samples.push_back(position(part, at));
    }
  }
  std::sort(samples.begin(), samples.end());
  // begins[b][p]: where bucket b begins in part p.
  std::vector<std::vector<size_t>> begins(static_cast<size_t>(bucket_count) + 1);
  std::vector<size_t> out(begins.size(), 0);
  for (size_t bucket = 0; bucket < begins.size(); ++bucket) {
    for (size_t part = 0; part < parts_.size(); ++part) {
      size_t begin = bucket == 0 ? 0 : sorted[part].size();
      if (bucket > 0 && bucket + 1 < begins.size()) {
        const int64_t bound = samples[samples.size() * bucket / (begins.size() - 1)];
        begin =
            static_cast<size_t>(std::lower_bound(sorted[part].begin(), sorted[part].end(), bound,
                                                 [&](uint32_t group, int64_t value) {
                                                   return parts_[part].positions[group] < value;
                                                 }) -
                                sorted[part].begin());
      }
      begins[bucket].push_back(begin);
      out[bucket] += begin;
    }
  }
  const auto sort_bucket = [&](int64_t index) -> arrow::Status {
    const auto bucket = static_cast<size_t>(index);
    std::vector<std::pair<int64_t, RowPlace>> groups;
    groups.reserve(out[bucket + 1] - out[bucket]);
    for (size_t part = 0; part < parts_.size(); ++part) {
      for (size_t at = begins[bucket][part]; at < begins[bucket + 1][part]; ++at) {
        groups.emplace_back(position(part, at),
                            RowPlace{static_cast<uint32_t>(part), sorted[part][at]});
      }
    }
    if (parts_.size() > 1) {
      std::sort(groups.begin(), groups.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    for (size_t i = 0; i < groups.size(); ++i) {
      order_.refs()[out[bucket] + i] = groups[i].second;
    }
    return arrow::Status::OK();
  };
  ARROW_RETURN_NOT_OK(ForEachTask(context_, bucket_count, sort_bucket));
  return reserved_.Resize(position_bytes);
}

arrow::Status GroupRows::SortParts(std::vector<std::vector<uint32_t>>* sorted) {
  const auto sort_part = [&](int64_t index) -> arrow::Status {
    const FinishedGroups& part = parts_[static_cast<size_t>(index)];
    std::vector<uint32_t>& groups = (*sorted)[static_cast<size_t>(index)];
    groups.resize(static_cast<size_t>(part.group_count));
    std::iota(groups.begin(), groups.end(), 0u);
    const auto less = [&](uint32_t a, uint32_t b) { return part.positions[a] < part.positions[b]; };
    if (!std::is_sorted(groups.begin(), groups.end(), less)) {
      std::sort(groups.begin(), groups.end(), less);
    }
    return arrow::Status::OK();
  };
  return ForEachTask(context_, static_cast<int64_t>(parts_.size()), sort_part);
}

RowPlace GroupRows::PlaceOf(size_t column, RowPlace group) const {
  RowPlace place = parts_[group.batch].columns[column].PlaceOf(group.row);
  place.batch += columns_[column].first_chunks[group.batch];
  return place;
}

size_t GroupRows::CountRows(std::span<const RowPlace> groups) const {
  const size_t rows_max = std::min(groups.size(), static_cast<size_t>(context_->batch_rows_max()));
  const auto bytes_max = static_cast<double>(context_->batch_bytes_max());
  if (row_bytes_ < kWideValueBytes) {
    return std::clamp<size_t>(static_cast<size_t>(bytes_max / std::max(row_bytes_, 1.0)), 1,
                              rows_max);
  }
  double bytes = 0;
  size_t count = 0;
  while (count < rows_max && bytes < bytes_max) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].row_bytes < kWideValueBytes) {
        bytes += columns_[i].row_bytes;
        continue;
      }
      const RowPlace place = PlaceOf(i, groups[count]);
      bytes +=
          static_cast<double>(RowBytes(*columns_[i].chunks[place.batch]->data(), place.row, 1));
    }
    ++count;
  }
  return count;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> GroupRows::Read(int64_t first,
                                                                   int64_t end) const {
  const std::span<const RowPlace> left =
      std::span(order_.refs())
          .subspan(static_cast<size_t>(first), static_cast<size_t>(end - first));
  const std::span<const RowPlace> groups = left.first(CountRows(left));
  arrow::ArrayVector values;
  std::vector<RowPlace> places(groups.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    std::transform(groups.begin(), groups.end(), places.begin(),
                   [&](RowPlace group) { return PlaceOf(i, group); });
    ARROW_ASSIGN_OR_RAISE(auto column, GatherValues(columns_[i].chunks, places, context_->pool()));
    values.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(schema_, static_cast<int64_t>(groups.size()), std::move(values));
}

std::unique_ptr<BatchStream> MakeGroupStream(std::shared_ptr<const GroupRows> rows) {
  return std::make_unique<GroupStream>(std::move(rows));
}

}  // namespace keepone
