// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/compressed.h>
#include <arrow/io/file.h>
#include <arrow/json/from_string.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "io/sink.h"
#include "tests/unit/io/source_testing.h"

namespace keepone {

namespace {

class TextSinkTest : public testing::Test {
 protected:
  arrow::Result<std::string> Write(const std::string& name, const SinkOptions& options) {
    QueryContext context({});
    const std::string path = directory_.File(name);
    ARROW_ASSIGN_OR_RAISE(const FileFormat format, FileFormatFromPath(path));
    ARROW_ASSIGN_OR_RAISE(auto sink,
                          MakeFileSink(&context, format, batch_->schema(), options, path));
    ARROW_RETURN_NOT_OK(sink->Write(batch_));
    ARROW_RETURN_NOT_OK(sink->Finish());
    return path;
  }

  static std::string Read(const std::string& path,
                          arrow::Compression::type codec = arrow::Compression::UNCOMPRESSED) {
    std::shared_ptr<arrow::io::InputStream> input =
        arrow::io::ReadableFile::Open(path).ValueOrDie();
    const auto decompressor = arrow::util::Codec::Create(codec).ValueOrDie();
    if (decompressor != nullptr) {
      input = arrow::io::CompressedInputStream::Make(decompressor.get(), input).ValueOrDie();
    }
    return input->Read(1 << 20).ValueOrDie()->ToString();
  }

  std::string ErrorOf(const std::string& name, const SinkOptions& options) {
    const arrow::Status status = Write(name, options).status();
    EXPECT_EQ(GetErrorKind(status), ErrorKind::kBind) << status.ToString();
    EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
    return status.ToString();
  }

  std::shared_ptr<arrow::RecordBatch> batch_ = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("i", arrow::int64()), arrow::field("t", arrow::utf8())}), 3,
      {arrow::json::ArrayFromJSONString(arrow::int64(), "[1, null, 3]").ValueOrDie(),
       arrow::json::ArrayFromJSONString(arrow::utf8(), R"(["it's; \"b\"", "", null])")
           .ValueOrDie()});
  ScratchDirectory directory_;
};

TEST_F(TextSinkTest, CsvOptions) {
  EXPECT_EQ(Read(*Write("a.csv", {})), "i,t\n1,\"it's; \"\"b\"\"\"\n,\"\"\n3,\n");
  EXPECT_EQ(Read(*Write("b.csv", {{"header", {"false"}}, {"sep", {";"}}, {"nullstr", {"NA"}}})),
            "1;\"it's; \"\"b\"\"\"\nNA;\"\"\n3;NA\n");
  EXPECT_EQ(Read(*Write("c.csv", {{"quote", {"'"}}, {"escape", {"\\"}}, {"force_quote", {"*"}}})),
            "i,t\n'1','it\\'s; \"b\"'\n,''\n'3',\n");
}

TEST_F(TextSinkTest, CsvOptionsThatAreWrong) {
  EXPECT_NE(ErrorOf("a.csv", {{"delimiter", {"\""}}}).find("must be different"), std::string::npos);
  EXPECT_NE(ErrorOf("a.csv", {{"null", {"a,b"}}}).find("must hold no delimiter"),
            std::string::npos);
  EXPECT_NE(ErrorOf("a.csv", {{"force_quote", {"z"}}}).find("no column"), std::string::npos);
  EXPECT_NE(ErrorOf("a.csv", {{"compression", {"snappy"}}}).find("gzip, zstd"), std::string::npos);
  EXPECT_NE(ErrorOf("a.ndjson", {{"header", {}}}).find("no option"), std::string::npos);
}

TEST_F(TextSinkTest, CompressionByNameAndOption) {
  const std::string lines = Read(*Write("a.ndjson", {}));
  EXPECT_EQ(Read(*Write("a.ndjson.gz", {}), arrow::Compression::GZIP), lines);
  EXPECT_EQ(Read(*Write("a.jsonl.ZST", {}), arrow::Compression::ZSTD), lines);
  EXPECT_EQ(Read(*Write("a.ndjson.lz4", {}), arrow::Compression::LZ4_FRAME), lines);
  EXPECT_EQ(Read(*Write("b.ndjson", {{"compression", {"zstd"}}, {"compression_level", {"19"}}}),
                 arrow::Compression::ZSTD),
            lines);
  EXPECT_EQ(Read(*Write("b.ndjson.gz", {{"compression", {"none"}}})), lines);
  EXPECT_FALSE(FileFormatFromPath("a.parquet.gz").ok());
  EXPECT_FALSE(FileFormatFromPath("gz").ok());
}

}  // namespace

}  // namespace keepone
