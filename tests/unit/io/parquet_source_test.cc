// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <string>

#include <arrow/api.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "io/open.h"
#include "tests/unit/io/source_testing.h"

namespace keepone {

namespace {

constexpr int64_t kRows = 600;

arrow::FieldVector FlatFields() {
  return {arrow::field("bool", arrow::boolean()),
          arrow::field("int8", arrow::int8()),
          arrow::field("uint16", arrow::uint16()),
          arrow::field("int32", arrow::int32()),
          arrow::field("uint32", arrow::uint32()),
          arrow::field("int64", arrow::int64()),
          arrow::field("uint64", arrow::uint64()),
          arrow::field("half", arrow::float16()),
          arrow::field("float", arrow::float32()),
          arrow::field("double", arrow::float64()),
          arrow::field("string", arrow::utf8()),
          arrow::field("binary", arrow::binary()),
          arrow::field("large_string", arrow::large_utf8()),
          arrow::field("fixed", arrow::fixed_size_binary(4)),
          arrow::field("decimal9", arrow::decimal128(9, 2)),
          arrow::field("decimal38", arrow::decimal128(38, 4)),
          arrow::field("decimal76", arrow::decimal256(76, 4)),
          arrow::field("date", arrow::date32()),
          arrow::field("time", arrow::time64(arrow::TimeUnit::MICRO)),
          arrow::field("timestamp", arrow::timestamp(arrow::TimeUnit::MICRO, "Europe/Berlin")),
          arrow::field("duration", arrow::duration(arrow::TimeUnit::NANO)),
          arrow::field("null", arrow::null())};
}

arrow::FieldVector NestedFields() {
  const auto text = arrow::utf8();
  const auto record = arrow::struct_({arrow::field("a", text), arrow::field("b", arrow::float64()),
                                      arrow::field("c", arrow::list(text))});
  return {arrow::field("list", arrow::list(arrow::int32())),
          arrow::field("large_list", arrow::large_list(text)),
          arrow::field("list_view", arrow::list_view(arrow::int64())),
          arrow::field("fixed_list", arrow::fixed_size_list(arrow::int32(), 2)),
          arrow::field("struct", record),
          arrow::field("payload", arrow::list(record)),
          arrow::field("map", arrow::map(text, arrow::list(arrow::boolean()))),
          arrow::field("deep", arrow::list(arrow::list(arrow::list(text))))};
}

struct Layout {
  bool dictionary = false;
  bool index = false;
  parquet::ParquetDataPageVersion version = parquet::ParquetDataPageVersion::V1;
  arrow::Compression::type codec = arrow::Compression::UNCOMPRESSED;
  int64_t page_bytes = 1 << 20;
  int64_t row_group_rows = kRows;

