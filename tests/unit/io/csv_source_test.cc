// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include "io/csv/csv_format.h"
#include "io/open.h"
#include "io/text/text_source.h"

namespace keepone {
namespace {

class CsvSource : public testing::Test {
 protected:
  CsvSource()
      : directory_(std::filesystem::temp_directory_path() /
                   ("csv_source_test." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~CsvSource() override { std::filesystem::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = (directory_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // Rows as "a|b", NULL as "NULL"; or the error.
  std::vector<std::string> RowsOf(const Source& source, std::vector<int64_t>* addresses = nullptr,
                                  const std::vector<int64_t>* wanted = nullptr) {
    QueryContext context{QueryContext::Options()};
    std::vector<int> columns;
    for (int i = 0; i < source.schema()->num_fields(); ++i) {
      columns.push_back(i);
    }
    arrow::Result<std::unique_ptr<BatchStream>> stream;
    if (wanted != nullptr) {
      arrow::Int64Builder builder;
      EXPECT_TRUE(builder.AppendValues(*wanted).ok());
      FetchRequest request{columns, {}, nullptr};
      request.addresses =
          std::static_pointer_cast<arrow::Int64Array>(builder.Finish().ValueOrDie());
      stream = source.Fetch(&context, request, nullptr);
    } else {
      ScanRequest request;
      request.columns = columns;
      request.with_addresses = addresses != nullptr;
      stream = source.Scan(&context, request, nullptr);
    }
    std::vector<std::string> rows;
    while (true) {
      auto morsel = (*stream)->NextMorsel();
      if (!morsel.ok()) {
        return {morsel.status().message()};
      }
      if (*morsel == nullptr) {
        return rows;
      }
      while (true) {
        auto batch = (*morsel)->Next();
        if (!batch.ok()) {
          return {batch.status().message()};
        }
        if (*batch == nullptr) {
          break;
        }
        EXPECT_TRUE((*batch)->ValidateFull().ok());
        for (int64_t row = 0; row < (*batch)->num_rows(); ++row) {
          std::string text;
          for (size_t i = 0; i < columns.size(); ++i) {
            const auto value = (*batch)->column(static_cast<int>(i))->GetScalar(row).ValueOrDie();
            text += i > 0 ? "|" : "";
            text += value->is_valid ? value->ToString() : "NULL";
          }
          rows.push_back(text);
          if (addresses != nullptr) {
            const auto& column = (*batch)->column((*batch)->num_columns() - 1);
            addresses->push_back(static_cast<const arrow::Int64Array&>(*column).Value(row));
          }
        }
      }
    }
  }

  std::vector<std::string> Read(const std::string& text) {
    auto source = OpenCsv({Write("x.csv", text)}, ReaderOptions());
    return source.ok() ? RowsOf(**source) : std::vector<std::string>{source.status().message()};
  }

  const std::filesystem::path directory_;
};

using Rows = std::vector<std::string>;

std::string Compressed(arrow::Compression::type type, const std::string& text) {
  auto codec = arrow::util::Codec::Create(type).ValueOrDie();
  const auto* const in = reinterpret_cast<const uint8_t*>(text.data());
  const auto size = static_cast<int64_t>(text.size());
  std::string out(static_cast<size_t>(codec->MaxCompressedLen(size, in)) + 64, '\0');
  const int64_t bytes = codec
                            ->Compress(size, in, static_cast<int64_t>(out.size()),
                                       reinterpret_cast<uint8_t*>(out.data()))
                            .ValueOrDie();
  out.resize(static_cast<size_t>(bytes));
  return out;
}

TEST_F(CsvSource, Values) {
  EXPECT_EQ(Read("k,v\n1,a\n2,\n3,\"\"\n4,\"x\"\"y\nz\"\n"),
            (Rows{"1|a", "2|NULL", "3|", "4|x\"y\nz"}));
  EXPECT_EQ(Read("\xEF\xBB\xBFk;v\r\n\r\n007;1.5\r\n010;2"), (Rows{"007|1.5", "010|2"}));
  EXPECT_EQ(Read("a,b\n12345678901234567890,true\n"), (Rows{"12345678901234567890|true"}));
  EXPECT_EQ(Read("a,a,\n"), Rows{});
  EXPECT_EQ(Read("v\n1\n\n2\n"), (Rows{"1", "NULL", "2"}));
}

TEST_F(CsvSource, Errors) {
  const std::string path = (directory_ / "x.csv").string();
  EXPECT_EQ(Read(""), Rows{path + ": is empty; give its columns by columns => {..}"});
  EXPECT_EQ(Read("a,b\n1,2\n3\n"),
            Rows{path + ", line 3, column 1: the record has 1 fields instead of 2"});
  EXPECT_EQ(Read("a,b\n1,2\n3,\"x\n"),
            Rows{path + ", line 3, column 1: a quoted field is not closed in the record that begins"
                        " here"});
}

TEST_F(CsvSource, EveryCutAndEveryFetch) {
  const std::string text = "1,a\n22,\n\n333,\"b\n,\"\"\"\r\n4,long text\n5,e";
  const std::string plain = "1,a\n22,\n\n333,b\r\n4,long text\n5,e";
  const auto schema =
      arrow::schema({arrow::field("k", arrow::int64()), arrow::field("v", arrow::utf8())});
  std::vector<std::string> paths = {
      Write("q.csv", text), Write("p.csv", plain),
      Write("q.gz", Compressed(arrow::Compression::GZIP, text.substr(0, 9)) +
                        Compressed(arrow::Compression::GZIP, text.substr(9))),
      Write("q.zst", Compressed(arrow::Compression::ZSTD, text.substr(0, 9)) +
                         Compressed(arrow::Compression::ZSTD, text.substr(9)))};
  for (const std::string& path : paths) {
    const bool is_plain = path == paths[1];
    CsvDialect dialect;
    dialect.quote = is_plain ? std::nullopt : std::optional<char>('"');
    const Rows expected = {"1|a", "22|NULL", is_plain ? "333|b" : "333|b\n,\"", "4|long text",
                           "5|e"};
    for (int64_t block_bytes = 1; block_bytes < 50; block_bytes += block_bytes < 8 ? 1 : 9) {
      TextSourceOptions options;
      options.block_bytes = block_bytes;
      const auto source = MakeTextSource({{path, MakeCsvFormat(dialect, schema, {0, 1}, 2)},
                                          {path, MakeCsvFormat(dialect, schema, {0, 1}, 2)}},
                                         "x", options);
      std::vector<int64_t> addresses;
      Rows both = expected;
      both.insert(both.end(), expected.begin(), expected.end());
      ASSERT_EQ(RowsOf(*source, &addresses), both) << path << " " << block_bytes;
      ASSERT_EQ(addresses.size(), both.size());
      for (size_t mask = 0; mask < 1024; mask += 41) {
        std::vector<int64_t> wanted;
        Rows rows;
        for (size_t i = 0; i < both.size(); ++i) {
          if ((mask >> i & 1) != 0) {
            wanted.push_back(addresses[i]);
            rows.push_back(both[i]);
          }
        }
        ASSERT_EQ(RowsOf(*source, nullptr, &wanted), rows) << path << " " << block_bytes;
      }
    }
  }
}

}  // namespace
}  // namespace keepone
