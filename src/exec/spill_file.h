// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"

namespace keepone {

// Batches that were put aside in the query's temporary directory: an Arrow IPC stream, its buffers
// compressed by LZ4. Written once, then read in the same order, any number of times. The file is
// removed with the object. Used by one thread at a time; readers of one file are independent.
// A disk that is full or a file that cannot be read gives a resource or an I/O error that names it.
class SpillFile {
 public:
  static arrow::Result<std::unique_ptr<SpillFile>> Make(QueryContext* context,
                                                        std::shared_ptr<arrow::Schema> schema);
  ~SpillFile();

  // Batches of any size are split so that none that is read back exceeds the query's batch bounds.
  arrow::Status Append(const arrow::RecordBatch& batch);
  // Ends writing and gives the writer's memory back. REQUIRES: called before Read.
  arrow::Status Close();

  class Reader {
   public:
    virtual ~Reader() = default;
    // nullptr at the end.
    virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() = 0;
  };
  arrow::Result<std::unique_ptr<Reader>> Read() const;

  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  int64_t rows() const { return rows_; }
  // Of the rows in memory, uncompressed.
  int64_t bytes() const { return bytes_; }

 private:
  class Writer;
  SpillFile(QueryContext* context, std::shared_ptr<arrow::Schema> schema);

  QueryContext* context_;
  std::shared_ptr<arrow::Schema> schema_;
  std::string path_;
  std::unique_ptr<Writer> writer_;
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
  int64_t bytes_on_disk_ = 0;
};

// Rows put aside by partition. Small pieces of a partition are gathered in memory, within
// a bound for all partitions together, before they are written.
// Used by one thread at a time.
class SpillPartitions {
 public:
  static arrow::Result<std::unique_ptr<SpillPartitions>> Make(QueryContext* context,
                                                              std::shared_ptr<arrow::Schema> schema,
                                                              uint32_t partition_count);
  ~SpillPartitions();

  // `partitions` says for each row where it goes; rows of a partition keep their order.
  arrow::Status Append(const arrow::RecordBatch& batch, std::span<const uint32_t> partitions);
  // Ends writing; nullptr for a partition without rows.
  arrow::Result<std::vector<std::unique_ptr<SpillFile>>> Finish();

 private:
  class Impl;
  explicit SpillPartitions(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace keepone
