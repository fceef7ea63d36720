// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/column_id.h"
#include "io/source.h"
#include "optimize/optimizer.h"
#include "optimize/rule.h"
#include "plan/expr.h"
#include "plan/group_nodes.h"
#include "plan/node.h"

namespace keepone {

// A field of a made-up source.
struct TestField {
  std::string name;
  TypePtr type;
  int64_t bytes_per_row;
};

// A source that knows its columns and cannot be read; for plans that are not run.
std::shared_ptr<const Source> MakeTestSource(std::vector<TestField> fields, bool can_fetch = true);

// Builds plans by column names. A name that an input lacks fails the test and gives an id of -1.
class PlanBuilder {
 public:
  using Named = std::pair<std::string, ExprPtr>;
  using Key = std::pair<std::string, bool>;  // name, descending; NULLs last

  // A wide table: k, o BIGINT (8 bytes), w VARCHAR (2,000 bytes), n BIGINT.
  NodePtr Scan(bool can_fetch = true);
  NodePtr Scan(const std::string& name, std::shared_ptr<const Source> source);

  static ColumnId Id(const NodePtr& node, std::string_view name);
  static ExprPtr Read(const NodePtr& node, std::string_view name);
  static ExprPtr Number(int64_t value);
  static ExprPtr Call(std::string_view function, std::vector<ExprPtr> arguments);
  // A BIGINT function without arguments that gives another value for every row.
  static ExprPtr Random();

  static NodePtr Filter(const NodePtr& node, const ExprPtr& predicate);
  // The named columns of the input as they are, then the new ones.
  NodePtr Project(const NodePtr& node, const std::vector<std::string>& passed,
                  const std::vector<Named>& made = {});
  NodePtr Window(const NodePtr& node, const std::vector<std::string>& partition,
                 const std::vector<Key>& order, const std::string& name, WindowCall::Kind kind);
  // name = max(argument) or another aggregate over the partition.
  NodePtr AggregateWindow(const NodePtr& node, const std::vector<std::string>& partition,
                          const std::vector<Key>& order, const std::string& name,
                          const std::string& function, const std::string& argument);
  AggregateCall Aggregate(const NodePtr& node, const std::string& name, const std::string& function,
                          const std::string& argument, const std::vector<Key>& order = {});
  static NodePtr Group(const NodePtr& node, const std::vector<std::string>& groups,
                       std::vector<AggregateCall> calls);
  static KeepRowsNode::Spec KeepSpec(const NodePtr& node, const std::vector<std::string>& groups,
                                     const std::vector<Key>& order,
                                     const std::vector<std::string>& payload);
  static std::vector<SortKey> Keys(const NodePtr& node, const std::vector<Key>& order);

  // The plan after one rule, or after all of them, verified and printed.
  std::string Apply(const NodePtr& plan,
                    arrow::Result<NodePtr> (*rule)(const NodePtr&, const OptimizerContext&));
  std::string Optimized(const NodePtr& plan);
  static std::string Print(const NodePtr& plan);

  OptimizerSettings settings;
  std::vector<std::string> notes;
  ColumnIdGenerator ids;

 private:
  OptimizerContext context() { return {&ids, &settings, &notes}; }
};

}  // namespace keepone
