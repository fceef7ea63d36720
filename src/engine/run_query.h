// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <arrow/result.h>
#include <arrow/type_fwd.h>

#include "base/query_context.h"
#include "engine/session_catalog.h"
#include "engine/settings.h"
#include "lower/lower.h"
#include "plan/node.h"
#include "sql/ast.h"

namespace keepone {

// A query as it will run.
struct PreparedQuery {
  NodePtr plan;                    // after the rules
  std::vector<std::string> notes;  // what the rules have to say: why something was not rewritten
};

arrow::Result<PreparedQuery> PrepareQuery(const ast::Query& query, const Catalog& catalog,
                                          const Settings& settings);

// The same from a plan as the binder makes it.
arrow::Result<PreparedQuery> OptimizeQuery(NodePtr plan, const Settings& settings,
                                           ColumnIdGenerator* ids);

// A query that runs as its reader is read.
struct RunningQuery {
  std::shared_ptr<QueryContext> context;  // outlives the reader
  PreparedQuery prepared;
  MetricsTree metrics;
  std::unordered_map<const Node*, MetricsTree> metrics_of;
  std::shared_ptr<arrow::RecordBatchReader> reader;

  ~RunningQuery();
  RunningQuery() = default;
  RunningQuery(RunningQuery&&) = default;
  RunningQuery& operator=(RunningQuery&&) = default;
};

// Makes what the operators of a statement share, by the settings; it keeps `stop` alive.
std::shared_ptr<QueryContext> MakeQueryContext(const Settings& settings,
                                               std::shared_ptr<StopFlag> stop,
                                               arrow::MemoryPool* pool);

arrow::Result<RunningQuery> StartQuery(PreparedQuery prepared,
                                       std::shared_ptr<QueryContext> context);

}  // namespace keepone
