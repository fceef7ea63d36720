// SPDX-License-Identifier: Apache-2.0
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arrow/util/byte_size.h>

#include "base/error.h"
#include "column/gather.h"
#include "exec/batch_map.h"
#include "exec/carry_winners.h"
#include "exec/merge_runs.h"
#include "exec/sort.h"
#include "exec/spill_file.h"
#include "exec/window.h"
#include "tests/support/cut_stream.h"
#include "tests/unit/column/random_arrays.h"

namespace keepone {
namespace {

// A directory for the temporary files of one test, which must be empty at the end.
class SpillTest : public testing::Test {
 protected:
  SpillTest() {
    std::string name = (std::filesystem::temp_directory_path() / "spill_test_XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    parent_ = name;
    options_.temp_directory = name;
  }
  ~SpillTest() override {
    std::error_code ignored;
    std::filesystem::permissions(parent_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(parent_, ignored);
  }

  int64_t FileCount() const {
    return std::distance(std::filesystem::directory_iterator(parent_),
                         std::filesystem::directory_iterator());
  }

  std::filesystem::path parent_;
  QueryContext::Options options_;
};

arrow::Result<arrow::RecordBatchVector> ReadFile(const SpillFile& file) {
  ARROW_ASSIGN_OR_RAISE(auto reader, file.Read());
  arrow::RecordBatchVector batches;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->Next());
    if (batch == nullptr) {
      return batches;
    }
    batches.push_back(std::move(batch));
  }
}

std::shared_ptr<arrow::RecordBatch> Numbers(int64_t first, int64_t count, int64_t step = 1) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_TRUE(builder.Append(first + i * step).ok());
  }
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("n", arrow::int64())}), count,
                                  {builder.Finish().ValueOrDie()});
}

// The rows in batches that the context counts, as those of sources are.
std::unique_ptr<BatchStream> Counted(QueryContext* context,
                                     const std::shared_ptr<arrow::RecordBatch>& rows) {
  const auto copy = [context](const std::shared_ptr<arrow::RecordBatch>& batch,
                              int64_t) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    ARROW_ASSIGN_OR_RAISE(const auto copies,
                          ConcatenateBatches(batch->schema(), {batch}, context->pool()));
    return copies[0];
  };
  return MakeBatchMap(context, std::make_unique<CutStream>(rows, 64, 1), rows->schema(), copy);
}

// The same rows, none of which is kept, from a stream that writes to temporary files.
void ExpectRowsOneByOne(QueryContext* context, std::unique_ptr<BatchStream> stream,
                        const arrow::RecordBatch& expected) {
  const auto reader = MakeOrderedReader(context, std::move(stream));
  int64_t row = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = reader->ReadNext(&batch);
    ASSERT_TRUE(status.ok()) << status.ToString();
    if (batch == nullptr) {
      break;
    }
    ASSERT_TRUE(batch->Equals(*expected.Slice(row, batch->num_rows())));
    row += batch->num_rows();
  }
  EXPECT_EQ(row, expected.num_rows());
  EXPECT_GT(context->temp().bytes_peak(), 0);
  EXPECT_EQ(context->temp().bytes(), 0);
}

TEST_F(SpillTest, EveryTypeComesBackAsItWas) {
  std::mt19937 random(3);
  arrow::FieldVector fields;
  std::vector<arrow::ArrayVector> columns(3);
  for (const auto& type : AllTypes()) {
    fields.push_back(arrow::field(std::to_string(fields.size()), type));
    for (auto& batch : columns) {
      // Other dictionaries in each batch; slices.
      batch.push_back(RandomArray(type, 50, true, &random));
    }
  }
  const auto schema = arrow::schema(fields);
  options_.batch_rows_max = 20;
  QueryContext context(options_);
  {
    auto file = SpillFile::Make(&context, schema).ValueOrDie();
    arrow::RecordBatchVector expected;
    for (const auto& batch : columns) {
      expected.push_back(arrow::RecordBatch::Make(schema, 50, batch));
      ASSERT_TRUE(file->Append(*expected.back()).ok());
    }
    ASSERT_TRUE(file->Close().ok());
    EXPECT_EQ(file->rows(), 150);
    EXPECT_GT(context.temp().bytes(), 0);
    for (int times = 0; times < 2; ++times) {
      const auto got = ReadFile(*file);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      int64_t row = 0;
      for (const auto& batch : *got) {
        EXPECT_LE(batch->num_rows(), 20);
        ASSERT_TRUE(batch->Validate().ok()) << batch->Validate().ToString();
        EXPECT_TRUE(batch->schema()->Equals(*schema));
        const auto& whole = expected[static_cast<size_t>(row / 50)];
        for (int i = 0; i < batch->num_columns(); ++i) {
          EXPECT_TRUE(batch->column(i)->type()->Equals(*whole->column(i)->type()));
          EXPECT_TRUE(
              batch->column(i)->RangeEquals(*whole->column(i), 0, batch->num_rows(), row % 50,
                                            arrow::EqualOptions::Defaults().nans_equal(true)))
              << batch->column(i)->type()->ToString();
        }
        row += batch->num_rows();
      }
      EXPECT_EQ(row, 150);
    }
    EXPECT_EQ(FileCount(), 1);
  }
  EXPECT_EQ(context.temp().bytes(), 0);
  EXPECT_EQ(context.pool()->bytes_allocated(), 0);
}

