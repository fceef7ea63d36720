// SPDX-License-Identifier: Apache-2.0
#include "column/winner_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/unit/column/random_arrays.h"

namespace keepone {
namespace {

using Numbered = std::vector<std::pair<int64_t, int64_t>>;  // address, number

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const char* json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::vector<std::string> EncodeRows(const std::vector<KeyField>& fields,
                                    const arrow::ArrayVector& columns, int64_t rows) {
  std::vector<std::string> out(static_cast<size_t>(rows));
  if (!fields.empty()) {
    auto encoder = KeyEncoder::Make(fields).ValueOrDie();
    EncodedKeys keys(arrow::default_memory_pool());
    EXPECT_TRUE(encoder->Encode(columns, &keys).ok());
    for (int64_t i = 0; i < rows; ++i) {
      out[static_cast<size_t>(i)] = keys[i];
    }
  }
  return out;
}

// Sorts everything: the definition of what stays.
Numbered Oracle(const WinnerSpec& spec, const arrow::ArrayVector& groups,
                const arrow::ArrayVector& orders, int64_t rows) {
  const auto group_keys = EncodeRows(spec.group_keys, groups, rows);
  const auto order_keys = EncodeRows(spec.order_keys, orders, rows);
  std::map<std::string, std::vector<int64_t>> by_group;
  for (int64_t i = 0; i < rows; ++i) {
    by_group[group_keys[static_cast<size_t>(i)]].push_back(i);
  }
  Numbered out;
  int64_t taken = 0;
  for (auto& [key, members] : by_group) {
    if (spec.group_count_max >= 0 && taken++ >= spec.group_count_max) {
      break;
    }
    const auto order_of = [&](int64_t row) { return order_keys[static_cast<size_t>(row)]; };
    std::sort(members.begin(), members.end(), [&](int64_t a, int64_t b) {
      if (order_of(a) != order_of(b)) {
        return order_of(a) < order_of(b);
      }
      return spec.last_wins ? a > b : a < b;
    });
    int64_t number = 0;
    for (size_t i = 0; i < members.size(); ++i) {
      const bool tie = i > 0 && order_of(members[i]) == order_of(members[i - 1]);
      if (spec.rule == KeepRule::kRowNumber || !tie) {
        number = spec.rule == KeepRule::kDenseRank ? number + 1 : static_cast<int64_t>(i) + 1;
      }
      if (number <= spec.n) {
        out.emplace_back(members[i], number);
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

Numbered Finish(std::vector<std::unique_ptr<WinnerTable>> tables, MemoryBudget* budget) {
  const auto result = WinnerTable::Finish(tables, budget);
  EXPECT_TRUE(result.ok()) << result.status().ToString();
  Numbered out;
  for (int64_t i = 0; i < result->addresses->length(); ++i) {
    out.emplace_back(result->addresses->Value(i),
                     result->numbers != nullptr ? result->numbers->Value(i) : 1);
  }
  return out;
}

arrow::ArrayVector SliceAll(const arrow::ArrayVector& columns, int64_t offset, int64_t rows) {
  arrow::ArrayVector out;
  for (const auto& column : columns) {
    out.push_back(column->Slice(offset, rows));
  }
  return out;
}

// Consumes the rows in batches, round robin over some tables, then merges by partition.
Numbered Run(const WinnerSpec& spec, const arrow::ArrayVector& groups,
             const arrow::ArrayVector& orders, int64_t rows, int64_t batch_rows, size_t tables,
             uint32_t partitions, std::mt19937* random) {
  MemoryBudget budget(arrow::default_memory_pool(), -1);
  std::vector<std::unique_ptr<WinnerTable>> locals;
  for (size_t i = 0; i < tables; ++i) {
    locals.push_back(WinnerTable::Make(spec, &budget).ValueOrDie());
  }
  std::vector<int64_t> offsets;
  for (int64_t offset = 0; offset < rows; offset += batch_rows) {
    offsets.push_back(offset);
  }
  std::shuffle(offsets.begin(), offsets.end(), *random);
  for (size_t i = 0; i < offsets.size(); ++i) {
    const int64_t offset = offsets[i];
    const int64_t count = std::min(batch_rows, rows - offset);
    const auto group_slices = SliceAll(groups, offset, count);
    const auto order_slices = SliceAll(orders, offset, count);
    arrow::Status status;
    if (i % 2 == 0) {
      status = locals[i % tables]->ConsumeRange(group_slices, order_slices, offset, count);
    } else {
      std::vector<int64_t> addresses(static_cast<size_t>(count));
      std::iota(addresses.begin(), addresses.end(), offset);
      status = locals[i % tables]->Consume(group_slices, order_slices, addresses);
    }
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  if (partitions == 0) {
    return Finish(std::move(locals), &budget);
  }
  std::vector<std::unique_ptr<WinnerTable>> merged;
  for (uint32_t partition = 0; partition < partitions; ++partition) {
    merged.push_back(WinnerTable::Make(spec, &budget).ValueOrDie());
    for (const auto& local : locals) {
      const auto status = merged.back()->MergeFrom(*local, partition, partitions);
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
  }
  return Finish(std::move(merged), &budget);
}

std::string Describe(const WinnerSpec& spec) {
  std::string text;
  for (const auto* fields : {&spec.group_keys, &spec.order_keys}) {
    for (const auto& field : *fields) {
      text += field.type->ToString() + (field.descending ? " desc" : "") +
              (field.nulls_first ? " nulls first" : "") + ", ";
    }
    text += "| ";
  }
  return text + "n " + std::to_string(spec.n) + " rule " +
         std::to_string(static_cast<int>(spec.rule)) + " last " + std::to_string(spec.last_wins) +
         " groups " + std::to_string(spec.group_count_max);
}

void CheckAgainstOracle(const WinnerSpec& spec, int64_t rows, std::mt19937* random) {
  SCOPED_TRACE(Describe(spec));
  arrow::ArrayVector groups;
  arrow::ArrayVector orders;
  for (const auto& field : spec.group_keys) {
    groups.push_back(RandomArray(field.type, rows, true, random));
  }
  for (const auto& field : spec.order_keys) {
    orders.push_back(RandomArray(field.type, rows, true, random));
  }
  const Numbered expected = Oracle(spec, groups, orders, rows);
  EXPECT_EQ(Run(spec, groups, orders, rows, rows, 1, 0, random), expected);
  EXPECT_EQ(Run(spec, groups, orders, rows, 7, 1, 1, random), expected);
  EXPECT_EQ(Run(spec, groups, orders, rows, 64, 3, 1, random), expected);
  if (spec.group_count_max < 0) {
    EXPECT_EQ(Run(spec, groups, orders, rows, 13, 2, 4, random), expected);
    EXPECT_EQ(Run(spec, groups, orders, rows, 50, 4, 8, random), expected);
  }
}

class WinnerTableTest : public testing::TestWithParam<std::shared_ptr<arrow::DataType>> {};

TEST_P(WinnerTableTest, AsGroupKey) {
  std::mt19937 random(21);
  for (int round = 0; round < 4; ++round) {
    WinnerSpec spec;
    spec.group_keys = {{GetParam(), (round & 1) != 0, (round & 2) != 0}};
    spec.order_keys = {{arrow::int64(), (round & 2) != 0, (round & 1) != 0}};
    CheckAgainstOracle(spec, 400, &random);
    spec.group_count_max = 3;
    CheckAgainstOracle(spec, 400, &random);
  }
}

TEST_P(WinnerTableTest, AsOrderKey) {
  std::mt19937 random(22);
  for (int round = 0; round < 4; ++round) {
    WinnerSpec spec;
    spec.group_keys = {{round < 2 ? arrow::int32() : arrow::utf8()}};
    spec.order_keys = {{GetParam(), (round & 1) != 0, (round & 2) != 0}};
    spec.last_wins = round == 3;
    CheckAgainstOracle(spec, 400, &random);
  }
}

TEST_P(WinnerTableTest, EveryRule) {
  std::mt19937 random(23);
  for (const auto rule : {KeepRule::kRowNumber, KeepRule::kRank, KeepRule::kDenseRank}) {
    for (const int64_t n : {1, 2, 5, 2000000}) {
      WinnerSpec spec;
      spec.group_keys = {{arrow::int16()}};
      spec.order_keys = {{GetParam(), n == 2, n == 5}};
      spec.rule = rule;
      spec.n = n;
      spec.last_wins = n == 5;
      CheckAgainstOracle(spec, 300, &random);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, WinnerTableTest, testing::ValuesIn(AllTypes()),
                         [](const auto& parameter) {
                           return "Type" + std::to_string(parameter.index);
                         });

TEST(WinnerTableFormsTest, RandomSpecs) {
  std::mt19937 random(24);
  const auto types = AllTypes();
  for (int round = 0; round < 150; ++round) {
    const auto pick = [&](size_t count) { return static_cast<size_t>(random()) % count; };
    WinnerSpec spec;
    spec.group_keys.resize(pick(4));
    spec.order_keys.resize(pick(4));
    for (auto* fields : {&spec.group_keys, &spec.order_keys}) {
      for (auto& field : *fields) {
        field = {types[pick(types.size())], pick(2) == 0, pick(2) == 0};
      }
    }
    spec.last_wins = pick(2) == 0;
    spec.rule = static_cast<KeepRule>(pick(3));
    spec.n = std::vector<int64_t>{1, 1, 2, 3, 100}[pick(5)];
    spec.group_count_max = std::vector<int64_t>{-1, -1, 0, 1, 10}[pick(5)];
    CheckAgainstOracle(spec, 1 + static_cast<int64_t>(pick(900)), &random);
  }
}

TEST(WinnerTableFormsTest, TheNewestRowOfEachKey) {
  MemoryBudget budget(arrow::default_memory_pool(), -1);
  WinnerSpec spec;
  spec.group_keys = {{arrow::utf8()}};
  spec.order_keys = {{arrow::timestamp(arrow::TimeUnit::SECOND), true, false}};
  auto table = WinnerTable::Make(spec, &budget).ValueOrDie();
  ASSERT_TRUE(
      table
          ->ConsumeRange({FromJson(arrow::utf8(), R"(["a", "b", "a", null, "b", null, "c"])")},
                         {FromJson(spec.order_keys[0].type, "[1, 5, 3, 2, null, 2, null]")}, 100, 7)
          .ok());
  EXPECT_EQ(table->group_count(), 4u);
  std::vector<std::unique_ptr<WinnerTable>> tables;
  tables.push_back(std::move(table));
  EXPECT_EQ(Finish(std::move(tables), &budget), (Numbered{{101, 1}, {102, 1}, {103, 1}, {106, 1}}));
}

TEST(WinnerTableFormsTest, NoRowsNoGroupsNoWinners) {
  for (const int64_t n : {1, 3}) {
    MemoryBudget budget(arrow::default_memory_pool(), -1);
    WinnerSpec spec;
    spec.n = n;
    std::vector<std::unique_ptr<WinnerTable>> tables;
    tables.push_back(WinnerTable::Make(spec, &budget).ValueOrDie());
    ASSERT_TRUE(tables[0]->ConsumeRange({}, {}, 0, 0).ok());
    EXPECT_EQ(Finish(std::move(tables), &budget), Numbered{});
  }
}

TEST(WinnerTableFormsTest, ManyGroupsOfSparseAddresses) {
  MemoryBudget budget(arrow::default_memory_pool(), -1);
  WinnerSpec spec;
  spec.group_keys = {{arrow::int64()}};
  auto table = WinnerTable::Make(spec, &budget).ValueOrDie();
  constexpr int64_t kRows = 60000;
  std::vector<int64_t> addresses;
  arrow::Int64Builder keys;
  for (int64_t i = kRows - 1; i >= 0; --i) {
    addresses.push_back(i << 30);
    ASSERT_TRUE(keys.Append(i / 2 * 1000).ok());
  }
  ASSERT_TRUE(table->Consume({keys.Finish().ValueOrDie()}, {}, addresses).ok());
  std::vector<std::unique_ptr<WinnerTable>> tables;
  tables.push_back(std::move(table));
  const auto winners = WinnerTable::Finish(tables, &budget).ValueOrDie();
  ASSERT_EQ(winners.addresses->length(), kRows / 2);
  for (int64_t i = 0; i < kRows / 2; ++i) {
    ASSERT_EQ(winners.addresses->Value(i), (i * 2) << 30);
  }
  tables.clear();
}

// The dead order keys of overwritten winners must not pile up.
TEST(WinnerTableFormsTest, LongOrderKeysAreCompacted) {
  for (const int64_t n : {1, 2}) {
    MemoryBudget budget(arrow::default_memory_pool(), -1);
    WinnerSpec spec;
    spec.group_keys = {{arrow::int32()}};
    spec.order_keys = {{arrow::utf8(), true}};
    spec.n = n;
    auto table = WinnerTable::Make(spec, &budget).ValueOrDie();
    for (int64_t batch = 0; batch < 200; ++batch) {
      arrow::Int32Builder groups;
      arrow::StringBuilder orders;
      for (int32_t i = 0; i < 400; ++i) {
        ASSERT_TRUE(groups.Append(i).ok());
        ASSERT_TRUE(orders
                        .Append(std::to_string(1000 + batch) +
                                std::string(static_cast<size_t>(50 + batch * 3), 'x'))
                        .ok());
      }
      ASSERT_TRUE(table
                      ->ConsumeRange({groups.Finish().ValueOrDie()}, {orders.Finish().ValueOrDie()},
                                     batch * 400, 400)
                      .ok());
    }
    EXPECT_LT(table->bytes_used(), 6 << 20);
    std::vector<std::unique_ptr<WinnerTable>> tables;
    tables.push_back(std::move(table));
    const Numbered winners = Finish(std::move(tables), &budget);
    ASSERT_EQ(winners.size(), static_cast<size_t>(400 * n));
    EXPECT_EQ(winners.back(), (std::pair<int64_t, int64_t>{199 * 400 + 399, 1}));
    EXPECT_EQ(winners.front(), (std::pair<int64_t, int64_t>{(200 - n) * 400, n}));
  }
}

TEST(WinnerTableFormsTest, AGroupLimitBoundsMemory) {
  MemoryBudget budget(arrow::default_memory_pool(), 1 << 20);
  WinnerSpec spec;
  spec.group_keys = {{arrow::int64()}};
  spec.order_keys = {{arrow::int64()}};
  spec.group_count_max = 10;
  auto table = WinnerTable::Make(spec, &budget).ValueOrDie();
  std::mt19937 random(1);
  std::vector<int64_t> numbers(300000);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), random);
  arrow::Int64Builder builder;
  ASSERT_TRUE(builder.AppendValues(numbers).ok());
  const auto keys = builder.Finish().ValueOrDie();
  const auto status = table->ConsumeRange({keys}, {keys}, 0, keys->length());
  ASSERT_TRUE(status.ok()) << status.ToString();
  std::vector<std::unique_ptr<WinnerTable>> tables;
  tables.push_back(std::move(table));
  for (const auto& [address, number] : Finish(std::move(tables), &budget)) {
    EXPECT_LT(numbers[static_cast<size_t>(address)], 10);
  }
}

TEST(WinnerTableFormsTest, StopsAtTheMemoryLimit) {
  MemoryBudget budget(arrow::default_memory_pool(), 512 << 10);
  WinnerSpec spec;
  spec.group_keys = {{arrow::int64()}};
  auto table = WinnerTable::Make(spec, &budget).ValueOrDie();
  std::vector<int64_t> numbers(300000);
  std::iota(numbers.begin(), numbers.end(), 0);
  arrow::Int64Builder builder;
  ASSERT_TRUE(builder.AppendValues(numbers).ok());
  const auto status = table->ConsumeRange({builder.Finish().ValueOrDie()}, {}, 0, 300000);
  EXPECT_EQ(GetErrorKind(status), ErrorKind::kResource) << status.ToString();
}

}  // namespace
}  // namespace keepone
