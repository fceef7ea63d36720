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

// A batch with the groups of its rows, numbered by the worker.
struct GroupedBatch {
  const arrow::RecordBatch& rows;
  int64_t sequence;                     // MorselBatch::sequence
  int64_t position;                     // MorselBatch::position()
  std::span<const uint32_t> group_ids;  // of each row
  int64_t group_count;                  // of the worker so far
};

// What one worker knows of an aggregate, or of several that share their work.
class AggregateState {
 public:
  virtual ~AggregateState() = default;
  virtual arrow::Status Update(const GroupedBatch& batch) = 0;
};

// The states of all workers and how their groups fit together: group g of worker w becomes group
// mappings[w][g] of group_count.
struct AggregateStates {
  std::vector<std::unique_ptr<AggregateState>> states;
  const std::vector<std::vector<uint32_t>>& mappings;
  int64_t group_count;
};

// The result of one aggregate column: one value for each group.
struct AggregateResult {
  HeldRows::MoreColumn values;
  double row_bytes = 0;  // on average
};

// How one aggregate column, or several that share their work, is computed.
class AggregateStep {
 public:
  virtual ~AggregateStep() = default;
  // Which of the operator's aggregate columns Finish() gives.
  const std::vector<size_t>& outputs() const { return outputs_; }
  virtual arrow::Result<std::unique_ptr<AggregateState>> MakeState(QueryContext* context) const = 0;
  // Merges and gives the results in the order of outputs(). REQUIRES: the states are this step's.
  virtual arrow::Result<std::vector<AggregateResult>> Finish(QueryContext* context,
                                                             AggregateStates states) const = 0;

 protected:
  std::vector<size_t> outputs_;
};

// Plans the columns over batches of schema `input`: winner columns with equal order, filter,
// required columns and ties become one step.
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

}  // namespace keepone
