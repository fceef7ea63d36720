// SPDX-License-Identifier: Apache-2.0
#include "column/group_table.h"

#include <map>
#include <string>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/unit/column/random_arrays.h"

namespace keepone {
namespace {

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const char* json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::vector<uint32_t> Insert(GroupTable* table, const arrow::ArrayVector& columns) {
  std::vector<uint32_t> groups(static_cast<size_t>(columns[0]->length()));
  const auto status = table->Insert(columns, columns[0]->length(), groups);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return groups;
}

std::vector<uint32_t> Find(GroupTable* table, const arrow::ArrayVector& columns) {
  std::vector<uint32_t> groups(static_cast<size_t>(columns[0]->length()));
  EXPECT_TRUE(table->Find(columns, columns[0]->length(), groups).ok());
  return groups;
}

bool SameKey(const arrow::Array& array, int64_t a, int64_t b) {
  const bool null_a = IsNullValue(array, a);
  const bool null_b = IsNullValue(array, b);
  return null_a || null_b ? null_a == null_b : CompareValues(array, a, array, b) == 0;
}

class GroupTableTest : public testing::TestWithParam<std::shared_ptr<arrow::DataType>> {};

TEST_P(GroupTableTest, NumbersGroupsInOrderOfAppearance) {
  std::mt19937 random(3);
  MemoryBudget budget(arrow::default_memory_pool(), -1);
  for (const bool with_nulls : {false, true}) {
    const auto array = RandomArray(GetParam(), 300, with_nulls, &random);
    auto table = GroupTable::Make({KeyField{GetParam()}}, &budget).ValueOrDie();
    const auto groups = Insert(table.get(), {array});
    uint32_t next = 0;
    for (int64_t i = 0; i < array->length(); ++i) {
      uint32_t expected = next;
      for (int64_t j = 0; j < i; ++j) {
        if (SameKey(*array, i, j)) {
          expected = groups[static_cast<size_t>(j)];
          break;
        }
      }
      next += expected == next ? 1 : 0;
      ASSERT_EQ(groups[static_cast<size_t>(i)], expected)
          << "row " << i << " of " << array->ToString();
    }
    EXPECT_EQ(table->group_count(), next);
    EXPECT_EQ(Find(table.get(), {array}), groups);
    EXPECT_EQ(Insert(table.get(), {array}), groups);
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, GroupTableTest, testing::ValuesIn(AllTypes()),
                         [](const auto& parameter) {
                           return "Type" + std::to_string(parameter.index);
                         });

TEST(GroupTableFormsTest, FloatsGroupByValue) {
  MemoryBudget budget(arrow::default_memory_pool(), -1);
  auto table = GroupTable::Make({KeyField{arrow::float64()}}, &budget).ValueOrDie();
  EXPECT_EQ(
      Insert(table.get(), {FromJson(arrow::float64(), "[0.0, -0.0, NaN, null, NaN, 1, null]")}),
      (std::vector<uint32_t>{0, 0, 1, 2, 1, 3, 2}));
}

TEST(GroupTableFormsTest, NullIsNotEmptyAndFindMakesNothing) {
  MemoryBudget budget(arrow::default_memory_pool(), -1);
  auto table =
      GroupTable::Make({KeyField{arrow::utf8()}, KeyField{arrow::int8()}}, &budget).ValueOrDie();
  const arrow::ArrayVector columns = {FromJson(arrow::utf8(), R"(["", null, "", null])"),
                                      FromJson(arrow::int8(), "[1, 1, null, 1]")};
  constexpr uint32_t kNone = GroupTable::kNoGroup;
  EXPECT_EQ(Find(table.get(), columns), (std::vector<uint32_t>{kNone, kNone, kNone, kNone}));
  EXPECT_EQ(table->group_count(), 0u);
  EXPECT_EQ(Insert(table.get(), columns), (std::vector<uint32_t>{0, 1, 2, 1}));
}

TEST(GroupTableFormsTest, NoKeysAreOneGroup) {
  MemoryBudget budget(arrow::default_memory_pool(), -1);
  auto table = GroupTable::Make({}, &budget).ValueOrDie();
  std::vector<uint32_t> groups(3, 9);
  ASSERT_TRUE(table->Insert({}, 0, std::span(groups).first(0)).ok());
  EXPECT_EQ(table->group_count(), 0u);
  ASSERT_TRUE(table->Insert({}, 3, groups).ok());
  EXPECT_EQ(groups, (std::vector<uint32_t>{0, 0, 0}));
  EXPECT_EQ(table->group_count(), 1u);
}

// A hundred thousand groups in several forms: growth, chunks and prefetching.
TEST(GroupTableFormsTest, HoldsManyGroups) {
  constexpr int64_t kRows = 50000;
  for (int form = 0; form < 3; ++form) {
    MemoryBudget budget(arrow::default_memory_pool(), -1);
    std::vector<KeyField> fields(form == 1 ? 2 : 1, KeyField{arrow::int64()});
    if (form == 2) {
      fields[0].type = arrow::utf8();
    }
    auto table = GroupTable::Make(fields, &budget).ValueOrDie();
    for (int64_t batch = 0; batch < 4; ++batch) {
      arrow::Int64Builder numbers;
      arrow::StringBuilder strings;
      for (int64_t i = 0; i < kRows; ++i) {
        const int64_t key = (batch % 2) * kRows + i;
        ASSERT_TRUE(numbers.Append(key * 4096).ok());
        ASSERT_TRUE(strings.Append("key number " + std::to_string(key)).ok());
      }
      const auto number_array = numbers.Finish().ValueOrDie();
      const auto string_array = strings.Finish().ValueOrDie();
      const auto groups =
          Insert(table.get(), form == 2   ? arrow::ArrayVector{string_array}
                              : form == 1 ? arrow::ArrayVector{number_array, number_array}
                                          : arrow::ArrayVector{number_array});
      for (int64_t i = 0; i < kRows; ++i) {
        ASSERT_EQ(groups[static_cast<size_t>(i)], (batch % 2) * kRows + i);
      }
    }
    EXPECT_EQ(table->group_count(), 2 * kRows);
    EXPECT_GE(budget.bytes_allocated(), table->bytes_used());
    table.reset();
    EXPECT_EQ(budget.bytes_allocated(), 0);
  }
}

TEST(GroupTableFormsTest, StopsAtTheMemoryLimit) {
  MemoryBudget budget(arrow::default_memory_pool(), 256 << 10);
  auto table = GroupTable::Make({KeyField{arrow::int64()}}, &budget).ValueOrDie();
  arrow::Int64Builder numbers;
  for (int64_t i = 0; i < 100000; ++i) {
    ASSERT_TRUE(numbers.Append(i).ok());
  }
  std::vector<uint32_t> groups(100000);
  const auto status = table->Insert({numbers.Finish().ValueOrDie()}, 100000, groups);
  EXPECT_EQ(GetErrorKind(status), ErrorKind::kResource) << status.ToString();
}

TEST(GroupTableFormsTest, MergesByPartition) {
  std::mt19937 random(5);
  MemoryBudget budget(arrow::default_memory_pool(), -1);
  for (const auto& type : AllTypes()) {
    const std::vector<KeyField> fields = {KeyField{type}};
    auto a = GroupTable::Make(fields, &budget).ValueOrDie();
    auto b = GroupTable::Make(fields, &budget).ValueOrDie();
    const auto array_a = RandomArray(type, 200, true, &random);
    const auto array_b = RandomArray(type, 200, true, &random);
    Insert(a.get(), {array_a});
    Insert(b.get(), {array_b});
    auto all = GroupTable::Make(fields, &budget).ValueOrDie();
    Insert(all.get(), {array_a});
    Insert(all.get(), {array_b});
    for (const uint32_t partitions : {1u, 3u, 8u}) {
      std::map<std::string, int> keys;
      uint32_t groups = 0;
      for (uint32_t partition = 0; partition < partitions; ++partition) {
        auto merged = GroupTable::Make(fields, &budget).ValueOrDie();
        for (const auto* from : {a.get(), b.get()}) {
          std::vector<uint32_t> mapping;
          ASSERT_TRUE(merged->MergeFrom(*from, partition, partitions, &mapping).ok());
          ASSERT_EQ(mapping.size(), from->group_count());
          for (uint32_t group = 0; group < from->group_count(); ++group) {
            ASSERT_EQ(mapping[group] != GroupTable::kNoGroup,
                      from->Partition(group, partitions) == partition);
            if (mapping[group] != GroupTable::kNoGroup) {
              std::string theirs;
              std::string ours;
              from->EncodedKey(group, &theirs);
              merged->EncodedKey(mapping[group], &ours);
              ASSERT_EQ(theirs, ours);
            }
          }
        }
        groups += merged->group_count();
        for (uint32_t group = 0; group < merged->group_count(); ++group) {
          std::string key;
          merged->EncodedKey(group, &key);
          ASSERT_EQ(++keys[key], 1) << type->ToString();
        }
      }
      EXPECT_EQ(groups, all->group_count()) << type->ToString();
    }
  }
}

}  // namespace
}  // namespace keepone
