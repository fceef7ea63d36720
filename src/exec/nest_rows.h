// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"

namespace keepone {

// Columns of the input by position.
struct NestSpec {
  int address = 0;  // INT64, never NULL; the rows of one address follow each other
  std::vector<int> values;
};

// Makes one row of the rows of each address, see NestNode: the address, then a LIST of each of the
// values, in the rows' order. Holds the rows of one address and what a batch brings, no more.
std::unique_ptr<BatchStream> MakeNestRows(QueryContext* context, std::unique_ptr<BatchStream> input,
                                          NestSpec spec, std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
