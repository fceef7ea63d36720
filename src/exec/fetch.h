// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "io/source.h"

namespace keepone {

struct FetchSpec {
  std::shared_ptr<const Source> source;
  int address = 0;                 // column of the input: INT64, never NULL, each value once
  std::vector<int> input_columns;  // columns of the input that are given, in this order
  std::vector<int> fields;         // top-level fields of the source that are given behind them
  bool keeps_input_order = false;
  bool input_in_address_order = false;  // REQUIRES then: the input's addresses ascend
};

// Gives columns of the input beside the fields of the source's rows at its addresses.
//
//   row_address  n              row_address  n  payload
//   7            1     fetch    7            1  {...}
//   9            4   -------->  9            4  {...}
//
// Rows come out in address order, or in the input's order with `keeps_input_order`. An input in
// address order is read part by part, as far as the parts before it have been fetched; any other is
// held whole, it is narrow. Fetched rows stream through, unless the input's order differs from that
// of the addresses and is kept: then they are held once. `schema` names the columns that are given.
std::unique_ptr<BatchStream> MakeFetch(QueryContext* context, std::unique_ptr<BatchStream> input,
                                       FetchSpec spec, std::shared_ptr<arrow::Schema> schema,
                                       std::shared_ptr<SourceCounters> counters);

}  // namespace keepone
