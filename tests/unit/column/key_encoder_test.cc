// SPDX-License-Identifier: Apache-2.0
#include "column/key_encoder.h"

#include <limits>
#include <string>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "tests/unit/column/random_arrays.h"

namespace keepone {
namespace {

int Sign(int value) {
  return value < 0 ? -1 : (value > 0 ? 1 : 0);
}

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const char* json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

// The order that the contract promises for one key column.
int Expected(const KeyField& field, const arrow::Array& a, int64_t row_a, const arrow::Array& b,
             int64_t row_b) {
  const bool null_a = IsNullValue(a, row_a);
  const bool null_b = IsNullValue(b, row_b);
  if (null_a || null_b) {
    const int order = static_cast<int>(null_a) - static_cast<int>(null_b);
    return field.nulls_first ? -order : order;
  }
  const int order = Sign(CompareValues(a, row_a, b, row_b));
  return field.descending ? -order : order;
}

class KeyEncoderTest : public testing::TestWithParam<std::shared_ptr<arrow::DataType>> {};

TEST_P(KeyEncoderTest, OrdersLikeAValueByValueComparison) {
  std::mt19937 random(7);
  for (int round = 0; round < 8; ++round) {
    const KeyField field{GetParam(), (round & 1) != 0, (round & 2) != 0};
    const bool with_nulls = (round & 4) != 0;
    const auto a = RandomArray(field.type, 60, with_nulls, &random);
    const auto b = RandomArray(field.type, 50, with_nulls, &random);
    ASSERT_TRUE(a->Validate().ok()) << a->Validate().ToString();
    auto encoder = KeyEncoder::Make({field}).ValueOrDie();
    EncodedKeys keys_a(arrow::default_memory_pool());
    EncodedKeys keys_b(arrow::default_memory_pool());
    ASSERT_TRUE(encoder->Encode({a}, &keys_a).ok());
    ASSERT_TRUE(encoder->Encode({b}, &keys_b).ok());
    for (int64_t i = 0; i < a->length(); ++i) {
      for (int64_t j = 0; j < b->length(); ++j) {
        ASSERT_EQ(Sign(keys_a[i].compare(keys_b[j])), Expected(field, *a, i, *b, j))
            << "rows " << i << " and " << j << " of\n"
            << a->ToString() << b->ToString();
      }
    }
  }
}

// A column in the middle of a key must end where the next one begins.
TEST_P(KeyEncoderTest, OrdersTwoColumns) {
  std::mt19937 random(8);
  for (int round = 0; round < 4; ++round) {
    const KeyField first{GetParam(), (round & 1) != 0, (round & 2) != 0};
    const KeyField second{arrow::utf8(), (round & 2) != 0, false};
    const auto a = RandomArray(first.type, 80, true, &random);
    const auto b = RandomArray(second.type, 80, true, &random);
    auto encoder = KeyEncoder::Make({first, second}).ValueOrDie();
    EncodedKeys keys(arrow::default_memory_pool());
    ASSERT_TRUE(encoder->Encode({a, b}, &keys).ok());
    for (int64_t i = 0; i < a->length(); ++i) {
      for (int64_t j = 0; j < a->length(); ++j) {
        int expected = Expected(first, *a, i, *a, j);
        if (expected == 0) {
          expected = Expected(second, *b, i, *b, j);
        }
        ASSERT_EQ(Sign(keys[i].compare(keys[j])), expected) << "rows " << i << " and " << j;
      }
    }
  }
}

TEST_P(KeyEncoderTest, EncodesInPartsAsInWhole) {
  std::mt19937 random(9);
  const auto array = RandomArray(GetParam(), 100, true, &random);
  auto encoder = KeyEncoder::Make({KeyField{GetParam()}}).ValueOrDie();
  EncodedKeys whole(arrow::default_memory_pool());
  EncodedKeys part(arrow::default_memory_pool());
  ASSERT_TRUE(encoder->Encode({array}, &whole).ok());
  ASSERT_EQ(whole.size(), 100);
  for (int64_t offset = 0; offset < 100;) {
    ASSERT_TRUE(encoder->EncodeRows(offset, 100 - offset, 64, &part).ok());
    ASSERT_GE(part.size(), 1);
    for (int64_t i = 0; i < part.size(); ++i) {
      ASSERT_EQ(part[i], whole[offset + i]);
    }
    offset += part.size();
  }
}

TEST_P(KeyEncoderTest, MapsShortTypesToIntegersOfTheSameOrder) {
  if (!IsUInt64Key(*GetParam())) {
    return;
  }
  std::mt19937 random(10);
  for (const bool descending : {false, true}) {
    const KeyField field{GetParam(), descending, false};
    const auto array = RandomArray(GetParam(), 100, true, &random);
    std::vector<uint64_t> values(100);
    std::vector<uint8_t> nulls(100);
    ASSERT_TRUE(EncodeUInt64(*array->data(), descending, 0, 100, values.data(), nulls.data()));
    for (int64_t i = 0; i < 100; ++i) {
      const auto at = static_cast<size_t>(i);
      ASSERT_EQ(nulls[at] != 0, array->IsNull(i));
      ASSERT_TRUE(nulls[at] == 0 || values[at] == 0);
      for (int64_t j = 0; j < 100; ++j) {
        const auto other = static_cast<size_t>(j);
        if (nulls[at] == 0 && nulls[other] == 0) {
          const int order = values[at] < values[other] ? -1 : (values[at] > values[other] ? 1 : 0);
          ASSERT_EQ(order, Expected(field, *array, i, *array, j));
        }
      }
    }
  }
}

TEST_P(KeyEncoderTest, EncodesNoRows) {
  std::mt19937 random(11);
  const auto array = RandomArray(GetParam(), 0, true, &random);
  const auto unsliced = arrow::MakeArrayOfNull(GetParam(), 0).ValueOrDie();
  auto encoder = KeyEncoder::Make({KeyField{GetParam()}}).ValueOrDie();
  EncodedKeys keys(arrow::default_memory_pool());
  for (const auto& empty : {array, unsliced}) {
    ASSERT_TRUE(encoder->Encode({empty}, &keys).ok());
    ASSERT_EQ(keys.size(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, KeyEncoderTest, testing::ValuesIn(AllTypes()),
                         [](const auto& parameter) {
                           return "Type" + std::to_string(parameter.index);
                         });

std::vector<std::string> Encode(std::vector<KeyField> fields, const arrow::ArrayVector& columns) {
  auto encoder = KeyEncoder::Make(std::move(fields)).ValueOrDie();
  EncodedKeys keys(arrow::default_memory_pool());
  EXPECT_TRUE(encoder->Encode(columns, &keys).ok());
  std::vector<std::string> out;
  for (int64_t i = 0; i < keys.size(); ++i) {
    out.emplace_back(keys[i]);
  }
  return out;
}

TEST(KeyEncoderBytesTest, WritesMarkersAndBigEndianValues) {
  using namespace std::string_literals;
  const auto array = FromJson(arrow::int16(), "[1, -1, null]");
  EXPECT_EQ(Encode({{arrow::int16()}}, {array}),
            (std::vector<std::string>{"\1\x80\1"s, "\1\x7F\xFF"s, "\2\0\0"s}));
  EXPECT_EQ(Encode({{arrow::int16(), true, true}}, {array}),
            (std::vector<std::string>{"\1\x7F\xFE"s, "\1\x80\0"s, "\0\0\0"s}));
}

TEST(KeyEncoderBytesTest, LeavesOutTheEndOfTheLastString) {
  using namespace std::string_literals;
  const auto array = FromJson(arrow::utf8(), R"(["a", "", null, "b\u0000c"])");
  EXPECT_EQ(Encode({{arrow::utf8()}}, {array}),
            (std::vector<std::string>{"\1a"s, "\1"s, "\2"s, "\1b\0c"s}));
  EXPECT_EQ(Encode({{arrow::utf8()}, {arrow::utf8()}}, {array, array}),
            (std::vector<std::string>{"\1a\0\0\1a"s, "\1\0\0\1"s, "\2\2"s,
                                      "\1b\0\xFF"
                                      "c\0\0\1b\0c"s}));
}

TEST(KeyEncoderBytesTest, DictionariesCompareByValueAcrossBatches) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto first = arrow::DictionaryArray::FromArrays(type, FromJson(arrow::int8(), "[0, 1]"),
                                                        FromJson(arrow::utf8(), R"(["x", "y"])"));
  const auto second = arrow::DictionaryArray::FromArrays(type, FromJson(arrow::int8(), "[0, 1]"),
                                                         FromJson(arrow::utf8(), R"(["y", null])"));
  EXPECT_EQ(Encode({{type}}, {first.ValueOrDie()}), (std::vector<std::string>{"\1x", "\1y"}));
  EXPECT_EQ(Encode({{type}}, {second.ValueOrDie()}), (std::vector<std::string>{"\1y", "\2"}));
}

TEST(KeyEncoderBytesTest, ReportsItsWidth) {
  const auto width = [](std::vector<KeyField> fields) {
    return KeyEncoder::Make(std::move(fields)).ValueOrDie()->fixed_width();
  };
  EXPECT_EQ(width({{arrow::int64()}, {arrow::timestamp(arrow::TimeUnit::MICRO)}}), 18);
  EXPECT_EQ(width({{arrow::utf8()}, {arrow::int8()}}), -1);
  EXPECT_EQ(width({{arrow::null()}}), 1);
  EXPECT_EQ(width({{arrow::struct_({arrow::field("a", arrow::int8())})}}), 3);
}

}  // namespace
}  // namespace keepone