  parquet::WriterProperties::Builder Builder() const {
    parquet::WriterProperties::Builder builder;
    builder.data_page_version(version)->compression(codec)->data_pagesize(page_bytes);
    builder.write_batch_size(16);
    if (dictionary) {
      builder.enable_dictionary();
    } else {
      builder.disable_dictionary();
    }
    if (index) {
      builder.enable_write_page_index();
    } else {
      builder.disable_write_page_index();
    }
    return builder;
  }
  std::string Name() const {
    return std::string(dictionary ? "dictionary" : "plain") + (index ? ", index" : "") +
           (version == parquet::ParquetDataPageVersion::V1 ? ", V1, " : ", V2, ") +
           arrow::util::Codec::GetCodecAsString(codec) + ", pages of " +
           std::to_string(page_bytes) + ", row groups of " + std::to_string(row_group_rows);
  }
};

std::vector<Layout> AllLayouts() {
  std::vector<Layout> layouts;
  for (const bool dictionary : {false, true}) {
    for (const bool index : {false, true}) {
      for (const auto version :
           {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}) {
        for (const int64_t page_bytes : {300, 1 << 20}) {
          for (const auto codec : {arrow::Compression::UNCOMPRESSED, arrow::Compression::ZSTD}) {
            layouts.push_back({dictionary, index, version, codec, page_bytes,
                               page_bytes == 300 ? kRows : kRows / 4});
          }
        }
      }
    }
  }
  return layouts;
}

void CheckTable(const arrow::Table& table, const Layout& layout,
                const std::shared_ptr<parquet::WriterProperties>& properties,
                const std::string& what) {
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  ASSERT_TRUE(WriteParquet(path, table, properties, layout.row_group_rows).ok());
  CheckFile(path, what);
}

TEST(ParquetSource, FlatTypesInEveryLayout) {
  const auto table = RandomTable(FlatFields(), kRows, 1);
  for (const Layout& layout : AllLayouts()) {
    CheckTable(*table, layout, layout.Builder().build(), layout.Name());
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(ParquetSource, NestedTypesInEveryLayout) {
  const auto table = RandomTable(NestedFields(), kRows, 2);
  for (const Layout& layout : AllLayouts()) {
    CheckTable(*table, layout, layout.Builder().build(), layout.Name());
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(ParquetSource, Codecs) {
  arrow::FieldVector fields = FlatFields();
  const arrow::FieldVector nested = NestedFields();
  fields.insert(fields.end(), nested.begin(), nested.end());
  const auto table = RandomTable(fields, kRows, 3);
  for (const auto codec : {arrow::Compression::SNAPPY, arrow::Compression::GZIP,
                           arrow::Compression::LZ4, arrow::Compression::BROTLI}) {
    for (const bool index : {false, true}) {
      Layout layout;
      layout.codec = codec;
      layout.index = index;
      layout.page_bytes = 4000;
      CheckTable(*table, layout, layout.Builder().build(), layout.Name());
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

TEST(ParquetSource, Encodings) {
  using parquet::Encoding;
  const std::vector<std::pair<Encoding::type, std::vector<std::shared_ptr<arrow::DataType>>>>
      cases = {{Encoding::DELTA_BINARY_PACKED, {arrow::int32(), arrow::int64()}},
               {Encoding::DELTA_LENGTH_BYTE_ARRAY, {arrow::utf8(), arrow::list(arrow::utf8())}},
               {Encoding::DELTA_BYTE_ARRAY,
                {arrow::utf8(), arrow::list(arrow::binary()), arrow::fixed_size_binary(4)}},
               {Encoding::BYTE_STREAM_SPLIT,
                {arrow::float32(), arrow::float64(), arrow::int32(), arrow::int64(),
                 arrow::fixed_size_binary(4), arrow::list(arrow::float64())}},
               {Encoding::RLE, {arrow::boolean(), arrow::list(arrow::boolean())}}};
  for (const auto& [encoding, types] : cases) {
    arrow::FieldVector fields;
    for (const auto& type : types) {
      fields.push_back(arrow::field(type->ToString(), type));
    }
    const auto table = RandomTable(fields, kRows, 4);
    for (const bool index : {false, true}) {
      for (const auto version :
           {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}) {
        Layout layout;
        layout.index = index;
        layout.version = version;
        layout.page_bytes = 500;
        auto builder = layout.Builder();
        builder.encoding(encoding);
        CheckTable(*table, layout, builder.build(),
                   parquet::EncodingToString(encoding) + ", " + layout.Name());
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

// Pages of several steps of decompression, most of which a fetch of few rows can leave out.
TEST(ParquetSource, LargePages) {
  std::mt19937_64 random(5);
  arrow::ListBuilder builder(arrow::default_memory_pool(),
                             std::make_shared<arrow::StringBuilder>());
  auto* const texts = static_cast<arrow::StringBuilder*>(builder.value_builder());
  for (int row = 0; row < 3000; ++row) {
    ASSERT_TRUE(builder.Append().ok());
    for (int i = 0; i < 3; ++i) {
      std::string text(300 + random() % 300, 'x');
      for (char& c : text) {
        c = static_cast<char>('a' + random() % 16);
      }
      ASSERT_TRUE(texts->Append(text).ok());
    }
  }
  const auto array = builder.Finish().ValueOrDie();
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("payload", array->type())}),
                                        arrow::ArrayVector{array});
  for (const auto codec : {arrow::Compression::ZSTD, arrow::Compression::GZIP,
                           arrow::Compression::SNAPPY, arrow::Compression::UNCOMPRESSED}) {
    for (const bool index : {false, true}) {
      for (const auto version :
           {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}) {
        Layout layout;
        layout.codec = codec;
        layout.index = index;
        layout.version = version;
        layout.row_group_rows = 3000;
        CheckTable(*table, layout, layout.Builder().build(), layout.Name());
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
  // Blocks of other sizes than most.
  Layout layout;
  layout.codec = arrow::Compression::ZSTD;
  layout.row_group_rows = 3000;
  CheckTable(*table, layout, layout.Builder().compression_level(15)->build(), "level 15");
}

// Arrow's kernels cannot take views, and dictionaries are a matter of the file.
TEST(ParquetSource, ViewsAndDictionariesAreReadAsTheirValues) {
  arrow::StringViewBuilder views;
  for (const char* value : {"a", "a string that is not inlined", "c"}) {
    ASSERT_TRUE(views.Append(value).ok());
  }
  arrow::StringDictionary32Builder dictionary;
  for (const char* value : {"x", "y", "x"}) {
    ASSERT_TRUE(dictionary.Append(value).ok());
  }
  const auto table = arrow::Table::Make(
      arrow::schema({arrow::field("view", arrow::utf8_view()),
                     arrow::field("dictionary", arrow::dictionary(arrow::int32(), arrow::utf8())),
                     arrow::field("zone", arrow::timestamp(arrow::TimeUnit::MICRO, "Asia/Tokyo"))}),
      {views.Finish().ValueOrDie(), dictionary.Finish().ValueOrDie(),
       arrow::MakeArrayOfNull(arrow::timestamp(arrow::TimeUnit::MICRO, "Asia/Tokyo"), 3)
           .ValueOrDie()});
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  ASSERT_TRUE(WriteParquet(path, *table, parquet::default_writer_properties(), 10).ok());
  const auto source = OpenParquet({path}, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(source->schema()->ToString(),
            "view: string\ndictionary: string\nzone: timestamp[us, tz=Asia/Tokyo]");
  QueryContext context(SmallBatches());
  const auto fetched = FetchRows(*source, &context, {1, 2});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  EXPECT_EQ(static_cast<const arrow::StringArray&>(*(*fetched)->column(0)->chunk(0)).GetString(0),
            "a string that is not inlined");
  EXPECT_EQ(static_cast<const arrow::StringArray&>(*(*fetched)->column(1)->chunk(0)).GetString(1),
            "x");
}

TEST(ParquetSource, BatchesAreBoundedByRowsAndBytes) {
  std::mt19937_64 random(6);
  arrow::StringBuilder builder;
  for (int row = 0; row < 4000; ++row) {
    ASSERT_TRUE(builder.Append(std::string(1000, static_cast<char>('a' + random() % 26))).ok());
  }
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("s", arrow::utf8())}),
                                        {builder.Finish().ValueOrDie()});
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  ASSERT_TRUE(WriteParquet(path, *table, parquet::default_writer_properties(), 4000).ok());
  const auto source = OpenParquet({path}, arrow::default_memory_pool()).ValueOrDie();
  QueryContext::Options options;
  options.batch_bytes_max = 100'000;
  options.batch_rows_max = 50;
  for (const int64_t rows_max : {50, 8192}) {
    options.batch_rows_max = rows_max;
    QueryContext context(options);
    ScanRequest request;
    request.columns = {0};
    const auto stream = source->Scan(&context, request, nullptr).ValueOrDie();
    const auto morsel = stream->NextMorsel().ValueOrDie();
    int64_t batches = 0;
    while (const auto batch = morsel->Next().ValueOrDie()) {
      // The first one is a guess: a dictionary hides the length of the values.
      EXPECT_LE(batch->num_rows(), batches == 0 ? 256 : rows_max);
      EXPECT_LE(batch->num_rows(), batches == 0 ? 256 : 100);
      ++batches;
    }
    EXPECT_GE(batches, 4000 / 256);
  }
}

TEST(ParquetSource, NoColumnsGivesRowCounts) {
  const auto table = RandomTable({arrow::field("a", arrow::int32())}, kRows, 8);
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  ASSERT_TRUE(WriteParquet(path, *table, parquet::default_writer_properties(), 100).ok());
  const auto source = OpenParquet({path}, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(source->statistics().row_count, kRows);
  EXPECT_EQ(source->statistics().column_bytes.size(), 1u);
  QueryContext context(SmallBatches());
  const auto stream = source->Scan(&context, ScanRequest(), nullptr).ValueOrDie();
  int64_t rows = 0;
  while (const auto morsel = stream->NextMorsel().ValueOrDie()) {
    while (const auto batch = morsel->Next().ValueOrDie()) {
      EXPECT_EQ(batch->num_columns(), 0);
      rows += batch->num_rows();
    }
  }
  EXPECT_EQ(rows, kRows);
  EXPECT_EQ(context.progress().rows_scanned.load(), kRows);
  ScanRequest request;
  request.with_addresses = true;
  const auto addresses = ScanAll(*source, &context, request);
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  EXPECT_EQ((*addresses)->num_rows(), kRows);
  EXPECT_EQ((*addresses)->schema()->field(0)->name(), kRowAddressName);
}

TEST(ParquetSource, FetchReadsOnlyPagesThatHoldWantedRows) {
  const auto table = RandomTable({arrow::field("s", arrow::utf8())}, 4000, 9);
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  Layout layout;
  layout.index = true;
  layout.page_bytes = 1000;
  ASSERT_TRUE(WriteParquet(path, *table, layout.Builder().build(), 2000).ok());
  const auto source = OpenParquet({path}, arrow::default_memory_pool()).ValueOrDie();
  QueryContext context(SmallBatches());
  arrow::Int64Builder builder;
  ASSERT_TRUE(builder.AppendValues({1000, 1001}).ok());
  FetchRequest request;
  request.columns = {0};
  ASSERT_TRUE(builder.Finish(&request.addresses).ok());
  const auto counters = std::make_shared<SourceCounters>();
  const auto stream = source->Fetch(&context, request, counters).ValueOrDie();
  const auto fetched = ReadStream(stream.get()).ValueOrDie();
  EXPECT_EQ(fetched->num_rows(), 2);
  EXPECT_LE(counters->pages_read.load(), 2);
  EXPECT_GT(counters->pages_skipped.load(), 20);
  EXPECT_EQ(counters->row_groups_read.load(), 1);
  EXPECT_EQ(counters->row_groups_skipped.load(), 1);
  EXPECT_EQ(counters->rows_read.load(), 2);
}

}  // namespace

}  // namespace keepone
