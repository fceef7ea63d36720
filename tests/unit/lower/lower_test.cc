// SPDX-License-Identifier: Apache-2.0
#include "lower/lower.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/open.h"
#include "plan/fetch_node.h"
#include "plan/group_nodes.h"
#include "plan/leaf_nodes.h"
#include "plan/row_nodes.h"
#include "tests/support/cut_stream.h"

namespace keepone {
namespace {

const auto kSchema =
    arrow::schema({arrow::field("k", arrow::utf8()), arrow::field("o", arrow::int64()),
                   arrow::field("v", arrow::list(arrow::int64()))});

std::shared_ptr<const Source> MakeSource() {
  const auto rows = BatchFromJson(kSchema, R"([["a", 1, [1]], ["b", 5, [2]], ["a", 3, null],
      ["c", 0, [4]], ["b", 5, [5]], ["a", 2, [6]]])");
  return MakeMemorySource("t", kSchema, {rows->Slice(0, 2), rows->Slice(2, 3), rows->Slice(5)});
}

constexpr ColumnId kKey{0};
constexpr ColumnId kOrder{1};
constexpr ColumnId kValue{2};
constexpr ColumnId kAddress{3};

NodePtr Scan(const std::shared_ptr<const Source>& source, std::vector<ScanNode::Field> fields,
             std::optional<ColumnId> address) {
  ScanNode::Spec spec;
  spec.source = source;
  spec.name = "t";
  spec.fields = std::move(fields);
  spec.address = address;
  return ScanNode::Make(std::move(spec));
}

const ScanNode::Field kKeyField{kKey, 0, "k", arrow::utf8()};
const ScanNode::Field kOrderField{kOrder, 1, "o", arrow::int64()};
const ScanNode::Field kValueField{kValue, 2, "v", arrow::list(arrow::int64())};

void Check(const NodePtr& plan, const std::string& expected,
           const std::string& operator_name = "") {
  arrow::FieldVector fields;
  for (const Column& column : plan->columns()) {
    fields.push_back(arrow::field(column.name, column.type));
  }
  ForEachSetting([&](QueryContext* context, const ExecSetting&) {
    auto lowered = Lower(plan, context);
    ASSERT_TRUE(lowered.ok()) << lowered.status().ToString();
    ExpectRows(ReadAllRows(context, std::move(lowered->stream)),
               BatchFromJson(arrow::schema(fields), expected));
    EXPECT_TRUE(lowered->metrics_of.contains(plan.get()));
    if (!operator_name.empty()) {
      EXPECT_NE(MetricsToJson(lowered->metrics).find("\"" + operator_name + "\""),
                std::string::npos);
    }
  });
}

NodePtr Pick(const std::shared_ptr<const Source>& source, bool with_number) {
  KeepRowsNode::Spec keep;
  keep.groups = {kKey};
  keep.order = {{kOrder, true, false}};
  keep.payload = {kAddress};
  if (with_number) {
    keep.number = Column{ColumnId{9}, "rn", arrow::int64()};
  }
  const auto predicate =
      MakeFunctionCall("greater", {MakeColumnExpr(kOrder, "o", arrow::int64()),
                                   MakeLiteralExpr(arrow::MakeScalar(int64_t{0}))})
          .ValueOrDie();
  return KeepRowsNode::Make(
      FilterNode::Make(Scan(source, {kKeyField, kOrderField}, kAddress), predicate), keep);
}

TEST(Lower, PicksAndFetches) {
  const auto source = MakeSource();
  FetchNode::Spec fetch;
  fetch.source = source;
  fetch.name = "t";
  fetch.address = kAddress;
  fetch.fields = {kValueField, {ColumnId{10}, 0, "k", arrow::utf8()}};
  const auto item = [](ColumnId id, const std::string& name, const TypePtr& type) {
    return ProjectNode::Item{id, name, MakeColumnExpr(id, name, type)};
  };
  for (const bool with_number : {false, true}) {
    std::vector<ProjectNode::Item> items = {item(ColumnId{10}, "k", arrow::utf8()),
                                            item(kValue, "v", kValueField.type)};
    if (with_number) {
      items.push_back(item(ColumnId{9}, "rn", arrow::int64()));
    }
    const NodePtr plan =
        ProjectNode::Make(FetchNode::Make(Pick(source, with_number), fetch), items);
    Check(plan, with_number ? R"([["b", [2], 1], ["a", null, 1]])" : R"([["b", [2]], ["a", null]])",
          "PickWinners");
  }
  Check(FetchNode::Make(Pick(source, true), fetch), R"([[1, 1, [2], "b"], [2, 1, null, "a"]])",
        "Fetch");
}

TEST(Lower, CarriesOtherPayload) {
  KeepRowsNode::Spec keep;
  keep.groups = {kKey};
  keep.order = {{kOrder, false, false}};
  keep.payload = {kValue, kKey};
  Check(KeepRowsNode::Make(Scan(MakeSource(), {kKeyField, kOrderField, kValueField}, std::nullopt),
                           keep),
        R"([[[1], "a"], [[2], "b"], [[4], "c"]])", "CarryWinners");
}

TEST(Lower, SortsAndLimits) {
  const NodePtr scan = Scan(MakeSource(), {kKeyField, kOrderField}, std::nullopt);
  Check(SortNode::Make(scan, {{kOrder, true, false}, {kKey, false, false}}, 3),
        R"([["b", 5], ["b", 5], ["a", 3]])");
  Check(LimitNode::Make(SortNode::Make(scan, {{kOrder}}), 2, 1), R"([["a", 1], ["a", 2]])");
}

TEST(Lower, Values) {
  const auto literal = [](int64_t value) { return MakeLiteralExpr(arrow::MakeScalar(value)); };
  Check(ValuesNode::Make({{kOrder, "o", arrow::int64()}, {kValue, "v", arrow::int64()}},
                         {{literal(1), literal(2)}, {literal(3), literal(4)}}),
        "[[1, 2], [3, 4]]");
  Check(ProjectNode::Make(ValuesNode::Make({}, {{}}), {{kOrder, "one", literal(1)}}), "[[1]]");
}

TEST(Lower, Unites) {
  const auto source = MakeSource();
  const NodePtr left = Scan(source, {kKeyField, kOrderField}, std::nullopt);
  const NodePtr right =
      Scan(source, {{ColumnId{20}, 1, "o", arrow::int64()}, {ColumnId{21}, 0, "k", arrow::utf8()}},
           std::nullopt);
  Check(LimitNode::Make(UnionAllNode::Make({left, right},
                                           {{ColumnId{30}, "x", arrow::utf8()},
                                            {ColumnId{31}, "y", arrow::int64()}},
                                           {{kKey, kOrder}, {ColumnId{21}, ColumnId{20}}}),
                        3, 5),
        R"([["a", 2], ["a", 1], ["b", 5]])");
}

TEST(Lower, Aggregates) {
  AggregateCall count;
  count.id = ColumnId{40};
  count.name = "n";
  count.function = BindAggregateFunction("count", {}).ValueOrDie();
  Check(AggregateNode::Make(Scan(MakeSource(), {kKeyField}, std::nullopt), {kKey}, {count}),
        R"([["a", 3], ["b", 2], ["c", 1]])");
}

TEST(Lower, Windows) {
  WindowNode::Spec spec;
  spec.partition = {kKey};
  spec.order = {{kOrder, true, false}};
  spec.calls = {{ColumnId{50}, "rn", WindowCall::Kind::kRowNumber, std::nullopt, arrow::int64()}};
  Check(WindowNode::Make(Scan(MakeSource(), {kKeyField, kOrderField}, std::nullopt), spec),
        R"([["a", 1, 3], ["b", 5, 1], ["a", 3, 1], ["c", 0, 1], ["b", 5, 2], ["a", 2, 2]])");
}

}  // namespace
}  // namespace keepone
