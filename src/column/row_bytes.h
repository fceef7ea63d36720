// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <arrow/type_fwd.h>

namespace keepone {

// The bytes that rows [begin, begin + count) of an array take by themselves: their part of every
// buffer at any depth, however much more the buffers hold. A dictionary counts in full, the
// children of a list view and of a union by their mean width. Takes no time per row, except for
// string views, list views and run ends.
int64_t RowBytes(const arrow::ArrayData& array, int64_t begin, int64_t count);

// The same for all rows of a batch.
int64_t BatchBytes(const arrow::RecordBatch& batch);

// Cuts a batch into slices that share its buffers, each of at most `rows_max` rows and at most
// `bytes_max` bytes, or of one row. No rows give no slice.
arrow::RecordBatchVector SplitByBytes(const std::shared_ptr<arrow::RecordBatch>& batch,
                                      int64_t rows_max, int64_t bytes_max);

}  // namespace keepone
