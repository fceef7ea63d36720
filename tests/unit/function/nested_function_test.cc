// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/unit/function/apply_function.h"

namespace keepone {
namespace {

TEST(Lists, ExtractCountsFromBothEnds) {
  for (const TypePtr& type :
       {arrow::list(arrow::int64()), arrow::large_list(arrow::int64()),
        arrow::list_view(arrow::int64()), arrow::large_list_view(arrow::int64())}) {
    const auto lists = Column(type, "[[1, 2, 3], [], null, [4]]");
    EXPECT_EQ(Apply("list_extract", {lists, Number(1)}), "1 | NULL | NULL | 4") << type->ToString();
    EXPECT_EQ(Apply("list_extract", {lists, Number(-1)}), "3 | NULL | NULL | 4");
    EXPECT_EQ(Apply("list_extract", {lists, Number(0)}), "NULL | NULL | NULL | NULL");
    EXPECT_EQ(Apply("length", {lists}), "3 | 0 | NULL | 1");
    EXPECT_EQ(Apply("list_slice", {lists, Number(2), Number(3)}), "[2,3] | [] | NULL | []");
    EXPECT_EQ(Apply("list_slice", {lists, Number(-2), Null()}), "[2,3] | [] | NULL | [4]");
    EXPECT_EQ(Apply("list_contains", {lists, Number(3)}), "true | false | NULL | false");
    EXPECT_EQ(Apply("concat", {lists, lists}), "[1,2,3,1,2,3] | [] | NULL | [4,4]");
  }
  const auto pairs = Column(arrow::fixed_size_list(arrow::int64(), 2), "[[1, 2], null, [3, 4]]");
  EXPECT_EQ(Apply("list_extract", {pairs, Number(2)}), "2 | NULL | 4");
  EXPECT_EQ(Apply("len", {pairs}), "2 | NULL | 2");
}

TEST(Lists, ValuesAndTexts) {
  EXPECT_EQ(Apply("list_value", {Number(1), Column(arrow::int32(), "[2, null]")}),
            "[1,2] | [1,null]");
  EXPECT_EQ(Apply("list_value", {}), "[]");
  EXPECT_EQ(Apply("array_to_string",
                  {Column(arrow::list(arrow::utf8()), R"([["a", null, "b"], null])"), Text("-")}),
            "a-b | NULL");
  EXPECT_EQ(Apply("string_split", {Text("a,b,"), Text(",")}), R"(["a","b",""])");
  EXPECT_EQ(Apply("list_extract",
                  {Column(arrow::list(arrow::list(arrow::utf8())), R"([[["a"], ["b", "c"]]])"),
                   Number(2)}),
            R"(["b","c"])");
}

TEST(Structs, FieldsByNameAndPlace) {
  const auto type =
      arrow::struct_({arrow::field("a", arrow::int64()), arrow::field("A", arrow::utf8()),
                      arrow::field("Bc", arrow::utf8())});
  const auto structs =
      Column(type, R"([{"a": 1, "A": "x", "Bc": "y"}, null, {"a": null, "A": "z", "Bc": null}])");
  EXPECT_EQ(Apply("struct_extract", {structs, Text("a")}), "1 | NULL | NULL");
  EXPECT_EQ(Apply("struct_extract", {structs, Text("A")}), "x | NULL | z");
  EXPECT_EQ(Apply("struct_extract", {structs, Text("bC")}), "y | NULL | NULL");
  EXPECT_EQ(Apply("struct_extract", {structs, Number(2)}), "x | NULL | z");
  EXPECT_EQ(Apply("struct_extract", {structs, Text("bd")}),
            "bind error: the struct has no field \"bd\"\nhint: the nearest field is \"Bc\"");
  EXPECT_EQ(Apply("struct_pack", {Number(1), Column(arrow::utf8(), R"(["x", null])")}),
            R"({"f1":1,"f2":"x"} | {"f1":1,"f2":null})");
}

TEST(Maps, Parts) {
  const auto maps =
      Column(arrow::map(arrow::utf8(), arrow::int64()), R"([[["a", 1], ["b", 2]], null, []])");
  EXPECT_EQ(Apply("map_extract", {maps, Text("b")}), "2 | NULL | NULL");
  EXPECT_EQ(Apply("map_keys", {maps}), R"(["a","b"] | NULL | [])");
  EXPECT_EQ(Apply("map_values", {maps}), "[1,2] | NULL | []");
  EXPECT_EQ(Apply("cardinality", {maps}), "2 | NULL | 0");
}

TEST(System, RandomIsReproducibleBySeedAndRow) {
  const auto bound = BindScalarFunction("random", {}).ValueOrDie();
  EXPECT_FALSE(bound->deterministic);
  const auto whole = bound->run(ScalarCall{TestContext(), 10, 0}, {}).ValueOrDie().make_array();
  const auto part = bound->run(ScalarCall{TestContext(), 3, 4}, {}).ValueOrDie().make_array();
  EXPECT_TRUE(part->Equals(whole->Slice(4, 3)));
  EXPECT_EQ(Apply("typeof", {Column(arrow::list(arrow::int32()), "[[1]]")}), "INTEGER[]");
}

}  // namespace
}  // namespace keepone
