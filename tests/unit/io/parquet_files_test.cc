// SPDX-License-Identifier: Apache-2.0
// Files as they are found: several as one source, broken ones, and real ones of many writers.
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>
#include <parquet/properties.h>

#include "base/error.h"
#include "io/file_list.h"
#include "io/open.h"
#include "tests/unit/io/source_testing.h"

namespace keepone {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<arrow::Table> TableOf(const arrow::FieldVector& fields,
                                      const std::vector<std::string>& columns) {
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < fields.size(); ++i) {
    arrays.push_back(arrow::json::ArrayFromJSONString(fields[i]->type(), columns[i]).ValueOrDie());
  }
  return arrow::Table::Make(arrow::schema(fields), arrays);
}

void Write(const std::string& path, const arrow::Table& table) {
  ASSERT_TRUE(WriteParquet(path, table, parquet::default_writer_properties(), 2).ok());
}

std::string ErrorOf(const std::vector<std::string>& paths) {
  const auto source = OpenParquet(paths, arrow::default_memory_pool());
  EXPECT_FALSE(source.ok());
  return source.ok() ? "" : FormatError(source.status(), "");
}

// Such pages come first when each is cut off as early as possible.
TEST(ParquetFiles, DataPagesWithoutValues) {
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  const auto table = TableOf({arrow::field("l", arrow::list(arrow::int16()))}, {"[[3, null]]"});
  parquet::WriterProperties::Builder properties;
  properties.data_pagesize(1)->write_batch_size(1);
  ASSERT_TRUE(WriteParquet(path, *table, properties.build(), 10).ok());
  const auto source = OpenParquet({path}, arrow::default_memory_pool()).ValueOrDie();
  QueryContext context(SmallBatches());
  ScanRequest request;
  request.columns = {0};
  const auto scanned = ScanAll(*source, &context, request);
  ASSERT_TRUE(scanned.ok()) << scanned.status();
  ExpectRows(**scanned, *table, {0}, "scan");
  const auto fetched = FetchRows(*source, &context, {0});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  ExpectRows(**fetched, *table, {0}, "fetch");
}

