// SPDX-License-Identifier: Apache-2.0
#include "exec/key_partitioner.h"

#include <algorithm>
#include <utility>

#include <arrow/array.h>

namespace keepone {

arrow::Result<std::unique_ptr<KeyPartitioner>> KeyPartitioner::Make(std::vector<KeyField> fields,
                                                                    arrow::MemoryPool* pool) {
  auto partitioner = std::make_unique<KeyPartitioner>();
  ARROW_ASSIGN_OR_RAISE(partitioner->reader_, KeyReader::Make(std::move(fields), pool));
  partitioner->block_ = std::make_unique<KeyBlock>();
  return partitioner;
}

arrow::Status KeyPartitioner::Partition(const arrow::ArrayVector& columns, uint32_t partition_count,
                                        std::span<uint32_t> partitions) {
  if (reader_->form() == KeyForm::kNone) {
    std::fill(partitions.begin(), partitions.end(), 0u);
    return arrow::Status::OK();
  }
  ARROW_RETURN_NOT_OK(reader_->Bind(columns));
  const auto rows = static_cast<int64_t>(partitions.size());
  for (int64_t offset = 0; offset < rows;) {
    ARROW_ASSIGN_OR_RAISE(const int64_t count, reader_->Read(offset, rows - offset, block_.get()));
    HashBlock(reader_->form(), reader_->width(), count, block_.get());
    for (int64_t i = 0; i < count; ++i) {
      partitions[static_cast<size_t>(offset + i)] =
          HashPartition(block_->hashes[static_cast<size_t>(i)], partition_count);
    }
    offset += count;
  }
  return arrow::Status::OK();
}

}  // namespace keepone
