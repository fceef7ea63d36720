// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/key_encoder.h"
#include "exec/held_rows.h"
#include "exec/order_column.h"

namespace keepone {

// The same order, as KeyEncoder takes it, and its columns' positions.
std::vector<KeyField> KeyFieldsOf(const std::vector<OrderColumn>& keys,
                                  const arrow::Schema& schema);
std::vector<int> ColumnsOf(const std::vector<OrderColumn>& keys);

// About what the encoded keys of all rows of a batch will take at most.
int64_t EncodedKeyBytes(const arrow::RecordBatch& batch, const std::vector<int>& columns);

// All rows of the batches, as they stand.
arrow::Status ReferToAllRows(const arrow::RecordBatchVector& batches, RowOrder* order);

// Sorts references to rows of `batches` by `keys` of any type; equal ones keep their order. Uses
// all workers. Holds the encoded keys of all rows of the batches meanwhile. `begins`, if not
// nullptr, gets 1 for each sorted row whose key differs from that of the row before it, and for the
// first.
arrow::Status SortRows(QueryContext* context, const arrow::RecordBatchVector& batches,
                       const std::vector<OrderColumn>& keys, RowOrder* order,
                       std::vector<uint8_t>* begins = nullptr);

}  // namespace keepone
