// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "io/sink.h"

namespace keepone {

// Writes a directory of files in the layout of Hive, by the values of option "partition_by":
//
//   a  b  v
//   1  x  7        path/a=1/b=x/data_0.parquet      v: 7, 9
//   2  y  8   =>   path/a=2/b=y/data_0.parquet      v: 8
//   1  x  9
//
// Values are written as text and escaped, NULL as __HIVE_DEFAULT_PARTITION__; a text of that very
// name is a data error. Rows of a partition keep their order, also from data_0 to data_1 and so on.
// The partition columns are left out of the files unless "write_partition_columns" is true.
//
// The directory is made beside `path` under a temporary name and takes its place in Finish(). A
// directory that holds something is an error, unless "overwrite" is true: then it is replaced with
// all that it holds.
//
// Memory: up to 64 MiB of rows wait, less under a memory limit; those of the largest partitions are
// then written as row groups by all threads. A few dozen files are open at once; where there are
// more partitions, a file is closed and a further one begun, so rows that come ordered by partition
// make the fewest files. More than 100,000 partitions are a resource error.
arrow::Result<std::unique_ptr<Sink>> MakePartitionedSink(
    QueryContext* context, FileFormat format, const std::shared_ptr<arrow::Schema>& schema,
    const SinkOptions& options, const std::string& path);

}  // namespace keepone
