// SPDX-License-Identifier: Apache-2.0
#include "exec/join_spill.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

namespace keepone {

namespace {

constexpr int64_t kJoinPartitionsMax = 32;
constexpr int64_t kJoinPartitionsMin = 4;
// What the writer of one partition takes, and the part of the limit that all may take together.
constexpr int64_t kWriterBytes = 40 << 10;
constexpr int64_t kWritersShare = 8;

}  // namespace

uint32_t JoinPartitionCount(const QueryContext& context) {
  if (context.memory_bytes_max() < 0) {
    return kJoinPartitionsMax;
  }
  return static_cast<uint32_t>(
      std::clamp(context.memory_bytes_max() / kWritersShare / context.threads() / kWriterBytes,
                 kJoinPartitionsMin, kJoinPartitionsMax));
}

int64_t TotalRows(const SpillRuns& runs) {
  int64_t rows = 0;
  for (const auto& run : runs) {
    rows += run->rows();
  }
  return rows;
}

int64_t TotalBytes(const SpillRuns& runs) {
  int64_t bytes = 0;
  for (const auto& run : runs) {
    bytes += run->bytes();
  }
  return bytes;
}

std::vector<SpillRuns> RunsByPartition(std::vector<SpillRuns> writers) {
  std::vector<SpillRuns> partitions;
  for (SpillRuns& writer : writers) {
    partitions.resize(std::max(partitions.size(), writer.size()));
    for (size_t i = 0; i < writer.size(); ++i) {
      if (writer[i] != nullptr) {
        partitions[i].push_back(std::move(writer[i]));
      }
    }
  }
  return partitions;
}

std::shared_ptr<arrow::Schema> WithPosition(const std::shared_ptr<arrow::Schema>& schema) {
  arrow::FieldVector fields = schema->fields();
  fields.push_back(arrow::field("position", arrow::int64()));
  return arrow::schema(std::move(fields));
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> AddPositions(QueryContext* context,
                                                                const arrow::RecordBatch& batch,
                                                                int64_t position) {
  const int64_t rows = batch.num_rows();
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(rows * 8, context->pool()));
  auto* positions = reinterpret_cast<int64_t*>(buffer->mutable_data());
  std::iota(positions, positions + rows, position);
  arrow::ArrayVector columns = batch.columns();
  columns.push_back(std::make_shared<arrow::Int64Array>(rows, std::move(buffer)));
  return arrow::RecordBatch::Make(WithPosition(batch.schema()), rows, std::move(columns));
}

arrow::Result<std::unique_ptr<JoinSpill>> JoinSpill::Make(QueryContext* context,
                                                          std::shared_ptr<arrow::Schema> schema,
                                                          std::vector<int> keys,
                                                          const std::vector<KeyField>& key_fields,
                                                          uint32_t partition_count, int level) {
  if (keys.empty()) {
    partition_count = 1;
  }
  auto spill = std::unique_ptr<JoinSpill>(new JoinSpill(std::move(keys), partition_count, level));
  ARROW_ASSIGN_OR_RAISE(spill->reader_, KeyReader::Make(key_fields, context->pool()));
  spill->block_ = std::make_unique<KeyBlock>();
  ARROW_ASSIGN_OR_RAISE(spill->files_,
                        SpillPartitions::Make(context, std::move(schema), partition_count));
  return spill;
}

arrow::Status JoinSpill::Append(const arrow::RecordBatch& batch) {
  const int64_t rows = batch.num_rows();
  partitions_.assign(static_cast<size_t>(rows), 0);
  if (partition_count_ > 1) {
    arrow::ArrayVector columns;
    for (const int key : keys_) {
      columns.push_back(batch.column(key));
    }
    ARROW_RETURN_NOT_OK(reader_->Bind(columns));
    for (int64_t offset = 0; offset < rows;) {
      ARROW_ASSIGN_OR_RAISE(const int64_t count,
                            reader_->Read(offset, rows - offset, block_.get()));
      HashBlock(reader_->form(), reader_->width(), count, block_.get());
      for (int64_t i = 0; i < count; ++i) {
        // Mixed with the level, as the plain hash also places keys in tables.
        const uint64_t hash =
            HashUInt64(block_->hashes[static_cast<size_t>(i)] + static_cast<uint64_t>(level_) + 1);
        partitions_[static_cast<size_t>(offset + i)] = HashPartition(hash, partition_count_);
      }
      offset += count;
    }
  }
  return files_->Append(batch, partitions_);
}

}  // namespace keepone
