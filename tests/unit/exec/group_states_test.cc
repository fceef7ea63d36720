// SPDX-License-Identifier: Apache-2.0
#include "exec/group_states.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "column/gather.h"
#include "exec/group_partitions.h"
#include "exec/group_rows.h"
#include "function/aggregate_function.h"
#include "tests/support/cut_stream.h"
#include "tests/unit/column/random_arrays.h"

namespace keepone {
namespace {

using arrow::RecordBatch;

// Some rows of the input, at ascending positions.
struct Part {
  std::shared_ptr<RecordBatch> rows;
  std::vector<int64_t> positions;
};

// One aggregation of random rows, computed in one go and in many ways by parts.
class Aggregation {
 public:
  Aggregation(QueryContext* context, std::shared_ptr<RecordBatch> input, std::vector<int> groups,
              std::vector<AggregateColumn> columns)
      : context_(context), input_(std::move(input)) {
    arrow::FieldVector fields;
    for (const int group : groups) {
      fields.push_back(input_->schema()->field(group));
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      fields.push_back(arrow::field("c" + std::to_string(i), columns[i].function->result_type));
    }
    schema_ = arrow::schema(std::move(fields));
    layout_ = AggregateLayout::Make(context, std::move(groups), std::move(columns),
                                    *input_->schema(), *schema_)
                  .ValueOrDie();
  }

  const AggregateLayout& layout() const { return *layout_; }

  std::unique_ptr<GroupStates> Empty() const {
    return GroupStates::Make(context_, *layout_).ValueOrDie();
  }

  // The rows in pieces of random lengths, each given at random to one of `count` parts.
  std::vector<std::vector<Part>> Deal(size_t count, std::mt19937* random) const {
    std::vector<std::vector<Part>> parts(count);
    for (int64_t row = 0; row < input_->num_rows();) {
      const int64_t rows =
          std::min<int64_t>(1 + static_cast<int64_t>((*random)() % 40), input_->num_rows() - row);
      Part part{layout_->Narrow(*input_->Slice(row, rows)),
                std::vector<int64_t>(static_cast<size_t>(rows))};
      std::iota(part.positions.begin(), part.positions.end(), row);
      parts[(*random)() % count].push_back(std::move(part));
      row += rows;
    }
    return parts;
  }

  std::vector<std::unique_ptr<GroupStates>> States(
      const std::vector<std::vector<Part>>& parts) const {
    std::vector<std::unique_ptr<GroupStates>> states;
    for (const std::vector<Part>& part : parts) {
      states.push_back(Empty());
      for (const Part& rows : part) {
        EXPECT_TRUE(states.back()->Update(*rows.rows, rows.positions).ok());
      }
    }
    return states;
  }

  std::shared_ptr<RecordBatch> Rows(std::vector<FinishedGroups> parts) const {
    const auto rows = GroupRows::Make(context_, schema_, std::move(parts)).ValueOrDie();
    arrow::RecordBatchVector batches = {RecordBatch::MakeEmpty(schema_).ValueOrDie()};
    for (int64_t first = 0; first < rows->row_count();) {
      batches.push_back(rows->Read(first, rows->row_count()).ValueOrDie());
      first += batches.back()->num_rows();
    }
    return ConcatenateBatches(schema_, batches, context_->pool()).ValueOrDie()[0];
  }

  std::shared_ptr<RecordBatch> InOneGo() const {
    const auto groups = Empty();
    std::vector<int64_t> positions(static_cast<size_t>(input_->num_rows()));
    std::iota(positions.begin(), positions.end(), 0);
    EXPECT_TRUE(groups->Update(*layout_->Narrow(*input_), positions).ok());
    std::vector<FinishedGroups> parts(1);
    parts[0] = groups->Finish().ValueOrDie();
    return Rows(std::move(parts));
  }

  // Exported groups of several parts, merged by partition in random order, and that once more.
  std::shared_ptr<RecordBatch> Exported(std::mt19937* random) const {
    constexpr uint32_t kCount = 3;
    auto states = States(Deal(4, random));
    for (int round = 0; round < 2; ++round) {
      std::vector<std::vector<std::shared_ptr<RecordBatch>>> exported(kCount);
      for (const auto& groups : states) {
        EXPECT_TRUE(groups->Cut(kCount, 0, kCount).ok());
        const arrow::Status status =
            groups->Export([&](uint32_t partition, const std::shared_ptr<RecordBatch>& batch) {
              EXPECT_TRUE(batch->schema()->Equals(*layout_->state_schema()));
              ARROW_RETURN_NOT_OK(batch->Validate());
              exported[partition].push_back(batch);
              return arrow::Status::OK();
            });
        EXPECT_TRUE(status.ok()) << status.ToString();
      }
      states.clear();
      for (auto& batches : exported) {
        std::shuffle(batches.begin(), batches.end(), *random);
        states.push_back(Empty());
        for (const auto& batch : batches) {
          const arrow::Status status = states.back()->Merge(*batch);
          EXPECT_TRUE(status.ok()) << status.ToString();
        }
      }
    }
    return Rows(FinishAll(states));
  }

