// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "exec/carry_winners.h"
#include "exec/pick_winners.h"
#include "tests/support/cut_stream.h"

namespace keepone {
namespace {

// k, o, payload, row_address: many ties and NULLs.
const auto kSchema =
    arrow::schema({arrow::field("k", arrow::utf8()), arrow::field("o", arrow::int32()),
                   arrow::field("v", arrow::struct_({arrow::field("s", arrow::list(arrow::utf8())),
                                                     arrow::field("n", arrow::int64())})),
                   arrow::field("row_address", arrow::int64())});

struct Row {
  std::optional<int> key;
  std::optional<int> order;
};

std::vector<Row> RandomRows(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Row> rows;
  for (int64_t i = 0; i < count; ++i) {
    Row row;
    if (random() % 12 != 0) {
      row.key = static_cast<int>(random() % 60);
    }
    if (random() % 8 != 0) {
      row.order = static_cast<int>(random() % 20) - 10;
    }
    rows.push_back(row);
  }
  return rows;
}

std::shared_ptr<arrow::RecordBatch> ToBatch(const std::vector<Row>& rows) {
  std::string json = "[";
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string number = std::to_string(i);
    json += i == 0 ? "" : ",";
    json += "[" + (rows[i].key ? "\"key " + std::to_string(*rows[i].key) + "\"" : "null") + "," +
            (rows[i].order ? std::to_string(*rows[i].order) : "null") + ",";
    json += i % 5 == 0 ? "null" : "{\"s\": [\"" + number + "\", null], \"n\": " + number + "}";
    json += "," + std::to_string(i * 3) + "]";
  }
  return BatchFromJson(kSchema, json + "]");
}

// Whether a comes before b in its group: NULLs last whatever the direction.
int CompareOrder(const Row& a, const Row& b, bool descending) {
  if (a.order.has_value() != b.order.has_value()) {
    return a.order.has_value() ? -1 : 1;
  }
  if (!a.order.has_value() || *a.order == *b.order) {
    return 0;
  }
  return (*a.order < *b.order) != descending ? -1 : 1;
}

struct Kept {
  std::vector<int64_t> rows;
  std::vector<int64_t> numbers;
};

Kept KeepNaively(const std::vector<Row>& rows, const KeepSpec& spec, bool grouped) {
  std::map<std::optional<int>, std::vector<int64_t>> groups;
  for (size_t i = 0; i < rows.size(); ++i) {
    groups[grouped ? rows[i].key : std::nullopt].push_back(static_cast<int64_t>(i));
  }
  const bool descending = spec.order[0].descending;
  std::map<int64_t, int64_t> kept;
  for (auto& [key, members] : groups) {
    const auto at = [&](int64_t row) { return rows[static_cast<size_t>(row)]; };
    std::sort(members.begin(), members.end(), [&](int64_t a, int64_t b) {
      const int order = CompareOrder(at(a), at(b), descending);
      return order != 0 ? order < 0 : (a < b) != spec.ties_to_last;
    });
    int64_t rank = 0;
    int64_t dense = 0;
    for (size_t i = 0; i < members.size(); ++i) {
      if (i == 0 || CompareOrder(at(members[i - 1]), at(members[i]), descending) != 0) {
        rank = static_cast<int64_t>(i) + 1;
        ++dense;
      }
      const int64_t number = spec.rule == KeepRule::kRowNumber ? static_cast<int64_t>(i) + 1
                             : spec.rule == KeepRule::kRank    ? rank
                                                               : dense;
      if (number <= spec.n) {
        kept[members[i]] = number;
      }
    }
  }
  Kept result;
  for (const auto& [row, number] : kept) {
    result.rows.push_back(row);
    result.numbers.push_back(number);
  }
  return result;
}

std::shared_ptr<arrow::Array> Int64s(const std::vector<int64_t>& values) {
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie();
}

std::vector<KeepSpec> Specs() {
  std::vector<KeepSpec> specs;
  for (const KeepRule rule : {KeepRule::kRowNumber, KeepRule::kRank, KeepRule::kDenseRank}) {
    for (const int64_t n : {1, 3, 1000000}) {
      for (const bool ties_to_last : {false, true}) {
        KeepSpec spec;
        spec.groups = {0};
        spec.order = {{1, n != 3, false}};
        spec.rule = rule;
        spec.n = n;
        spec.ties_to_last = ties_to_last;
        spec.gives_number = true;
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

TEST(PickWinners, MatchesSortingEachGroup) {
  const auto rows = RandomRows(1500, 11);
  const auto batch = ToBatch(rows);
  const auto schema =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("n", arrow::int64())});
  for (const KeepSpec& spec : Specs()) {
    Kept kept = KeepNaively(rows, spec, true);
    for (int64_t& row : kept.rows) {
      row *= 3;
    }
    const auto expected = arrow::RecordBatch::Make(schema, static_cast<int64_t>(kept.rows.size()),
                                                   {Int64s(kept.rows), Int64s(kept.numbers)});
    ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
      auto input = std::make_unique<CutStream>(batch, setting.batch_rows_max, setting.seed);
      ExpectRows(ReadAllRows(context, MakePickWinners(context, std::move(input), spec, 3, schema)),
                 expected);
    });
  }
  KeepSpec spec = Specs().front();
  spec.n = 3;
  Kept kept = KeepNaively(rows, spec, true);
  for (int64_t& row : kept.rows) {
    row *= 3;
  }
  QueryContext::Options options;
  options.threads = 2;
  options.force_spill = true;
  QueryContext context(options);
  ExpectRows(
      ReadAllRows(&context, MakePickWinners(&context, std::make_unique<CutStream>(batch, 50, 4),
                                            spec, 3, schema)),
      arrow::RecordBatch::Make(schema, static_cast<int64_t>(kept.rows.size()),
                               {Int64s(kept.rows), Int64s(kept.numbers)}));
}

// Many groups, seldom seen twice: workers share their tables, and put them aside.
TEST(PickWinners, ManyGroupsSharedAndPutAside) {
  std::mt19937 random(17);
  constexpr int64_t kRows = 400000;
  std::vector<int64_t> keys;
  std::vector<int64_t> orders;
  std::map<int64_t, int64_t> winners;
  std::vector<int64_t> addresses(kRows);
  std::iota(addresses.begin(), addresses.end(), 0);
  for (int64_t i = 0; i < kRows; ++i) {
    keys.push_back(static_cast<int64_t>(random() % 250000));
    orders.push_back(static_cast<int64_t>(random() % 100));
    const auto [winner, is_new] = winners.try_emplace(keys.back(), i);
    if (!is_new && orders.back() > orders[static_cast<size_t>(winner->second)]) {
      winner->second = i;
    }
  }
  std::vector<int64_t> kept;
  for (const auto& [key, row] : winners) {
    kept.push_back(row);
  }
  std::sort(kept.begin(), kept.end());
  const auto field = [](const char* name) { return arrow::field(name, arrow::int64()); };
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({field("k"), field("o"), field("row_address")}), kRows,
                               {Int64s(keys), Int64s(orders), Int64s(addresses)});
  const auto schema = arrow::schema({field("a")});
  const auto expected =
      arrow::RecordBatch::Make(schema, static_cast<int64_t>(kept.size()), {Int64s(kept)});
  KeepSpec spec;
  spec.groups = {0};
  spec.order = {{1, true, false}};
  for (const int threads : {1, 3}) {
    for (const int64_t memory_bytes_max : {-1, 0}) {
      SCOPED_TRACE(memory_bytes_max);
      QueryContext::Options options;
      options.threads = threads;
      options.batch_rows_max = 2000;
      options.batch_bytes_max = 1 << 18;
      options.force_spill = memory_bytes_max == 0;
      options.memory_bytes_max = memory_bytes_max == 0 ? -1 : memory_bytes_max;
      QueryContext context(options);
      auto input = std::make_unique<CutStream>(batch, 8000, 5);
      auto stream = MakePickWinners(&context, std::move(input), spec, 2, schema);
      const arrow::Status status = stream->Prepare();
      ASSERT_TRUE(status.ok()) << status.ToString();
      int64_t rows = 0;
      while (true) {
        auto morsel = stream->NextMorsel().ValueOrDie();
        if (morsel == nullptr) {
          break;
        }
        while (auto part = morsel->Next().ValueOrDie()) {
          EXPECT_TRUE(part->Equals(*expected->Slice(rows, part->num_rows())));
          rows += part->num_rows();
        }
      }
      EXPECT_EQ(rows, expected->num_rows());
      EXPECT_EQ(context.temp().bytes_peak() > 0, memory_bytes_max >= 0);
    }
  }
}

