// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/key_block.h"
#include "column/key_encoder.h"
#include "exec/spill_file.h"

namespace keepone {

// Files of rows that ascend by position, in any order of the files.
using SpillRuns = std::vector<std::unique_ptr<SpillFile>>;

int64_t TotalRows(const SpillRuns& runs);
int64_t TotalBytes(const SpillRuns& runs);
// The files of each partition, from those that each of several writers has of every partition.
std::vector<SpillRuns> RunsByPartition(std::vector<SpillRuns> writers);

// The schema with an INT64 column of positions behind its columns.
std::shared_ptr<arrow::Schema> WithPosition(const std::shared_ptr<arrow::Schema>& schema);
// The batch with the positions `position`, `position` + 1, ...
arrow::Result<std::shared_ptr<arrow::RecordBatch>> AddPositions(QueryContext* context,
                                                                const arrow::RecordBatch& batch,
                                                                int64_t position);

// How many partitions a join puts rows aside in at once: fewer where the limit leaves little for
// the writers of all workers.
uint32_t JoinPartitionCount(const QueryContext& context);

// Puts rows of one input of a join aside by hash of their keys: rows of equal keys, of either
// input, in the partition of one number. Used by one thread at a time.
class JoinSpill {
 public:
  // `level` chooses a hash of its own, so that the rows of one partition can be split again. No
  // keys make one partition of all rows. Of `key_fields` only the types matter.
  static arrow::Result<std::unique_ptr<JoinSpill>> Make(QueryContext* context,
                                                        std::shared_ptr<arrow::Schema> schema,
                                                        std::vector<int> keys,
                                                        const std::vector<KeyField>& key_fields,
                                                        uint32_t partition_count, int level);

  // REQUIRES: batches have the schema.
  arrow::Status Append(const arrow::RecordBatch& batch);
  // Ends writing; nullptr for a partition without rows.
  arrow::Result<SpillRuns> Finish() { return files_->Finish(); }

 private:
  JoinSpill(std::vector<int> keys, uint32_t partition_count, int level)
      : keys_(std::move(keys)), partition_count_(partition_count), level_(level) {}

  std::vector<int> keys_;
  uint32_t partition_count_;
  int level_;
  std::unique_ptr<KeyReader> reader_;
  std::unique_ptr<KeyBlock> block_;
  std::unique_ptr<SpillPartitions> files_;
  std::vector<uint32_t> partitions_;  // of the rows of one batch
};

}  // namespace keepone
