// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "column/key_block.h"
#include "column/key_encoder.h"

namespace keepone {

// Says to which partition by hash of its key a row belongs: that of GroupTable::Partition() for
// a table of the same fields. Used by one thread at a time.
class KeyPartitioner {
 public:
  static arrow::Result<std::unique_ptr<KeyPartitioner>> Make(std::vector<KeyField> fields,
                                                             arrow::MemoryPool* pool);

  // REQUIRES: as many rows in each column as there are partitions.
  arrow::Status Partition(const arrow::ArrayVector& columns, uint32_t partition_count,
                          std::span<uint32_t> partitions);

 private:
  std::unique_ptr<KeyReader> reader_;
  std::unique_ptr<KeyBlock> block_;
};

}  // namespace keepone