TEST(CarryWinners, MatchesSortingEachGroup) {
  const auto rows = RandomRows(1500, 12);
  const auto batch = ToBatch(rows);
  const auto schema =
      arrow::schema({arrow::field("v", kSchema->field(2)->type()), arrow::field("k", arrow::utf8()),
                     arrow::field("n", arrow::int64())});
  for (const KeepSpec& spec : Specs()) {
    const Kept kept = KeepNaively(rows, spec, true);
    const auto taken = arrow::compute::Take(batch, Int64s(kept.rows)).ValueOrDie().record_batch();
    const auto expected = arrow::RecordBatch::Make(
        schema, taken->num_rows(), {taken->column(2), taken->column(0), Int64s(kept.numbers)});
    ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
      auto input = std::make_unique<CutStream>(batch, setting.batch_rows_max, setting.seed);
      ExpectRows(
          ReadAllRows(context, MakeCarryWinners(context, std::move(input), spec, {2, 0}, schema)),
          expected);
    });
  }
}

TEST(CarryWinners, HoldsFewRowsWhenFewWin) {
  // A hundred thousand rows of a group each beat the one before it.
  const int64_t count = 300000;
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int64_t>(i);
  }
  const auto schema = arrow::schema({arrow::field("o", arrow::int64())});
  const auto batch = arrow::RecordBatch::Make(schema, count, {Int64s(numbers)});
  for (const int threads : {1, 2, 4}) {
    QueryContext::Options options;
    options.threads = threads;
    options.batch_bytes_max = 1 << 14;
    QueryContext context(options);
    KeepSpec spec;
    spec.order = {{0, true, false}};
    spec.n = 2;
    auto input = std::make_unique<CutStream>(batch, 1000, 9);
    ExpectRows(
        ReadAllRows(&context, MakeCarryWinners(&context, std::move(input), spec, {0}, schema)),
        batch->Slice(count - 2));
    EXPECT_LT(context.budget()->max_memory(), 4 << 20);
  }
}

