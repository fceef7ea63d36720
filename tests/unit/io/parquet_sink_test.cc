// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <parquet/bloom_filter.h>
#include <parquet/bloom_filter_reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include "base/error.h"
#include "io/sink.h"
#include "tests/unit/io/source_testing.h"

namespace keepone {

namespace {

std::shared_ptr<arrow::RecordBatch> MakeBatch(int64_t begin, int64_t rows) {
  arrow::Int64Builder unique;
  arrow::Int64Builder few;
  arrow::StringBuilder words;
  arrow::BooleanBuilder flags;
  const auto values = std::make_shared<arrow::StringBuilder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), values);
  for (int64_t i = begin; i < begin + rows; ++i) {
    EXPECT_TRUE(unique.Append(i).ok());
    EXPECT_TRUE(few.Append(i % 10).ok());
    EXPECT_TRUE(words.Append("a rather long text of number " + std::to_string(i % 7)).ok());
    EXPECT_TRUE(flags.Append(i % 2 == 0).ok());
    EXPECT_TRUE(lists.Append().ok());
    EXPECT_TRUE(values->Append("element " + std::to_string(i)).ok());
    EXPECT_TRUE(values->AppendNull().ok());
  }
  const arrow::ArrayVector columns = {*unique.Finish(), *few.Finish(), *words.Finish(),
                                      *flags.Finish(), *lists.Finish()};
  const std::vector<std::string> names = {"unique", "few", "words", "flags", "lists"};
  arrow::FieldVector fields;
  for (size_t i = 0; i < names.size(); ++i) {
    fields.push_back(arrow::field(names[i], columns[i]->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), rows, columns);
}

class ParquetSinkTest : public testing::Test {
 protected:
  // Writes `rows` rows in batches of 1000 and gives the path.
  std::string Write(const std::string& name, int threads, const SinkOptions& options,
                    int64_t rows = 20000) {
    QueryContext::Options context_options;
    context_options.threads = threads;
    QueryContext context(context_options);
    const std::string path = directory_.File(name);
    const auto schema = MakeBatch(0, 1)->schema();
    auto sink = MakeFileSink(&context, FileFormat::kParquet, schema, options, path).ValueOrDie();
    for (int64_t begin = 0; begin < rows; begin += 1000) {
      EXPECT_TRUE(sink->Write(MakeBatch(begin, std::min<int64_t>(1000, rows - begin))).ok());
    }
    EXPECT_TRUE(sink->Finish().ok());
    return path;
  }

  // The leaf columns that have a dictionary page in the first row group.
  static std::vector<std::string> ColumnsWithDictionary(const std::string& path) {
    const auto metadata = parquet::ParquetFileReader::OpenFile(path)->metadata();
    std::vector<std::string> names;
    for (int i = 0; i < metadata->num_columns(); ++i) {
      if (metadata->RowGroup(0)->ColumnChunk(i)->has_dictionary_page()) {
        names.push_back(metadata->schema()->Column(i)->path()->ToDotString());
      }
    }
    return names;
  }

