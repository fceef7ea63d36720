// SPDX-License-Identifier: Apache-2.0
#include "column/winner_state.h"

#include <numeric>
#include <random>
#include <string>

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/unit/column/random_arrays.h"

namespace keepone {
namespace {

class WinnerStateTest : public testing::Test {
 protected:
  using Tables = std::vector<std::unique_ptr<WinnerTable>>;

  std::unique_ptr<WinnerTable> NewTable(const WinnerSpec& spec) {
    return WinnerTable::Make(spec, &budget_).ValueOrDie();
  }

  std::shared_ptr<arrow::Buffer> Write(const WinnerSpec& spec, WinnerTable* table) {
    auto stream = arrow::io::BufferOutputStream::Create().ValueOrDie();
    const auto status = WriteWinnerState(spec, table, stream.get(), &budget_);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return stream->Finish().ValueOrDie();
  }

  arrow::Status Read(const WinnerSpec& spec, std::shared_ptr<arrow::Buffer> bytes,
                     WinnerTable* table) {
    ARROW_ASSIGN_OR_RAISE(auto reader, WinnerStateReader::Make(spec, &budget_));
    arrow::io::BufferReader stream(std::move(bytes));
    return reader->ConsumeStream(&stream, table);
  }

  Winners Finish(std::unique_ptr<WinnerTable> table) {
    Tables tables;
    tables.push_back(std::move(table));
    return WinnerTable::Finish(tables, &budget_).ValueOrDie();
  }

  // Rows of two integer columns.
  std::unique_ptr<WinnerTable> SmallTable(const WinnerSpec& spec) {
    std::mt19937 random(3);
    auto table = NewTable(spec);
    const auto keys = RandomArray(arrow::int64(), 100, true, &random);
    EXPECT_TRUE(table->ConsumeRange({keys}, {keys}, 0, 100).ok());
    return table;
  }

  static WinnerSpec SmallSpec() {
    WinnerSpec spec;
    spec.group_keys = {{arrow::int64()}};
    spec.order_keys = {{arrow::int64(), true}};
    return spec;
  }

  MemoryBudget budget_{arrow::default_memory_pool(), -1};
};

TEST_F(WinnerStateTest, MergedStatesAreAsOneTable) {
  std::mt19937 random(31);
  const auto types = AllTypes();
  for (int round = 0; round < 60; ++round) {
    const auto pick = [&](size_t count) { return static_cast<size_t>(random()) % count; };
    WinnerSpec spec;
    spec.group_keys.resize(pick(3));
    spec.order_keys.resize(pick(3));
    arrow::ArrayVector groups;
    arrow::ArrayVector orders;
    constexpr int64_t kRows = 600;
    for (auto* fields : {&spec.group_keys, &spec.order_keys}) {
      for (auto& field : *fields) {
        field = {types[pick(types.size())], pick(2) == 0, pick(2) == 0};
        auto& columns = fields == &spec.group_keys ? groups : orders;
        columns.push_back(RandomArray(field.type, kRows, true, &random));
      }
    }
    spec.last_wins = pick(2) == 0;
    spec.rule = static_cast<KeepRule>(pick(3));
    spec.n = std::vector<int64_t>{1, 1, 3}[pick(3)];
    spec.group_count_max = std::vector<int64_t>{-1, -1, 4}[pick(3)];
    SCOPED_TRACE(DescribeWinnerSpec(spec));

    auto whole = NewTable(spec);
    ASSERT_TRUE(whole->ConsumeRange(groups, orders, 0, kRows).ok());
    auto merged = NewTable(spec);
    for (int64_t first = 0; first < kRows; first += 200) {
      arrow::ArrayVector group_slices;
      arrow::ArrayVector order_slices;
      for (const auto& column : groups) {
        group_slices.push_back(column->Slice(first, 200));
      }
      for (const auto& column : orders) {
        order_slices.push_back(column->Slice(first, 200));
      }
      auto part = NewTable(spec);
      ASSERT_TRUE(part->ConsumeRange(group_slices, order_slices, first, 200).ok());
      const auto status = Read(spec, Write(spec, part.get()), merged.get());
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
    const Winners expected = Finish(std::move(whole));
    const Winners got = Finish(std::move(merged));
    EXPECT_TRUE(got.addresses->Equals(*expected.addresses));
    ASSERT_EQ(got.numbers != nullptr, expected.numbers != nullptr);
    EXPECT_TRUE(got.numbers == nullptr || got.numbers->Equals(*expected.numbers));
  }
}

TEST_F(WinnerStateTest, OtherSpecsAndVersionsAreRefused) {
  const WinnerSpec spec = SmallSpec();
  const auto table = SmallTable(spec);
  const auto bytes = Write(spec, table.get());
  WinnerSpec other = spec;
  other.n = 2;
  auto target = NewTable(other);
  auto status = Read(other, bytes, target.get());
  EXPECT_EQ(GetErrorKind(status), ErrorKind::kData);
  EXPECT_NE(status.message().find("the winner state is for other winners"), std::string::npos);

  const auto check = [&](const char* version) {
    auto reader = WinnerStateReader::Make(spec, &budget_).ValueOrDie();
    auto schema = MakeWinnerStateSchema(spec).ValueOrDie();
    auto metadata = schema->metadata()->Copy();
    EXPECT_TRUE(metadata->Set(kWinnerStateVersionKey, version).ok());
    return reader->Check(*schema->WithMetadata(metadata));
  };
  EXPECT_TRUE(check("1").ok());
  status = check("2");
  EXPECT_EQ(GetErrorKind(status), ErrorKind::kData);
  EXPECT_NE(status.message().find("version 2 cannot be read"), std::string::npos);
}

TEST_F(WinnerStateTest, DamageIsAnError) {
  const WinnerSpec spec = SmallSpec();
  const auto table = SmallTable(spec);
  const auto bytes = Write(spec, table.get());
  // Cut off anywhere before the end.
  for (const int64_t size : {int64_t{0}, int64_t{10}, bytes->size() / 2, bytes->size() - 100}) {
    auto target = NewTable(spec);
    const auto status = Read(spec, arrow::SliceBuffer(bytes, 0, size), target.get());
    EXPECT_EQ(GetErrorKind(status), ErrorKind::kData) << size << " " << status.ToString();
  }
  // Values that no state has.
  auto schema = MakeWinnerStateSchema(spec).ValueOrDie();
  auto reader = WinnerStateReader::Make(spec, &budget_).ValueOrDie();
  arrow::UInt64Builder keys;
  ASSERT_TRUE(keys.Append(1).ok());
  const auto key = keys.Finish().ValueOrDie();
  arrow::Int64Builder addresses;
  ASSERT_TRUE(addresses.Append(-1).ok());
  const auto batch =
      arrow::RecordBatch::Make(schema, 1, {key, key, addresses.Finish().ValueOrDie()});
  auto target = NewTable(spec);
  const auto status = reader->Consume(*batch, 0, 1, target.get());
  EXPECT_EQ(GetErrorKind(status), ErrorKind::kData) << status.ToString();
}

}  // namespace
}  // namespace keepone