TEST(CarryWinners, OneGroupOfAllRows) {
  const auto rows = RandomRows(300, 13);
  const auto batch = ToBatch(rows);
  const auto schema = arrow::schema({arrow::field("row_address", arrow::int64())});
  KeepSpec spec;
  spec.order = {{1, false, false}};
  spec.n = 4;
  Kept kept = KeepNaively(rows, spec, false);
  for (int64_t& row : kept.rows) {
    row *= 3;
  }
  const auto expected =
      arrow::RecordBatch::Make(schema, static_cast<int64_t>(kept.rows.size()), {Int64s(kept.rows)});
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    for (const bool pick : {true, false}) {
      auto input = std::make_unique<CutStream>(batch, setting.batch_rows_max, setting.seed);
      auto stream = pick ? MakePickWinners(context, std::move(input), spec, 3, schema)
                         : MakeCarryWinners(context, std::move(input), spec, {3}, schema);
      ExpectRows(ReadAllRows(context, std::move(stream)), expected);
    }
  });
}

TEST(Winners, OnlyTheFirstGroups) {
  const auto batch = BatchFromJson(
      kSchema, R"([["b", 1, null, 0], ["c", 1, null, 1], ["a", 2, null, 2], ["b", 0, null, 3],
                   [null, 5, null, 4], ["a", 2, null, 5]])");
  const auto schema = arrow::schema({arrow::field("row_address", arrow::int64())});
  KeepSpec spec;
  spec.groups = {0};
  spec.order = {{1, false, false}};
  spec.group_limit = 2;
  const std::vector<std::pair<OrderColumn, std::vector<int64_t>>> cases = {
      {{0, false, false}, {2, 3}}, {{0, true, false}, {1, 3}}, {{0, false, true}, {2, 4}}};
  for (const auto& [group_order, addresses] : cases) {
    spec.group_order = {group_order};
    const auto expected = arrow::RecordBatch::Make(schema, 2, {Int64s(addresses)});
    ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
      for (const bool pick : {true, false}) {
        auto input = std::make_unique<CutStream>(batch, setting.batch_rows_max, setting.seed);
        auto stream = pick ? MakePickWinners(context, std::move(input), spec, 3, schema)
                           : MakeCarryWinners(context, std::move(input), spec, {3}, schema);
        ExpectRows(ReadAllRows(context, std::move(stream)), expected);
      }
    });
  }
}

TEST(Winners, NoRows) {
  const auto batch = BatchFromJson(kSchema, "[]");
  KeepSpec spec;
  spec.groups = {0};
  spec.order = {{1}};
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input = std::make_unique<CutStream>(batch, setting.batch_rows_max, setting.seed);
    ExpectRows(ReadAllRows(context, MakeCarryWinners(context, std::move(input), spec, {0, 1, 2, 3},
                                                     kSchema)),
               batch);
    input = std::make_unique<CutStream>(batch, setting.batch_rows_max, setting.seed);
    const auto schema = arrow::schema({arrow::field("row_address", arrow::int64())});
    ExpectRows(ReadAllRows(context, MakePickWinners(context, std::move(input), spec, 3, schema)),
               BatchFromJson(schema, "[]"));
  });
}

TEST(Winners, AnErrorOfTheInputComesOut) {
  const auto batch = ToBatch(RandomRows(300, 14));
  KeepSpec spec;
  spec.groups = {0};
  spec.order = {{1}};
  ForEachSetting([&](QueryContext* context, const ExecSetting& setting) {
    auto input =
        std::make_unique<CutStream>(batch, std::min<int64_t>(setting.batch_rows_max, 20), 4);
    input->before_batch = [](size_t morsel) {
      return morsel >= 3 ? arrow::Status::Invalid("morsel ", morsel) : arrow::Status::OK();
    };
    const auto got = ReadAllRows(
        context, MakeCarryWinners(context, std::move(input), spec, {0, 1, 2, 3}, kSchema));
    EXPECT_EQ(got.status().message(), "morsel 3");
  });
}

TEST(Winners, TheMemoryLimitHolds) {
  const auto batch = ToBatch(RandomRows(3000, 15));
  QueryContext::Options options;
  options.threads = 2;
  options.memory_bytes_max = 1000;
  QueryContext context(options);
  KeepSpec spec;
  spec.groups = {3};
  spec.order = {{1}};
  const auto got =
      ReadAllRows(&context, MakeCarryWinners(&context, std::make_unique<CutStream>(batch, 100, 1),
                                             spec, {0, 1, 2, 3}, kSchema));
  EXPECT_FALSE(got.ok());
  EXPECT_EQ(context.budget()->bytes_allocated(), 0);
}

}  // namespace
}  // namespace keepone
