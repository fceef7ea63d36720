// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/schema.h>

namespace keepone {

// The dotted paths of the columns (leaves) of `schema` that a dictionary would not make a quarter
// smaller, judged by the first values in `batches`: those of near-unique values, of which a writer
// would build a hash table for nothing. How many different values all batches hold together is
// extrapolated as if each were equally frequent. Booleans, and what is a dictionary already, are
// never among them. Takes a few milliseconds a column, however many rows there are.
// `batches` are rows of the Arrow schema that `schema` was made from.
std::vector<std::string> ColumnsWithoutDictionary(const parquet::SchemaDescriptor& schema,
                                                  const arrow::RecordBatchVector& batches);

}  // namespace keepone