  std::shared_ptr<RecordBatch> MergedLast(std::mt19937* random) const {
    constexpr uint32_t kCount = 2;
    auto states = States(Deal(3, random));
    for (const auto& groups : states) {
      EXPECT_TRUE(groups->Cut(kCount, 0, kCount).ok());
    }
    std::vector<std::unique_ptr<GroupStates>> merged;
    for (uint32_t partition = 0; partition < kCount; ++partition) {
      merged.push_back(Empty());
      for (const auto& groups : states) {
        EXPECT_TRUE(merged.back()->MergeLast(*groups, partition).ok());
      }
    }
    states.clear();
    return Rows(FinishAll(merged));
  }

  // Rows passed on to shared partitions by two workers, of which one brings groups of its own.
  std::shared_ptr<RecordBatch> Shared(std::mt19937* random) const {
    const auto partitions = GroupPartitions::Make(context_, *layout_).ValueOrDie();
    auto parts = Deal(3, random);
    std::vector<std::vector<Part>> own = {std::move(parts[2])};
    auto states = States(own);
    std::vector<std::thread> workers;
    for (size_t worker = 0; worker < 2; ++worker) {
      workers.emplace_back([&, worker] {
        const auto feed = GroupPartitions::Feed::Make(partitions.get()).ValueOrDie();
        if (worker == 1) {
          EXPECT_TRUE(feed->AddGroups(states[0].get()).ok());
        }
        for (const Part& part : parts[worker]) {
          EXPECT_TRUE(feed->Add(part.rows, part.positions[0]).ok());
          EXPECT_TRUE(part.positions.size() % 2 == 0 || feed->Flush().ok());
        }
        EXPECT_TRUE(feed->Flush().ok());
      });
    }
    for (std::thread& worker : workers) {
      worker.join();
    }
    return Rows(partitions->Finish().ValueOrDie());
  }

  void Check(std::mt19937* random) const {
    const auto expected = InOneGo();
    ExpectRows(Exported(random), expected);
    ExpectRows(MergedLast(random), expected);
    ExpectRows(Shared(random), expected);
  }

 private:
  static std::vector<FinishedGroups> FinishAll(
      const std::vector<std::unique_ptr<GroupStates>>& states) {
    std::vector<FinishedGroups> parts;
    for (const auto& groups : states) {
      parts.push_back(groups->Finish().ValueOrDie());
    }
    return parts;
  }

