// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>
#include <parquet/properties.h>

#include "base/query_context.h"
#include "io/source.h"

namespace keepone {

// A directory that vanishes with its contents.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  std::string File(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// `count` values of any type: NULLs, empty and long ones, special floats among them.
std::shared_ptr<arrow::Array> RandomArray(const std::shared_ptr<arrow::DataType>& type,
                                          int64_t count, std::mt19937_64* random);

arrow::Status WriteParquet(const std::string& path, const arrow::Table& table,
                           const std::shared_ptr<parquet::WriterProperties>& properties,
                           int64_t row_group_rows);

// The whole file by Arrow's reader, in one chunk.
arrow::Result<std::shared_ptr<arrow::Table>> ReadByArrow(const std::string& path);

// The batches of all morsels in order, in one chunk. The morsels are worked off by `threads`
// threads.
arrow::Result<std::shared_ptr<arrow::Table>> ReadStream(BatchStream* stream, int threads = 1);

arrow::Result<std::shared_ptr<arrow::Table>> ScanAll(const Source& source, QueryContext* context,
                                                     ScanRequest request, int threads = 1);
arrow::Result<std::shared_ptr<arrow::Table>> FetchRows(const Source& source, QueryContext* context,
                                                       const std::vector<int64_t>& rows,
                                                       int threads = 1);

std::shared_ptr<arrow::Table> RandomTable(const arrow::FieldVector& fields, int64_t rows,
                                          uint64_t seed);

std::vector<int64_t> Range(int64_t begin, int64_t end);
// Of 0 .. count-1, each with probability `part`.
std::vector<int64_t> RandomRows(int64_t count, double part, std::mt19937_64* random);

// Two threads, batches of few rows.
QueryContext::Options SmallBatches();

std::vector<int> AllColumns(const Source& source);

// Fails the test unless row i of `table` is row rows[i] of `expected`, column by column.
void ExpectRows(const arrow::Table& table, const arrow::Table& expected,
                const std::vector<int64_t>& rows, const std::string& what);

// Holds scans and several fetches against Arrow's own reading of the whole file.
void CheckFile(const std::string& path, const std::string& what);

}  // namespace keepone
