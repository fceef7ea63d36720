// SPDX-License-Identifier: Apache-2.0
#include "column/row_bytes.h"

#include <string>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "column/gather.h"
#include "tests/unit/column/random_arrays.h"

namespace keepone {
namespace {

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const char* json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

TEST(RowBytesTest, CountsOnlyTheRowsAsked) {
  const auto numbers = FromJson(arrow::int64(), "[1, 2, 3, 4]");
  EXPECT_EQ(RowBytes(*numbers->data(), 0, 4), 32);
  EXPECT_EQ(RowBytes(*numbers->Slice(1)->data(), 1, 2), 16);
  const auto strings = FromJson(arrow::utf8(), R"(["", "abc", "defgh", "i"])");
  EXPECT_EQ(RowBytes(*strings->data(), 0, 4), 16 + 9);
  EXPECT_EQ(RowBytes(*strings->Slice(1)->data(), 1, 2), 8 + 6);
  const auto lists = FromJson(arrow::list(arrow::int16()), "[[1, 2], [], [3], [4, 5, 6]]");
  EXPECT_EQ(RowBytes(*lists->data(), 0, 4), 16 + 12);
  EXPECT_EQ(RowBytes(*lists->Slice(2)->data(), 0, 1), 4 + 2);
  const auto views = FromJson(arrow::utf8_view(), R"(["abc", "a text of twenty byt"])");
  EXPECT_EQ(RowBytes(*views->data(), 0, 1), 16);
  EXPECT_EQ(RowBytes(*views->data(), 1, 1), 36);
  const auto nulls = FromJson(arrow::int32(), "[1, null]");
  EXPECT_EQ(RowBytes(*nulls->data(), 0, 2), 9);
}

class SplitTest : public testing::TestWithParam<std::shared_ptr<arrow::DataType>> {};

TEST_P(SplitTest, SlicesAreBoundedAndWhole) {
  std::mt19937 random(41);
  const auto schema =
      arrow::schema({arrow::field("a", GetParam()), arrow::field("b", arrow::int32())});
  const auto batch = arrow::RecordBatch::Make(schema, 200,
                                              {RandomArray(GetParam(), 200, true, &random),
                                               RandomArray(arrow::int32(), 200, true, &random)});
  const auto slices = SplitByBytes(batch, 50, 300);
  int64_t rows = 0;
  for (const auto& slice : slices) {
    EXPECT_GE(slice->num_rows(), 1);
    EXPECT_LE(slice->num_rows(), 50);
    EXPECT_TRUE(slice->num_rows() == 1 || BatchBytes(*slice) <= 300);
    EXPECT_TRUE(slice->column(1)->Equals(batch->column(1)->Slice(rows, slice->num_rows())));
    rows += slice->num_rows();
  }
  EXPECT_EQ(rows, 200);
  EXPECT_GE(BatchBytes(*batch), 800);
  EXPECT_TRUE(SplitByBytes(batch->Slice(0, 0), 50, 300).empty());
  EXPECT_EQ(SplitByBytes(batch, 1000, 1 << 30).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, SplitTest, testing::ValuesIn(AllTypes()),
                         [](const auto& parameter) {
                           return "Type" + std::to_string(parameter.index);
                         });

}  // namespace
}  // namespace keepone
