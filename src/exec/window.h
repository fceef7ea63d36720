// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/aggregate_column.h"
#include "exec/order_column.h"

namespace keepone {

// One window function.
struct WindowColumn {
  enum class Kind {
    kRowNumber,
    kRank,
    kDenseRank,
    kPercentRank,
    kCumeDist,
    kNtile,
    kShift,
    kAggregate
  };
  Kind kind = Kind::kRowNumber;
  std::optional<AggregateColumn> aggregate;  // kAggregate
  bool to_row = false;                       // kAggregate: the frame ends at the current row itself
  std::vector<int> arguments;                // kShift: the value, and maybe what stands in for it
  int64_t offset = 0;                        // kShift: rows further on; kNtile: buckets
  bool ignores_nulls = false;                // kShift: only rows with a value are counted
};

struct WindowSpec {
  std::vector<int> partition;
  std::vector<OrderColumn> order;
  std::vector<WindowColumn> columns;
};

// Gives the input's columns and one more per window function, named by `schema`; rows keep their
// input order. An aggregate is over the whole partition, or with `order` over its rows up to the
// current one's last peer, or up to the current one. Ties go by input order. Holds the whole input
// once; when memory is short it is put aside and worked off by hash of the partition keys
// (window_input.h). A running aggregate that cannot be computed step by step is an unsupported
// error naming it.
std::unique_ptr<BatchStream> MakeWindow(QueryContext* context, std::unique_ptr<BatchStream> input,
                                        WindowSpec spec, std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
