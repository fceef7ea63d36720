// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/io/source_testing.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include <arrow/api.h>
#include <arrow/compute/cast.h>
#include <arrow/io/file.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include "io/open.h"

namespace keepone {

namespace {

using Random = std::mt19937_64;

arrow::Status AppendRandom(arrow::ArrayBuilder* builder, Random* random);

int64_t RandomNumber(Random* random) {
  // Small ones, so that dictionaries and runs occur, and extremes.
  switch ((*random)() % 8) {
    case 0:
      return static_cast<int64_t>((*random)());
    case 1:
      return std::numeric_limits<int64_t>::min();
    default:
      return static_cast<int64_t>((*random)() % 16) - 8;
  }
}

double RandomFloat(Random* random) {
  const double specials[] = {0.0, -0.0, std::nan(""), INFINITY, -INFINITY, 1.5};
  const uint64_t choice = (*random)() % 12;
  return choice < 6 ? specials[choice] : static_cast<double>((*random)() % 1000) / 7;
}

std::string RandomText(Random* random) {
  const uint64_t length = (*random)() % 40 == 0 ? (*random)() % 3000 : (*random)() % 12;
  std::string text;
  for (uint64_t i = 0; i < length; ++i) {
    text.push_back(static_cast<char>('a' + (*random)() % 3));
  }
  return text;
}

template <typename Builder, typename Value>
arrow::Status AppendTo(arrow::ArrayBuilder* builder, Value value) {
  return static_cast<Builder*>(builder)->Append(value);
}

template <typename Builder>
arrow::Status AppendInteger(arrow::ArrayBuilder* builder, Random* random) {
  using Value = typename Builder::value_type;
  return static_cast<Builder*>(builder)->Append(static_cast<Value>(RandomNumber(random)));
}

template <typename Builder>
arrow::Status AppendList(arrow::ArrayBuilder* builder, Random* random) {
  auto* const list = static_cast<Builder*>(builder);
  const int64_t length = static_cast<int64_t>((*random)() % 4);
  if constexpr (std::is_same_v<Builder, arrow::ListViewBuilder> ||
                std::is_same_v<Builder, arrow::LargeListViewBuilder>) {
    ARROW_RETURN_NOT_OK(list->Append(true, length));
  } else {
    ARROW_RETURN_NOT_OK(list->Append());
  }
  for (int64_t i = 0; i < length; ++i) {
    ARROW_RETURN_NOT_OK(AppendRandom(list->value_builder(), random));
  }
  return arrow::Status::OK();
}

arrow::Status AppendMap(arrow::MapBuilder* map, Random* random) {
  ARROW_RETURN_NOT_OK(map->Append());
  const uint64_t length = (*random)() % 3;
  for (uint64_t i = 0; i < length; ++i) {
    ARROW_RETURN_NOT_OK(
        static_cast<arrow::StringBuilder*>(map->key_builder())->Append(RandomText(random)));
    ARROW_RETURN_NOT_OK(AppendRandom(map->item_builder(), random));
  }
  return arrow::Status::OK();
}

arrow::Status AppendValue(arrow::ArrayBuilder* builder, Random* random) {
  switch (builder->type()->id()) {
    case arrow::Type::NA:
      return builder->AppendNull();
    case arrow::Type::BOOL:
      return AppendTo<arrow::BooleanBuilder>(builder, (*random)() % 3 == 0);
    case arrow::Type::INT8:
      return AppendInteger<arrow::Int8Builder>(builder, random);
    case arrow::Type::UINT16:
      return AppendInteger<arrow::UInt16Builder>(builder, random);
    case arrow::Type::INT32:
      return AppendInteger<arrow::Int32Builder>(builder, random);
    case arrow::Type::UINT32:
      return AppendInteger<arrow::UInt32Builder>(builder, random);
    case arrow::Type::INT64:
      return AppendInteger<arrow::Int64Builder>(builder, random);
    case arrow::Type::UINT64:
      return AppendInteger<arrow::UInt64Builder>(builder, random);
    case arrow::Type::DATE32:
      return AppendInteger<arrow::Date32Builder>(builder, random);
    case arrow::Type::TIME64:
      return AppendTo<arrow::Time64Builder>(builder, static_cast<int64_t>((*random)() % 1000));
    case arrow::Type::TIMESTAMP:
      return AppendInteger<arrow::TimestampBuilder>(builder, random);
    case arrow::Type::DURATION:
      return AppendInteger<arrow::DurationBuilder>(builder, random);
    case arrow::Type::HALF_FLOAT:
      return AppendTo<arrow::HalfFloatBuilder>(
          builder, arrow::util::Float16::FromDouble(RandomFloat(random)).bits());
    case arrow::Type::FLOAT:
      return AppendTo<arrow::FloatBuilder>(builder, static_cast<float>(RandomFloat(random)));
    case arrow::Type::DOUBLE:
      return AppendTo<arrow::DoubleBuilder>(builder, RandomFloat(random));
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return static_cast<arrow::BinaryBuilder*>(builder)->Append(RandomText(random));
    case arrow::Type::LARGE_STRING:
      return static_cast<arrow::LargeBinaryBuilder*>(builder)->Append(RandomText(random));
    case arrow::Type::FIXED_SIZE_BINARY:
      return static_cast<arrow::FixedSizeBinaryBuilder*>(builder)->Append(
          std::to_string(1000 + (*random)() % 9).c_str());
    case arrow::Type::DECIMAL128:
      return AppendTo<arrow::Decimal128Builder>(
          builder, arrow::Decimal128(static_cast<int64_t>((*random)() % 2000) - 1000));
    case arrow::Type::DECIMAL256:
      return AppendTo<arrow::Decimal256Builder>(
          builder, arrow::Decimal256(static_cast<int64_t>((*random)() % 2000) - 1000));
    case arrow::Type::LIST:
      return AppendList<arrow::ListBuilder>(builder, random);
    case arrow::Type::LARGE_LIST:
      return AppendList<arrow::LargeListBuilder>(builder, random);
    case arrow::Type::LIST_VIEW:
      return AppendList<arrow::ListViewBuilder>(builder, random);
    case arrow::Type::MAP:
      return AppendMap(static_cast<arrow::MapBuilder*>(builder), random);
    case arrow::Type::FIXED_SIZE_LIST: {
      auto* const list = static_cast<arrow::FixedSizeListBuilder*>(builder);
      ARROW_RETURN_NOT_OK(list->Append());
      for (int i = 0; i < 2; ++i) {
        ARROW_RETURN_NOT_OK(AppendRandom(list->value_builder(), random));
      }
      return arrow::Status::OK();
    }
    case arrow::Type::STRUCT: {
      ARROW_RETURN_NOT_OK(static_cast<arrow::StructBuilder*>(builder)->Append());
      for (int i = 0; i < builder->num_children(); ++i) {
        ARROW_RETURN_NOT_OK(AppendRandom(builder->child(i), random));
      }
      return arrow::Status::OK();
    }
    default:
      return arrow::Status::NotImplemented(builder->type()->ToString());
  }
}

arrow::Status AppendRandom(arrow::ArrayBuilder* builder, Random* random) {
  return (*random)() % 6 == 0 ? builder->AppendNull() : AppendValue(builder, random);
}

}  // namespace

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "keepone-test-XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::shared_ptr<arrow::Array> RandomArray(const std::shared_ptr<arrow::DataType>& type,
                                          int64_t count, std::mt19937_64* random) {
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_TRUE(AppendRandom(builder.get(), random).ok());
  }
  return builder->Finish().ValueOrDie();
}