TEST_F(SpillTest, ASliceOfViewsWritesNoMoreThanItsValues) {
  arrow::StringViewBuilder builder;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(builder.Append(std::string(500, static_cast<char>('a' + i % 26))).ok());
  }
  const auto schema = arrow::schema({arrow::field("v", arrow::utf8_view())});
  const auto batch = arrow::RecordBatch::Make(schema, 10000, {builder.Finish().ValueOrDie()});
  QueryContext context(options_);
  auto file = SpillFile::Make(&context, schema).ValueOrDie();
  ASSERT_TRUE(file->Append(*batch->Slice(500, 10)).ok());
  ASSERT_TRUE(file->Close().ok());
  const auto got = ReadFile(*file).ValueOrDie();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_TRUE(got[0]->Equals(*batch->Slice(500, 10)));
  EXPECT_LT(arrow::util::TotalBufferSize(*got[0]), 100000);
}

TEST_F(SpillTest, RowsWithoutColumns) {
  QueryContext context(options_);
  const auto schema = arrow::schema({});
  auto file = SpillFile::Make(&context, schema).ValueOrDie();
  ASSERT_TRUE(file->Append(*arrow::RecordBatch::Make(schema, 7, arrow::ArrayVector{})).ok());
  ASSERT_TRUE(file->Close().ok());
  const auto got = ReadFile(*file).ValueOrDie();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0]->num_rows(), 7);
}

TEST_F(SpillTest, PartitionsKeepTheOrderOfTheirRows) {
  QueryContext context(options_);
  auto partitions = SpillPartitions::Make(&context, Numbers(0, 0)->schema(), 5).ValueOrDie();
  for (int64_t first = 0; first < 1000; first += 100) {
    std::vector<uint32_t> targets;
    for (int64_t i = first; i < first + 100; ++i) {
      targets.push_back(i % 7 < 4 ? static_cast<uint32_t>(i % 7) : 0);
    }
    ASSERT_TRUE(partitions->Append(*Numbers(first, 100), targets).ok());
  }
  const auto files = partitions->Finish().ValueOrDie();
  ASSERT_EQ(files.size(), 5u);
  EXPECT_EQ(files[4], nullptr);
  int64_t rows = 0;
  for (size_t partition = 0; partition < 4; ++partition) {
    int64_t last = -1;
    for (const auto& batch : ReadFile(*files[partition]).ValueOrDie()) {
      const auto& values = static_cast<const arrow::Int64Array&>(*batch->column(0));
      for (int64_t i = 0; i < batch->num_rows(); ++i, ++rows) {
        EXPECT_LT(last, values.Value(i));
        last = values.Value(i);
        EXPECT_EQ(last % 7 < 4 ? static_cast<size_t>(last % 7) : 0u, partition);
      }
    }
  }
  EXPECT_EQ(rows, 1000);
}

TEST_F(SpillTest, MergedRunsComeInOrder) {
  for (const int64_t limit : {int64_t{-1}, int64_t{4} << 20}) {
    options_.memory_bytes_max = limit;
    options_.batch_rows_max = 10;
    options_.batch_bytes_max = 100000;
    QueryContext context(options_);
    for (const int64_t run_count : {1, 2, 3, 40}) {
      std::vector<std::unique_ptr<SpillFile>> runs;
      for (int64_t run = 0; run < run_count; ++run) {
        runs.push_back(SpillFile::Make(&context, Numbers(0, 0)->schema()).ValueOrDie());
        ASSERT_TRUE(runs.back()->Append(*Numbers(run, 25, run_count)).ok());
        ASSERT_TRUE(runs.back()->Close().ok());
      }
      runs.push_back(nullptr);
      ExpectRows(ReadAllRows(&context, MakeMergedRuns(&context, std::move(runs), {{0}}, {0},
                                                      Numbers(0, 0)->schema())),
                 Numbers(0, 25 * run_count));
      EXPECT_EQ(context.temp().bytes(), 0);
    }
  }
}

