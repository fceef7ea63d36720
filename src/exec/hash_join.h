// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "column/join_kind.h"
#include "eval/expression.h"

namespace keepone {

// Which rows of two inputs match.
struct JoinSpec {
  JoinKind kind = JoinKind::kInner;
  // Columns of the left and of the right input that must be equal, in pairs of one type each. No
  // keys pair every left row with every right row.
  std::vector<int> left_keys;
  std::vector<int> right_keys;
  // For each pair, whether NULL equals NULL; otherwise NULL equals nothing.
  std::vector<bool> null_equals_null;
  // What must be TRUE besides: a BOOLEAN over the left columns followed by the right ones, also
  // where the join gives the left ones only. May be nullptr.
  ExpressionPtr residual;
};

// Joins by a hash table of the right input, which is read whole before the left one is streamed.
//
//   left row order  | l0 l0 l1 l3 l3 l3 | - -        each left row's matches in right row order,
//   right row order | r2 r7 r2 r0 r1 r4 | r3 r5      right rows without a match last (right, full)
//
// `schema` is the output's: all left columns, then all right ones; of kSemi and kAnti the left ones
// only. Equality of keys is that of GroupTable: of any type, NaN equals NaN, -0.0 equals 0.0. Keys
// and residual decide what a match is: a row whose pairs all fail the residual is one without a
// match, and comes with NULLs on the other side where `kind` keeps it.
//
// The order and the rows are the same at any number of threads, batch size and memory limit. Left
// morsels are worked off in parallel; a left row with many matches is cut over batches, which are
// bounded by rows and bytes. An inner or semi join without right rows ends without reading the left
// input. Holds the right input once, with 8 to 40 bytes for each row; where that presses the memory
// limit, both inputs are put aside on disk by hash of their keys and joined a part at a time.
// Errors are those of the inputs, of the residual and of resources.
std::unique_ptr<BatchStream> MakeHashJoin(QueryContext* context, std::unique_ptr<BatchStream> left,
                                          std::unique_ptr<BatchStream> right, JoinSpec spec,
                                          std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
