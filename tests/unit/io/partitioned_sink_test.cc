// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "io/partition_path.h"
#include "io/sink.h"
#include "tests/unit/io/source_testing.h"

namespace keepone {

namespace {

namespace fs = std::filesystem;

class PartitionedSinkTest : public testing::Test {
 protected:
  static std::shared_ptr<arrow::RecordBatch> MakeBatch(int64_t begin, int64_t rows,
                                                       int64_t partitions) {
    arrow::Int64Builder keys;
    arrow::Int64Builder values;
    arrow::StringBuilder texts;
    for (int64_t i = begin; i < begin + rows; ++i) {
      EXPECT_TRUE(keys.Append(i * 7919 % partitions).ok());
      EXPECT_TRUE(values.Append(i).ok());
      EXPECT_TRUE(texts.Append(std::string(100, 'x') + std::to_string(i)).ok());
    }
    const auto schema =
        arrow::schema({arrow::field("k", arrow::int64()), arrow::field("v", arrow::int64()),
                       arrow::field("t", arrow::utf8())});
    return arrow::RecordBatch::Make(schema, rows,
                                    {*keys.Finish(), *values.Finish(), *texts.Finish()});
  }

  // The files below `path`, by their names in it.
  static std::vector<std::string> Files(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) {
        names.push_back(fs::relative(entry.path(), path).string());
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& batch, const std::string& path,
                      const SinkOptions& options, FileFormat format = FileFormat::kParquet) {
    QueryContext context({});
    ARROW_ASSIGN_OR_RAISE(auto sink,
                          MakeFileSink(&context, format, batch->schema(), options, path));
    ARROW_RETURN_NOT_OK(sink->Write(batch));
    return sink->Finish();
  }

  std::shared_ptr<arrow::RecordBatch> small_ = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8()),
                     arrow::field("v", arrow::int64())}),
      4,
      {arrow::json::ArrayFromJSONString(arrow::int64(), "[1, null, 1, 2]").ValueOrDie(),
       arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["x/y", "", "x/y", "ü=%"])").ValueOrDie(),
       arrow::json::ArrayFromJSONString(arrow::int64(), "[7, 8, 9, 10]").ValueOrDie()});
  ScratchDirectory directory_;
};

TEST_F(PartitionedSinkTest, LayoutOfHive) {
  const std::string path = directory_.File("out");
  SinkOption by;
  by.list = {"A", "b"};
  ASSERT_TRUE(Write(small_, path + "/", {{"partition_by", by}}).ok());
  EXPECT_EQ(Files(path),
            (std::vector<std::string>{"a=1/b=x%2Fy/data_0.parquet", "a=2/b=ü%3D%25/data_0.parquet",
                                      "a=__HIVE_DEFAULT_PARTITION__/b=/data_0.parquet"}));
  const auto table = ReadByArrow(path + "/a=1/b=x%2Fy/data_0.parquet").ValueOrDie();
  ASSERT_EQ(table->num_columns(), 1);
  const auto expected = arrow::json::ArrayFromJSONString(arrow::int64(), "[7, 9]").ValueOrDie();
  EXPECT_TRUE(table->column(0)->chunk(0)->Equals(expected));
  EXPECT_EQ(Files(directory_.path()).size(), 3u);  // nothing else is left
}