  static std::string Bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  ScratchDirectory directory_;
};

TEST_F(ParquetSinkTest, TheBytesDoNotDependOnTheThreads) {
  const SinkOptions options = {{"row_group_bytes", {"100000"}}};
  const std::string one = Write("one.parquet", 1, options);
  const std::string four = Write("four.parquet", 4, options);
  EXPECT_EQ(Bytes(one), Bytes(four));
  const auto metadata = parquet::ParquetFileReader::OpenFile(one)->metadata();
  EXPECT_GT(metadata->num_row_groups(), 5);
}

TEST_F(ParquetSinkTest, RowsComeBack) {
  for (const int threads : {1, 4}) {
    const std::string path =
        Write("rows.parquet", threads, {{"row_group_size", {"3500"}}, {"compression", {"zstd"}}});
    const auto table = ReadByArrow(path).ValueOrDie();
    const auto expected = arrow::Table::FromRecordBatches({MakeBatch(0, 20000)}).ValueOrDie();
    EXPECT_TRUE(table->Equals(*expected, /*check_metadata=*/false));
    const auto metadata = parquet::ParquetFileReader::OpenFile(path)->metadata();
    EXPECT_EQ(metadata->num_row_groups(), 6);
    EXPECT_EQ(metadata->RowGroup(0)->num_rows(), 3500);
  }
}

TEST_F(ParquetSinkTest, NearUniqueColumnsHaveNoDictionary) {
  EXPECT_EQ(ColumnsWithDictionary(Write("auto.parquet", 2, {})),
            (std::vector<std::string>{"few", {"words"}}));
  EXPECT_EQ(ColumnsWithDictionary(Write("all.parquet", 2, {{"dictionary", {"true"}}})),
            (std::vector<std::string>{"unique", "few", "words", "lists.list.element"}));
  EXPECT_TRUE(ColumnsWithDictionary(Write("none.parquet", 2, {{"dictionary", {"false"}}})).empty());
}

TEST_F(ParquetSinkTest, DictionariesOfNamedColumns) {
  SinkOption columns;
  columns.list = {"Unique", "lists"};
  EXPECT_EQ(ColumnsWithDictionary(Write("some.parquet", 2, {{"dictionary", columns}})),
            (std::vector<std::string>{"unique", "lists.list.element"}));
}

TEST_F(ParquetSinkTest, BloomFiltersAndPageIndexes) {
  const std::string path =
      Write("filters.parquet", 2, {{"bloom_filter", {}}, {"row_group_size", {"7000"}}});
  const auto reader = parquet::ParquetFileReader::OpenFile(path);
  const auto row_group = reader->metadata()->RowGroup(2);
  std::vector<bool> filtered;
  for (int i = 0; i < row_group->num_columns(); ++i) {
    filtered.push_back(row_group->ColumnChunk(i)->bloom_filter_offset().has_value());
    EXPECT_TRUE(row_group->ColumnChunk(i)->GetOffsetIndexLocation().has_value());
  }
  EXPECT_EQ(filtered, (std::vector<bool>{true, true, true, false, false}));
  const auto filter = reader->GetBloomFilterReader().RowGroup(2)->GetColumnBloomFilter(0);
  EXPECT_TRUE(filter->FindHash(filter->Hash(int64_t{14000})));
  EXPECT_FALSE(filter->FindHash(filter->Hash(int64_t{1} << 40)));

  const auto plain =
      parquet::ParquetFileReader::OpenFile(Write("plain.parquet", 2, {{"page_index", {"false"}}}));
  const auto chunk = plain->metadata()->RowGroup(0)->ColumnChunk(0);
  EXPECT_FALSE(chunk->GetOffsetIndexLocation().has_value());
  EXPECT_FALSE(chunk->bloom_filter_offset().has_value());
}

TEST_F(ParquetSinkTest, OptionsThatAreWrong) {
  QueryContext context({});
  const auto schema = MakeBatch(0, 1)->schema();
  SinkOption nested;
  nested.list = {"lists"};
  SinkOption unknown;
  unknown.list = {"uniqe"};
  unknown.span = {17, 4};
  const std::vector<SinkOptions> wrong = {
      {{"bloom_filter", nested}},   {{"bloom_filter_false_positive_ratio", {"1"}}},
      {{"dictionary", unknown}},    {{"compression", {"zstd"}}, {"codec", {"zstd"}}},
      {{"row_group_size", nested}}, {{"compression", {"zstd"}}, {"compression_level", {"99"}}}};
  for (const SinkOptions& options : wrong) {
    const arrow::Status status =
        MakeFileSink(&context, FileFormat::kParquet, schema, options, directory_.File("w.parquet"))
            .status();
    EXPECT_EQ(GetErrorKind(status), ErrorKind::kBind) << status.ToString();
  }
  const arrow::Status status = MakeFileSink(&context, FileFormat::kParquet, schema,
                                            {{"dictionary", unknown}}, directory_.File("w.parquet"))
                                   .status();
  EXPECT_EQ(GetErrorDetail(status)->span()->offset, 17);
  EXPECT_NE(GetErrorDetail(status)->hint().find("unique"), std::string::npos);
}

// Twice each in the whole row group is seldom seen twice among its first values.
TEST_F(ParquetSinkTest, ADictionaryIsJudgedByAllRows) {
  QueryContext context({});
  const auto schema = arrow::schema({arrow::field("v", arrow::utf8())});
  for (const int64_t kinds : {400, 200000}) {
    arrow::StringBuilder builder;
    for (int64_t i = 0; i < 200000; ++i) {
      ASSERT_TRUE(builder.Append(std::to_string(i * 7919 % kinds + 1000000)).ok());
    }
    const auto batch = arrow::RecordBatch::Make(schema, 200000, {*builder.Finish()});
    const std::string path = directory_.File("judged.parquet");
    auto sink = MakeFileSink(&context, FileFormat::kParquet, schema, {}, path).ValueOrDie();
    ASSERT_TRUE(sink->Write(batch).ok());
    ASSERT_TRUE(sink->Finish().ok());
    EXPECT_EQ(ColumnsWithDictionary(path).size(), kinds == 400 ? 1u : 0u);
  }
}

TEST_F(ParquetSinkTest, AFileWithoutRows) {
  const std::string path = Write("empty.parquet", 2, {}, 0);
  EXPECT_EQ(ReadByArrow(path).ValueOrDie()->num_rows(), 0);
}

}  // namespace

}  // namespace keepone
