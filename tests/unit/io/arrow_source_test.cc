// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "column/value_text.h"
#include "io/decoded_type.h"
#include "io/open.h"
#include "tests/unit/column/random_arrays.h"
#include "tests/unit/io/source_testing.h"

namespace keepone {

namespace {

struct Written {
  bool is_file = false;
  arrow::Compression::type codec = arrow::Compression::UNCOMPRESSED;
};

const std::vector<Written> kForms = {{false, arrow::Compression::UNCOMPRESSED},
                                     {true, arrow::Compression::UNCOMPRESSED},
                                     {false, arrow::Compression::ZSTD},
                                     {true, arrow::Compression::LZ4_FRAME}};

arrow::Status WriteArrow(const std::string& path, const arrow::RecordBatchVector& batches,
                         const Written& form, bool deltas = false) {
  ARROW_ASSIGN_OR_RAISE(auto output, arrow::io::FileOutputStream::Open(path));
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.emit_dictionary_deltas = deltas;
  options.unify_dictionaries = form.is_file;
  if (form.codec != arrow::Compression::UNCOMPRESSED) {
    ARROW_ASSIGN_OR_RAISE(options.codec, arrow::util::Codec::Create(form.codec));
  }
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer;
  const auto& schema = batches[0]->schema();
  if (form.is_file) {
    ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeFileWriter(output, schema, options));
  } else {
    ARROW_ASSIGN_OR_RAISE(writer, arrow::ipc::MakeStreamWriter(output, schema, options));
  }
  for (const auto& batch : batches) {
    ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  }
  ARROW_RETURN_NOT_OK(writer->Close());
  return output->Close();
}

std::shared_ptr<const Source> Open(const std::string& path) {
  return OpenArrow({path}, arrow::default_memory_pool()).ValueOrDie();
}

arrow::RecordBatchVector CutTable(const arrow::Table& table, int64_t rows) {
  arrow::TableBatchReader reader(table);
  reader.set_chunksize(rows);
  return reader.ToRecordBatches().ValueOrDie();
}

void ExpectAll(const Source& source, const arrow::Table& expected, const std::string& what) {
  QueryContext context(SmallBatches());
  ScanRequest request;
  request.columns = AllColumns(source);
  const int64_t rows = expected.num_rows();
  ExpectRows(*ScanAll(source, &context, request, 2).ValueOrDie(), expected, Range(0, rows), what);
  std::mt19937_64 random(5);
  for (const double part : {0.02, 0.4, 1.0}) {
    const auto wanted = RandomRows(rows, part, &random);
    ExpectRows(*FetchRows(source, &context, wanted, 2).ValueOrDie(), expected, wanted, what);
  }
}

TEST(ArrowSource, FormatsAndCodecs) {
  const ScratchDirectory folder;
  const auto table = RandomTable(
      {arrow::field("i", arrow::int64()), arrow::field("s", arrow::utf8()),
       arrow::field("p", arrow::list(arrow::struct_({arrow::field("x", arrow::utf8())})))},
      500, 3);
  for (size_t i = 0; i < kForms.size(); ++i) {
    const std::string path = folder.File(std::to_string(i));
    ASSERT_TRUE(WriteArrow(path, CutTable(*table, 90), kForms[i]).ok());
    const auto source = Open(path);
    EXPECT_EQ(source->statistics().row_count, 500);
    EXPECT_TRUE(source->can_fetch());
    ExpectAll(*source, *table, "form " + std::to_string(i));
  }
}

TEST(ArrowSource, ColumnsInAnyOrderWithAddresses) {
  const ScratchDirectory folder;
  const auto table =
      RandomTable({arrow::field("a", arrow::int64()), arrow::field("b", arrow::utf8())}, 100, 4);
  const std::string path = folder.File("f");
  ASSERT_TRUE(WriteArrow(path, CutTable(*table, 30), {true}).ok());
  QueryContext context(SmallBatches());
  ScanRequest request;
  request.columns = {1, 0, 1};
  request.with_addresses = true;
  const auto scanned = ScanAll(*Open(path), &context, request).ValueOrDie();
  const auto expected = table->SelectColumns({1, 0}).ValueOrDie();
  ExpectRows(*scanned->SelectColumns({0, 1}).ValueOrDie(), *expected, Range(0, 100), "columns");
  const auto& addresses = static_cast<const arrow::Int64Array&>(*scanned->column(3)->chunk(0));
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(addresses.Value(i), i);
  }
  request.columns = {};
  EXPECT_EQ(ScanAll(*Open(path), &context, request).ValueOrDie()->num_rows(), 100);
}