TEST_F(PartitionedSinkTest, FullDirectoriesAreReplacedOnlyWhenAsked) {
  const std::string path = directory_.File("out");
  fs::create_directories(path);
  ASSERT_TRUE(Write(small_, path, {{"partition_by", {"a"}}}).ok());  // empty
  const auto before = Files(path);
  const arrow::Status status = Write(small_, path, {{"partition_by", {"b"}}});
  EXPECT_NE(status.ToString().find("not empty"), std::string::npos);
  EXPECT_EQ(Files(path), before);
  ASSERT_TRUE(Write(small_, path, {{"partition_by", {"b"}}, {"overwrite", {}}}).ok());
  EXPECT_EQ(Files(path).size(), 3u);
  EXPECT_NE(Files(path), before);
  EXPECT_EQ(Files(directory_.path()).size(), 3u);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(PartitionedSinkTest, NothingIsLeftOfWhatFails) {
  QueryContext context({});
  const std::string path = directory_.File("out");
  {
    auto sink = MakeFileSink(&context, FileFormat::kParquet, small_->schema(),
                             {{"partition_by", {"a"}}}, path)
                    .ValueOrDie();
    ASSERT_TRUE(sink->Write(small_).ok());
  }
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(PartitionedSinkTest, TextThatStandsForNullIsAnError) {
  const auto batch = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("a", arrow::utf8()), arrow::field("v", arrow::utf8())}), 1,
      {arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["__HIVE_DEFAULT_PARTITION__"])")
           .ValueOrDie(),
       arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["v"])").ValueOrDie()});
  const arrow::Status status = Write(batch, directory_.File("out"), {{"partition_by", {"a"}}});
  EXPECT_NE(status.ToString().find("stands for NULL"), std::string::npos);
}

TEST_F(PartitionedSinkTest, BadOptionsAreTold) {
  const std::string path = directory_.File("out");
  SinkOption all;
  all.list = {"a", "b", "v"};
  EXPECT_FALSE(Write(small_, path, {{"partition_by", all}}).ok());
  EXPECT_TRUE(Write(small_, path, {{"partition_by", all}, {"write_partition_columns", {}}}).ok());
  EXPECT_FALSE(Write(small_, path + "2", {{"partition_by", {"c"}}}).ok());
  EXPECT_FALSE(Write(small_, path + "2", {{"partition_by", {"a"}}, {"header", {}}}).ok());
  EXPECT_FALSE(fs::exists(path + "2"));
}

TEST_F(PartitionedSinkTest, TextIsCompressedByOption) {
  const std::string path = directory_.File("out");
  ASSERT_TRUE(
      Write(small_, path, {{"partition_by", {"a"}}, {"compression", {"gzip"}}}, FileFormat::kCsv)
          .ok());
  EXPECT_EQ(Files(path)[0], "a=1/data_0.csv.gz");
}

// More partitions than files may be open, under a limit that lets few rows wait.
TEST_F(PartitionedSinkTest, ManyPartitionsUnderALimit) {
  for (const int threads : {1, 3}) {
    QueryContext::Options context_options;
    context_options.threads = threads;
    context_options.memory_bytes_max = 16 << 20;
    QueryContext context(context_options);
    const std::string path = directory_.File("many" + std::to_string(threads));
    constexpr int64_t kRows = 60000;
    constexpr int64_t kPartitions = 150;
    auto sink = MakeFileSink(&context, FileFormat::kParquet, MakeBatch(0, 1, 1)->schema(),
                             {{"partition_by", {"k"}}}, path)
                    .ValueOrDie();
    for (int64_t begin = 0; begin < kRows; begin += 1000) {
      const arrow::Status status = sink->Write(MakeBatch(begin, 1000, kPartitions));
      ASSERT_TRUE(status.ok()) << status.ToString();
    }
    ASSERT_TRUE(sink->Finish().ok());
    int64_t rows = 0;
    for (int64_t k = 0; k < kPartitions; ++k) {
      const std::string partition = path + "/k=" + std::to_string(k) + "/data_";
      int64_t last = -1;
      for (int file = 0; fs::exists(partition + std::to_string(file) + ".parquet"); ++file) {
        const auto table = ReadByArrow(partition + std::to_string(file) + ".parquet").ValueOrDie();
        rows += table->num_rows();
        const auto values = std::static_pointer_cast<arrow::Int64Array>(table->column(0)->chunk(0));
        for (int64_t i = 0; i < values->length(); ++i) {
          ASSERT_GT(values->Value(i), last);  // in order, over the files too
          last = values->Value(i);
          ASSERT_EQ(last * 7919 % kPartitions, k);
        }
      }
    }
    EXPECT_EQ(rows, kRows);
  }
}

TEST(PartitionPathTest, Escapes) {
  std::string out;
  AppendPathSegment("a b/c=d%\x01é:", &out);
  EXPECT_EQ(out, "a b%2Fc%3Dd%25%01é%3A");
}

}  // namespace

}  // namespace keepone
