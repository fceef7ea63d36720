// SPDX-License-Identifier: Apache-2.0
#include "engine/run_query.h"

#include <utility>

#include <arrow/record_batch.h>

#include "bind/binder.h"
#include "exec/ordered_reader.h"
#include "optimize/optimizer.h"

namespace keepone {

arrow::Result<PreparedQuery> PrepareQuery(const ast::Query& query, const Catalog& catalog,
                                          const Settings& settings) {
  ColumnIdGenerator ids;
  ARROW_ASSIGN_OR_RAISE(BoundQuery bound, BindQuery(query, catalog, {settings.null_order}, &ids));
  return OptimizeQuery(std::move(bound.plan), settings, &ids);
}

arrow::Result<PreparedQuery> OptimizeQuery(NodePtr plan, const Settings& settings,
                                           ColumnIdGenerator* ids) {
  PreparedQuery prepared;
  const OptimizerContext context{ids, &settings.optimizer, &prepared.notes};
  ARROW_ASSIGN_OR_RAISE(prepared.plan, Optimize(std::move(plan), context));
  return prepared;
}

RunningQuery::~RunningQuery() {
  if (reader != nullptr) {
    // Stops the workers; whoever wanted to know of an error has read the reader to its end.
    static_cast<void>(reader->Close());
  }
}

std::shared_ptr<QueryContext> MakeQueryContext(const Settings& settings,
                                               std::shared_ptr<StopFlag> stop,
                                               arrow::MemoryPool* pool) {
  QueryContext::Options options;
  options.threads = static_cast<int>(settings.threads);
  options.memory_bytes_max = settings.memory_bytes_max;
  options.batch_rows_max = settings.batch_rows_max;
  options.batch_bytes_max = settings.batch_bytes_max;
  options.random_seed = static_cast<uint64_t>(settings.random_seed);
  options.stop = stop.get();
  options.temp_directory = settings.temp_directory;
  options.temp_bytes_max = settings.temp_bytes_max;
  options.force_spill = settings.force_spill;
  options.base_pool = pool;
  const auto drop = [stop = std::move(stop)](QueryContext* context) { delete context; };
  return std::shared_ptr<QueryContext>(new QueryContext(options), drop);
}

arrow::Result<RunningQuery> StartQuery(PreparedQuery prepared,
                                       std::shared_ptr<QueryContext> context) {
  RunningQuery running;
  running.context = std::move(context);
  running.prepared = std::move(prepared);
  ARROW_ASSIGN_OR_RAISE(LoweredPlan lowered, Lower(running.prepared.plan, running.context.get()));
  running.metrics = std::move(lowered.metrics);
  running.metrics_of = std::move(lowered.metrics_of);
  running.reader = MakeOrderedReader(running.context.get(), std::move(lowered.stream));
  return running;
}

}  // namespace keepone