// Every type comes back with the same values, in the plain form of its type.
TEST(ArrowSource, AllTypes) {
  const ScratchDirectory folder;
  std::mt19937 random(11);
  std::mt19937_64 rows_random(12);
  int number = 0;
  for (const auto& type : AllTypes()) {
    const auto array = RandomArray(type, 120, true, &random);
    if (type->num_fields() > 0 && !array->ValidateFull().ok()) {
      continue;  // decimals beyond their precision within nested values, which are refused
    }
    const auto batch =
        arrow::RecordBatch::Make(arrow::schema({arrow::field("v", type)}), 120, {array});
    const arrow::RecordBatchVector batches = {batch->Slice(0, 50), batch->Slice(50, 0),
                                              batch->Slice(50)};
    for (const Written& form : kForms) {
      const std::string path = folder.File(std::to_string(number++));
      const auto written = WriteArrow(path, batches, form);
      if (written.IsNotImplemented()) {
        continue;
      }
      ASSERT_TRUE(written.ok()) << type->ToString() << written;
      const auto source = Open(path);
      const auto decoded = DecodedType(type);
      EXPECT_TRUE(source->schema()->field(0)->type()->Equals(*decoded)) << type->ToString();
      QueryContext context(SmallBatches());
      const auto wanted = RandomRows(120, 0.3, &rows_random);
      ScanRequest request;
      request.columns = {0};
      const auto scanned = ScanAll(*source, &context, request, 2);
      const auto fetched = FetchRows(*source, &context, wanted, 2);
      ASSERT_TRUE(scanned.ok()) << type->ToString() << scanned.status();
      ASSERT_TRUE(fetched.ok()) << type->ToString() << fetched.status();
      const auto all = Range(0, 120);
      for (const auto& [table, rows] : {std::pair{*scanned, all}, std::pair{*fetched, wanted}}) {
        ASSERT_EQ(table->num_rows(), static_cast<int64_t>(rows.size()));
        ASSERT_TRUE(table->Validate().ok()) << type->ToString();
        const auto text = MakeValueText(table->column(0)->chunk(0), TextStyle::kJson);
        const auto expected = MakeValueText(array, TextStyle::kJson);
        ASSERT_TRUE(text.ok() && expected.ok()) << type->ToString();
        for (size_t i = 0; i < rows.size(); ++i) {
          std::string found_text;
          std::string expected_text;
          (*text)->Append(static_cast<int64_t>(i), &found_text);
          (*expected)->Append(rows[i], &expected_text);
          ASSERT_EQ(found_text, expected_text) << type->ToString() << " row " << rows[i];
        }
      }
    }
  }
  EXPECT_GT(number, 200);
}

std::shared_ptr<arrow::RecordBatch> DictionaryBatch(const std::vector<std::string>& values,
                                                    const std::vector<int32_t>& indices) {
  arrow::StringBuilder strings;
  EXPECT_TRUE(strings.AppendValues(values).ok());
  arrow::Int32Builder numbers;
  EXPECT_TRUE(numbers.AppendValues(indices).ok());
  const auto type = arrow::dictionary(arrow::int32(), arrow::utf8());
  const auto array = arrow::DictionaryArray::FromArrays(type, numbers.Finish().ValueOrDie(),
                                                        strings.Finish().ValueOrDie())
                         .ValueOrDie();
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("d", type)}), array->length(),
                                  {array});
}

TEST(ArrowSource, DictionariesGrowAndAreReplaced) {
  const ScratchDirectory folder;
  const arrow::RecordBatchVector batches = {
      DictionaryBatch({"a", "b"}, {0, 1, 0}), DictionaryBatch({"a", "b", "c"}, {2, 0}),
      DictionaryBatch({"x"}, {0}), DictionaryBatch({"x", "y"}, {1, 0})};
  arrow::StringBuilder strings;
  ASSERT_TRUE(strings.AppendValues({"a", "b", "a", "c", "a", "x", "y", "x"}).ok());
  const auto expected = arrow::Table::Make(arrow::schema({arrow::field("d", arrow::utf8())}),
                                           {strings.Finish().ValueOrDie()});
  for (const bool deltas : {false, true}) {
    const std::string path = folder.File(deltas ? "deltas" : "replaced");
    ASSERT_TRUE(WriteArrow(path, batches, {false}, deltas).ok());
    ExpectAll(*Open(path), *expected, deltas ? "deltas" : "replaced");
  }
}