TEST_F(SpillTest, EqualRowsComeInTheOrderOfTheRuns) {
  const auto schema =
      arrow::schema({arrow::field("k", arrow::utf8()), arrow::field("run", arrow::int32())});
  options_.memory_bytes_max = 4 << 20;  // merges four runs at a time
  QueryContext context(options_);
  std::vector<std::unique_ptr<SpillFile>> runs;
  std::string expected = "[";
  for (int run = 0; run < 30; ++run) {
    const std::string number = std::to_string(run);
    runs.push_back(SpillFile::Make(&context, schema).ValueOrDie());
    ASSERT_TRUE(
        runs.back()
            ->Append(*BatchFromJson(schema, "[[\"a\", " + number + "], [\"a\", " + number + "]]"))
            .ok());
    ASSERT_TRUE(runs.back()->Close().ok());
    for (int i = 0; i < 2; ++i) {
      expected += (expected.size() > 1 ? ", [" : "[") + number + "]";
    }
  }
  const auto output = arrow::schema({schema->field(1)});
  ExpectRows(
      ReadAllRows(&context, MakeMergedRuns(&context, std::move(runs), {{0, true}}, {1}, output)),
      BatchFromJson(output, expected + "]"));
}

TEST_F(SpillTest, SortingStaysWithinItsLimit) {
  std::mt19937 random(9);
  const int64_t count = 100000;
  arrow::Int64Builder keys;
  arrow::StringBuilder texts;
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_TRUE(keys.Append(static_cast<int64_t>(random() % 1000)).ok());
    ASSERT_TRUE(texts.Append(std::string(random() % 120, 'x') + std::to_string(i)).ok());
  }
  const auto rows = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("t", arrow::utf8())}), count,
      {keys.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  options_.batch_bytes_max = 1 << 16;
  const auto sort = [&](QueryContext* context) {
    // CutStream's batches are not counted: they stand for what sources hold.
    return MakeSort(context, std::make_unique<CutStream>(rows, 4096, 1), {{0, true}}, std::nullopt);
  };
  QueryContext unlimited(options_);
  const auto expected = ReadAllRows(&unlimited, sort(&unlimited)).ValueOrDie();
  EXPECT_EQ(unlimited.temp().bytes_peak(), 0);
  options_.memory_bytes_max = 4 << 20;
  for (const int threads : {1, 3}) {
    options_.threads = threads;
    QueryContext context(options_);
    ExpectRowsOneByOne(&context, sort(&context), *expected);
  }
}

// Winners of 21 MB under a limit of 8 MB: of one row a group, and of a rule that keeps more.
TEST_F(SpillTest, CarryingWinnersStaysWithinItsLimit) {
  std::mt19937 random(4);
  const int64_t count = 60000;
  arrow::Int64Builder keys;
  arrow::Int64Builder orders;
  arrow::StringBuilder texts;
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_TRUE(keys.Append(static_cast<int64_t>(random() % 30000)).ok());
    ASSERT_TRUE(orders.Append(static_cast<int64_t>(random() % 10)).ok());
    ASSERT_TRUE(texts.Append(std::string(800, 'x') + std::to_string(i)).ok());
  }
  const auto rows = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("o", arrow::int64()),
                     arrow::field("t", arrow::utf8())}),
      count,
      {keys.Finish().ValueOrDie(), orders.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  options_.batch_bytes_max = 1 << 16;
  for (const int64_t n : {1, 2}) {
    KeepSpec spec;
    spec.groups = {0};
    spec.order = {{1, true}};
    spec.n = n;
    spec.gives_number = true;
    const auto schema =
        arrow::schema({arrow::field("t", arrow::utf8()), arrow::field("n", arrow::int64())});
    const auto carry = [&](QueryContext* context) {
      return MakeCarryWinners(context, Counted(context, rows), spec, {2}, schema);
    };
    options_.memory_bytes_max = -1;
    options_.threads = 2;
    QueryContext unlimited(options_);
    const auto expected = ReadAllRows(&unlimited, carry(&unlimited)).ValueOrDie();
    options_.memory_bytes_max = 8 << 20;
    for (const int threads : {1, 2}) {
      options_.threads = threads;
      QueryContext context(options_);
      ExpectRowsOneByOne(&context, carry(&context), *expected);
    }
  }
}

