// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>
#include <parquet/metadata.h>

#include "io/parquet/page_index.h"
#include "io/parquet/row_range.h"
#include "io/source.h"

namespace keepone {

// A bound as it is held against the statistics of one leaf of a file.
struct LeafBound {
  int leaf = 0;
  ColumnBound::Op op = ColumnBound::Op::kEqual;
  std::shared_ptr<arrow::Scalar> value;
};

// Whether statistics of the leaf can be compared with values of `type`: a flat column whose stored
// values have the order of the type. Where it says no, the bound leaves nothing out.
bool CanPrune(const parquet::ColumnDescriptor& column, const arrow::DataType& type);

// Whether a row of the row group may meet the bound, as far as its statistics tell.
// REQUIRES: CanPrune(column of the leaf, type of the value).
bool RowGroupMayMeet(const parquet::RowGroupMetaData& row_group, const LeafBound& bound);

// The rows of the pages that may hold a row that meets the bound.
// REQUIRES: as above.
RowRanges PagesThatMayMeet(const parquet::ColumnDescriptor& column, const PageLocations& locations,
                           const parquet::ColumnIndex& statistics, const LeafBound& bound);

}  // namespace keepone