TEST(ParquetFiles, SchemasAreUnitedByName) {
  const ScratchDirectory directory;
  Write(directory.File("1.parquet"),
        *TableOf({arrow::field("a", arrow::int32()), arrow::field("s", arrow::utf8()),
                  arrow::field("n", arrow::null())},
                 {"[1, 2, 3]", R"(["x", "y", null])", "[null, null, null]"}));
  Write(directory.File("2.parquet"),
        *TableOf({arrow::field("b", arrow::float64()), arrow::field("a", arrow::int64()),
                  arrow::field("s", arrow::large_utf8()), arrow::field("n", arrow::utf8())},
                 {"[0.5, 1.5]", "[4, null]", R"(["z", "w"])", R"(["p", "q"])"}));
  const auto source =
      OpenParquet({directory.path() + "/*.parquet"}, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(source->schema()->ToString(), "a: int64\ns: large_string\nn: string\nb: double");
  EXPECT_EQ(source->description(), "2 files: " + directory.path() + "/*.parquet");
  EXPECT_EQ(source->paths().size(), 2u);
  const auto expected =
      TableOf(source->schema()->fields(),
              {"[1, 2, 3, 4, null]", R"(["x", "y", null, "z", "w"])",
               R"([null, null, null, "p", "q"])", "[null, null, null, 0.5, 1.5]"});
  QueryContext context(SmallBatches());
  ScanRequest request;
  request.columns = AllColumns(*source);
  const auto scanned = ScanAll(*source, &context, request);
  ASSERT_TRUE(scanned.ok()) << scanned.status();
  ExpectRows(**scanned, *expected, {0, 1, 2, 3, 4}, "scan");
  const auto fetched = FetchRows(*source, &context, {1, 2, 4});
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  ExpectRows(**fetched, *expected, {1, 2, 4}, "fetch");
}

TEST(ParquetFiles, TypesThatCannotBeUnitedNameBothFiles) {
  const ScratchDirectory directory;
  const std::string a = directory.File("a.parquet");
  const std::string b = directory.File("b.parquet");
  Write(a, *TableOf({arrow::field("k", arrow::int64())}, {"[1]"}));
  Write(b, *TableOf({arrow::field("k", arrow::utf8())}, {R"(["x"])"}));
  EXPECT_EQ(ErrorOf({a, b}), "data error: column \"k\" is BIGINT in " + a + " and VARCHAR in " + b);
  Write(b, *TableOf({arrow::field("k", arrow::float64())}, {"[1.5]"}));
  EXPECT_EQ(ErrorOf({a, b}), "data error: column \"k\" is BIGINT in " + a + " and DOUBLE in " + b);
}

TEST(ParquetFiles, FilesThatCannotBeOpened) {
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  EXPECT_EQ(ErrorOf({path}), "data error: " + path + ": file does not exist");
  EXPECT_EQ(ErrorOf({directory.path()}),
            "data error: no .parquet files in directory \"" + directory.path() + "\"");
  EXPECT_EQ(ErrorOf({directory.File("*.parquet")}),
            "data error: no files match \"" + directory.File("*.parquet") + "\"");
  std::ofstream(path).close();
  EXPECT_EQ(ErrorOf({path}), "data error: " + path + ": file is empty");
  std::ofstream(path) << "id,name\n1,a long enough line\n";
  EXPECT_EQ(ErrorOf({path}),
            "data error: " + path + ": not a Parquet file, or one that was cut off");
  std::ofstream(path) << "PAR1 too short a footer \xFF\xFF\xFF\x7FPAR1";
  EXPECT_NE(ErrorOf({path}).find("corrupt footer"), std::string::npos);
  std::ofstream(path) << "PAR1 and an encrypted end \x01\x01\x01\x01PARE";
  EXPECT_EQ(ErrorOf({path}),
            "unsupported error: " + path + ": encrypted Parquet files are not supported");
}

TEST(ParquetFiles, AFileThatChangedIsNotRead) {
  const ScratchDirectory directory;
  const std::string path = directory.File("t.parquet");
  Write(path, *TableOf({arrow::field("k", arrow::int64())}, {"[1, 2, 3, 4]"}));
  const auto source = OpenParquet({path}, arrow::default_memory_pool()).ValueOrDie();
  QueryContext context(SmallBatches());
  ASSERT_TRUE(FetchRows(*source, &context, {1}).ok());
  fs::rename(path, directory.File("old.parquet"));
  Write(path, *TableOf({arrow::field("k", arrow::int64())}, {"[5, 6, 7, 8]"}));
  const auto fetched = FetchRows(*source, &context, {1});
  ASSERT_FALSE(fetched.ok());
  EXPECT_EQ(FormatError(fetched.status(), ""),
            "data error: " + path + " changed while it was being read");
}

TEST(ParquetFiles, Patterns) {
  const ScratchDirectory directory;
  fs::create_directories(directory.File("d/e"));
  for (const char* name : {"b.parquet", "a.parquet", "d/c.parquet", "d/e/x.parquet", ".h.parquet",
                           "a[1].parquet", "n.txt"}) {
    std::ofstream(directory.File(name)) << "x";
  }
  const auto list = [&](const std::string& path) {
    std::string names;
    const auto files = ListFiles({path}, {".parquet"});
    EXPECT_TRUE(files.ok()) << files.status();
    for (const std::string& file : *files) {
      names += (names.empty() ? "" : " ") + fs::relative(file, directory.path()).string();
    }
    return names;
  };
  EXPECT_EQ(list(directory.File("?.parquet")), "a.parquet b.parquet");
  EXPECT_EQ(list(directory.File("[b-z].parquet")), "b.parquet");
  EXPECT_EQ(list(directory.File("*/*.parquet")), "d/c.parquet");
  EXPECT_EQ(list(directory.File("**/*.parquet")),
            "a.parquet a[1].parquet b.parquet d/c.parquet d/e/x.parquet");
  EXPECT_EQ(list(directory.File("a[1].parquet")), "a[1].parquet");
  EXPECT_EQ(list(directory.path()), "a.parquet a[1].parquet b.parquet d/c.parquet d/e/x.parquet");
}

// Scans and fetches whatever the file holds. Values or an error, both are right.
std::string ReadSomehow(const std::string& path) {
  const auto source = OpenParquet({path}, arrow::default_memory_pool());
  if (!source.ok()) {
    return FormatError(source.status(), "");
  }
  QueryContext::Options options = SmallBatches();
  options.memory_bytes_max = 64 << 20;
  QueryContext context(options);
  ScanRequest request;
  request.columns = AllColumns(**source);
  const auto scanned = (*source)->Scan(&context, request, nullptr);
  EXPECT_TRUE(scanned.ok());
  std::string text;
  while (true) {
    const auto morsel = (*scanned)->NextMorsel();
    if (!morsel.ok() || *morsel == nullptr) {
      text = morsel.ok() ? text : FormatError(morsel.status(), "");
      break;
    }
    auto batch = (*morsel)->Next();
    for (; batch.ok() && *batch != nullptr; batch = (*morsel)->Next()) {
    }
    text = batch.ok() ? text : FormatError(batch.status(), "");
  }
  const int64_t rows = std::min<int64_t>(*(*source)->statistics().row_count, 100'000);
  std::vector<int64_t> odd;
  for (int64_t row = 1; row < rows; row += 2) {
    odd.push_back(row);
  }
  const auto fetched = FetchRows(**source, &context, odd);
  return fetched.ok() ? text : FormatError(fetched.status(), "");
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ParquetFiles, CorruptedBytesGiveValuesOrAnError) {
  const auto record = arrow::struct_(
      {arrow::field("s", arrow::utf8()), arrow::field("l", arrow::list(arrow::int32()))});
  const auto table =
      RandomTable({arrow::field("i", arrow::int64()), arrow::field("s", arrow::utf8()),
                   arrow::field("d", arrow::float64()), arrow::field("p", arrow::list(record))},
                  200, 11);
  const ScratchDirectory directory;
  std::mt19937_64 random(12);
  for (int layout = 0; layout < 8; ++layout) {
    parquet::WriterProperties::Builder builder;
    builder.data_pagesize(500)->write_batch_size(16);
    builder.compression((layout & 1) != 0 ? arrow::Compression::ZSTD
                                          : arrow::Compression::UNCOMPRESSED);
    if ((layout & 2) != 0) {
      builder.data_page_version(parquet::ParquetDataPageVersion::V2);
    }
    if ((layout & 4) != 0) {
      builder.disable_write_page_index();
    }
    const std::string good = directory.File("good.parquet");
    const std::string bad = directory.File("bad.parquet");
    ASSERT_TRUE(WriteParquet(good, *table, builder.build(), 100).ok());
    const std::string bytes = ReadBytes(good);
    for (int round = 0; round < 150; ++round) {
      std::string broken = bytes;
      if (round % 10 == 0) {
        broken.erase(random() % broken.size(), 1 + random() % 50);
      } else {
        for (uint64_t flips = 1 + random() % 3; flips > 0; --flips) {
          broken[random() % broken.size()] = static_cast<char>(random());
        }
      }
      std::ofstream(bad, std::ios::binary) << broken;
      const std::string error = ReadSomehow(bad);
      ASSERT_EQ(error.find("internal error"), std::string::npos) << error;
      ASSERT_EQ(error.find('\n'), std::string::npos) << error;
    }
  }
}

std::vector<std::string> RealFiles() {
  const char* const given = std::getenv("KEEPONE_REALFILES");
  const fs::path folder = given != nullptr
                              ? fs::path(given)
                              : fs::path(__FILE__).parent_path() / "../../../../shared/realfiles";
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".parquet") {
      files.push_back(fs::weakly_canonical(it->path()).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(ParquetFiles, RealFiles) {
  const std::vector<std::string> files = RealFiles();
  if (files.empty()) {
    GTEST_SKIP() << "no real files: set KEEPONE_REALFILES to their folder";
  }
  // What Arrow cannot read whole: by us neither, or better than that.
  const std::map<std::string, std::string> broken = {
      {"bad_ARROW-GH-41317.parquet", "data error"},
      {"bad_ARROW-GH-45185.parquet", "data error"},
      {"bad_ARROW-RS-GH-6229-LEVELS.parquet", "data error"},
      {"bad_PARQUET-1481.parquet", "data error"},
      {"incorrect_map_schema.parquet", "data error"},
      {"large_string_map.brotli.parquet", ""}};
  for (const std::string& file : files) {
    const auto found = broken.find(fs::path(file).filename().string());
    if (found == broken.end()) {
      CheckFile(file, file);
    } else if (!found->second.empty()) {
      const std::string error = ReadSomehow(file);
      EXPECT_EQ(error.substr(0, found->second.size()), found->second) << file;
      EXPECT_NE(error.find(found->first), std::string::npos) << error;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
  }
}

}  // namespace

}  // namespace keepone