TEST_F(SpillTest, WindowsStayWithinTheirLimitOrSayWhatTheyNeed) {
  std::mt19937 random(4);
  const int64_t count = 40000;
  arrow::Int64Builder keys;
  arrow::StringBuilder texts;
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_TRUE(keys.Append(static_cast<int64_t>(random() % 1000)).ok());
    ASSERT_TRUE(texts.Append(std::string(400, 'x') + std::to_string(i)).ok());
  }
  const auto rows = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("t", arrow::utf8())}), count,
      {keys.Finish().ValueOrDie(), texts.Finish().ValueOrDie()});
  auto fields = rows->schema()->fields();
  fields.push_back(arrow::field("n", arrow::int64()));
  const auto schema = arrow::schema(fields);
  options_.batch_bytes_max = 1 << 16;
  const auto number = [&](QueryContext* context, std::vector<int> partition) {
    WindowSpec spec;
    spec.partition = std::move(partition);
    spec.columns.emplace_back();
    return MakeWindow(context, Counted(context, rows), std::move(spec), schema);
  };
  QueryContext unlimited(options_);
  const auto expected = ReadAllRows(&unlimited, number(&unlimited, {0})).ValueOrDie();
  options_.memory_bytes_max = 8 << 20;
  for (const int threads : {1, 2}) {
    options_.threads = threads;
    QueryContext context(options_);
    ExpectRowsOneByOne(&context, number(&context, {0}), *expected);

    QueryContext failing(options_);
    const auto got = ReadAllRows(&failing, number(&failing, {}));
    ASSERT_FALSE(got.ok());
    EXPECT_NE(got.status().message().find("a window function without PARTITION BY holds 40000 "
                                          "rows, which take about"),
              std::string::npos)
        << got.status().ToString();
    EXPECT_EQ(GetErrorDetail(got.status())->kind(), ErrorKind::kResource);
  }
}

TEST_F(SpillTest, ACapThatIsReachedIsAnErrorThatNamesTheSetting) {
  options_.force_spill = true;
  options_.temp_bytes_max = 10000;
  {
    QueryContext context(options_);
    const auto got = ReadAllRows(
        &context, MakeSort(&context, std::make_unique<CutStream>(Numbers(0, 100000), 4096, 1),
                           {{0, true}}, std::nullopt));
    ASSERT_FALSE(got.ok());
    ASSERT_NE(GetErrorDetail(got.status()), nullptr);
    EXPECT_EQ(GetErrorDetail(got.status())->kind(), ErrorKind::kResource);
    EXPECT_NE(GetErrorDetail(got.status())->hint().find("temp_directory_limit"), std::string::npos);
  }
  EXPECT_EQ(FileCount(), 0);
}

TEST_F(SpillTest, ADirectoryThatIsNotThereIsAnErrorThatNamesIt) {
  options_.temp_directory = (parent_ / "nowhere").string();
  QueryContext context(options_);
  const auto file = SpillFile::Make(&context, Numbers(0, 0)->schema());
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.status().message().find("nowhere"), std::string::npos) << file.status().ToString();
  EXPECT_EQ(GetErrorDetail(file.status())->kind(), ErrorKind::kResource);
}

TEST_F(SpillTest, AFileCutShortIsAnError) {
  QueryContext context(options_);
  auto file = SpillFile::Make(&context, Numbers(0, 0)->schema()).ValueOrDie();
  ASSERT_TRUE(file->Append(*Numbers(0, 5000)).ok());
  ASSERT_TRUE(file->Append(*Numbers(0, 5000)).ok());
  ASSERT_TRUE(file->Close().ok());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(parent_)) {
    if (entry.path().filename() != "lock" && entry.is_regular_file()) {
      std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) / 2);
    }
  }
  const auto got = ReadFile(*file);
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.status().message().find(parent_.string()), std::string::npos)
      << got.status().ToString();
}

TEST_F(SpillTest, AnInterruptLeavesNothing) {
  StopFlag stop;
  options_.stop = &stop;
  options_.force_spill = true;
  {
    QueryContext context(options_);
    auto input = std::make_unique<CutStream>(Numbers(0, 100000), 4096, 1);
    input->before_batch = [&](size_t morsel) {
      if (morsel == 10) {
        stop.Set();
      }
      return arrow::Status::OK();
    };
    const auto got =
        ReadAllRows(&context, MakeSort(&context, std::move(input), {{0, true}}, std::nullopt));
    EXPECT_TRUE(got.status().IsCancelled()) << got.status().ToString();
  }
  EXPECT_EQ(FileCount(), 0);
}

TEST_F(SpillTest, DirectoriesOfProcessesThatDiedAreRemoved) {
  const auto stale = parent_ / "keepone-1-dead";
  const auto living = parent_ / "keepone-1-alive";
  const auto foreign = parent_ / "keepone-without-lock";
  for (const auto& path : {stale, living, foreign}) {
    std::filesystem::create_directory(path);
    std::ofstream(path / "0") << "rows";
  }
  std::ofstream(stale / "lock").flush();
  std::ofstream(living / "lock").flush();
  const int lock = ::open((living / "lock").c_str(), O_RDWR);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  {
    QueryContext context(options_);
    ASSERT_TRUE(context.temp().NewPath().ok());
    EXPECT_FALSE(std::filesystem::exists(stale));
    EXPECT_TRUE(std::filesystem::exists(living));
    EXPECT_TRUE(std::filesystem::exists(foreign));
    EXPECT_EQ(FileCount(), 3);
  }
  EXPECT_EQ(FileCount(), 2);
  ::close(lock);
}

}  // namespace
}  // namespace keepone
