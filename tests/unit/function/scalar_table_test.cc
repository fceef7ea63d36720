// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gtest/gtest.h>

#include "function/aggregate_function.h"
#include "tests/unit/function/apply_function.h"

namespace keepone {
namespace {

// Arguments of a handful of shapes; each function of the reference must take one of them.
std::vector<std::vector<ScalarArgument>> Shapes() {
  const auto argument = [](const arrow::Datum& value) {
    return ScalarArgument{value.type(), value.scalar(), ""};
  };
  const auto column = [](const TypePtr& type) { return ScalarArgument{type, nullptr, ""}; };
  const auto time = column(arrow::timestamp(arrow::TimeUnit::MICRO));
  const auto text = column(arrow::utf8());
  const auto number = column(arrow::int64());
  const auto truth = column(arrow::boolean());
  const auto list = column(arrow::list(arrow::int64()));
  const auto map = column(arrow::map(arrow::utf8(), arrow::int64()));
  const auto record = column(arrow::struct_({arrow::field("a", arrow::int64())}));
  const auto interval = column(arrow::month_day_nano_interval());
  const auto month = argument(Text("month"));
  return {{},
          {text},
          {number},
          {truth},
          {time},
          {list},
          {map},
          {text, text},
          {number, number},
          {truth, truth},
          {text, text, text},
          {text, number},
          {text, text, number},
          {number, number, number},
          {list, number},
          {list, number, number},
          {list, text},
          {map, text},
          {record, argument(Number(1))},
          {month, time},
          {month, time, time},
          {time, interval},
          {time, text}};
}

TEST(Tables, EachFunctionOfTheReferenceCanBeBound) {
  EXPECT_GT(ScalarFunctionDocs().size(), 120U);
  std::set<std::string> names;
  for (const FunctionDoc& doc : ScalarFunctionDocs()) {
    EXPECT_TRUE(names.insert(doc.name).second) << doc.name;
    EXPECT_TRUE(IsScalarFunction(doc.name));
    EXPECT_FALSE(doc.signature.empty() || doc.text.empty()) << doc.name;
    bool bound = false;
    for (const auto& shape : Shapes()) {
      bound = bound || BindScalarFunction(doc.name, shape).ok();
    }
    EXPECT_TRUE(bound) << doc.name;
  }
  for (const FunctionDoc& doc : AggregateFunctionDocs()) {
    EXPECT_TRUE(names.insert(doc.name).second) << doc.name;
    bool bound = false;
    for (const auto& shape : Shapes()) {
      bound = bound || BindAggregateFunction(doc.name, shape).ok();
    }
    EXPECT_TRUE(bound) << doc.name;
  }
}

// No function may fail on no rows at all, on NULLs only, or on NULL literals.
TEST(Tables, EachFunctionTakesEmptyAndNull) {
  for (const FunctionDoc& doc : ScalarFunctionDocs()) {
    for (const auto& shape : Shapes()) {
      const auto bound = BindScalarFunction(doc.name, shape);
      if (!bound.ok()) {
        continue;
      }
      for (const int64_t rows : {int64_t{0}, int64_t{3}}) {
        std::vector<arrow::Datum> values;
        for (const TypePtr& type : (*bound)->argument_types) {
          values.emplace_back(arrow::MakeArrayOfNull(type, rows).ValueOrDie());
        }
        const auto answer = (*bound)->run(ScalarCall{TestContext(), rows, 0}, values);
        EXPECT_TRUE(answer.ok()) << doc.name << ": " << answer.status().ToString();
        if (answer.ok() && answer->is_array()) {
          EXPECT_EQ(answer->length(), rows) << doc.name;
          EXPECT_TRUE(answer->make_array()->ValidateFull().ok()) << doc.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace keepone