arrow::Status WriteParquet(const std::string& path, const arrow::Table& table,
                           const std::shared_ptr<parquet::WriterProperties>& properties,
                           int64_t row_group_rows) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(path));
  const auto arrow_properties = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  ARROW_RETURN_NOT_OK(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), file,
                                                 row_group_rows, properties, arrow_properties));
  return file->Close();
}

arrow::Result<std::shared_ptr<arrow::Table>> ReadByArrow(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
  ARROW_ASSIGN_OR_RAISE(auto table, reader->ReadTable());
  return table->CombineChunks();
}

arrow::Result<std::shared_ptr<arrow::Table>> ReadStream(BatchStream* stream, int threads) {
  ARROW_RETURN_NOT_OK(stream->Prepare());
  std::vector<std::unique_ptr<Morsel>> morsels;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto morsel, stream->NextMorsel());
    if (morsel == nullptr) {
      break;
    }
    morsels.push_back(std::move(morsel));
  }
  std::vector<arrow::RecordBatchVector> batches(morsels.size());
  std::vector<arrow::Status> statuses(morsels.size());
  std::atomic<size_t> next{0};
  const auto read = [&](size_t i) -> arrow::Status {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, morsels[i]->Next());
      if (batch == nullptr) {
        morsels[i].reset();
        return arrow::Status::OK();
      }
      EXPECT_GT(batch->num_rows(), 0);
      batches[i].push_back(std::move(batch));
    }
  };
  const auto work = [&] {
    for (size_t i = next++; i < morsels.size(); i = next++) {
      statuses[i] = read(i);
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < threads; ++i) {
    workers.emplace_back(work);
  }
  work();
  for (std::thread& worker : workers) {
    worker.join();
  }
  arrow::RecordBatchVector all;
  for (size_t i = 0; i < batches.size(); ++i) {
    ARROW_RETURN_NOT_OK(statuses[i]);
    all.insert(all.end(), batches[i].begin(), batches[i].end());
  }
  ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(stream->schema(), all));
  if (table->num_columns() == 0) {
    return table;
  }
  ARROW_ASSIGN_OR_RAISE(table, table->CombineChunks());
  ARROW_RETURN_NOT_OK(table->Validate());
  return table;
}