TEST(ArrowSource, HugeBatchesComeInPieces) {
  const ScratchDirectory folder;
  const auto table = RandomTable({arrow::field("s", arrow::utf8())}, 5000, 6);
  const std::string path = folder.File("f");
  ASSERT_TRUE(WriteArrow(path, CutTable(*table, 5000), {true}).ok());
  QueryContext::Options options;
  options.batch_bytes_max = 4096;
  QueryContext context(options);
  ScanRequest request;
  request.columns = {0};
  const auto stream = Open(path)->Scan(&context, request, nullptr).ValueOrDie();
  const auto morsel = stream->NextMorsel().ValueOrDie();
  int64_t batches = 0;
  while (morsel->Next().ValueOrDie() != nullptr) {
    ++batches;
  }
  EXPECT_GT(batches, 10);
  EXPECT_EQ(stream->NextMorsel().ValueOrDie(), nullptr);
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Reads all that there is; whatever happens, it is a status.
arrow::Status ReadWhatever(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const auto source, OpenArrow({path}, arrow::default_memory_pool()));
  QueryContext::Options options = SmallBatches();
  options.memory_bytes_max = 64 << 20;
  QueryContext context(options);
  ScanRequest request;
  request.columns = AllColumns(*source);
  ARROW_ASSIGN_OR_RAISE(const auto table, ScanAll(*source, &context, request));
  ARROW_RETURN_NOT_OK(table->ValidateFull());
  std::mt19937_64 random(1);
  return FetchRows(*source, &context, RandomRows(table->num_rows(), 0.3, &random)).status();
}

TEST(ArrowSource, DamagedBytesAreErrorsAtMost) {
  const ScratchDirectory folder;
  const auto table =
      RandomTable({arrow::field("i", arrow::int32()), arrow::field("s", arrow::utf8()),
                   arrow::field("l", arrow::list(arrow::utf8())),
                   arrow::field("v", arrow::list_view(arrow::int32()))},
                  60, 8);
  arrow::RecordBatchVector batches;
  for (const auto& batch : CutTable(*table, 20)) {
    auto with = DictionaryBatch({"a", "b", "c"}, std::vector<int32_t>(20, 2));
    batches.push_back(batch->AddColumn(4, with->schema()->field(0), with->column(0)).ValueOrDie());
  }
  std::mt19937_64 random(9);
  const std::string path = folder.File("damaged");
  for (const Written& form : kForms) {
    const std::string whole = folder.File("whole");
    ASSERT_TRUE(WriteArrow(whole, batches, form).ok());
    EXPECT_TRUE(ReadWhatever(whole).ok());
    const std::string bytes = ReadBytes(whole);
    for (int i = 0; i < 300; ++i) {
      std::string damaged = bytes;
      for (uint64_t j = 0; j <= random() % 3; ++j) {
        damaged[random() % damaged.size()] = static_cast<char>(random() % 3 == 0 ? 0xFF : random());
      }
      WriteBytes(path, damaged);
      const auto status = ReadWhatever(path);
      EXPECT_TRUE(status.ok() || GetErrorKind(status) != ErrorKind::kInternal) << status;
    }
    for (int i = 0; i < 60; ++i) {
      WriteBytes(path, bytes.substr(0, random() % bytes.size()));
      const auto status = ReadWhatever(path);
      // A stream may end behind any message.
      EXPECT_TRUE(!form.is_file || !status.ok());
      EXPECT_TRUE(status.ok() || GetErrorKind(status) == ErrorKind::kData) << status;
    }
  }
}

TEST(ArrowSource, AFileThatChangesIsAnError) {
  const ScratchDirectory folder;
  const std::string path = folder.File("f");
  const auto table = RandomTable({arrow::field("i", arrow::int64())}, 100, 3);
  ASSERT_TRUE(WriteArrow(path, CutTable(*table, 10), {true}).ok());
  const auto source = Open(path);
  WriteBytes(path, ReadBytes(path) + "more");
  QueryContext context(SmallBatches());
  const auto fetched = FetchRows(*source, &context, {1, 2});
  ASSERT_FALSE(fetched.ok());
  EXPECT_NE(fetched.status().message().find("changed while it was being read"), std::string::npos);
}

}  // namespace

}  // namespace keepone
