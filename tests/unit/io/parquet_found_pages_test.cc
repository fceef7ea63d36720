// SPDX-License-Identifier: Apache-2.0
// Row groups without page index, whose pages are found by their headers.
#include <fstream>
#include <iterator>
#include <string>

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "io/open.h"
#include "io/parquet/found_pages.h"
#include "io/parquet/page_index.h"
#include "tests/unit/io/source_testing.h"

namespace keepone {

namespace {

using parquet::ParquetDataPageVersion;

parquet::WriterProperties::Builder Properties(bool index, bool dictionary,
                                              ParquetDataPageVersion version) {
  parquet::WriterProperties::Builder builder;
  builder.data_page_version(version)->compression(arrow::Compression::ZSTD);
  builder.data_pagesize(700)->write_batch_size(16);
  dictionary ? builder.enable_dictionary() : builder.disable_dictionary();
  index ? builder.enable_write_page_index() : builder.disable_write_page_index();
  return builder;
}

std::shared_ptr<const ParquetFile> OpenFile(const std::string& path) {
  return ParquetFile::Open(path, arrow::default_memory_pool()).ValueOrDie();
}

void ExpectLocations(const PageLocations& found, const PageLocations& expected) {
  EXPECT_EQ(found.row_count, expected.row_count);
  ASSERT_EQ(found.pages.size(), expected.pages.size());
  for (size_t page = 0; page < found.pages.size(); ++page) {
    EXPECT_EQ(found.pages[page].offset, expected.pages[page].offset);
    EXPECT_EQ(found.pages[page].compressed_page_size, expected.pages[page].compressed_page_size);
    EXPECT_EQ(found.pages[page].first_row_index, expected.pages[page].first_row_index);
  }
}

// What the headers tell is what the writer's own page index tells.
TEST(ParquetFoundPages, EqualTheWrittenPageIndex) {
  const auto table =
      RandomTable({arrow::field("i", arrow::int64()), arrow::field("b", arrow::boolean(), false),
                   arrow::field("s", arrow::utf8()), arrow::field("l", arrow::list(arrow::utf8()))},
                  3000, 21);
  auto arrays = table->columns();
  arrays[1] = std::make_shared<arrow::ChunkedArray>(
      arrow::MakeArrayFromScalar(arrow::BooleanScalar(true), 3000).ValueOrDie());
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  for (const bool dictionary : {false, true}) {
    for (const auto version : {ParquetDataPageVersion::V1, ParquetDataPageVersion::V2}) {
      ASSERT_TRUE(WriteParquet(path, *arrow::Table::Make(table->schema(), arrays),
                               Properties(true, dictionary, version).build(), 2000)
                      .ok());
      const auto file = OpenFile(path);
      for (int row_group = 0; row_group < 2; ++row_group) {
        int64_t bytes_read = 0;
        const RowGroupIndex index = ReadRowGroupIndex(*file, row_group, {0, 1, 2, 3}, {},
                                                      arrow::default_memory_pool(), &bytes_read);
        ASSERT_EQ(index.locations.size(), 4u);
        ASSERT_GT(index.locations.at(2)->pages.size(), 3u);
        for (int leaf = 0; leaf < 4; ++leaf) {
          const auto found =
              FindPages(*file, row_group, leaf, arrow::default_memory_pool(), &bytes_read);
          if (leaf == 3 && version == ParquetDataPageVersion::V1) {
            EXPECT_EQ(found, nullptr);
            continue;
          }
          ASSERT_NE(found, nullptr) << leaf;
          ExpectLocations(*found, *index.locations.at(leaf));
        }
      }
    }
  }
}

TEST(ParquetFoundPages, AreLookedForOnce) {
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  const auto table = RandomTable({arrow::field("s", arrow::utf8())}, 500, 22);
  ASSERT_TRUE(
      WriteParquet(path, *table, Properties(false, false, ParquetDataPageVersion::V1).build(), 500)
          .ok());
  const auto file = OpenFile(path);
  FoundPages pages;
  int64_t bytes_read = 0;
  const auto first = pages.Find(*file, 0, 0, 0, arrow::default_memory_pool(), &bytes_read);
  ASSERT_NE(first, nullptr);
  EXPECT_GT(bytes_read, 0);
  const int64_t before = bytes_read;
  EXPECT_EQ(pages.Find(*file, 0, 0, 0, arrow::default_memory_pool(), &bytes_read), first);
  EXPECT_EQ(bytes_read, before);
}

// Large enough to be cut into parts, with values that no dictionary or codec makes small.
std::shared_ptr<arrow::Table> LargeTable(bool nullable) {
  constexpr int kRows = 40'000;
  std::mt19937_64 random(23);
  arrow::Int64Builder numbers;
  arrow::DoubleBuilder floats;
  arrow::StringBuilder texts;
  for (int row = 0; row < kRows; ++row) {
    std::string text(random() % 400, 'x');
    for (size_t i = 0; i < text.size(); i += 3) {
      text[i] = static_cast<char>('a' + random() % 26);
    }
    const bool is_null = nullable && random() % 5 == 0;
    EXPECT_TRUE((is_null ? numbers.AppendNull() : numbers.Append(row % 1000)).ok());
    EXPECT_TRUE((is_null ? texts.AppendNull() : texts.Append(text)).ok());
    EXPECT_TRUE(floats.Append(static_cast<double>(random() % 100'000) / 8).ok());
  }
  return arrow::Table::Make(
      arrow::schema({arrow::field("n", arrow::int64(), nullable),
                     arrow::field("f", arrow::float64()),
                     arrow::field("s", arrow::utf8(), nullable),
                     arrow::field("r", arrow::struct_({arrow::field("f", arrow::float64())}))}),
      {numbers.Finish().ValueOrDie(), floats.Finish().ValueOrDie(), texts.Finish().ValueOrDie(),
       arrow::StructArray::Make(
           {arrow::MakeArrayFromScalar(arrow::DoubleScalar(0.5), kRows).ValueOrDie()},
           {arrow::field("f", arrow::float64())})
           .ValueOrDie()});
}

int64_t CountMorsels(const Source& source, QueryContext* context) {
  ScanRequest request;
  request.columns = AllColumns(source);
  const auto stream = source.Scan(context, request, nullptr).ValueOrDie();
  int64_t count = 0;
  while (stream->NextMorsel().ValueOrDie() != nullptr) {
    ++count;
  }
  return count;
}

TEST(ParquetFoundPages, LargeRowGroupsAreCutIntoParts) {
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  for (const bool nullable : {false, true}) {
    const auto table = LargeTable(nullable);
    for (const bool dictionary : {false, true}) {
      for (const auto version : {ParquetDataPageVersion::V1, ParquetDataPageVersion::V2}) {
        auto properties = Properties(false, dictionary, version);
        properties.data_pagesize(64 << 10)->write_batch_size(1024);
        properties.dictionary_pagesize_limit(256 << 10);
        ASSERT_TRUE(WriteParquet(path, *table, properties.build(), table->num_rows()).ok());
        const auto source = OpenParquet({path}, arrow::default_memory_pool()).ValueOrDie();
        QueryContext::Options options;
        options.threads = 1;
        QueryContext alone(options);
        EXPECT_EQ(CountMorsels(*source, &alone), 1);
        options.threads = 2;
        QueryContext context(options);
        EXPECT_GT(CountMorsels(*source, &context), 2);
        ScanRequest request;
        request.columns = AllColumns(*source);
        const auto scanned = ScanAll(*source, &context, request, 2);
        ASSERT_TRUE(scanned.ok()) << scanned.status();
        EXPECT_TRUE((*scanned)->Equals(*table));
        std::mt19937_64 random(24);
        for (const double part : {0.001, 0.3, 0.97}) {
          const auto rows = RandomRows(table->num_rows(), part, &random);
          const auto fetched = FetchRows(*source, &context, rows, 2);
          ASSERT_TRUE(fetched.ok()) << fetched.status();
          ExpectRows(**fetched, *table, rows, "fetch");
        }
      }
    }
  }
}

TEST(ParquetFoundPages, CorruptedHeadersGiveValuesOrAnError) {
  const ScratchDirectory directory;
  const std::string good = directory.File("good.parquet");
  const std::string bad = directory.File("bad.parquet");
  const auto table = LargeTable(true);
  auto properties = Properties(false, true, ParquetDataPageVersion::V1);
  properties.data_pagesize(64 << 10)->compression(arrow::Compression::UNCOMPRESSED);
  ASSERT_TRUE(WriteParquet(good, *table, properties.build(), table->num_rows()).ok());
  std::ifstream stream(good, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto file = OpenFile(good);
  int64_t bytes_read = 0;
  std::mt19937_64 random(25);
  for (int round = 0; round < 60; ++round) {
    const int leaf = round % 4;
    const auto pages = FindPages(*file, 0, leaf, arrow::default_memory_pool(), &bytes_read);
    ASSERT_NE(pages, nullptr);
    std::string broken = bytes;
    const auto& page = pages->pages[random() % pages->pages.size()];
    broken[static_cast<size_t>(page.offset) + random() % 24] = static_cast<char>(random());
    std::ofstream(bad, std::ios::binary) << broken;
    const auto source = OpenParquet({bad}, arrow::default_memory_pool());
    ASSERT_TRUE(source.ok()) << source.status();
    QueryContext::Options options;
    options.threads = 2;
    QueryContext context(options);
    const auto fetched = FetchRows(**source, &context, Range(0, table->num_rows()), 2);
    if (fetched.ok()) {
      EXPECT_EQ((*fetched)->num_rows(), table->num_rows());
    } else {
      EXPECT_NE(fetched.status().ToString().find("bad.parquet"), std::string::npos)
          << fetched.status();
    }
  }
}

}  // namespace

}  // namespace keepone