arrow::Result<std::shared_ptr<arrow::Table>> ScanAll(const Source& source, QueryContext* context,
                                                     ScanRequest request, int threads) {
  ARROW_ASSIGN_OR_RAISE(auto stream, source.Scan(context, std::move(request), nullptr));
  return ReadStream(stream.get(), threads);
}

arrow::Result<std::shared_ptr<arrow::Table>> FetchRows(const Source& source, QueryContext* context,
                                                       const std::vector<int64_t>& rows,
                                                       int threads) {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(rows));
  FetchRequest request;
  request.columns = AllColumns(source);
  ARROW_RETURN_NOT_OK(builder.Finish(&request.addresses));
  ARROW_ASSIGN_OR_RAISE(auto stream, source.Fetch(context, std::move(request), nullptr));
  return ReadStream(stream.get(), threads);
}

std::vector<int> AllColumns(const Source& source) {
  std::vector<int> columns(static_cast<size_t>(source.schema()->num_fields()));
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

void ExpectRows(const arrow::Table& table, const arrow::Table& expected,
                const std::vector<int64_t>& rows, const std::string& what) {
  ASSERT_EQ(table.num_rows(), static_cast<int64_t>(rows.size())) << what;
  ASSERT_GE(table.num_columns(), expected.num_columns()) << what;
  if (rows.empty()) {
    return;
  }
  const auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  int column = 0;
  for (int c = 0; c < expected.num_columns(); ++c, ++column) {
    // Arrow leaves out structs that have no fields.
    while (column < table.num_columns() &&
           table.field(column)->name() != expected.field(c)->name()) {
      ++column;
    }
    ASSERT_LT(column, table.num_columns()) << what << ": no column " << expected.field(c)->name();
    ASSERT_LE(table.column(column)->num_chunks(), 1) << what;
    const arrow::Array& got = *table.column(column)->chunk(0);
    std::shared_ptr<arrow::Array> plain = expected.column(c)->chunk(0);
    if (plain->type_id() == arrow::Type::DICTIONARY ||
        plain->type_id() == arrow::Type::STRING_VIEW ||
        plain->type_id() == arrow::Type::BINARY_VIEW) {
      plain = arrow::compute::Cast(*plain, got.type()).ValueOrDie();
    }
    const arrow::Array& wanted = *plain;
    ASSERT_TRUE(got.type()->Equals(*wanted.type()))
        << what << ": " << got.type()->ToString() << " is not " << wanted.type()->ToString();
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      ASSERT_TRUE(got.RangeEquals(row, row + 1, rows[i], wanted, options))
          << what << ", column " << expected.field(c)->name() << ", row " << rows[i] << ": "
          << got.Slice(row, 1)->ToString() << " is not " << wanted.Slice(rows[i], 1)->ToString();
    }
  }
}

