// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>

#include <arrow/result.h>

#include "base/query_context.h"
#include "column/batch_stream.h"
#include "exec/metrics.h"
#include "plan/node.h"

namespace keepone {

// A plan ready to run.
struct LoweredPlan {
  std::unique_ptr<BatchStream> stream;  // the root's columns in order, under their names
  MetricsTree metrics;                  // of the root; shaped as the plan
  std::unordered_map<const Node*, MetricsTree> metrics_of;  // of every node
};

// Turns an optimized plan into operators that run in `context`, which must outlive them. Reads
// nothing yet: that begins when the stream is read (MakeOrderedReader).
// REQUIRES: VerifyPlan(*plan) holds.
arrow::Result<LoweredPlan> Lower(const NodePtr& plan, QueryContext* context);

}  // namespace keepone
