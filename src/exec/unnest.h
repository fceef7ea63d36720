// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "column/batch_stream.h"

namespace keepone {

// Columns of the input by position.
struct UnnestSpec {
  struct List {
    int column = 0;  // of a list kind, or a map, whose elements are its entries
    // Whether the list has an element for each of the ordinals, rather than being read by them.
    bool per_ordinal = false;
    bool is_given = true;  // else its length counts only
  };
  std::vector<int> passed;
  std::vector<List> lists;  // at least one, or `ordinals`
  bool gives_ordinality = false;
  bool keeps_empty = false;
  std::optional<int> ordinals;  // LIST(INT64)
};

// Gives a row for each place in the lists of an input row, see UnnestNode: the passed columns, the
// given elements, then the ordinality (INT64 from 1). A list that is shorter than the longest one
// beside it gives NULLs; a row without elements gives nothing, or with `keeps_empty` one row of
// NULLs. With `ordinals` just these places, in their order; a NULL gives NULLs.
// Batches are cut where the passed columns, which are repeated for each element, reach the bound of
// bytes. Elements that lie side by side are not copied.
std::unique_ptr<BatchStream> MakeUnnest(QueryContext* context, std::unique_ptr<BatchStream> input,
                                        UnnestSpec spec, std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
