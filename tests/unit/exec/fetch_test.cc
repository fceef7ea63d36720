// SPDX-License-Identifier: Apache-2.0
#include "exec/fetch.h"

#include <memory>
#include <string>
#include <vector>

#include "io/open.h"
#include "io/source.h"
#include "tests/support/cut_stream.h"

namespace keepone {
namespace {

const auto kSourceSchema = arrow::schema(
    {arrow::field("i", arrow::int64()), arrow::field("v", arrow::list(arrow::utf8()))});
const auto kNarrowSchema =
    arrow::schema({arrow::field("row_address", arrow::int64()), arrow::field("n", arrow::utf8())});

std::shared_ptr<const Source> MakeSource() {
  const auto rows = BatchFromJson(
      kSourceSchema,
      R"([[0, ["a"]], [10, []], [20, null], [30, ["b", null]], [40, ["c"]], [50, []]])");
  return MakeMemorySource("t", kSourceSchema,
                          {rows->Slice(0, 2), rows->Slice(2, 3), rows->Slice(5)});
}

FetchSpec Spec(std::vector<int> input_columns, bool keeps_input_order) {
  FetchSpec spec;
  spec.source = MakeSource();
  spec.address = 0;
  spec.input_columns = std::move(input_columns);
  spec.fields = {1, 0};
  spec.keeps_input_order = keeps_input_order;
  return spec;
}

const auto kSorted = R"([[0, "x"], [2, "y"], [3, null], [5, "z"]])";
const auto kUnsorted = R"([[3, null], [5, "z"], [0, "x"], [2, "y"]])";

const arrow::FieldVector kFetched = {arrow::field("w", arrow::list(arrow::utf8())),
                                     arrow::field("j", arrow::int64())};
const auto kOnlyFetched = arrow::schema(kFetched);
const auto kZipped = arrow::schema({arrow::field("m", arrow::utf8()), kFetched[0], kFetched[1]});

void Check(const char* narrow, FetchSpec spec, const std::shared_ptr<arrow::Schema>& schema,
           const char* expected) {
  const auto rows = BatchFromJson(kNarrowSchema, narrow);
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input = std::make_unique<CutStream>(rows, setting.batch_rows_max, setting.seed);
    ExpectRows(ReadAllRows(context, MakeFetch(context, std::move(input), spec, schema,
                                              std::make_shared<SourceCounters>())),
               BatchFromJson(schema, expected));
  });
}

TEST(Fetch, PassesTheFetchedRowsThrough) {
  const char* expected = R"([[["a"], 0], [null, 20], [["b", null], 30], [[], 50]])";
  Check(kSorted, Spec({}, false), kOnlyFetched, expected);
  Check(kUnsorted, Spec({}, false), kOnlyFetched, expected);
}

TEST(Fetch, ZipsWithTheInput) {
  const char* expected =
      R"([["x", ["a"], 0], ["y", null, 20], [null, ["b", null], 30], ["z", [], 50]])";
  Check(kSorted, Spec({1}, false), kZipped, expected);
  Check(kUnsorted, Spec({1}, false), kZipped, expected);
  Check(kSorted, Spec({1}, true), kZipped, expected);
}

TEST(Fetch, ReadsAnInputInAddressOrderPartByPart) {
  FetchSpec spec = Spec({}, false);
  spec.input_in_address_order = true;
  Check(kSorted, spec, kOnlyFetched, R"([[["a"], 0], [null, 20], [["b", null], 30], [[], 50]])");
  Check("[]", spec, kOnlyFetched, "[]");
  for (const bool keeps_input_order : {false, true}) {
    spec = Spec({1}, keeps_input_order);
    spec.input_in_address_order = true;
    Check(kSorted, spec, kZipped,
          R"([["x", ["a"], 0], ["y", null, 20], [null, ["b", null], 30], ["z", [], 50]])");
  }
}

TEST(Fetch, KeepsTheInputsOrder) {
  Check(kUnsorted, Spec({1}, true), kZipped,
        R"([[null, ["b", null], 30], ["z", [], 50], ["x", ["a"], 0], ["y", null, 20]])");
  Check(kUnsorted, Spec({}, true), kOnlyFetched,
        R"([[["b", null], 30], [[], 50], [["a"], 0], [null, 20]])");
}

TEST(Fetch, NoRows) {
  Check("[]", Spec({1}, false), kZipped, "[]");
  Check("[]", Spec({}, true), kOnlyFetched, "[]");
}

}  // namespace
}  // namespace keepone