  QueryContext* context_;
  std::shared_ptr<RecordBatch> input_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<AggregateLayout> layout_;
};

AggregateColumn Column(const RecordBatch& input, const std::string& name,
                       std::vector<int> arguments) {
  std::vector<ScalarArgument> types;
  for (const int argument : arguments) {
    types.push_back({input.schema()->field(argument)->type(), nullptr, ""});
  }
  AggregateColumn column;
  column.function = BindAggregateFunction(name, types).ValueOrDie();
  column.arguments = std::move(arguments);
  return column;
}

std::shared_ptr<RecordBatch> RandomRows(const arrow::DataTypeVector& types, int64_t rows,
                                        std::mt19937* random) {
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  for (const auto& type : types) {
    fields.push_back(arrow::field("f" + std::to_string(fields.size()), type));
    columns.push_back(RandomArray(type, rows, true, random));
  }
  return RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(columns));
}

QueryContext::Options Options(int64_t batch_rows_max) {
  QueryContext::Options options;
  options.threads = 2;
  options.batch_rows_max = batch_rows_max;
  return options;
}

TEST(GroupStates, PartsMergeToTheWhole) {
  std::mt19937 random(1);
  for (const int64_t batch_rows : {1, 7, 8192}) {
    QueryContext context(Options(batch_rows));
    auto input = RandomRows({arrow::utf8(), arrow::float64(), arrow::int64(), arrow::boolean(),
                             arrow::decimal128(20, 2), arrow::utf8()},
                            700, &random);
    arrow::Int64Builder small;
    for (int64_t row = 0; row < 700; ++row) {
      ASSERT_TRUE((row % 9 == 0 ? small.AppendNull() : small.Append(row % 50 - 25)).ok());
    }
    input =
        input->SetColumn(2, input->schema()->field(2), small.Finish().ValueOrDie()).ValueOrDie();
    std::vector<AggregateColumn> columns;
    for (const std::string name : {"count", "sum", "avg", "min", "max", "var_samp", "stddev_pop"}) {
      columns.push_back(Column(*input, name, {1}));
    }
    columns.push_back(Column(*input, "count", {}));
    columns.push_back(Column(*input, "sum", {2}));
    columns.push_back(Column(*input, "avg", {4}));
    columns.push_back(Column(*input, "max", {5}));
    for (const std::string name : {"bool_and", "bool_or", "count_if"}) {
      columns.push_back(Column(*input, name, {3}));
    }
    for (const std::string name : {"count", "min"}) {
      columns.push_back(Column(*input, name, {5}));
      columns.back().distinct = true;
    }
    columns.push_back(Column(*input, "sum", {1}));
    columns.back().filter = 3;
    Aggregation(&context, input, {0}, columns).Check(&random);
    Aggregation(&context, input, {0, 1}, columns).Check(&random);
  }
}

TEST(GroupStates, WinnersAndListsOfPartsMergeToTheWhole) {
  std::mt19937 random(2);
  for (const int64_t batch_rows : {1, 7, 8192}) {
    QueryContext context(Options(batch_rows));
    const auto input = RandomRows({arrow::utf8(), arrow::int32(), arrow::utf8(), arrow::boolean(),
                                   arrow::list(arrow::utf8())},
                                  500, &random);
    std::vector<AggregateColumn> columns;
    const std::vector<std::vector<OrderColumn>> orders = {
        {}, {{1, true, false}}, {{1, false, true}}, {{2, true, true}}, {{3}, {2, true, false}}};
    for (const auto& order : orders) {
      for (const int value : {3, 4, 0}) {
        columns.push_back(Column(*input, "first_value", {value}));
        columns.back().order = order;
        columns.push_back(columns.back());
        columns.back().ties_to_last = true;
        columns.push_back(columns.back());
        columns.back().filter = 3;
        columns.back().required = {1};
        columns.push_back(Column(*input, "array_agg", {value}));
        columns.back().order = order;
        columns.push_back(columns.back());
        columns.back().distinct = true;
        columns.back().filter = 3;
      }
    }
    Aggregation(&context, input, {0}, columns).Check(&random);
    Aggregation(&context, input, {3, 1}, columns).Check(&random);
  }
}

// Keys that are equal but look different show the one of the first row.
TEST(GroupStates, KeyOfTheFirstRowIsShown) {
  QueryContext context(Options(8192));
  const auto schema = arrow::schema({arrow::field("k", arrow::float64())});
  const auto input = BatchFromJson(schema, "[[-0.0], [0.0], [NaN], [null], [0.0], [-0.0]]");
  const Aggregation aggregation(&context, input, {0}, {Column(*input, "count", {0})});
  const auto groups = aggregation.Empty();
  // The rows come last first.
  for (int64_t row = 5; row >= 0; --row) {
    const std::vector<int64_t> position = {row};
    ASSERT_TRUE(groups->Update(*input->Slice(row, 1), position).ok());
  }
  std::vector<FinishedGroups> parts(1);
  parts[0] = groups->Finish().ValueOrDie();
  const auto rows = aggregation.Rows(std::move(parts));
  EXPECT_EQ(rows->num_rows(), 3);
  EXPECT_TRUE(std::signbit(static_cast<const arrow::DoubleArray&>(*rows->column(0)).Value(0)));
  EXPECT_EQ(rows->column(1)->ToString(), "[\n  4,\n  1,\n  0\n]");
}

// NULL rows of a struct whose children hold values stay NULL and equal.
TEST(GroupStates, NullStructsWithValuesBelow) {
  QueryContext context(Options(7));
  std::mt19937 random(3);
  const auto children = RandomRows({arrow::int64(), arrow::utf8()}, 300, &random);
  const auto valid = RandomArray(arrow::boolean(), 300, false, &random);
  std::shared_ptr<arrow::Buffer> bitmap = arrow::AllocateEmptyBitmap(300).ValueOrDie();
  for (int64_t row = 0; row < 300; ++row) {
    arrow::bit_util::SetBitTo(bitmap->mutable_data(), row,
                              static_cast<const arrow::BooleanArray&>(*valid).Value(row));
  }
  const auto structs = std::make_shared<arrow::StructArray>(
      arrow::struct_(children->schema()->fields()), 300, children->columns(), bitmap);
  const auto order = RandomArray(arrow::int8(), 300, true, &random);
  const auto input = RecordBatch::Make(
      arrow::schema({arrow::field("s", structs->type()), arrow::field("o", order->type())}), 300,
      {structs, order});
  std::vector<AggregateColumn> columns = {
      Column(*input, "count", {0}), Column(*input, "first_value", {0}),
      Column(*input, "array_agg", {0}), Column(*input, "max", {0}), Column(*input, "count", {0})};
  columns[1].order = {{1, true, false}};
  columns[4].distinct = true;
  Aggregation(&context, input, {0}, columns).Check(&random);
  Aggregation(&context, input, {1}, columns).Check(&random);
}

}  // namespace
}  // namespace keepone
