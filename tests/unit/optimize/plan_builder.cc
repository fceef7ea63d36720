// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/optimize/plan_builder.h"

#include <arrow/scalar.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "function/aggregate_function.h"
#include "plan/leaf_nodes.h"
#include "plan/print_plan.h"
#include "plan/row_nodes.h"
#include "plan/verify_plan.h"

namespace keepone {
namespace {

constexpr int64_t kRows = 1'000'000;

class TestSource final : public Source {
 public:
  TestSource(std::vector<TestField> fields, bool can_fetch) : can_fetch_(can_fetch) {
    arrow::FieldVector schema;
    statistics_.row_count = kRows;
    for (const TestField& field : fields) {
      schema.push_back(arrow::field(field.name, field.type));
      statistics_.column_bytes.push_back(field.bytes_per_row * kRows);
    }
    schema_ = arrow::schema(std::move(schema));
  }
  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  std::string description() const override { return "test"; }
  SourceStatistics statistics() const override { return statistics_; }
  bool can_fetch() const override { return can_fetch_; }
  arrow::Result<std::unique_ptr<BatchStream>> Scan(
      QueryContext* /*context*/, ScanRequest /*request*/,
      std::shared_ptr<SourceCounters> /*counters*/) const override {
    return arrow::Status::NotImplemented("a source for plans alone");
  }
  arrow::Result<std::unique_ptr<BatchStream>> Fetch(
      QueryContext* /*context*/, FetchRequest /*request*/,
      std::shared_ptr<SourceCounters> /*counters*/) const override {
    return arrow::Status::NotImplemented("a source for plans alone");
  }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  SourceStatistics statistics_;
  bool can_fetch_;
};

}  // namespace

std::shared_ptr<const Source> MakeTestSource(std::vector<TestField> fields, bool can_fetch) {
  return std::make_shared<TestSource>(std::move(fields), can_fetch);
}

NodePtr PlanBuilder::Scan(bool can_fetch) {
  return Scan("t", MakeTestSource({{"k", arrow::int64(), 8},
                                   {"o", arrow::int64(), 8},
                                   {"w", arrow::utf8(), 2000},
                                   {"n", arrow::int64(), 8}},
                                  can_fetch));
}

NodePtr PlanBuilder::Scan(const std::string& name, std::shared_ptr<const Source> source) {
  ScanNode::Spec spec;
  spec.name = name;
  for (int i = 0; i < source->schema()->num_fields(); ++i) {
    const arrow::Field& field = *source->schema()->field(i);
    spec.fields.push_back({ids.Next(), i, field.name(), field.type()});
  }
  spec.source = std::move(source);
  return ScanNode::Make(std::move(spec));
}

ColumnId PlanBuilder::Id(const NodePtr& node, std::string_view name) {
  for (const Column& column : node->columns()) {
    if (column.name == name) {
      return column.id;
    }
  }
  ADD_FAILURE() << "no column " << name << " in " << DescribeNode(*node);
  return ColumnId{};
}

ExprPtr PlanBuilder::Read(const NodePtr& node, std::string_view name) {
  const Column column = PassedColumn(*node, Id(node, name));
  return MakeColumnExpr(column.id, column.name, column.type);
}

ExprPtr PlanBuilder::Number(int64_t value) {
  return MakeLiteralExpr(std::make_shared<arrow::Int64Scalar>(value));
}

ExprPtr PlanBuilder::Call(std::string_view function, std::vector<ExprPtr> arguments) {
  arrow::Result<ExprPtr> call = MakeFunctionCall(function, std::move(arguments));
  EXPECT_TRUE(call.ok()) << call.status().ToString();
  return *call;
}

ExprPtr PlanBuilder::Random() {
  auto function = std::make_shared<BoundScalarFunction>();
  function->name = "random";
  function->result_type = arrow::int64();
  function->deterministic = false;
  return MakeCallExpr(std::move(function), {});
}

NodePtr PlanBuilder::Filter(const NodePtr& node, const ExprPtr& predicate) {
  return FilterNode::Make(node, predicate);
}

NodePtr PlanBuilder::Project(const NodePtr& node, const std::vector<std::string>& passed,
                             const std::vector<Named>& made) {
  std::vector<ProjectNode::Item> items;
  for (const std::string& name : passed) {
    items.push_back(ProjectNode::Pass(PassedColumn(*node, Id(node, name))));
  }
  for (const auto& [name, expr] : made) {
    items.push_back({ids.Next(), name, expr});
  }
  return ProjectNode::Make(node, std::move(items));
}

std::vector<SortKey> PlanBuilder::Keys(const NodePtr& node, const std::vector<Key>& order) {
  std::vector<SortKey> keys;
  for (const auto& [name, descending] : order) {
    keys.push_back({Id(node, name), descending, /*nulls_first=*/false});
  }
  return keys;
}

NodePtr PlanBuilder::Window(const NodePtr& node, const std::vector<std::string>& partition,
                            const std::vector<Key>& order, const std::string& name,
                            WindowCall::Kind kind) {
  WindowNode::Spec spec;
  for (const std::string& key : partition) {
    spec.partition.push_back(Id(node, key));
  }
  spec.order = Keys(node, order);
  spec.calls.push_back({ids.Next(), name, kind, std::nullopt, arrow::int64()});
  return WindowNode::Make(node, std::move(spec));
}

NodePtr PlanBuilder::AggregateWindow(const NodePtr& node, const std::vector<std::string>& partition,
                                     const std::vector<Key>& order, const std::string& name,
                                     const std::string& function, const std::string& argument) {
  WindowNode::Spec spec;
  for (const std::string& key : partition) {
    spec.partition.push_back(Id(node, key));
  }
  spec.order = Keys(node, order);
  AggregateCall call = Aggregate(node, name, function, argument);
  const TypePtr type = call.function->result_type;
  spec.calls.push_back({ids.Next(), name, WindowCall::Kind::kAggregate, std::move(call), type});
  return WindowNode::Make(node, std::move(spec));
}

AggregateCall PlanBuilder::Aggregate(const NodePtr& node, const std::string& name,
                                     const std::string& function, const std::string& argument,
                                     const std::vector<Key>& order) {
  AggregateCall call;
  call.id = ids.Next();
  call.name = name;
  call.spelling = function + "(" + argument + ")";
  call.arguments = {Id(node, argument)};
  call.order = Keys(node, order);
  const ScalarArgument described{PassedColumn(*node, call.arguments[0]).type, nullptr, ""};
  auto bound = BindAggregateFunction(function, {&described, 1});
  EXPECT_TRUE(bound.ok()) << bound.status().ToString();
  call.function = *bound;
  return call;
}

NodePtr PlanBuilder::Group(const NodePtr& node, const std::vector<std::string>& groups,
                           std::vector<AggregateCall> calls) {
  std::vector<ColumnId> group_ids;
  for (const std::string& group : groups) {
    group_ids.push_back(Id(node, group));
  }
  return AggregateNode::Make(node, std::move(group_ids), std::move(calls));
}

KeepRowsNode::Spec PlanBuilder::KeepSpec(const NodePtr& node,
                                         const std::vector<std::string>& groups,
                                         const std::vector<Key>& order,
                                         const std::vector<std::string>& payload) {
  KeepRowsNode::Spec spec;
  for (const std::string& group : groups) {
    spec.groups.push_back(Id(node, group));
  }
  spec.order = Keys(node, order);
  for (const std::string& name : payload) {
    spec.payload.push_back(Id(node, name));
  }
  return spec;
}

std::string PlanBuilder::Apply(const NodePtr& plan,
                               arrow::Result<NodePtr> (*rule)(const NodePtr&,
                                                              const OptimizerContext&)) {
  arrow::Result<NodePtr> result = rule(plan, context());
  if (!result.ok()) {
    return result.status().ToString();
  }
  const arrow::Status status = VerifyPlan(**result);
  return status.ok() ? Print(*result) : status.ToString() + "\n" + Print(*result);
}

std::string PlanBuilder::Optimized(const NodePtr& plan) {
  settings.verify = true;
  arrow::Result<NodePtr> result = Optimize(plan, context());
  return result.ok() ? Print(*result) : result.status().ToString();
}

std::string PlanBuilder::Print(const NodePtr& plan) {
  return "\n" + PrintPlan(*plan);
}

}  // namespace keepone