std::shared_ptr<arrow::Table> RandomTable(const arrow::FieldVector& fields, int64_t rows,
                                          uint64_t seed) {
  std::mt19937_64 random(seed);
  arrow::ArrayVector arrays;
  for (const auto& field : fields) {
    arrays.push_back(RandomArray(field->type(), rows, &random));
  }
  return arrow::Table::Make(arrow::schema(fields), arrays);
}

std::vector<int64_t> Range(int64_t begin, int64_t end) {
  std::vector<int64_t> rows(static_cast<size_t>(end - begin));
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

std::vector<int64_t> RandomRows(int64_t count, double part, std::mt19937_64* random) {
  std::bernoulli_distribution wanted(part);
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < count; ++row) {
    if (wanted(*random)) {
      rows.push_back(row);
    }
  }
  return rows;
}

QueryContext::Options SmallBatches() {
  QueryContext::Options options;
  options.threads = 2;
  options.batch_rows_max = 64;
  return options;
}

void CheckFile(const std::string& path, const std::string& what) {
  const auto expected = ReadByArrow(path);
  ASSERT_TRUE(expected.ok()) << what << ": " << expected.status();
  const int64_t row_count = (*expected)->num_rows();
  const auto source = OpenParquet({path}, arrow::default_memory_pool());
  ASSERT_TRUE(source.ok()) << what << ": " << source.status();
  QueryContext context(SmallBatches());
  ScanRequest scan;
  scan.columns = AllColumns(**source);
  scan.with_addresses = true;
  const auto scanned = ScanAll(**source, &context, scan, 2);
  ASSERT_TRUE(scanned.ok()) << what << ": " << scanned.status();
  ExpectRows(**scanned, **expected, Range(0, row_count), what + ", scan");
  for (int64_t row = 0; row < row_count; ++row) {
    const arrow::ChunkedArray& addresses = *(*scanned)->column((*scanned)->num_columns() - 1);
    ASSERT_EQ(static_cast<const arrow::Int64Array&>(*addresses.chunk(0)).Value(row), row) << what;
  }
  std::mt19937_64 random(7);
  const std::vector<std::vector<int64_t>> selections = {{},
                                                        {0},
                                                        {row_count - 1},
                                                        {0, row_count - 1},
                                                        {row_count / 3},
                                                        Range(row_count / 4, row_count / 2),
                                                        RandomRows(row_count, 0.01, &random),
                                                        RandomRows(row_count, 0.5, &random),
                                                        RandomRows(row_count, 0.95, &random),
                                                        Range(0, row_count)};
  for (std::vector<int64_t> rows : selections) {
    std::erase_if(rows, [&](int64_t row) { return row < 0 || row >= row_count; });
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const auto fetched = FetchRows(**source, &context, rows, 2);
    const std::string name = what + ", fetch of " + std::to_string(rows.size());
    ASSERT_TRUE(fetched.ok()) << name << ": " << fetched.status();
    ExpectRows(**fetched, **expected, rows, name);
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace keepone
