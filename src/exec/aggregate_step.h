// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "exec/aggregate_column.h"
#include "exec/held_rows.h"

namespace keepone {

// The version of the columns of exported states. They are, for a step of
//   an accumulator     those of its function (function/accumulators.h);
//   DISTINCT           LargeList<Struct<arguments>>: the values met so far, each once;
//   winners            INT64 position of the winning row, NULL where there is none; its order key:
//                      none without an order, for one column of at most 8 bytes UINT64 in the order
//                      and UINT8 (1, 2, 3: NULL first, a value, NULL last), else BINARY as
//                      KeyEncoder encodes it; then each column that gives values;
//   a list of values   LargeList<Struct<value, order columns, INT64 position>>: all rows.
// Positions say which row came first in the input.
constexpr int32_t kAggregateStateVersion = 1;

// A batch with the groups of its rows.
struct GroupedBatch {
  const arrow::RecordBatch& rows;
  std::span<const int64_t> positions;   // of each row in the input
  std::span<const uint32_t> group_ids;  // of each row
  int64_t group_count;                  // every id is below it; it never shrinks
};

// The values of one aggregate column, one for each group.
struct GroupValues {
  arrow::ArrayVector chunks;
  // Of each group, by chunk; nullptr when the chunks hold the groups one after the other.
  std::shared_ptr<RowOrder> places;
  std::vector<int64_t> begins;  // without places: the first group of each chunk
  double row_bytes = 0;         // on average

  RowPlace PlaceOf(uint32_t group) const;
};

// The chunks as they stand, which hold the groups one after the other.
GroupValues ValuesInOrder(arrow::ArrayVector chunks);

// What is known of the groups of one aggregate, or of several that share their work. Groups are
// numbered by the caller. Used by one thread at a time, but for what is const.
class AggregateState {
 public:
  virtual ~AggregateState() = default;
  // Adds the rows. Batches may come in any order of positions.
  virtual arrow::Status Update(const GroupedBatch& batch) = 0;

  // To be called before Export() and MergeLast() of this state by another, and again after a
  // change.
  virtual arrow::Status PrepareExport(int64_t /*group_count*/) { return arrow::Status::OK(); }
  // The states of these groups as columns of AggregateStep::state_types(), a row each. Groups that
  // no row has reached are there too.
  virtual arrow::Result<arrow::ArrayVector> Export(std::span<const uint32_t> groups) const = 0;
  // Adds row i of such columns to group_ids[i].
  virtual arrow::Status Merge(const arrow::ArrayVector& state, std::span<const uint32_t> group_ids,
                              int64_t group_count) = 0;
  // Adds groups[i] of another state of the same step to group_ids[i]; nothing but this and Finish()
  // may follow. Shares what it can with `other`, whose objects may go before it is used.
  virtual arrow::Status MergeLast(const AggregateState& other, std::span<const uint32_t> groups,
                                  std::span<const uint32_t> group_ids, int64_t group_count);

  // The results of groups [0, group_count) in the order of AggregateStep::outputs(); the state is
  // used up.
  virtual arrow::Result<std::vector<GroupValues>> Finish(int64_t group_count) = 0;

  // Of all that it holds; takes no time per group.
  virtual int64_t bytes_used() const = 0;
};

// How one aggregate column, or several that share their work, is computed.
class AggregateStep {
 public:
  virtual ~AggregateStep() = default;
  // Which of the operator's aggregate columns Finish() gives.
  const std::vector<size_t>& outputs() const { return outputs_; }
  // Of the columns of an exported state.
  virtual arrow::Result<arrow::DataTypeVector> state_types(QueryContext* context) const = 0;
  // The state must not outlive the step.
  virtual arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const = 0;

 protected:
  std::vector<size_t> outputs_;
};

// Plans the columns over batches of schema `input`: winner columns with equal order, filter,
// required columns, place and ties become one step.
std::vector<std::unique_ptr<AggregateStep>> MakeAggregateSteps(
    const std::vector<AggregateColumn>& columns, const arrow::Schema& input);

// Made by MakeAggregateSteps, each in its own file.
std::unique_ptr<AggregateStep> MakeAccumulateStep(AggregateColumn column, size_t output);
std::unique_ptr<AggregateStep> MakeDistinctStep(AggregateColumn column, size_t output,
                                                const arrow::Schema& input);
std::unique_ptr<AggregateStep> MakeWinnerStep(std::vector<AggregateColumn> columns,
                                              std::vector<size_t> outputs,
                                              const arrow::Schema& input);
std::unique_ptr<AggregateStep> MakeCollectStep(AggregateColumn column, size_t output,
                                               const arrow::Schema& input);
// A winner at a place behind the first; its state is that of a list.
std::unique_ptr<AggregateStep> MakeNthStep(const AggregateColumn& column, size_t output,
                                           const arrow::Schema& input);

}  // namespace keepone
